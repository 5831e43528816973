import type { RunEvent } from "../../domain/runs/events.ts";
import type { ExecutionEvent } from "../../domain/runs/executions/events.ts";
import type { ExecutionCommand } from "../../domain/runs/executions/execution.ts";
import { givenTo } from "../../domain/runs/executions/input.ts";
import type { RunCommand } from "../../domain/runs/run.ts";
import type { UsageEvent } from "../../domain/usage/usage.ts";
import type { NewDispatch, StopReason } from "../../stores/runs/dispatchQueue.ts";
import type { PendingReservation } from "../../stores/runs/pendingReservations.ts";

/** An execution to be queued, and what the dispatcher keeps of it. */
export type ToQueue = {
  readonly command: Extract<ExecutionCommand, { type: "queue" }>;
  readonly dispatch: NewDispatch;
};

/** One thing that the dispatcher does because of an event. Each may be done again without harm. */
export type DispatchAction =
  /** Queues executions and has them wait for a worker, unless they are over long since. */
  | { readonly type: "queueExecutions"; readonly executions: readonly ToQueue[] }
  | { readonly type: "markClaimed"; readonly executionId: string; readonly delivery: number }
  /** Has it wait for another worker, unless it is to stop. */
  | {
      readonly type: "requeue";
      readonly runId: string;
      readonly executionId: string;
      readonly delivery: number;
    }
  /** Ends what waits; has whoever works on one of them stop it. */
  | {
      readonly type: "stopExecutions";
      readonly executionIds: readonly string[];
      readonly reason: StopReason;
    }
  | { readonly type: "tellRun"; readonly runId: string; readonly command: RunCommand }
  | { readonly type: "useReservation"; readonly executionId: string }
  /** Takes it out of the queue, once the unit of one that no worker ever took is given back. */
  | { readonly type: "forget"; readonly executionId: string }
  | { readonly type: "expectRuns"; readonly pending: readonly PendingReservation[] }
  | { readonly type: "runCame"; readonly runId: string };

/** The events that the dispatcher reacts to. */
export type DispatchEvent = Extract<
  RunEvent | ExecutionEvent | UsageEvent,
  {
    type:
      | "RunsReserved"
      | "RunQueued"
      | "RunCancelRequested"
      | "ExecutionCancelRequested"
      | "ExecutionClaimed"
      | "ExecutionReturned"
      | "ExecutionLeaseExpired"
      | "ExecutionFinished"
      | "ExecutionCancelled"
      | "ExecutionVerdictChanged";
  }
>;

/**
 * What an event makes the dispatcher do, in this order. `subjectId` is the id in the stream's name,
 * `occurredAt` (ISO 8601) when it happened: a run's time counts from when it was queued.
 * A reservation is used up when its execution is first claimed, and given back when it ends unclaimed.
 */
export const reactionsTo = (
  event: DispatchEvent,
  subjectId: string,
  organizationId: string,
  occurredAt: string,
): readonly DispatchAction[] => {
  switch (event.type) {
    case "RunsReserved": {
      const period = subjectId.slice(subjectId.lastIndexOf("_") + 1);
      const pending = event.data.runs.map(({ runId }) => ({ runId, organizationId, period }));
      return [{ type: "expectRuns", pending }];
    }
    case "RunQueued":
      return [
        {
          type: "queueExecutions",
          executions: executionsOf(event.data, organizationId, occurredAt),
        },
        { type: "runCame", runId: subjectId },
      ];
    case "ExecutionClaimed": {
      const { runId, delivery } = event.data;
      return [
        { type: "markClaimed", executionId: subjectId, delivery },
        { type: "tellRun", runId, command: { type: "start", runId } },
        { type: "useReservation", executionId: subjectId },
      ];
    }
    case "ExecutionReturned":
    case "ExecutionLeaseExpired":
      return [
        {
          type: "requeue",
          runId: event.data.runId,
          executionId: subjectId,
          delivery: event.data.delivery + 1,
        },
      ];
    case "RunCancelRequested": {
      const { executionIds, reason } = event.data;
      return [{ type: "stopExecutions", executionIds, reason }];
    }
    case "ExecutionCancelRequested":
      return [{ type: "stopExecutions", executionIds: [event.data.executionId], reason: "asked" }];
    case "ExecutionVerdictChanged": {
      const { runId, to: status } = event.data;
      const command = { type: "changeOutcome", runId, executionId: subjectId, status } as const;
      return [{ type: "tellRun", runId, command }];
    }
    case "ExecutionFinished":
    case "ExecutionCancelled": {
      const { runId } = event.data;
      const status = event.type === "ExecutionFinished" ? event.data.status : "cancelled";
      return [
        // First of all: somebody may wait for its slot.
        { type: "forget", executionId: subjectId },
        {
          type: "tellRun",
          runId,
          command: { type: "recordOutcome", runId, executionId: subjectId, status },
        },
      ];
    }
  }
};

type RunQueued = Extract<RunEvent, { type: "RunQueued" }>["data"];

const executionsOf = (
  run: RunQueued,
  organizationId: string,
  queuedAt: string,
): readonly ToQueue[] =>
  run.executions.map((planned) => {
    const { executionId, testId, testVersion, testName, stepCount, baselineVersion } = planned;
    const { runId, browsers, quotaPeriod, retries, limits, evidence, target } = run;
    const { stepMs, testMs, runMs } = limits ?? {};
    const deadline =
      runMs === undefined ? null : new Date(Date.parse(queuedAt) + runMs).toISOString();
    const pinned = {
      ...{ testId, testVersion, testName, stepCount },
      ...(baselineVersion === undefined ? {} : { baselineVersion }),
    };
    return {
      command: {
        type: "queue",
        runId,
        ...pinned,
        browsers,
        ...givenTo(run, planned),
        quotaPeriod,
        ...(retries === undefined ? {} : { retries }),
        ...(evidence === undefined ? {} : { evidence }),
        ...(stepMs === undefined || testMs === undefined ? {} : { limits: { stepMs, testMs } }),
      },
      dispatch: {
        ...{ executionId, organizationId, runId, quotaPeriod, deadline },
        ...{ target, browsers },
      },
    };
  });
