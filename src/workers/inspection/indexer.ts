import { aliasesOf } from "../../domain/inspection/aliases.ts";
import type { Db } from "../../platform/database/database.ts";
import { bufferSubscription } from "../../platform/eventLog/bufferedSubscription.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import { runWhileLeader } from "../../platform/leases.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import { type EventIndexTables, eventIndex } from "../../stores/inspection/eventIndex.ts";

const MAX_BATCH = 2_048;
/** The delay during which events are batched. A batch costs little more than one event. */
const BATCH_DELAY_MS = 1_000;

/**
 * Updates the event index from the log, in the leading process. The index is not a read model: writes do not wait for
 * it, and it contains only ids.
 */
export const startEventIndexer = (deps: {
  readonly log: EventLog;
  readonly db: Db<EventIndexTables>;
  readonly logger: Logger;
  readonly holder: string;
}): { stop(): Promise<void> } => {
  const { log, db, logger, holder } = deps;
  const index = eventIndex(db);

  const indexUntil = async (stopped: AbortSignal): Promise<void> => {
    const buffer = bufferSubscription(log.subscribeAll({ after: await index.indexedTo() }));
    const close = () => void buffer.close();
    stopped.addEventListener("abort", close, { once: true });
    // Stopped before the subscription was open.
    if (stopped.aborted) close();
    try {
      for (;;) {
        const events = await buffer.take(MAX_BATCH);
        if (!events || stopped.aborted) return;
        await index.add(events, aliasesOf);
        if (events.length < MAX_BATCH) await sleep(BATCH_DELAY_MS, stopped);
      }
    } finally {
      stopped.removeEventListener("abort", close);
      await buffer.close();
    }
  };

  return runWhileLeader({ name: "event-index", db, holder, logger, work: indexUntil });
};
