import type { NumberedRunEvent } from "../../domain/runs/watchedEvents.ts";
import type { Bus } from "../../platform/bus/port.ts";
import { within } from "../../platform/within.ts";
import type { RunEventQueries } from "../../projections/runs/watchedEvents.ts";

const PAGE = 500;
/** The table is read after this time without a message: the bus delivers at most once. */
const QUIET_MS = 2_000;
const ENDED: ReadonlySet<string> = new Set(["run_finished", "run_cancelled"]);

/**
 * Yields the events of a run after number `after`, exactly once and in order: first from the table, then from the bus,
 * with gaps filled from the table. Ends with the run, or when `over` is aborted.
 */
export async function* runEventsOf(
  deps: { readonly bus: Bus; readonly queries: Pick<RunEventQueries, "runEventsAfter"> },
  runId: string,
  after: number,
  over: AbortSignal,
): AsyncGenerator<NumberedRunEvent> {
  // Subscribed before the table is read, so that no event between the two is lost.
  const heard = deps.bus.subscribe(`run.${runId}.events`);
  const close = () => heard.close();
  over.addEventListener("abort", close, { once: true });
  if (over.aborted) close();
  const messages = heard[Symbol.asyncIterator]();
  let waiting = messages.next();
  let last = after;
  try {
    while (!over.aborted) {
      const events = await deps.queries.runEventsAfter(runId, last, PAGE);
      for (const event of events) {
        last = event.sequence;
        yield event;
        if (ENDED.has(event.name)) return;
      }
      if (events.length === PAGE) continue;
      for (;;) {
        const message = await within(waiting, QUIET_MS, () => "quiet" as const);
        if (message === "quiet") break;
        if (message.done) return;
        waiting = messages.next();
        const event = JSON.parse(message.value.payload) as NumberedRunEvent;
        if (event.sequence <= last) continue;
        if (event.sequence > last + 1) break;
        last = event.sequence;
        yield event;
        if (ENDED.has(event.name)) return;
      }
    }
  } finally {
    over.removeEventListener("abort", close);
    heard.close();
  }
}
