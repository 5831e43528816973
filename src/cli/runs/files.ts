import { plainData } from "../../domain/catalogue/testData.ts";
import { plainStep } from "../../domain/formats/testDocument.ts";
import { contentText } from "../../domain/runs/contentText.ts";
import type { FailedFile } from "../../domain/runs/junit.ts";
import { FileError } from "../catalogue/problems.ts";
import { findTestFiles, isTestFile, readTestFiles, type TestFile } from "../catalogue/testFile.ts";
import { commitsOf, exists } from "../checkout.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import type { QueueBody, QueuedRuns } from "../service.ts";
import type { Terminal } from "../terminal.ts";

/** The tests of a command: ids, and the files of this checkout as they are. */
export type NamedTests = {
  readonly ids: readonly string[];
  readonly files: readonly TestFile[];
  readonly errors: readonly FileError[];
};

const ID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Reads the named tests: ids, files, and folders with files. */
export const readNamed = async (named: readonly string[]): Promise<NamedTests> => {
  const ids = named.filter((one) => ID.test(one));
  const errors: FileError[] = [];
  const paths: string[] = [];
  for (const one of named.filter((other) => !ID.test(other))) {
    if (!isTestFile(one) && !(await exists(one))) {
      const message = `"${one}" is neither the id of a test nor a .yaml file. \`runledger tests list\` shows the ids.`;
      errors.push(new FileError(one, message));
      continue;
    }
    try {
      paths.push(...(await findTestFiles([one])));
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      errors.push(error);
    }
  }
  const read = await readTestFiles([...new Set(paths)]);
  return { ids, files: read.files, errors: [...errors, ...read.errors] };
};

/** The files of a request, each with its content and commit. `project` is that of files without `project_id`. */
export const sentFiles = async (
  files: readonly TestFile[],
  project: string | null,
): Promise<NonNullable<QueueBody["files"]>> => {
  const commits = await commitsOf(files.map(({ path }) => path));
  return files.map(({ path, source, id, name, projectId, text, steps, data }) => ({
    source,
    name,
    commit: commits.get(path) ?? null,
    test_id: id,
    project_id: projectId ?? project,
    ...(text === null ? { steps: steps.map(plainStep) } : { text }),
    ...(data !== null && { data: plainData(data) }),
  }));
};

/** Shows each file whose content differs from the stored test. */
export const sayContents = (queued: QueuedRuns, terminal: Terminal): void => {
  const shown = new Set<string>();
  for (const { source, content } of queued.executions) {
    if (source === null || content === null || shown.has(source)) continue;
    shown.add(source);
    terminal.say(`  ${source}: ${contentText(content)}`);
  }
};

/** The failed files of a JUnit report: those that cannot be read, else all files with the reason of the refusal. */
export const failedFiles = (named: NamedTests, refusal: unknown): readonly FailedFile[] => {
  const unread = named.errors.map(({ path, message }) => ({ path, name: path, error: message }));
  if (!(refusal instanceof Error)) return unread;
  const error = refusal.message;
  const rest = [
    ...named.files.map(({ source, name }) => ({ path: source, name, error })),
    ...named.ids.map((id) => ({ path: id, name: id, error })),
  ];
  const all =
    refusal instanceof FilesError ? [...unread, ...rest.map(notRun)] : [...unread, ...rest];
  return all.length > 0 ? all : [{ path: "runledger", name: "cloud-run", error }];
};

const notRun = (file: FailedFile): FailedFile => ({
  ...file,
  error: "Not run: other files of this command cannot be read.",
});

/** Files of a command cannot be read; nothing is run. */
export class FilesError extends CommandError {
  constructor(errors: readonly FileError[]) {
    super(errors.map(({ message }) => message).join("\n"), exitCodes.usage);
    this.name = "FilesError";
  }
}
