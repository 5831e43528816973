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

/** A test in a YAML file, with the state of the last push or pull. */
export type TestFile = {
  readonly path: string;
  readonly name: string;
  readonly projectId: string | null;
  readonly steps: readonly StepInput[];
  /** The test on the service; null before the first push. */
  readonly id: string | null;
  /** The version of the last push or pull. */
  readonly version: number | null;
  /** Whether steps or rows were changed since the last push or pull. */
  readonly isChanged: boolean;
  /** The data rows; null if the file has no `data`. */
  readonly data: TestData | null;
  /** The parsed YAML, which keeps comments and order. */
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

/** The YAML files of the given files and folders, sorted by name. Throws CommandError (usage). */
export const findTestFiles = async (paths: readonly string[]): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const path of paths) {
    const info = await stat(path).catch(() => {
      throw problem(path, "no such file or folder");
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

/** Whether a file name is that of a YAML test rather than of plain English. */
export const isTestFile = (path: string): boolean => /\.ya?ml$/i.test(path);

/** Reads and validates a file. Throws CommandError (usage) with the position of the first problem. */
export const readTestFile = async (path: string): Promise<TestFile> => {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw problem(path, `it cannot be read (${error.code ?? error.message})`);
  });
  const document = parseDocument(text, { version: "1.2", uniqueKeys: true });
  const [error] = document.errors;
  if (error) throw problem(path, error.message.split("\n")[0] ?? "the file is not valid YAML");
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
    // An alias could expand to any size.
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    throw problem(path, "aliases (*) are not supported: write out the value");
  }
};

const stepsOf = (path: string, data: z.output<typeof fileSchema>): readonly StepInput[] => {
  if (data.text !== undefined && data.steps !== undefined) {
    throw problem(path, "the file has both text and steps: remove one of them");
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

/** Records the id, version and digest of a push or pull in a file. Keeps comments and order. */
export const writeSyncMark = async (
  file: Pick<TestFile, "path" | "document" | "steps" | "data">,
  synced: { readonly id: string; readonly version: number },
): Promise<void> => {
  const { document } = file;
  document.set("id", synced.id);
  document.set("version", synced.version);
  document.set("digest", digestOf(file.steps, file.data));
  await writeFile(file.path, document.toString({ lineWidth: 0 }));
};

/** Writes a test of the service into a file. */
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
  // A test without rows has no `data` in its file.
  const data = test.data.rows.length > 0 ? test.data : null;
  if (data) document.set("data", document.createNode(plainData(data)));
  else document.delete("data");
  await writeSyncMark({ path, document, steps: test.steps, data }, test);
};

/** Detects changes of steps and rows since the last push or pull. */
const digestOf = (steps: readonly StepInput[], data: TestData | null): string =>
  createHash("sha256")
    .update(JSON.stringify(steps.map(plainStep)))
    .update(data === null ? "" : JSON.stringify(data))
    .digest("hex")
    .slice(0, 16);

const problem = (path: string, what: string): CommandError =>
  new CommandError(`${path}: ${what}.`.replace(/\.\.$/, "."), exitCodes.usage);
