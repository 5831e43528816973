import { join } from "node:path";
import { comparablePath } from "../../domain/catalogue/source.ts";
import { noData, type TestData } from "../../domain/catalogue/testData.ts";
import { exists, rootOf } from "../checkout.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import { type Service, ServiceError, type TestSpecs, type TestSummary } from "../service.ts";
import { dataDifference, readData } from "./data.ts";
import { differenceOf } from "./difference.ts";
import { allTests, readSpecs } from "./list.ts";
import type { TestFile } from "./testFile.ts";

/** A test of the service. Its rows are read only if the file has `data`. */
export type OnService = TestSpecs & { readonly data: TestData };

/** The stored test of a file. `deleted`: the id in the file is that of a deleted test. */
export type Match =
  | { readonly kind: "id" | "path" | "renamed"; readonly on: OnService }
  | { readonly kind: "new" }
  | { readonly kind: "deleted" };

/**
 * Finds the stored tests of files: by the id in the file, else by project and path, else by name and content, if the
 * file of the stored test does not exist any more. Throws CommandError (usage) if two files are the same test.
 */
export const matchTests = async (
  service: Service,
  files: readonly TestFile[],
  signal: AbortSignal,
): Promise<ReadonlyMap<TestFile, Match>> => {
  refuseDuplicates(files);
  const matches = new Map<TestFile, Match>();
  const unnamed = files.filter(({ id }) => id === null);
  for (const file of files.filter(({ id }) => id !== null)) {
    matches.set(file, await matchById(service, file, signal));
  }
  const stored = unnamed.length > 0 ? await storedTests(service, files, signal) : [];
  const bySource = new Map(stored.map((test) => [keyOf(test), test]));
  for (const file of unnamed) {
    const found = bySource.get(keyOf({ source: file.source, project_id: file.projectId }));
    if (found) matches.set(file, { kind: "path", on: await read(service, found.id, file, signal) });
  }
  const taken = new Set(
    [...matches.values()].flatMap((match) => ("on" in match ? match.on.id : [])),
  );
  const open = unnamed.filter((file) => !matches.has(file));
  const left = open.length > 0 ? await withoutFile(stored, taken, open[0]?.path ?? "") : [];
  for (const file of open) {
    const renamed = await renamedTo(service, file, left, taken, signal);
    if (renamed) taken.add(renamed.id);
    matches.set(file, renamed ? { kind: "renamed", on: renamed } : { kind: "new" });
  }
  return matches;
};

/** Throws CommandError (usage) if two files have the same id, or paths that differ only in case. */
const refuseDuplicates = (files: readonly TestFile[]): void => {
  const seen = new Map<string, string>();
  for (const { id, path, source } of files) {
    for (const [key, what] of [
      [id, "the same id. Remove it from one of them."],
      [comparablePath(source), "paths that differ only in case. Rename one of them."],
    ] as const) {
      if (key === null) continue;
      const other = seen.get(key);
      if (other !== undefined) {
        throw new CommandError(`${path} and ${other} have ${what}`, exitCodes.usage);
      }
      seen.set(key, path);
    }
  }
};

const matchById = async (service: Service, file: TestFile, signal: AbortSignal): Promise<Match> => {
  try {
    return { kind: "id", on: await read(service, file.id ?? "", file, signal) };
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return { kind: "deleted" };
    throw error;
  }
};

const read = async (
  service: Service,
  id: string,
  file: TestFile,
  signal: AbortSignal,
): Promise<OnService> => {
  const specs = await readSpecs(service, id, signal);
  const data = file.data === null ? noData : await readData(service, id, signal);
  return { ...specs, data };
};

const storedTests = async (
  service: Service,
  files: readonly TestFile[],
  signal: AbortSignal,
): Promise<readonly TestSummary[]> => {
  const projects = new Set(files.map(({ projectId }) => projectId));
  const [only] = projects;
  const filter = projects.size === 1 && only ? { project: only } : {};
  const tests: TestSummary[] = [];
  for await (const test of allTests(service, filter, signal)) {
    if (projects.has(test.project_id)) tests.push(test);
  }
  return tests;
};

const keyOf = ({ source, project_id }: Pick<TestSummary, "source" | "project_id">): string =>
  source === null ? "" : `${project_id} ${comparablePath(source)}`;

/** The tests that have no file in this checkout. */
const withoutFile = async (
  stored: readonly TestSummary[],
  taken: ReadonlySet<string>,
  path: string,
): Promise<readonly TestSummary[]> => {
  const root = await rootOf(path);
  const left: TestSummary[] = [];
  for (const test of stored) {
    if (taken.has(test.id)) continue;
    if (test.source === null || !(await exists(join(root, test.source)))) left.push(test);
  }
  return left;
};

/** The test that had the name and content of a new file, if there is exactly one. */
const renamedTo = async (
  service: Service,
  file: TestFile,
  left: readonly TestSummary[],
  taken: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<OnService | null> => {
  const similar = left.filter(
    ({ id, name, project_id, step_count }) =>
      !taken.has(id) &&
      name === file.name &&
      project_id === file.projectId &&
      step_count === file.steps.length,
  );
  const same: OnService[] = [];
  for (const { id } of similar) {
    const on = await read(service, id, file, signal);
    if (isSameContent(on, file)) same.push(on);
  }
  const [one, other] = same;
  return one && !other ? one : null;
};

/** Whether a push of the file would not change the steps and rows of the test. */
export const isSameContent = (on: OnService, file: TestFile): boolean =>
  differenceOf(on.steps, file.steps).length === 0 && dataDifference(on.data, file.data) === null;
