import type { Logger } from "../platform/logger.ts";
import { within } from "../platform/within.ts";

/** Time limit for stopping a part: a hanging part does not block the others. */
const STOP_LIMIT_MS = 10_000;

/** The parts to stop, in reverse order of their start. */
export type Stops = {
  add(name: string, stop: () => Promise<unknown> | undefined, patienceMs?: number): void;
  /** Stops all parts. Failures and time-outs are logged. */
  all(): Promise<void>;
};

export const createStops = (logger: Logger): Stops => {
  const stack: {
    readonly name: string;
    readonly stop: () => Promise<unknown> | undefined;
    readonly patienceMs: number;
  }[] = [];
  const end = async ({ stop, patienceMs }: (typeof stack)[number]): Promise<void> => {
    await within(Promise.resolve(stop()), patienceMs, () => {
      throw new Error(`The part has not stopped within ${patienceMs} ms`);
    });
  };
  const endAll = async (): Promise<void> => {
    for (let next = stack.pop(); next; next = stack.pop()) {
      try {
        await end(next);
      } catch (error) {
        logger.warn({ err: error, part: next.name }, "a part did not stop cleanly");
      }
    }
  };
  let stopping: Promise<void> | null = null;
  return {
    add: (name, stop, patienceMs = STOP_LIMIT_MS) => {
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
