import type { CommandContext, CommandLoop } from "../../commands/kernel/commandLoop.ts";
import { createLru } from "../../commands/kernel/lru.ts";
import type { UsageCommands } from "../../commands/usage/index.ts";
import { executionDecider } from "../../domain/runs/executions/execution.ts";
import { runDecider } from "../../domain/runs/run.ts";
import { isStopping } from "../../domain/runs/state.ts";
import { usageDecider } from "../../domain/usage/usage.ts";
import type { Bus } from "../../platform/bus/port.ts";
import type { Database } from "../../platform/database/database.ts";
import type { EventLog, RecordedEvent } from "../../platform/eventLog/port.ts";
import { derivedId } from "../../platform/ids.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Traced } from "../../platform/tracing/port.ts";
import { dispatchQueue, type StopReason } from "../../stores/runs/dispatchQueue.ts";
import { pendingReservations } from "../../stores/runs/pendingReservations.ts";
import { AGENT_WORK_SUBJECT } from "../agents/subjects.ts";
import { startReactor } from "../kernel/reactor.ts";
import { startAdmitter } from "./admitter.ts";
import { contextFrom } from "./eventContext.ts";
import { createMend } from "./queueRepair.ts";
import { type DispatchAction, type DispatchEvent, reactionsTo, type ToQueue } from "./reactions.ts";
import { STOP_SUBJECT, stopError } from "./stopRequests.ts";

const ACTOR = "dispatcher";
const REACTOR = "dispatcher";
/** How many executions of one run are queued at once. */
const QUEUE_AT_ONCE = 16;
/** Of so many executions it is remembered what they were queued with; of an older one it is looked up. */
const MOST_KNOWN = 10_000;
/** So many runs are known to have started: told so again, each would be read from the log to record nothing. */
const MOST_STARTED = 1_000;

export type DispatcherDeps = {
  readonly log: EventLog;
  readonly db: Database["db"];
  readonly bus: Bus;
  readonly commands: CommandLoop;
  readonly usage: Pick<UsageCommands, "markReservationUsed" | "releaseReservation">;
  /** How many executions of an organisation may be under way at once: its plan's entitlement. */
  readonly parallelismOf: (organizationId: string) => Promise<number>;
  readonly logger: Logger;
  /** Names this process in leases. */
  readonly holder: string;
  /** Given: what it does about a run is part of the run's trace. */
  readonly traced?: Traced | undefined;
};

/**
 * Takes runs to their end: queues their executions, admits these to the work queue, starts the run
 * with its first claim, offers again what came back, records each outcome.
 */
