import type { Decider } from "../../kernel/decider.ts";
import { assertNever, DomainError } from "../../kernel/errors.ts";
import { type DataOf, type ExecutionEvent, executionCodec } from "./events.ts";
import { decideEvidence, type ExpireEvidence, type NoteEvidenceDeleted } from "./evidence.ts";
import { rejudge } from "./judgement.ts";
import { factOf, type ProgressEvent } from "./progress.ts";
import { type Execution, evolve, isHeld, isHeldBy } from "./state.ts";

/**
 * Number of lost workers after which an execution ends as errored.
 * A delivery that was given back in order does not count.
 */
export const MAX_DELIVERIES = 3;

type ByWorker = { readonly worker: string; readonly delivery: number };

type ClaimExecution = { readonly type: "claim" } & ByWorker;

type CancelExecution = {
  readonly type: "cancel";
  /** null if a user cancelled the execution, else the error that it ends with. */
  readonly error: string | null;
  /** Only the worker that holds an execution can cancel it; null cancels a queued execution. */
  readonly by: ByWorker | null;
};

type RejudgePictures = { readonly type: "rejudge" } & Pick<
  DataOf<"VisualRejudged">,
  "settings" | "pictures"
>;

export type ExecutionCommand =
  | ({ readonly type: "queue" } & DataOf<"ExecutionQueued">)
  /** A worker claims delivery number `delivery`: the last one plus 1. */
  | ClaimExecution
  | ({ readonly type: "report"; readonly progress: readonly ProgressEvent[] } & ByWorker)
  | ({ readonly type: "finish" } & ByWorker &
      Pick<DataOf<"ExecutionFinished">, "status" | "durationMs" | "error">)
  | ({ readonly type: "giveBack"; readonly reason: string } & ByWorker)
  /** The lease of the delivery expired: its worker is presumed dead. */
  | { readonly type: "expireLease"; readonly delivery: number }
  | CancelExecution
  | RejudgePictures
  | ExpireEvidence
  | NoteEvidenceDeleted
  /** Ends a queued execution that cannot be run. */
  | { readonly type: "abandon"; readonly reason: string };

export const decide = (
  command: ExecutionCommand,
  execution: Execution,
): readonly ExecutionEvent[] => {
  switch (command.type) {
    case "queue": {
      if (execution.status !== "none") return [];
      const { type: _, ...data } = command;
      return [{ type: "ExecutionQueued", data }];
    }
    case "claim":
      return claim(command, execution);
    case "report":
      if (!isHeldBy(execution, command)) throw leaseLost();
      return command.progress.filter((event) => !execution.recorded.has(factOf(event)));
    case "finish": {
      if (execution.status === "finished") return [];
      if (!isHeldBy(execution, command)) throw leaseLost();
      const { status, durationMs, error } = command;
      return [finished(execution.runId, status, durationMs, error)];
    }
    case "giveBack": {
      if (!isHeldBy(execution, command)) return [];
      const { worker, delivery, reason } = command;
      const { runId } = execution;
      return [{ type: "ExecutionReturned", data: { runId, delivery, worker, reason } }];
    }
    case "expireLease":
      return expireLease(command.delivery, execution);
    case "cancel":
      return cancel(command, execution);
    case "rejudge":
      return rejudgePictures(command, execution);
    case "expireEvidence":
    case "noteEvidenceDeleted":
      if (execution.status !== "finished") return [];
      return decideEvidence(command, execution.runId, execution.evidence);
    case "abandon":
      return execution.status === "queued"
        ? [finished(execution.runId, "errored", 0, command.reason)]
        : [];
    default:
      return assertNever(command);
  }
};

const claim = (command: ClaimExecution, execution: Execution): readonly ExecutionEvent[] => {
  if (isHeldBy(execution, command)) return [];
  if (execution.status !== "queued" || command.delivery !== execution.deliveries + 1) {
    throw new DomainError("execution.notClaimable", "This delivery is no longer on offer.");
  }
  const { worker, delivery } = command;
  return [{ type: "ExecutionClaimed", data: { runId: execution.runId, delivery, worker } }];
};

const expireLease = (delivery: number, execution: Execution): readonly ExecutionEvent[] => {
  if (!isHeld(execution) || execution.delivery !== delivery) return [];
  const { runId, worker } = execution;
  const expired: ExecutionEvent = {
    type: "ExecutionLeaseExpired",
    data: { runId, delivery, worker },
  };
  if (execution.lost + 1 < MAX_DELIVERIES) return [expired];
  const error = `Handed to a worker ${MAX_DELIVERIES} times, and each time the worker was lost before it finished.`;
  const data = { runId, status: "errored", durationMs: 0, error, workersLost: true } as const;
  return [expired, { type: "ExecutionFinished", data }];
};

const cancel = (
  { by, error }: CancelExecution,
  execution: Execution,
): readonly ExecutionEvent[] => {
  const isFree = execution.status === "queued";
  if (!isFree && !(by && isHeldBy(execution, by))) return [];
  const { runId } = execution;
  return error === null
    ? [{ type: "ExecutionCancelled", data: { runId } }]
    : [finished(runId, "errored", 0, error)];
};

const rejudgePictures = (
  command: RejudgePictures,
  execution: Execution,
): readonly ExecutionEvent[] => {
  if (execution.status !== "finished") {
    throw new DomainError(
      "execution.notFinished",
      "The execution has not ended yet: there is nothing to judge anew.",
    );
  }
  if (execution.evidence.status !== "kept") {
    throw new DomainError(
      "execution.evidenceDeleted",
      "The pictures of this execution are deleted: the plan keeps them no longer. They cannot be compared again.",
    );
  }
  const { runId, verdict: from } = execution;
  const changed = from === "cancelled" ? null : rejudge(execution.judgement, command.pictures);
  if (changed === null) return [];
  const { pictures, browsers, attempts, verdict: to, error } = changed;
  const parts = { pictures: [...pictures], browsers: [...browsers], attempts: [...attempts] };
  const rejudged: ExecutionEvent = {
    type: "VisualRejudged",
    data: { runId, settings: command.settings, ...parts },
  };
  if (to === from) return [rejudged];
  return [rejudged, { type: "ExecutionVerdictChanged", data: { runId, from, to, error } }];
};

const finished = (
  runId: string,
  status: DataOf<"ExecutionFinished">["status"],
  durationMs: number,
  error: string | null,
): ExecutionEvent => ({ type: "ExecutionFinished", data: { runId, status, durationMs, error } });

const leaseLost = (): DomainError =>
  new DomainError("execution.leaseLost", "Another delivery of this execution has begun.");

export const executionDecider: Decider<Execution, ExecutionCommand, ExecutionEvent> = {
  category: "execution",
  initial: { status: "none" },
  codec: executionCodec,
  evolve,
  decide,
};
