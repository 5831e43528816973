import { CannotJudgeError } from "./errors.ts";

/** A file of a test's project: what is in it, and what it is. */
type ChosenFile = { readonly bytes: Buffer; readonly contentType: string };

/** Reads a file of the test's project by its name; null where there is none. */
export type ReadFile = (name: string) => Promise<ChosenFile | null>;

/** A test that is run without the service has no project with files. */
export const noFiles: ReadFile = async (name) => {
  throw new CannotJudgeError(
    `The file ${JSON.stringify(name)} cannot be chosen: the files of a project are with the service, and the test runs without it.`,
  );
};
