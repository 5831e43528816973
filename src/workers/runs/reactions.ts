import type { RunEvent } from "../../domain/runs/events.ts";
import type { ExecutionEvent } from "../../domain/runs/executions/events.ts";
import type { ExecutionCommand } from "../../domain/runs/executions/execution.ts";
import { givenTo } from "../../domain/runs/executions/input.ts";
import type { RunCommand } from "../../domain/runs/run.ts";
import type { UsageEvent } from "../../domain/usage/usage.ts";
import type { NewDispatch, StopReason } from "../../stores/runs/dispatchQueue.ts";
import type { PendingReservation } from "../../stores/runs/pendingReservations.ts";

/** An execution to be queued, and its row in the dispatch queue. */
export type ToQueue = {
  readonly command: Extract<ExecutionCommand, { type: "queue" }>;
  readonly dispatch: NewDispatch;
};

/** An action of the dispatcher. Every action is safe to repeat. */
export type DispatchAction =
  /** Queues executions, unless they have finished. */
  | { readonly type: "queueExecutions"; readonly executions: readonly ToQueue[] }
  | { readonly type: "markClaimed"; readonly executionId: string; readonly delivery: number }
  /** Queues the execution for the next worker, unless it is being stopped. */
  | {
      readonly type: "requeue";
      readonly runId: string;
      readonly executionId: string;
      readonly delivery: number;
    }
  /** Ends queued executions; asks workers to stop claimed ones. */
  | {
      readonly type: "stopExecutions";
      readonly executionIds: readonly string[];
      readonly reason: StopReason;
    }
  | { readonly type: "commandRun"; readonly runId: string; readonly command: RunCommand }
  | { readonly type: "useReservation"; readonly executionId: string }
  /** Gives the unit of an execution back to the quota. */
  | { readonly type: "refundUnit"; readonly runId: string; readonly executionId: string }
  /** Removes the execution from the queue. Releases the reservation first if no worker ever claimed it. */
  | { readonly type: "removeExecution"; readonly executionId: string }
  | { readonly type: "addPendingRuns"; readonly pending: readonly PendingReservation[] }
  | { readonly type: "removePendingRun"; readonly runId: string };

/** Events that the dispatcher handles. */
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
 * The actions caused by an event, in order. `subjectId` is the id in the stream name. `occurredAt`
 * (ISO 8601) is the time of the event: the time limit of a run starts with RunQueued. A reservation is used
 * by the first claim of its execution, released if the execution ends unclaimed, and refunded if the service
 * lost all its workers.
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
      return [{ type: "addPendingRuns", pending }];
    }
    case "RunQueued":
      return [
        {
          type: "queueExecutions",
          executions: executionsOf(event.data, organizationId, occurredAt),
        },
        { type: "removePendingRun", runId: subjectId },
      ];
    case "ExecutionClaimed": {
      const { runId, delivery } = event.data;
      return [
        { type: "markClaimed", executionId: subjectId, delivery },
        { type: "commandRun", runId, command: { type: "start", runId } },
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
      return [{ type: "commandRun", runId, command }];
    }
    case "ExecutionFinished":
    case "ExecutionCancelled":
      return afterEnd(event, subjectId);
  }
};

const afterEnd = (
  event: Extract<DispatchEvent, { type: "ExecutionFinished" | "ExecutionCancelled" }>,
  executionId: string,
): readonly DispatchAction[] => {
  const { runId } = event.data;
  const status = event.type === "ExecutionFinished" ? event.data.status : "cancelled";
  const isLost = event.type === "ExecutionFinished" && event.data.workersLost === true;
  const refund = { type: "refundUnit", runId, executionId } as const;
  return [
    // First, because other executions may wait for the slot.
    { type: "removeExecution", executionId },
    { type: "commandRun", runId, command: { type: "recordOutcome", runId, executionId, status } },
    ...(isLost ? [refund] : []),
  ];
};

type RunQueued = Extract<RunEvent, { type: "RunQueued" }>["data"];

const executionsOf = (
  run: RunQueued,
  organizationId: string,
  queuedAt: string,
): readonly ToQueue[] =>
  run.executions.map((planned) => {
    const { executionId, testId, testVersion, testName, stepCount, baselineVersion } = planned;
    const { content } = planned;
    const { runId, browsers, quotaPeriod, retries, limits, evidence, target } = run;
    const { stepMs, testMs, runMs } = limits ?? {};
    const deadline =
      runMs === undefined ? null : new Date(Date.parse(queuedAt) + runMs).toISOString();
    const pinned = {
      ...{ testId, testVersion, testName, stepCount },
      ...(baselineVersion === undefined ? {} : { baselineVersion }),
      ...(content === undefined ? {} : { contentId: content.contentId }),
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
