import {
  type CallNode,
  inlineCalls,
  type PinnedCall,
  pinCalls,
} from "../../domain/catalogue/calls.ts";
import { noData, rowVariables, unitsOf } from "../../domain/catalogue/testData.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { PinnedEnvironment, PlannedExecution } from "../../domain/runs/pinned.ts";
import { type FindCallable, lookUpCalls } from "../catalogue/calls.ts";
import { type CommandContext, idFor } from "../kernel/context.ts";
import { type EnvironmentDeps, environmentsOf } from "./environments.ts";
import { callableContents, type FileDeps, pinFiles } from "./files.ts";
import type { FileContent, PinnedTest, PinTests, RunSelection } from "./pinnedTests.ts";

export type PlanDeps = FileDeps & EnvironmentDeps;

/** The options of a run besides its tests. */
type PlanInput = {
  /** The name of an environment, which each test's project has, or an id; null: none. */
  readonly environment: string | null;
  /** The data rows to run by test, by their numbers from 1. Other tests run with all rows. */
  readonly rows?: ReadonlyMap<string, readonly number[]> | undefined;
};

/** The pinned input of a run: tests, data rows, environments and called tests. */
export type RunPlan = {
  readonly executions: PlannedExecution[];
  readonly environments: PinnedEnvironment[];
  readonly calls: readonly PinnedCall[];
  /** The contents of files, to be stored with the run. */
  readonly contents: readonly FileContent[];
};

/** The most tests that one run may have, each row of data counted (operations.md, "Limits"). */
export const MAX_TESTS = 1_000;
/** The values of all rows of a run: with a thousand tests and the variables they must fit into one event of 1 MiB. */
const MAX_ROW_BYTES = 256 * 1024;
/** A run's environments and calls must fit there too. */
const MAX_ENVIRONMENT_BYTES = 128 * 1024;
const MAX_CALLS = 500;

/**
 * Plans a run of a selection: one execution for each test, or for each row of its data. Throws `run.foreignTest`,
 * `.unknownTest`, `.emptyTest`, `.nothingToRun`, `.tooManyTests`, `.tooMuchData`, `.unknownEnvironment`,
 * `.foreignEnvironment`; and for invalid calls `test.callCycle`, `.unknownCall`, `.ambiguousCall`, `.callsTooDeep`,
 * `.tooManyCalledSteps`.
 */
export const planRun = async (
  deps: PlanDeps,
  context: CommandContext,
  organizationId: string,
  selection: RunSelection,
  input: PlanInput,
): Promise<RunPlan> => {
  const pinned = await pinAll(deps, context, organizationId, selection);
  const { tests, calls } = await withCalls(deps.findCallable, organizationId, pinned);
  const environments = await environmentsOf(deps, organizationId, tests, input.environment);
  const executions: PlannedExecution[] = [];
  for (const test of tests) {
    const { data = noData } = test;
    const rows = data.rows.map((_, index) => index + 1);
    const chosen = rows.filter((row) => input.rows?.get(test.testId)?.includes(row) ?? true);
    const environment = environments.of(test);
    const planned = {
      testId: test.testId,
      testVersion: test.version,
      testName: test.name,
      stepCount: test.stepCount,
      ...(test.baselineVersion ? { baselineVersion: test.baselineVersion } : {}),
      ...(test.projectId ? { projectId: test.projectId } : {}),
      ...(environment ? { environmentId: environment.environmentId } : {}),
      ...(test.quarantinedUntil ? { quarantinedUntil: test.quarantinedUntil } : {}),
      ...(test.source ? { source: test.source } : {}),
      ...(test.content ? { content: test.content.pinned } : {}),
    };
    if (rows.length === 0) {
      const executionId = idFor(context, `execution of ${test.testId}`);
      executions.push({ executionId, ...planned });
    }
    for (const number of chosen) {
      const executionId = idFor(context, `execution of ${test.testId}, row ${number}`);
      const row = { number, values: { ...rowVariables(data, number - 1) } };
      executions.push({ executionId, ...planned, row });
    }
  }
  if (executions.length > MAX_TESTS) throw tooMany(executions.length);
  if (executions.length === 0) {
    throw new DomainError("run.nothingToRun", "None of these rows of data is there any more.");
  }
  mustFit(executions, environments.all, calls);
  const contents = tests.flatMap(({ content }) => content ?? []);
  return { executions, environments: environments.all, calls, contents };
};

/** Throws `run.importedTest` where there are any of these: tests that are known from results of others alone. */
export const refuseImported = ([testId]: readonly string[]): void => {
  if (testId === undefined) return;
  throw new DomainError(
    "run.importedTest",
    `test_ids: the test ${testId} is known from imported results alone and has no steps here. Run it with the tool that it was written for, and import its report.`,
  );
};

/** The tests of a selection: those of files first. A file replaces the stored version of its test. */
const pinAll = async (
  deps: FileDeps,
  context: CommandContext,
  organizationId: string,
  selection: RunSelection,
): Promise<readonly PinnedTest[]> => {
  if (!("testIds" in selection) || !selection.files?.length) {
    return pin(deps.pinTests, organizationId, selection);
  }
  if (selection.files.length > MAX_TESTS) throw tooMany(selection.files.length);
  const files = await pinFiles(deps, context, organizationId, selection.files);
  const testIds = selection.testIds.filter((id) => !files.some(({ testId }) => testId === id));
  if (testIds.length === 0) return files;
  return [...files, ...(await pin(deps.pinTests, organizationId, { testIds }))];
};

