import type { Bus } from "../../../platform/bus/port.ts";
import { announceWatcher } from "../../../platform/bus/watchedRuns.ts";
import type { RunQueries } from "../../../projections/runs/queries.ts";

/** The table is polled at this interval, because the bus delivers at most once. */
const LOOK_EVERY_MS = 1_000;

/**
 * Waits up to `waitMs` until a run has events after sequence number `after`, or the caller disconnects. Subscribes
 * before reading the table, so that no event is missed in between.
 */
export const waitForNews = async (
  deps: { readonly bus: Bus; readonly queries: Pick<RunQueries, "lastSequence"> },
  runId: string,
  after: number,
  waitMs: number,
  signal: AbortSignal,
): Promise<void> => {
  const deadline = Date.now() + waitMs;
  const heard = deps.bus.subscribe(`run.${runId}.events`);
  const messages = heard[Symbol.asyncIterator]();
  let next = messages.next();
  try {
    while (!signal.aborted && (await deps.queries.lastSequence(runId)) <= after) {
      const left = deadline - Date.now();
      if (left <= 0) return;
      announceWatcher(deps.bus, runId);
      const spoke = await firstOf(next, Math.min(left, LOOK_EVERY_MS), signal);
      if (spoke) next = messages.next();
    }
  } finally {
    heard.close();
    next.catch(() => undefined);
  }
};

/** Whether the promise settled before the timeout and the end of the connection. */
const firstOf = (promise: Promise<unknown>, ms: number, signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const end = (result: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", gone);
      resolve(result);
    };
    const gone = () => end(false);
    const timer = setTimeout(() => end(false), ms);
    signal.addEventListener("abort", gone, { once: true });
    promise.then(() => end(true), reject);
  });
