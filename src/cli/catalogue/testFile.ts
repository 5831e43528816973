import { createHash } from "node:crypto";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Document, parseDocument } from "yaml";
import { z } from "zod";
import type { StepInput } from "../../domain/catalogue/step.ts";
import {
  dataOfPlain,
  plainData,
  plainDataSchema,
  type TestData,
} from "../../domain/catalogue/testData.ts";
import { validateSteps } from "../../domain/catalogue/vocabulary.ts";
import { parseEnglish } from "../../domain/english/index.ts";
import { plainStep } from "../../domain/formats/testDocument.ts";
import { issueMessage } from "../../domain/kernel/issueMessage.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";

/** A test as a file of a repository. What was pushed or pulled last is kept in it. */
export type TestFile = {
  readonly path: string;
  readonly name: string;
  readonly projectId: string | null;
  readonly steps: readonly StepInput[];
  /** The test on the service; null before the first push. */
  readonly id: string | null;
  /** The version that the file had last in common with the service. */
  readonly version: number | null;
  /** Whether the steps or the rows are others than when the file and the service were last alike. */
  readonly isChanged: boolean;
  /** The rows with which it runs; null when the file says nothing of rows. */
  readonly data: TestData | null;
  /** The file as it was read, so that comments and order stay. */
  readonly document: Document;
};

const fileSchema = z.object({
  id: z.uuid("must be the test's id").nullable().default(null),
  version: z.int().positive().nullable().default(null),
  digest: z.string().nullable().default(null),
  name: z.string("is required").trim().min(1, "must not be empty"),
  project_id: z.uuid().nullable().default(null),
  text: z.string().optional(),
  data: plainDataSchema.optional(),
  steps: z
    .array(
      z.object({
        action: z.string("is required"),
        target: z.string().optional(),
        value: z.string().optional(),
        description: z.string().optional(),
        optional: z.boolean().optional(),
        disabled: z.boolean().optional(),
      }),
    )
    .optional(),
});

/** What the files and folders named come to: YAML files, in the order of their names. Throws CommandError (usage). */
export const findTestFiles = async (paths: readonly string[]): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const path of paths) {
    const info = await stat(path).catch(() => {
      throw problem(path, "there is no such file or folder");
    });
    if (!info.isDirectory()) found.push(path);
    else {
      const names = (await readdir(path, { recursive: true })).filter((name) =>
        /\.ya?ml$/.test(name),
      );
      found.push(...names.sort().map((name) => join(path, name)));
    }
  }
  return found;
};

/** Whether a file of this name is a test as YAML rather than plain English. */
export const isTestFile = (path: string): boolean => /\.ya?ml$/i.test(path);

/** Reads a file; its steps, or its plain English, are checked. Throws CommandError (usage) that says what is wrong where. */
export const readTestFile = async (path: string): Promise<TestFile> => {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw problem(path, `it cannot be read (${error.code ?? error.message})`);
  });
  const document = parseDocument(text, { version: "1.2", uniqueKeys: true });
  const [error] = document.errors;
  if (error) throw problem(path, error.message.split("\n")[0] ?? "it is no YAML");
  const read = fileSchema.safeParse(toPlain(document, path));
  if (!read.success) {
    const [issue] = read.error.issues;
    const why = issue ? issueMessage(issue) : "is wrong";
    throw problem(path, `${issue?.path.join(".") || "the test"} ${why}`);
  }
  const { id, version, digest, name, project_id: projectId } = read.data;
  const steps = stepsOf(path, read.data);
  const data = read.data.data === undefined ? null : dataOfPlain(read.data.data);
  const isChanged = digest !== digestOf(steps, data);
  return { path, name, projectId, steps, id, version, isChanged, data, document };
};

const toPlain = (document: Document, path: string): unknown => {
  try {
    // No alias is resolved: nobody sees what a file with them comes to.
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    throw problem(path, "it has an alias (*): write out what it stands for");
  }
};

const stepsOf = (path: string, data: z.output<typeof fileSchema>): readonly StepInput[] => {
  if (data.text !== undefined && data.steps !== undefined) {
    throw problem(path, "it has text and steps: leave one out");
  }
  if (data.text !== undefined) {
    const { steps, warnings } = parseEnglish(data.text);
    const [warning] = warnings;
    if (warning) throw problem(path, `text, line ${warning.line}: ${warning.message}`);
    return steps;
  }
  const checked = validateSteps(data.steps ?? []);
  if (!checked.ok) {
    const [first] = checked.problems;
    throw problem(path, `step ${first?.position}, ${first?.field}: ${first?.message}`);
  }
  return checked.steps;
};

/** Writes into a file what it and the service now have in common; the rest of it stays as a person wrote it. */
export const writeSyncMark = async (
  file: Pick<TestFile, "path" | "document" | "steps" | "data">,
  common: { readonly id: string; readonly version: number },
): Promise<void> => {
  const { document } = file;
  document.set("id", common.id);
  document.set("version", common.version);
  document.set("digest", digestOf(file.steps, file.data));
  await writeFile(file.path, document.toString({ lineWidth: 0 }));
};

/** Puts the service's test into a file. */
export const writeTestFile = async (
  path: string,
  document: Document,
  test: {
    readonly id: string;
    readonly version: number;
    readonly name: string;
    readonly project_id: string | null;
    readonly steps: readonly StepInput[];
    readonly data: TestData;
  },
): Promise<void> => {
  document.set("name", test.name);
  if (test.project_id !== null) document.set("project_id", test.project_id);
  document.delete("text");
  document.set("steps", document.createNode(test.steps.map(plainStep)));
  // Of a test that runs once a file need not speak.
  const data = test.data.rows.length > 0 ? test.data : null;
  if (data) document.set("data", document.createNode(plainData(data)));
  else document.delete("data");
  await writeSyncMark({ path, document, steps: test.steps, data }, test);
};

/** Tells whether steps and rows are still those of the last push or pull. */
const digestOf = (steps: readonly StepInput[], data: TestData | null): string =>
  createHash("sha256")
    .update(JSON.stringify(steps.map(plainStep)))
    .update(data === null ? "" : JSON.stringify(data))
    .digest("hex")
    .slice(0, 16);

const problem = (path: string, what: string): CommandError =>
  new CommandError(`${path}: ${what}.`.replace(/\.\.$/, "."), exitCodes.usage);
