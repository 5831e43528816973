import type { CommandLoop } from "../../commands/kernel/commandLoop.ts";
import { createLru } from "../../commands/kernel/lru.ts";
import { executionDecider } from "../../domain/runs/executions/execution.ts";
import { runDecider } from "../../domain/runs/run.ts";
import { usageDecider } from "../../domain/usage/usage.ts";
import type { Bus } from "../../platform/bus/port.ts";
import type { Database } from "../../platform/database/database.ts";
import type { EventLog, RecordedEvent } from "../../platform/eventLog/port.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Traced } from "../../platform/tracing/port.ts";
import { dispatchQueue } from "../../stores/runs/dispatchQueue.ts";
import { pendingReservations } from "../../stores/runs/pendingReservations.ts";
import { startReactor } from "../kernel/reactor.ts";
import { startAdmitter } from "./admitter.ts";
import { type Dispatching, perform } from "./dispatchActions.ts";
import { createQueueRepair } from "./queueRepair.ts";
import { type DispatchEvent, reactionsTo } from "./reactions.ts";

const REACTOR = "dispatcher";
const MAX_KNOWN_EXECUTIONS = 10_000;
const MAX_STARTED_RUNS = 1_000;

export type DispatcherDeps = {
  readonly log: EventLog;
  readonly db: Database["db"];
  readonly bus: Bus;
  readonly commands: CommandLoop;
  readonly usage: Dispatching["usage"];
  /** Number of executions of an organisation that may run at once, by its plan. */
  readonly parallelismOf: (organizationId: string) => Promise<number>;
  readonly logger: Logger;
  /** Id of this process in leases. */
  readonly holder: string;
  /** Absent: runs are not traced. */
  readonly traced?: Traced | undefined;
};

/**
 * Drives runs to their end: queues their executions, admits them to the work queue, starts the run with the
 * first claim, requeues returned executions and records each outcome.
 */
export const startDispatcher = (deps: DispatcherDeps): { stop(): Promise<void> } => {
  const { log, db, bus, commands, usage, logger, parallelismOf } = deps;
  const queue = dispatchQueue(db);
  const traces = createLru<string, string>(MAX_KNOWN_EXECUTIONS);
  const admitter = startAdmitter({
    ...{ queue, bus, logger, parallelismOf },
    repair: createQueueRepair({ log, db, queue, commands, logger, reactor: REACTOR }),
    traceOf: (executionId) => traces.get(executionId),
  });
  const dispatching: Dispatching = {
    ...{ log, bus, commands, usage, queue, admitter, traces },
    pending: pendingReservations(db),
    isTraced: deps.traced !== undefined,
    queued: createLru(MAX_KNOWN_EXECUTIONS),
    started: createLru(MAX_STARTED_RUNS),
  };

  const react = async (event: RecordedEvent): Promise<void> => {
    const organizationId = event.metadata.organization_id;
    if (organizationId === null) {
      logger.warn({ event: event.id }, "an event of a run without an organisation is ignored");
      return;
    }
    const subjectId = event.stream.slice(event.stream.indexOf("-") + 1);
    const actions = reactionsTo(
      event as unknown as DispatchEvent,
      subjectId,
      organizationId,
      event.metadata.occurred_at,
    );
    for (const action of actions) await perform(dispatching, action, event);
  };

  const reactor = startReactor<DispatchEvent>({
    ...{ name: REACTOR, log, db, holder: deps.holder, logger, traced: deps.traced },
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
  });

  return {
    stop: async () => {
      await reactor.stop();
      await admitter.stop();
    },
  };
};
