import { GRAMMAR_VERSION } from "../domain/catalogue/grammar/index.ts";
import { DomainError } from "../domain/kernel/errors.ts";
import { type BrowserName, type PlannedExecution, runDecider } from "../domain/runs/run.ts";
import type { Clock } from "../platform/clock.ts";
import { newId } from "../platform/ids.ts";
import type { CommandContext, CommandLoop } from "./kernel/commandLoop.ts";
import { type Receipt, receiptOf } from "./kernel/receipt.ts";
import { RELEASE_AFTER_MS, type UsageCommands } from "./usage.ts";

/** What a caller names to be run: some tests, or all those of a project that have steps. */
export type Selection = { readonly testIds: readonly string[] } | { readonly projectId: string };

/** A test as it stands now, whosever it is. */
export type PinnedTest = {
  readonly testId: string;
  readonly organizationId: string;
  readonly version: number;
  readonly name: string;
  readonly stepCount: number;
};

/**
 * Finds what a selection names, in the caller's order. Tests of other organisations come back with
 * their organisation's id, so that they can be told from those that do not exist, which are left out.
 * Throws for a project that is unknown or foreign.
 */
export type PinTests = (
  organizationId: string,
  selection: Selection,
) => Promise<readonly PinnedTest[]>;

export type QueueRunsInput = {
  readonly selection: Selection;
  readonly browsers: readonly BrowserName[];
  readonly baseUrl: string | null;
  readonly variables: Readonly<Record<string, string>>;
};

export type QueuedRuns = {
  readonly runIds: readonly string[];
  readonly executions: readonly {
    readonly id: string;
    readonly runId: string;
    readonly testId: string;
  }[];
  readonly receipt: Receipt;
};

export type RunCommands = ReturnType<typeof runCommands>;

/** The most tests that one run may have (operations.md, "Limits"). */
export const MAX_TESTS = 1_000;

/** A run that could not be queued in half the time after which its reservation is released is not queued at all. */
const QUEUE_WITHIN_MS = RELEASE_AFTER_MS / 2;

/** Asking for runs. */
export const runCommands = (deps: {
  loop: CommandLoop;
  clock: Clock;
  usage: UsageCommands;
  pinTests: PinTests;
}) => {
  const { loop, clock, usage } = deps;
  return {
    /**
     * Queues a run of the tests named, each pinned to its version of now, once the quota of the whole
     * request is reserved. Ids are fixed before anything is written.
     * Throws `run.quotaExceeded`, `run.foreignTest`, `run.unknownTest`, `run.emptyTest`,
     * `run.nothingToRun`, `run.tooManyTests`, `run.queueTimeout`.
     */
    queueRuns: async (context: CommandContext, input: QueueRunsInput): Promise<QueuedRuns> => {
      const { organizationId } = context;
      if (organizationId === null) throw new Error("A run belongs to an organisation");
      const tests = await pin(deps.pinTests, organizationId, input.selection);
      const runId = newId();
      const executions: PlannedExecution[] = tests.map((test) => ({
        executionId: newId(),
        testId: test.testId,
        testVersion: test.version,
        testName: test.name,
        stepCount: test.stepCount,
      }));

      const reservedAt = clock().getTime();
      const reserved = await usage.reserveRuns(context, organizationId, [
        { runId, units: executions.length },
      ]);
      if (clock().getTime() - reservedAt > QUEUE_WITHIN_MS) {
        throw new DomainError(
          "run.queueTimeout",
          "The run could not be queued in time. Nothing was run; what was reserved is given back.",
        );
      }
      const queued = await loop.execute(
        runDecider,
        runId,
        {
          type: "queue",
          runId,
          projectId: "projectId" in input.selection ? input.selection.projectId : null,
          target: "cloud",
          browsers: [...input.browsers],
          baseUrl: input.baseUrl,
          variables: { ...input.variables },
          grammarVersion: GRAMMAR_VERSION,
          quotaPeriod: reserved.period,
          executions,
        },
        context,
      );
      const { position, eventTypes } = receiptOf(queued);
      return {
        runIds: [runId],
        executions: executions.map(({ executionId, testId }) => ({
          id: executionId,
          runId,
          testId,
        })),
        receipt: { position, eventTypes: [...reserved.receipt.eventTypes, ...eventTypes] },
      };
    },
  };
};

const pin = async (
  pinTests: PinTests,
  organizationId: string,
  selection: Selection,
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
  if (found.length > MAX_TESTS) throw tooMany(found.length);
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

const tooMany = (count: number): DomainError =>
  new DomainError(
    "run.tooManyTests",
    `A run takes ${MAX_TESTS} tests at most; these are ${count}. Split them over several runs.`,
  );
