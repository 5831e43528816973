import type { Logger } from "../platform/logger.ts";
import { sleep } from "../platform/sleep.ts";

/** A part that has not stopped by then is left behind: a stop comes to its end whatever hangs. */
const STOP_PATIENCE_MS = 10_000;

/** Things to stop, newest first: what was started last depends on what was started before. */
export type Stops = {
  add(name: string, stop: () => Promise<unknown> | undefined, patienceMs?: number): void;
  /** Stops everything, whatever fails or hangs on the way. */
  all(): Promise<void>;
};

export const createStops = (logger: Logger): Stops => {
  const stack: {
    readonly name: string;
    readonly stop: () => Promise<unknown> | undefined;
    readonly patienceMs: number;
  }[] = [];
  const end = async ({ stop, patienceMs }: (typeof stack)[number]): Promise<void> => {
    const ended = new AbortController();
    const late = sleep(patienceMs, ended.signal).then(() => {
      if (!ended.signal.aborted) throw new Error(`It has not stopped within ${patienceMs} ms`);
    });
    try {
      await Promise.race([stop(), late]);
    } finally {
      ended.abort();
    }
  };
  const endAll = async (): Promise<void> => {
    for (let next = stack.pop(); next; next = stack.pop()) {
      try {
        await end(next);
      } catch (error) {
        logger.warn({ err: error, part: next.name }, "did not stop cleanly");
      }
    }
  };
  let stopping: Promise<void> | null = null;
  return {
    add: (name, stop, patienceMs = STOP_PATIENCE_MS) => {
      stack.push({ name, stop, patienceMs });
    },
    all: () => {
      stopping ??= endAll().finally(() => {
        stopping = null;
      });
      return stopping;
    },
  };
};
