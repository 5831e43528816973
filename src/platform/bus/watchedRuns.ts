import type { Bus } from "./port.ts";

/** The subject of messages whose payload is the id of a watched run. */
const SUBJECT = "runs.watched";
/** The time for which an announcement counts. Watchers repeat it at least every 2 s. */
const WATCHED_MS = 5_000;

/** Announces that a run is being watched. Repeat it: the bus may lose messages. */
export const announceWatcher = (bus: Pick<Bus, "publish">, runId: string): void =>
  bus.publish(SUBJECT, runId);

/** Tracks the runs that are watched in any process, until `signal` is aborted. `onBegin` is called when a run becomes watched. */
export const trackWatchedRuns = (deps: {
  readonly bus: Pick<Bus, "subscribe">;
  readonly signal: AbortSignal;
  readonly onBegin?: (runId: string) => void;
}): { isWatched(runId: string): boolean; readonly ended: Promise<void> } => {
  const until = new Map<string, number>();
  const isWatched = (runId: string): boolean => (until.get(runId) ?? 0) > performance.now();

  const follow = async (): Promise<void> => {
    const heard = deps.bus.subscribe(SUBJECT);
    deps.signal.addEventListener("abort", () => heard.close(), { once: true });
    if (deps.signal.aborted) heard.close();
    for await (const { payload: runId } of heard) {
      const isNew = !isWatched(runId);
      // Keeps the map in the order of expiry.
      until.delete(runId);
      until.set(runId, performance.now() + WATCHED_MS);
      for (const [known, at] of until) {
        if (at > performance.now()) break;
        until.delete(known);
      }
      if (isNew) deps.onBegin?.(runId);
    }
  };
  return { isWatched, ended: follow() };
};
