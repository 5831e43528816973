import type { NumberedRunEvent } from "../../domain/runs/watchedEvents.ts";
import type { Bus } from "../../platform/bus/port.ts";
import type { RunEventQueries } from "../../projections/runs/watchedEvents.ts";

const PAGE = 500;
/** Nothing heard for so long: the table is looked into, for the bus delivers at most once. */
const QUIET_MS = 2_000;
const ENDED: ReadonlySet<string> = new Set(["run_finished", "run_cancelled"]);

/**
 * The events of a run after number `after`, each once and in order: those of the table first, then as the bus tells
 * of them; a gap, or silence, is filled from the table. Ends with the run, or when `over` is aborted.
 */
export async function* runEventsOf(
  deps: { readonly bus: Bus; readonly queries: Pick<RunEventQueries, "runEventsAfter"> },
  runId: string,
  after: number,
  over: AbortSignal,
): AsyncGenerator<NumberedRunEvent> {
  // Before the table is read: what comes between the two is heard.
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
      // What the bus says comes from the same table: in its turn it is passed on as it is.
      for (;;) {
        const message = await within(waiting, QUIET_MS);
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

const within = async <T>(work: Promise<T>, ms: number): Promise<T | "quiet"> => {
  let timer: NodeJS.Timeout | undefined;
  const quiet = new Promise<"quiet">((resolve) => {
    timer = setTimeout(resolve, ms, "quiet");
  });
  try {
    return await Promise.race([work, quiet]);
  } finally {
    clearTimeout(timer);
  }
};
