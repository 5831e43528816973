import type { Bus } from "./port.ts";

/** On the bus: somebody watches the run that the payload names. */
const SUBJECT = "runs.watched";
/** So long after it was said last a run counts as watched. Whoever watches says so at least every two seconds. */
const WATCHED_MS = 5_000;

/**
 * Says that somebody watches a run now, or has just read it on its way. The bus may lose it: it is said again for as
 * long as that is so.
 */
export const announceWatcher = (bus: Pick<Bus, "publish">, runId: string): void =>
  bus.publish(SUBJECT, runId);

/** Follows which runs somebody watches, through whatever process, until `signal` is aborted; `onBegin` is told of each that was not watched just before. */
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
      // In the order in which they end.
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
