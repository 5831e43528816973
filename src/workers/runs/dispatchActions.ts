import type { CommandContext, CommandLoop } from "../../commands/kernel/commandLoop.ts";
import type { Lru } from "../../commands/kernel/lru.ts";
import type { UsageCommands } from "../../commands/usage/index.ts";
import type { DataOf } from "../../domain/runs/events.ts";
import { executionDecider } from "../../domain/runs/executions/execution.ts";
import { runDecider } from "../../domain/runs/run.ts";
import { isStopping } from "../../domain/runs/state.ts";
import type { Bus } from "../../platform/bus/port.ts";
import type { EventLog, RecordedEvent } from "../../platform/eventLog/port.ts";
import { derivedId } from "../../platform/ids.ts";
import type { DispatchQueue, NewDispatch, StopReason } from "../../stores/runs/dispatchQueue.ts";
import type { PendingReservations } from "../../stores/runs/pendingReservations.ts";
import { AGENT_WORK_SUBJECT } from "../agents/subjects.ts";
import type { Admitter } from "./admitter.ts";
import { contextFrom } from "./eventContext.ts";
import type { DispatchAction, ToQueue } from "./reactions.ts";
import { readOneEvent } from "./readOneEvent.ts";
import { STOP_SUBJECT, stopError } from "./stopRequests.ts";

const ACTOR = "dispatcher";
/** Number of executions of one run that are queued or stopped concurrently. */
const CONCURRENCY = 16;

export type Dispatching = {
  readonly log: Pick<EventLog, "readStream">;
  readonly bus: Bus;
  readonly commands: CommandLoop;
  readonly usage: Pick<UsageCommands, "markReservationUsed" | "releaseReservation" | "refundUnit">;
  readonly queue: DispatchQueue;
  readonly pending: PendingReservations;
  readonly admitter: Admitter;
  readonly isTraced: boolean;
  /** The `traceparent` of recently queued executions. */
  readonly traces: Lru<string, string>;
  /** Recently queued dispatches. Older ones are read from the queue. */
  readonly queued: Lru<string, NewDispatch>;
  /** Runs known to have started, which need no further `start`. */
  readonly started: Lru<string, true>;
};

/** Performs an action caused by an event. Safe to repeat. */
export const perform = async (
  deps: Dispatching,
  action: DispatchAction,
  event: RecordedEvent,
): Promise<void> => {
  const { admitter, queue, pending } = deps;
  const context = contextFrom(event, ACTOR);
  switch (action.type) {
    case "queueExecutions":
      if (context.organizationId) admitter.expect(context.organizationId);
      return queueExecutions(deps, action.executions, event);
    case "markClaimed":
      return queue.markClaimed(action.executionId, action.delivery, event.position);
    case "requeue":
      await requeue(deps, action, event);
      return admitter.nudge();
    case "stopExecutions":
      for (const group of groupsOf(action.executionIds)) {
        await Promise.all(group.map((id) => stopExecution(deps, id, action.reason, event)));
      }
      return;
    case "commandRun":
      return commandRun(deps, action, event);
    case "useReservation":
      return markReservationUsed(deps, context, action.executionId);
    case "refundUnit":
      return refundUnit(deps, context, action);
    case "removeExecution":
      await removeExecution(deps, context, action.executionId);
      return admitter.nudge();
    case "addPendingRuns":
      return pending.add(action.pending, event.metadata.recorded_at);
    case "removePendingRun":
      return pending.remove(action.runId);
  }
};

/** Queues executions in groups: the first of a large run can start while the rest is being queued. */
const queueExecutions = async (
  deps: Dispatching,
  executions: readonly ToQueue[],
  event: RecordedEvent,
): Promise<void> => {
  const { queue, bus, admitter } = deps;
  for (const group of groupsOf(executions)) {
    const waiting = await Promise.all(group.map((one) => queueExecution(deps, one, event)));
    await queue.add(waiting.flat(), event.position);
    if (group.some(({ dispatch }) => dispatch.target === "agent")) {
      bus.publish(AGENT_WORK_SUBJECT, "");
    }
    admitter.nudge();
  }
};

