import type { CommandLoop } from "../../commands/kernel/commandLoop.ts";
import { executionDecider } from "../../domain/runs/executions/execution.ts";
import type { Database } from "../../platform/database/database.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import type { Logger } from "../../platform/logger.ts";
import { loadReactorCheckpoint } from "../../stores/kernel/reactorCheckpoints.ts";
import type { Dispatch, DispatchQueue } from "../../stores/runs/dispatchQueue.ts";
import { readOneEvent } from "./readOneEvent.ts";

/**
 * Corrects the queue row of an execution that workers refuse: a dispatcher that was suspended while another
 * led can write stale rows. The log decides, but only after the dispatcher has handled the newest event of
 * the execution: before that the row is only late.
 */
export const createQueueRepair = (deps: {
  readonly log: Pick<EventLog, "readStreamBackwards">;
  readonly db: Database["db"];
  readonly queue: Pick<DispatchQueue, "markClaimed" | "remove" | "requeue">;
  readonly commands: Pick<CommandLoop, "load">;
  readonly logger: Logger;
  /** Name of the reactor that writes the queue. */
  readonly reactor: string;
}): ((dispatch: Dispatch) => Promise<void>) => {
  const { log, db, queue, commands, logger } = deps;
  return async ({ executionId, delivery }) => {
    const { state } = await commands.load(executionDecider, executionId);
    const reacted = await loadReactorCheckpoint(db, deps.reactor);
    const stream = `${executionDecider.category}-${executionId}`;
    const newest = await readOneEvent(log.readStreamBackwards(stream, { limit: 1 }));
    if (!newest || reacted === null || newest.position > reacted) return;
    const { position } = newest;
    if (state.status === "finished") await queue.remove(executionId);
    else if (state.status === "queued" && state.deliveries + 1 !== delivery)
      await queue.requeue(executionId, state.deliveries + 1, position);
    else if (state.status === "claimed" || state.status === "running")
      await queue.markClaimed(executionId, state.delivery, position);
    else return;
    logger.warn(
      { execution: executionId, state: state.status },
      "a stale row of the dispatch queue was corrected",
    );
  };
};
