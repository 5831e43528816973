import type { CommandLoop } from "../../commands/kernel/commandLoop.ts";
import type { UsageCommands } from "../../commands/usage.ts";
import { executionDecider } from "../../domain/runs/execution.ts";
import { runDecider } from "../../domain/runs/run.ts";
import { usageDecider } from "../../domain/usage/usage.ts";
import type { Bus } from "../../platform/bus/port.ts";
import type { Database } from "../../platform/database/database.ts";
import type { EventLog, RecordedEvent } from "../../platform/eventLog/port.ts";
import { derivedId } from "../../platform/ids.ts";
import type { Logger } from "../../platform/logger.ts";
import { dispatchQueue } from "../../platform/state/dispatchQueue.ts";
import { pendingReservations } from "../../platform/state/pendingReservations.ts";
import { startReactor } from "../kernel/reactor.ts";
import { startAdmitter } from "./admitter.ts";
import { contextFrom } from "./chain.ts";
import { type DispatchAction, type DispatchEvent, reactionsTo } from "./reactions.ts";

/** How many executions of one run are queued at once. */
const QUEUE_AT_ONCE = 16;

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
};

/**
 * Takes runs to their end: queues their executions, admits these to the work queue, starts the run
 * with its first claim, offers again what came back, records each outcome.
 */
export const startDispatcher = (deps: DispatcherDeps): { stop(): Promise<void> } => {
  const { log, db, bus, commands, usage, logger } = deps;
  const queue = dispatchQueue(db);
  const pending = pendingReservations(db);
  const admitter = startAdmitter({ queue, bus, logger, parallelismOf: deps.parallelismOf });

  const perform = async (action: DispatchAction, event: RecordedEvent): Promise<void> => {
    const context = contextFrom(event, "dispatcher");
    switch (action.type) {
      case "queueExecutions":
        return inGroups(action.executions, QUEUE_AT_ONCE, async ({ executionId, command }) => {
          await commands.execute(executionDecider, executionId, command, context, {
            eventId: (n) => derivedId(event.id, `queue:${executionId}:${n}`),
          });
        });
      case "await":
        return queue.add(action.dispatches, event.position);
      case "markClaimed":
        return queue.markClaimed(action.executionId, action.delivery, event.position);
      case "requeue":
        return queue.requeue(action.executionId, action.delivery, event.position);
      case "tellRun":
        await commands.execute(runDecider, action.runId, action.command, context, {
          eventId: (n) => derivedId(event.id, `${action.command.type}:${n}`),
        });
        return;
      case "useReservation": {
        const dispatch = await queue.find(action.executionId);
        if (!dispatch) return;
        const { quotaPeriod: period, ...of } = dispatch;
        await usage.markReservationUsed(context, { ...of, period });
        return;
      }
      case "releaseUnlessClaimed": {
        const dispatch = await queue.find(action.executionId);
        if (!dispatch || dispatch.everClaimed) return;
        const { quotaPeriod: period, ...of } = dispatch;
        const reason = "The execution ended before a worker took it.";
        await usage.releaseReservation(context, { ...of, period, reason });
        return;
      }
      case "forget":
        return queue.remove(action.executionId);
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
    for (const action of reactionsTo(event as unknown as DispatchEvent, subjectId, organizationId))
      await perform(action, event);
  };

  const reactor = startReactor<DispatchEvent>({
    name: "dispatcher",
    log,
    db,
    holder: deps.holder,
    logger,
    codecs: [runDecider.codec, executionDecider.codec, usageDecider.codec],
    on: {
      RunsReserved: react,
      RunQueued: react,
      ExecutionClaimed: react,
      ExecutionReturned: react,
      ExecutionLeaseExpired: react,
      ExecutionFinished: react,
    },
    onLead: admitter.offerAgain,
    afterBatch: admitter.admitNow,
  });

  return {
    stop: async () => {
      await reactor.stop();
      await admitter.stop();
    },
  };
};

const inGroups = async <Item>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<void>,
): Promise<void> => {
  for (let start = 0; start < items.length; start += size) {
    await Promise.all(items.slice(start, start + size).map(work));
  }
};
