import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { Document } from "yaml";
import { noData } from "../../domain/catalogue/testData.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import type { Service } from "../service.ts";
import type { Terminal } from "../terminal.ts";
import { dataDifference, readData, sayDataDifference } from "./data.ts";
import { differenceOf, sayDifference } from "./difference.ts";
import { allTests, readSpecs, type TestFilter } from "./list.ts";
import { findTestFiles, readTestFile, type TestFile, writeTestFile } from "./testFile.ts";

export type PullOptions = {
  readonly folder: string;
  /** Also overwrites files with local changes. */
  readonly force: boolean;
  readonly filter: TestFilter;
  readonly signal: AbortSignal;
};

/**
 * `runledger tests pull`: writes the named tests, or all, into files. Updates a file with the test's id in place;
 * skips a file with unpushed changes. Returns the exit code: 1 if a file was skipped.
 */
export const pullTests = async (
  service: Service,
  ids: readonly string[],
  { folder, force, filter, signal }: PullOptions,
  terminal: Terminal,
): Promise<number> => {
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${folder} cannot be created: ${error.code}`, exitCodes.usage);
  });
  const files = await filesById(folder);
  const wanted = [...ids];
  if (ids.length === 0) {
    for await (const { id } of allTests(service, filter, signal)) wanted.push(id);
  }
  let skipped = 0;
  for (const id of wanted) {
    const test = await readSpecs(service, id, signal);
    const file = files.get(id);
    const data = await readData(service, id, signal);
    const differences = file ? differenceOf(file.steps.map(withId), test.steps) : [];
    const ofData = file ? dataDifference(file.data ?? noData, data) : null;
    const isText = (file?.text ?? "") === test.text;
    const isSame = differences.length === 0 && ofData === null && (!file || isText);
    const path = file?.path ?? (await freePath(folder, test.name, id));
    const line = { type: "test", path, id, version: test.version };
    if (file && isSame && file.version === test.version) {
      terminal.record({ ...line, action: "same" });
      terminal.say(`  ${terminal.paint.dim("=")} ${path}`);
      continue;
    }
    if (file?.isChanged && !isSame && !force) {
      skipped += 1;
      const reason =
        "The file has unpushed changes. Push them, or pull with --force to overwrite them.";
      terminal.record({ ...line, action: "refused", reason });
      terminal.say(`  ${terminal.paint.red("✗")} ${path}\n    ${reason}`);
      continue;
    }
    await writeTestFile(path, file?.document ?? new Document({}), { ...test, data });
    terminal.record({ ...line, action: file ? "replaced" : "created" });
    terminal.say(`  ${terminal.paint.green(file ? "~" : "+")} ${path}`);
    if (file && differences.length > 0) sayDifference(terminal, differences);
    if (ofData) sayDataDifference(terminal, ofData);
  }
  return skipped > 0 ? exitCodes.failed : exitCodes.passed;
};

/** Gives the steps of a file ids by their position. */
const withId = (step: TestFile["steps"][number], index: number) => ({
  id: `step ${index + 1}`,
  ...step,
});

const filesById = async (folder: string): Promise<ReadonlyMap<string, TestFile>> => {
  const byId = new Map<string, TestFile>();
  for (const path of await findTestFiles([folder])) {
    const file = await readTestFile(path);
    if (file.id !== null) byId.set(file.id, file);
  }
  return byId;
};

/** An unused file name made from the name of the test. */
const freePath = async (folder: string, name: string, id: string): Promise<string> => {
  const words = name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 60);
  const plain = join(folder, `${words || "test"}.yaml`);
  const isTaken = await stat(plain).then(
    () => true,
    () => false,
  );
  return isTaken ? join(folder, `${words || "test"}-${id.slice(-8)}.yaml`) : plain;
};
