import { aliasesOf } from "../../domain/inspection/aliases.ts";
import type { Db } from "../../platform/database/database.ts";
import { bufferSubscription } from "../../platform/eventLog/bufferedSubscription.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import { runWhileLeader } from "../../platform/leases.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import { type EventIndexTables, eventIndex } from "../../stores/inspection/eventIndex.ts";

const BATCH = 2_048;
/** The delay during which events are batched. A batch costs little more than one event. */
const GATHER_MS = 1_000;

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

  const indexUntil = async (over: AbortSignal): Promise<void> => {
    const gathered = bufferSubscription(log.subscribeAll({ after: await index.indexedTo() }));
    const close = () => void gathered.close();
    over.addEventListener("abort", close, { once: true });
    // Stopped before the subscription was open.
    if (over.aborted) close();
    try {
      for (;;) {
        const events = await gathered.take(BATCH);
        if (!events || over.aborted) return;
        await index.note(events, aliasesOf);
        if (events.length < BATCH) await sleep(GATHER_MS, over);
      }
    } finally {
      over.removeEventListener("abort", close);
      await gathered.close();
    }
  };

  return runWhileLeader({ name: "event-index", db, holder, logger, work: indexUntil });
};