const queueExecution = async (
  { commands, isTraced, traces, queued }: Dispatching,
  { command, dispatch }: ToQueue,
  event: RecordedEvent,
): Promise<readonly NewDispatch[]> => {
  const { executionId } = dispatch;
  const { traceparent } = event.metadata;
  if (isTraced && traceparent !== undefined) traces.set(executionId, traceparent);
  queued.set(executionId, dispatch);
  const { state } = await commands.execute(
    executionDecider,
    executionId,
    command,
    contextFrom(event, ACTOR),
    { eventId: (n) => derivedId(event.id, `queue:${executionId}:${n}`) },
  );
  return state.status === "finished" ? [] : [dispatch];
};

/** Ends a queued execution. For a claimed one, records the request and publishes it to its worker. */
const stopExecution = async (
  { commands, queue, bus }: Dispatching,
  executionId: string,
  reason: StopReason,
  event: RecordedEvent,
): Promise<void> => {
  const { state } = await commands.execute(
    executionDecider,
    executionId,
    { type: "cancel", by: null, error: stopError(reason) },
    contextFrom(event, ACTOR),
    { eventId: (n) => derivedId(event.id, `stop:${executionId}:${n}`) },
  );
  if (state.status !== "claimed" && state.status !== "running") return;
  await queue.markToStop(executionId, reason);
  bus.publish(STOP_SUBJECT, JSON.stringify({ execution_id: executionId, reason }));
};

/** Queues a returned execution for the next worker, unless it is being stopped. */
const requeue = async (
  deps: Dispatching,
  { runId, executionId, delivery }: Extract<DispatchAction, { type: "requeue" }>,
  event: RecordedEvent,
): Promise<void> => {
  const { state: run } = await deps.commands.load(runDecider, runId);
  if (!isStopping(run, executionId)) {
    return deps.queue.requeue(executionId, delivery, event.position);
  }
  const reason = "stopping" in run && run.stopping === "overdue" ? "overdue" : "asked";
  await stopExecution(deps, executionId, reason, event);
};

const commandRun = async (
  { commands, started }: Dispatching,
  { runId, command }: Extract<DispatchAction, { type: "commandRun" }>,
  event: RecordedEvent,
): Promise<void> => {
  if (command.type === "start" && started.get(runId)) return;
  await commands.execute(runDecider, runId, command, contextFrom(event, ACTOR), {
    eventId: (n) => derivedId(event.id, `${command.type}:${n}`),
  });
  if (command.type === "start") started.set(runId, true);
};

const markReservationUsed = async (
  { queued, queue, usage }: Dispatching,
  context: CommandContext,
  executionId: string,
): Promise<void> => {
  const dispatch = queued.get(executionId) ?? (await queue.find(executionId));
  if (!dispatch) return;
  const { organizationId, runId, quotaPeriod: period } = dispatch;
  await usage.markReservationUsed(context, { organizationId, runId, executionId, period });
};

/** Gives back the unit of an execution to the principal of its run. Runs of agents use none. */
const refundUnit = async (
  { log, usage }: Dispatching,
  context: CommandContext,
  { runId, executionId }: Extract<DispatchAction, { type: "refundUnit" }>,
): Promise<void> => {
  const stream = `${runDecider.category}-${runId}`;
  const queued = await readOneEvent(log.readStream(stream, { limit: 1 }));
  const { organizationId } = context;
  if (queued?.type !== "RunQueued" || organizationId === null) return;
  const { target, quotaPeriod: period } = queued.data as DataOf<"RunQueued">;
  if (target === "agent") return;
  const reason = "The service lost every worker that executed the test.";
  const by = queued.metadata.actor;
  await usage.refundUnit(context, { organizationId, period, runId, executionId, by, reason });
};

/** Removes a finished execution from the queue. Releases the reservation if no worker ever claimed it. */
const removeExecution = async (
  { queue, usage }: Dispatching,
  context: CommandContext,
  executionId: string,
): Promise<void> => {
  if (await queue.removeClaimed(executionId)) return;
  const dispatch = await queue.find(executionId);
  if (!dispatch) return;
  const { quotaPeriod: period, ...of } = dispatch;
  const reason = "The execution ended before a worker took it.";
  if (!dispatch.everClaimed) await usage.releaseReservation(context, { ...of, period, reason });
  await queue.remove(executionId);
};

const groupsOf = <T>(all: readonly T[]): readonly (readonly T[])[] => {
  const groups: T[][] = [];
  for (let start = 0; start < all.length; start += CONCURRENCY) {
    groups.push(all.slice(start, start + CONCURRENCY));
  }
  return groups;
};