const pin = async (
  pinTests: PinTests,
  organizationId: string,
  selection: RunSelection,
): Promise<readonly PinnedTest[]> => {
  const named = "testIds" in selection ? [...new Set(selection.testIds)] : null;
  if (named && named.length > MAX_TESTS) throw tooMany(named.length);
  const found = await pinTests(organizationId, named ? { testIds: named } : selection);
  const foreign = found.find((test) => test.organizationId !== organizationId);
  if (foreign) {
    throw new DomainError(
      "run.foreignTest",
      `The test ${foreign.testId} belongs to another organisation.`,
    );
  }
  const unknown = named?.find((testId) => !found.some((test) => test.testId === testId));
  if (unknown !== undefined) {
    throw new DomainError("run.unknownTest", `test_ids: there is no test ${unknown}.`);
  }
  const count = found.reduce((sum, { data = noData }) => sum + unitsOf(data.rows.length), 0);
  if (found.length > MAX_TESTS) throw tooMany(count);
  // Without a step it would pass without having looked at anything.
  const empty = found.find((test) => test.stepCount === 0);
  if (named && empty) {
    throw new DomainError(
      "run.emptyTest",
      `test_ids: the test ${empty.testId} has no steps. Write some, or leave it out.`,
    );
  }
  const runnable = found.filter((test) => test.stepCount > 0);
  if (runnable.length === 0) {
    throw new DomainError("run.nothingToRun", "There is no test with steps: name one at least.");
  }
  return runnable;
};

/** The tests with their called tests, and the number of steps including the called ones. */
const withCalls = async (
  find: FindCallable,
  organizationId: string,
  tests: readonly PinnedTest[],
): Promise<{ readonly tests: readonly PinnedTest[]; readonly calls: readonly PinnedCall[] }> => {
  const calling = tests.filter(({ callsTests }) => callsTests);
  if (calling.length === 0) return { tests, calls: [] };
  const contents = tests.flatMap(({ content }) => content ?? []);
  const callable = callableContents(find, contents);
  const stored = calling.filter(({ content }) => !content).map(({ testId }) => testId);
  // The current version with its steps, which is the version that is run.
  const roots = [
    ...(await find(organizationId, stored)),
    ...calling.flatMap(({ content }) => content?.node ?? []),
  ];
  const lookUp = await lookUpCalls(callable.find, organizationId, roots);
  const called = (by: string, name: string) => lookUp(by, callable.idOf(name));
  const calls = new Map<string, PinnedCall>();
  const known = new Map<string, CallNode>(roots.map((root) => [root.testId, root]));
  const whole = new Map<string, Partial<PinnedTest> & Pick<PinnedTest, "stepCount">>();
  for (const root of roots) {
    const pinned = pinCalls(root, called);
    for (const call of pinned) {
      calls.set(`${call.by} ${call.called}`, call);
      const node = called(call.by, call.called);
      if (node) known.set(node.testId, node);
    }
    const steps = inlineCalls(root, pinned, (testId) => known.get(testId)?.steps);
    if (steps.length === 0) {
      throw new DomainError(
        "run.emptyTest",
        `test_ids: the test ${root.testId} has no steps, and neither have the tests that it calls. Add steps, or leave the test out.`,
      );
    }
    const isStored = stored.includes(root.testId);
    const of = isStored ? { version: root.version, name: root.name } : {};
    whole.set(root.testId, { ...of, stepCount: steps.length });
  }
  return {
    tests: tests.map((test) => ({
      ...test,
      ...whole.get(test.content?.node.testId ?? test.testId),
    })),
    calls: [...calls.values()],
  };
};

const mustFit = (
  executions: readonly PlannedExecution[],
  environments: readonly PinnedEnvironment[],
  calls: readonly PinnedCall[],
): void => {
  const bytesOf = (value: unknown): number =>
    new TextEncoder().encode(JSON.stringify(value)).length;
  const rows = executions.flatMap(({ row }) => row ?? []);
  if (rows.length > 0 && bytesOf(rows) > MAX_ROW_BYTES) {
    throw tooMuch("the rows of data of a run take 256 KiB together at most");
  }
  if (bytesOf(environments) > MAX_ENVIRONMENT_BYTES) {
    throw tooMuch("the variables of a run's environments take 128 KiB together at most");
  }
  if (calls.length > MAX_CALLS)
    throw tooMuch(`the tests of a run may call at most ${MAX_CALLS} tests`);
};

const tooMuch = (what: string): DomainError =>
  new DomainError("run.tooMuchData", `test_ids: ${what}. Split them over several runs.`);

const tooMany = (count: number): DomainError =>
  new DomainError(
    "run.tooManyTests",
    `A run takes ${MAX_TESTS} tests at most, each row of data counted; these are ${count}. Split them over several runs.`,
  );
