import { callsIn } from "../../domain/catalogue/calls.ts";
import { diffSteps, summarize } from "../../domain/catalogue/diff.ts";
import { comparablePath } from "../../domain/catalogue/source.ts";
import type { Step } from "../../domain/catalogue/step.ts";
import { keepStepIds } from "../../domain/catalogue/stepIds.ts";
import { noData, sameData, type TestData } from "../../domain/catalogue/testData.ts";
import { sameSteps } from "../../domain/catalogue/tests/steps.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { CONTENT_VERSION } from "../../domain/runs/content.ts";
import { derivedId } from "../../platform/ids.ts";
import type { FindCallable } from "../catalogue/calls.ts";
import { sourceId } from "../catalogue/sources.ts";
import { withStepIds } from "../catalogue/writeTest.ts";
import { type CommandContext, idFor, partOf } from "../kernel/context.ts";
import type { FileContent, PinnedTest, PinTests, SentFile } from "./pinnedTests.ts";

/** The path of a stored test's file. */
type StoredSource = {
  readonly testId: string;
  readonly projectId: string | null;
  readonly source: string;
};

export type FileDeps = {
  readonly pinTests: PinTests;
  readonly findCallable: FindCallable;
  readonly findSources: (
    organizationId: string,
    paths: readonly string[],
  ) => Promise<readonly StoredSource[]>;
  /** Throws `project.unknownInRequest`, `project.foreign`. */
  readonly checkProject: (organizationId: string, projectId: string) => Promise<void>;
};

/**
 * Pins the tests of files. A file whose steps and rows are those of the stored test pins its current version; the
 * content of another file is stored with the run. Throws `run.foreignTest`, `.emptyTest`, `.duplicateFile`, and the
 * errors of `checkProject`.
 */
export const pinFiles = async (
  deps: FileDeps,
  context: CommandContext,
  organizationId: string,
  files: readonly SentFile[],
): Promise<readonly PinnedTest[]> => {
  if (files.length === 0) return [];
  for (const projectId of new Set(files.flatMap((file) => file.projectId ?? []))) {
    await deps.checkProject(organizationId, projectId);
  }
  const stored = await storedTests(deps, organizationId, files);
  const pinned = files.map((file) =>
    pinFile(partOf(context, file.source), organizationId, file, stored(file)),
  );
  const seen = new Map<string, string>();
  for (const [index, { testId }] of pinned.entries()) {
    const { source = "" } = files[index] ?? {};
    const other = seen.get(testId);
    if (other !== undefined) throw duplicate(source, other);
    seen.set(testId, source);
  }
  return pinned;
};

type Stored = { readonly test: PinnedTest; readonly steps: readonly Step[] };

/** Finds the stored test of a file: by the id in the file, else by its project and path. */
const storedTests = async (
  { pinTests, findCallable, findSources }: FileDeps,
  organizationId: string,
  files: readonly SentFile[],
): Promise<(file: SentFile) => Stored | null> => {
  const sources = await findSources(
    organizationId,
    files.map(({ source }) => source),
  );
  const keyOf = ({ projectId, source }: Pick<SentFile, "projectId" | "source">): string =>
    sourceId(organizationId, projectId, source);
  const bySource = new Map(sources.map((one) => [keyOf(one), one.testId]));
  const named = files.flatMap(({ testId }) => testId ?? []);
  const testIds = [...new Set([...named, ...bySource.values()])];
  const tests = testIds.length === 0 ? [] : await pinTests(organizationId, { testIds });
  const foreign = tests.find((test) => test.organizationId !== organizationId);
  if (foreign) {
    throw new DomainError(
      "run.foreignTest",
      `The test ${foreign.testId} belongs to another organisation. Remove the id from its file.`,
    );
  }
  const nodes = await findCallable(organizationId, testIds);
  const found = new Map<string, Stored>();
  for (const test of tests) {
    const node = nodes.find(({ testId }) => testId === test.testId);
    if (node)
      found.set(test.testId, { test: { ...test, version: node.version }, steps: node.steps });
  }
  return (file) =>
    found.get(file.testId ?? "") ?? found.get(bySource.get(keyOf(file)) ?? "") ?? null;
};

const pinFile = (
  context: CommandContext,
  organizationId: string,
  file: SentFile,
  stored: Stored | null,
): PinnedTest => {
  const { source, name, text } = file;
  if (file.steps.length === 0) {
    throw new DomainError("run.emptyTest", `${source}: the test has no steps. Write some.`);
  }
  const data = file.data ?? stored?.test.data ?? noData;
  const steps = keepStepIds(stored?.steps ?? [], withStepIds(context, file.steps));
  if (stored && sameSteps(steps, stored.steps) && sameData(data, stored.test.data ?? noData)) {
    return { ...stored.test, source };
  }
  const contentId = idFor(context, "content");
  const projectId = stored ? (stored.test.projectId ?? null) : file.projectId;
  const testId =
    stored?.test.testId ?? derivedId(sourceId(organizationId, projectId, source), "unstored test");
  const storedVersion = stored?.test.version ?? null;
  const command = { type: "pin", contentId, organizationId, testId, source, name, text } as const;
  return {
    ...stored?.test,
    ...{ testId, organizationId, projectId, name, data, source },
    version: storedVersion ?? CONTENT_VERSION,
    stepCount: steps.length,
    callsTests: callsIn(steps).length > 0,
    content: {
      pinned: {
        contentId,
        commit: file.commit,
        storedVersion,
        summary: stored && differenceFrom(stored, steps, data),
      },
      node: { testId: contentId, projectId, name, version: CONTENT_VERSION, steps },
      replaces: stored?.test.testId ?? null,
      command: { ...command, language: "en", platform: "web", steps: [...steps], data },
    },
  };
};

const differenceFrom = (stored: Stored, steps: readonly Step[], data: TestData): string =>
  [
    summarize(diffSteps(stored.steps, steps)),
    ...(sameData(data, stored.test.data ?? noData) ? [] : ["the rows of data differ"]),
  ]
    .filter((part) => part !== "")
    .join(", ");

/** Lets the contents of a run take the place of the stored tests in calls, by name and id. */
export const callableContents = (
  find: FindCallable,
  contents: readonly FileContent[],
): { readonly find: FindCallable; readonly idOf: (called: string) => string } => {
  const aliases = new Map(
    contents.flatMap(({ replaces, node }) => (replaces === null ? [] : [[replaces, node.testId]])),
  );
  return {
    idOf: (called) => aliases.get(called.toLowerCase()) ?? called,
    find: async (organizationId, wanted) => {
      const found = await find(organizationId, wanted);
      const names = new Set(wanted.map((one) => one.toLowerCase()));
      const sent = contents.filter(
        ({ node, replaces }) =>
          names.has(node.name.toLowerCase()) || (replaces !== null && names.has(replaces)),
      );
      return [
        ...found.filter(({ testId }) => !aliases.has(testId)),
        ...sent.map(({ node }) => node),
      ];
    },
  };
};

const duplicate = (source: string, other: string): DomainError =>
  new DomainError(
    "run.duplicateFile",
    comparablePath(source) === comparablePath(other)
      ? `files: ${source} is contained twice. Paths are equal if they differ only in case.`
      : `files: ${source} and ${other} have the same id. Remove it from one of them.`,
  );
