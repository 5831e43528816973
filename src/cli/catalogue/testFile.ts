import { createHash } from "node:crypto";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Document, isScalar, LineCounter, parseDocument } from "yaml";
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
import { sourceOf } from "../checkout.ts";
import { FileError, misunderstood } from "./problems.ts";

/** A test in a YAML file, with the state of the last push or pull. */
export type TestFile = {
  readonly path: string;
  /** The path in the repository, which with the project identifies the test. */
  readonly source: string;
  readonly name: string;
  /** The plain English as written; null if the file has steps. */
  readonly text: string | null;
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

/**
 * Reads and validates a file. Throws FileError: every sentence that is not understood with its line, else the first
 * problem with its position.
 */
export const readTestFile = async (path: string): Promise<TestFile> => {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw problem(path, `it cannot be read (${error.code ?? error.message})`);
  });
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { version: "1.2", uniqueKeys: true, lineCounter });
  const [error] = document.errors;
  if (error) throw problem(path, error.message.split("\n")[0] ?? "the file is not valid YAML");
  const read = fileSchema.safeParse(toPlain(document, path));
  if (!read.success) {
    const [issue] = read.error.issues;
    const why = issue ? issueMessage(issue) : "is wrong";
    throw problem(path, `${issue?.path.join(".") || "the test"} ${why}`);
  }
  const { id, version, digest, name, project_id: projectId } = read.data;
  const steps = stepsOf(path, read.data, firstLineOf(document, lineCounter));
  const sentences = read.data.text ?? null;
  const data = read.data.data === undefined ? null : dataOfPlain(read.data.data);
  const isChanged = ![digestOf(sentences, steps, data), digestOf(null, steps, data)].some(
    (known) => known === digest,
  );
  const source = await sourceOf(path);
  return {
    ...{ path, source, name, text: sentences, projectId, steps, id, version, isChanged, data },
    document,
  };
};

/** The line of the file at which the sentences of `text` begin. */
const firstLineOf = (document: Document, lines: LineCounter): number => {
  const node = document.get("text", true);
  if (!isScalar(node) || !node.range) return 1;
  const { line } = lines.linePos(node.range[0]);
  return node.type === "BLOCK_LITERAL" || node.type === "BLOCK_FOLDED" ? line + 1 : line;
};

/** Reads files. Returns the problem of each file that cannot be read. */
export const readTestFiles = async (
  paths: readonly string[],
): Promise<{ readonly files: readonly TestFile[]; readonly errors: readonly FileError[] }> => {
  const files: TestFile[] = [];
  const errors: FileError[] = [];
  for (const path of paths) {
    try {
      files.push(await readTestFile(path));
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      errors.push(error);
    }
  }
  return { files, errors };
};

const toPlain = (document: Document, path: string): unknown => {
  try {
    // An alias could expand to any size.
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    throw problem(path, "aliases (*) are not supported: write out the value");
  }
};

const stepsOf = (
  path: string,
  data: z.output<typeof fileSchema>,
  firstLine: number,
): readonly StepInput[] => {
  if (data.text !== undefined && data.steps !== undefined) {
    throw problem(path, "the file has both text and steps: remove one of them");
  }
  if (data.text !== undefined) {
    const { steps, warnings } = parseEnglish(data.text);
    if (warnings.length > 0) throw misunderstood(path, warnings, firstLine);
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
  file: Pick<TestFile, "path" | "document" | "text" | "steps" | "data">,
  synced: { readonly id: string; readonly version: number },
): Promise<void> => {
  const { document } = file;
  document.set("id", synced.id);
  document.set("version", synced.version);
  document.set("digest", digestOf(file.text, file.steps, file.data));
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
    /** The plain English; empty: the test consists of steps. */
    readonly text: string;
    readonly steps: readonly StepInput[];
    readonly data: TestData;
  },
): Promise<void> => {
  document.set("name", test.name);
  if (test.project_id !== null) document.set("project_id", test.project_id);
  const text = test.text === "" ? null : test.text;
  if (text === null) {
    document.delete("text");
    document.set("steps", document.createNode(test.steps.map(plainStep)));
  } else {
    document.delete("steps");
    // An unchanged text keeps its form.
    if (document.get("text") !== text) document.set("text", textNode(document, text));
  }
  // A test without rows has no `data` in its file.
  const data = test.data.rows.length > 0 ? test.data : null;
  if (data) document.set("data", document.createNode(plainData(data)));
  else document.delete("data");
  await writeSyncMark({ path, document, text, steps: test.steps, data }, test);
};

/** A text as a block, one sentence per line. */
const textNode = (document: Document, text: string) => {
  const node = document.createNode(text);
  if (text.includes("\n")) node.type = "BLOCK_LITERAL";
  return node;
};

/** Detects changes of text, steps and rows since the last push or pull. */
const digestOf = (
  text: string | null,
  steps: readonly StepInput[],
  data: TestData | null,
): string =>
  createHash("sha256")
    .update(JSON.stringify(steps.map(plainStep)))
    .update(text === null ? "" : JSON.stringify(text))
    .update(data === null ? "" : JSON.stringify(data))
    .digest("hex")
    .slice(0, 16);

const problem = (path: string, what: string): FileError =>
  new FileError(path, `${path}: ${what}.`.replace(/\.\.$/, "."));
