import { aliasesOf } from "../../domain/inspection/aliases.ts";
import type { Db } from "../../platform/database/database.ts";
import { gather } from "../../platform/eventLog/gather.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import { whileLeading } from "../../platform/leading.ts";
import type { Logger } from "../../platform/logger.ts";
import { pause } from "../../platform/pause.ts";
import { type EventIndexTables, eventIndex } from "../../stores/inspection/eventIndex.ts";

const BATCH = 2_048;
/** Events gather for so long before they are taken in: nobody waits for them, and many cost little more than one. */
const GATHER_MS = 1_000;

/**
 * Keeps the index of events up to the log, in the process that leads. It is no read model: nothing that anybody
 * writes waits for it, and it holds nothing but ids.
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
    const gathered = gather(log.subscribeAll({ after: await index.indexedTo() }));
    const close = () => void gathered.close();
    over.addEventListener("abort", close, { once: true });
    // Over before there was anything to close.
    if (over.aborted) close();
    try {
      for (;;) {
        const events = await gathered.take(BATCH);
        if (!events || over.aborted) return;
        await index.note(events, aliasesOf);
        if (events.length < BATCH) await pause(GATHER_MS, over);
      }
    } finally {
      over.removeEventListener("abort", close);
      await gathered.close();
    }
  };

  return whileLeading({ name: "event-index", db, holder, logger, work: indexUntil });
};