export const startDispatcher = (deps: DispatcherDeps): { stop(): Promise<void> } => {
  const { log, db, bus, commands, usage, logger } = deps;
  const queue = dispatchQueue(db);
  const pending = pendingReservations(db);
  const { parallelismOf } = deps;
  const mend = createMend({ log, db, queue, commands, logger, reactor: REACTOR });
  const traces = createLru<string, string>(MOST_KNOWN);
  const queued = createLru<string, ToQueue["dispatch"]>(MOST_KNOWN);
  const started = createLru<string, true>(MOST_STARTED);
  const admitter = startAdmitter({
    ...{ queue, bus, logger, parallelismOf, mend },
    traceOf: (executionId) => traces.get(executionId),
  });

  /** Group by group, so that the first of a large run start while the last are still being queued. */
  const queueExecutions = async (
    executions: readonly ToQueue[],
    event: RecordedEvent,
  ): Promise<void> => {
    const queueOne = async ({ command, dispatch }: ToQueue) => {
      const { executionId } = dispatch;
      const { traceparent } = event.metadata;
      if (deps.traced && traceparent !== undefined) traces.set(executionId, traceparent);
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
    for (let start = 0; start < executions.length; start += QUEUE_AT_ONCE) {
      const group = executions.slice(start, start + QUEUE_AT_ONCE);
      const waiting = await Promise.all(group.map(queueOne));
      await queue.add(waiting.flat(), event.position);
      if (group.some(({ dispatch }) => dispatch.target === "agent")) {
        bus.publish(AGENT_WORK_SUBJECT, "");
      }
      admitter.nudge();
    }
  };

  /** Ends an execution that nobody has; of one that somebody has it is noted, and said on the bus. */
  const stopExecution = async (
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

  /** What came back waits for the next worker, unless it was to stop meanwhile. */
  const requeue = async (
    { runId, executionId, delivery }: Extract<DispatchAction, { type: "requeue" }>,
    event: RecordedEvent,
  ): Promise<void> => {
    const { state: run } = await commands.load(runDecider, runId);
    if (!isStopping(run, executionId)) return queue.requeue(executionId, delivery, event.position);
    const reason = "stopping" in run && run.stopping === "overdue" ? "overdue" : "asked";
    await stopExecution(executionId, reason, event);
  };

  /** Takes out of the queue what is over; gives back the unit of what no worker ever took. */
  const forget = async (executionId: string, context: CommandContext): Promise<void> => {
    if (await queue.removeClaimed(executionId)) return;
    const dispatch = await queue.find(executionId);
    if (!dispatch) return;
    const { quotaPeriod: period, ...of } = dispatch;
    const reason = "The execution ended before a worker took it.";
    if (!dispatch.everClaimed) await usage.releaseReservation(context, { ...of, period, reason });
    await queue.remove(executionId);
  };

  const perform = async (action: DispatchAction, event: RecordedEvent): Promise<void> => {
    const context = contextFrom(event, ACTOR);
    switch (action.type) {
      case "queueExecutions":
        if (context.organizationId) admitter.expect(context.organizationId);
        return queueExecutions(action.executions, event);
      case "markClaimed":
        return queue.markClaimed(action.executionId, action.delivery, event.position);
      case "requeue":
        await requeue(action, event);
        return admitter.nudge();
      case "stopExecutions":
        for (let start = 0; start < action.executionIds.length; start += QUEUE_AT_ONCE) {
          const group = action.executionIds.slice(start, start + QUEUE_AT_ONCE);
          await Promise.all(group.map((id) => stopExecution(id, action.reason, event)));
        }
        return;
      case "tellRun": {
        const { runId, command } = action;
        // Once a run has started it has started.
        if (command.type === "start" && started.get(runId)) return;
        await commands.execute(runDecider, runId, command, context, {
          eventId: (n) => derivedId(event.id, `${command.type}:${n}`),
        });
        if (command.type === "start") started.set(runId, true);
        return;
      }
      case "useReservation": {
        const { executionId } = action;
        const dispatch = queued.get(executionId) ?? (await queue.find(executionId));
        if (!dispatch) return;
        const { organizationId, runId, quotaPeriod: period } = dispatch;
        await usage.markReservationUsed(context, { organizationId, runId, executionId, period });
        return;
      }
      case "forget":
        await forget(action.executionId, context);
        return admitter.nudge();
      case "expectRuns":
        return pending.add(action.pending, event.metadata.recorded_at);
      case "runCame":
        return pending.remove(action.runId);
    }
  };

  const react = async (event: RecordedEvent): Promise<void> => {
    const organizationId = event.metadata.organization_id;
    if (organizationId === null) {
      logger.warn({ event: event.id }, "an event of a run without an organisation is passed over");
      return;
    }
    const subjectId = event.stream.slice(event.stream.indexOf("-") + 1);
    const actions = reactionsTo(
      event as unknown as DispatchEvent,
      subjectId,
      organizationId,
      event.metadata.occurred_at,
    );
    for (const action of actions) await perform(action, event);
  };

  const reactor = startReactor<DispatchEvent>({
    name: REACTOR,
    log,
    db,
    holder: deps.holder,
    logger,
    codecs: [runDecider.codec, executionDecider.codec, usageDecider.codec],
    on: {
      RunsReserved: react,
      RunQueued: react,
      RunCancelRequested: react,
      ExecutionCancelRequested: react,
      ExecutionClaimed: react,
      ExecutionReturned: react,
      ExecutionLeaseExpired: react,
      ExecutionFinished: react,
      ExecutionVerdictChanged: react,
      ExecutionCancelled: react,
    },
    onLead: async () => admitter.offerAgain(),
    traced: deps.traced,
  });

  return {
    stop: async () => {
      await reactor.stop();
      await admitter.stop();
    },
  };
};
