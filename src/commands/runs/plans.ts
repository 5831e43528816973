import {
  type CallNode,
  inlineCalls,
  type PinnedCall,
  pinCalls,
} from "../../domain/catalogue/calls.ts";
import { noData, rowVariables, type TestData, unitsOf } from "../../domain/catalogue/testData.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { PinnedEnvironment, PlannedExecution } from "../../domain/runs/pinned.ts";
import { type FindCallable, lookUpCalls } from "../catalogue/calls.ts";
import { type CommandContext, idFor } from "../kernel/context.ts";

/** The selection of a run: single tests, or all tests with steps of a project, a test set or a tag. */
export type RunSelection =
  | { readonly testIds: readonly string[] }
  | { readonly projectId: string }
  | { readonly testSetId: string }
  | { readonly tag: string };

/** The current version of a test of any organisation. */
export type PinnedTest = {
  readonly testId: string;
  readonly organizationId: string;
  readonly projectId?: string | null;
  readonly version: number;
  readonly name: string;
  readonly stepCount: number;
  /** The rows with which it runs; absent: none. */
  readonly data?: TestData;
  /** Whether any of its steps calls another test. */
  readonly callsTests?: boolean;
  /** The number of events of its baselines. Absent: none. */
  readonly baselineVersion?: number;
  /** Until when it is in quarantine; absent: it is in none. */
  readonly quarantinedUntil?: string;
};

/**
 * Resolves a selection, in the caller's order. Tests of other organisations are returned with the id of their
 * organisation; unknown tests are left out. Throws for a project, a test set or a tag that is unknown or foreign.
 */
export type PinTests = (
  organizationId: string,
  selection: RunSelection,
) => Promise<readonly PinnedTest[]>;

/** The current state of an environment. */
type FoundEnvironment = {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly name: string;
  readonly base_url: string | null;
  readonly variables: Readonly<Record<string, string>>;
};

export type PlanDeps = {
  readonly pinTests: PinTests;
  readonly findCallable: FindCallable;
  readonly environments: {
    findEnvironment(id: string): Promise<FoundEnvironment | null>;
    environmentsCalled(
      projectIds: readonly string[],
      name: string,
    ): Promise<readonly FoundEnvironment[]>;
  };
};

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
  const pinned = await pin(deps.pinTests, organizationId, selection);
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
  return { executions, environments: environments.all, calls };
};

/** Throws `run.importedTest` where there are any of these: tests that are known from results of others alone. */
export const refuseImported = ([testId]: readonly string[]): void => {
  if (testId === undefined) return;
  throw new DomainError(
    "run.importedTest",
    `test_ids: the test ${testId} is known from imported results alone and has no steps here. Run it with the tool that it was written for, and import its report.`,
  );
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
  const calling = tests.filter(({ callsTests }) => callsTests).map(({ testId }) => testId);
  if (calling.length === 0) return { tests, calls: [] };
  // The current version with its steps, which is the version that is run.
  const roots = await find(organizationId, calling);
  const called = await lookUpCalls(find, organizationId, roots);
  const calls = new Map<string, PinnedCall>();
  const known = new Map<string, CallNode>(roots.map((root) => [root.testId, root]));
  const whole = new Map<string, Pick<PinnedTest, "version" | "name" | "stepCount">>();
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
    whole.set(root.testId, { version: root.version, name: root.name, stepCount: steps.length });
  }
  return {
    tests: tests.map((test) => ({ ...test, ...whole.get(test.testId) })),
    calls: [...calls.values()],
  };
};

type Environments = {
  readonly all: PinnedEnvironment[];
  of(test: PinnedTest): PinnedEnvironment | null;
};

/** The environment of each test. Throws `run.unknownEnvironment`, `.foreignEnvironment`. */
export const environmentsOf = async (
  { environments }: Pick<PlanDeps, "environments">,
  organizationId: string,
  tests: readonly PinnedTest[],
  asked: string | null,
): Promise<Environments> => {
  if (asked === null) return { all: [], of: () => null };
  if (ID.test(asked)) {
    const found = await environments.findEnvironment(asked.toLowerCase());
    if (!found) throw unknownEnvironment(`there is no environment ${asked}.`);
    if (found.organization_id !== organizationId) {
      throw new DomainError(
        "run.foreignEnvironment",
        "The environment belongs to another organisation.",
      );
    }
    const one = pinnedOf(found);
    return { all: [one], of: () => one };
  }
  const homeless = tests.find(({ projectId }) => !projectId);
  if (homeless) {
    throw unknownEnvironment(
      `the test ${JSON.stringify(homeless.name)} is in no project, and so in no environment.`,
    );
  }
  const projectIds = [...new Set(tests.flatMap(({ projectId }) => projectId ?? []))];
  const found = await environments.environmentsCalled(projectIds, asked);
  const byProject = new Map(
    found
      .filter(({ organization_id }) => organization_id === organizationId)
      .map((one) => [one.project_id, pinnedOf(one)]),
  );
  const without = tests.find(({ projectId }) => !byProject.has(projectId ?? ""));
  if (without) {
    throw unknownEnvironment(
      `the project of the test ${JSON.stringify(without.name)} has no environment ${JSON.stringify(asked)}.`,
    );
  }
  return {
    all: [...byProject.values()],
    of: ({ projectId }) => byProject.get(projectId ?? "") ?? null,
  };
};

const pinnedOf = (found: FoundEnvironment): PinnedEnvironment => ({
  environmentId: found.id,
  name: found.name,
  baseUrl: found.base_url,
  variables: { ...found.variables },
});

const ID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

const unknownEnvironment = (why: string): DomainError =>
  new DomainError("run.unknownEnvironment", `environment: ${why}`);

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
