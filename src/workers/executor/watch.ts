import { within } from "../../platform/within.ts";
import type { PooledContext } from "./browserPool.ts";
import { inWords } from "./steps/polling.ts";

/** Events that end a test from outside, whatever its step is doing. */
export type Interruption =
  | { readonly by: "abort" }
  /** The browser or the page is gone. */
  | { readonly by: "loss"; readonly message: string }
  /** The test's own time is over. */
  | { readonly by: "limit"; readonly message: string };

export type Watch = {
  /** The value, or what came between: then the promise is left to itself. */
  orInterrupted<Value>(promise: Promise<Value>): Promise<Value | Interruption>;
  /** Says that the browser or the page is lost. */
  lose(message: string): void;
  /** After a call that failed because its page is closed: why, when the browser turns out to be gone. */
  lossAfter(failure: unknown): Promise<string | null>;
  end(): void;
};

/** The error of a page that is closed while its browser is there. */
export const PAGE_CLOSED = "The page was closed while the step was running.";

/** Watches over a test: `limitMs` is the longest that it may take, null for as long as it likes. */
export const watchFor = (
  signal: AbortSignal,
  opened: PooledContext,
  limitMs: number | null,
): Watch => {
  let interrupt: (interruption: Interruption) => void = () => {};
  let loss: string | null = null;
  const interruption = new Promise<Interruption>((resolve) => {
    interrupt = resolve;
  });
  const lose = (message: string): void => {
    loss ??= message;
    interrupt({ by: "loss", message });
  };
  const onAbort = () => {
    interrupt({ by: "abort" });
    void opened.release();
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  const timer =
    limitMs === null
      ? undefined
      : setTimeout(() => {
          const message = `The test took longer than the ${inWords(limitMs)} that it may take.`;
          interrupt({ by: "limit", message });
        }, limitMs);
  const unwatch = opened.onBrowserGone(() =>
    lose("The browser went away while the test was running."),
  );
  return {
    orInterrupted: (promise) => Promise.race([interruption, promise]),
    lose,
    lossAfter: async (failure) => {
      if (!/has been closed|Target closed|crashed|disconnected/i.test(String(failure))) return loss;
      await within(interruption, 1_000, () => null);
      return loss ?? PAGE_CLOSED;
    },
    end: () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      unwatch();
    },
  };
};

export const isInterruption = (value: unknown): value is Interruption =>
  typeof value === "object" && value !== null && "by" in value;
