import { setTimeout as pause } from "node:timers/promises";
import type { VisualAnswer } from "../../domain/agents/protocol.ts";
import { MAX_PICTURE_BYTES } from "../../domain/agents/protocol.ts";
import type { Step } from "../../domain/catalogue/step.ts";
import type { BrowserName } from "../../domain/runs/run.ts";
import type { VisualFound, Visuals } from "../../workers/executor/index.ts";
import type { Unsent } from "./outbox.ts";

/** Which test of which delivery is spoken of. */
export type On = {
  readonly execution_id: string;
  readonly delivery: number;
  readonly attempt: number;
  readonly browser: BrowserName;
};

export type AskedPictures = ReturnType<typeof createAskedPictures>;

/** What a step gives for its assertion, and a little for the way: then the service has not answered. */
const graceMs = (stepMs: number): number => stepMs / 2 + 4_000;

/** Has the service compare pictures: the baselines, and what they are compared by, are there alone. */
export const createAskedPictures = (post: (message: Unsent) => void) => {
  const waiting = new Map<number, (answer: VisualAnswer) => void>();
  let asks = 0;

  /** Asks, over any number of connections. Rejects when no answer comes in time. */
  const ask = async (
    message: Omit<Extract<Unsent, { type: "visual" }>, "type" | "ask">,
    limitMs: number,
    signal: AbortSignal,
  ): Promise<VisualAnswer> => {
    asks += 1;
    const mine = asks;
    const over = new AbortController();
    const answered = new Promise<VisualAnswer>((resolve) => waiting.set(mine, resolve));
    post({ type: "visual", ask: mine, ...message });
    try {
      const late = pause(limitMs, null, { signal: AbortSignal.any([signal, over.signal]) });
      const answer = await Promise.race([answered, late.catch(() => null)]);
      if (answer === null) throw new Error("the service did not say what it is compared with");
      if (answer.kind === "failed") throw new Error(answer.reason);
      return answer;
    } finally {
      over.abort();
      waiting.delete(mine);
    }
  };

  return {
    heard: (which: number, answer: VisualAnswer): void => waiting.get(which)?.(answer),

    /** What the pictures of one test are compared with; and the size of the page of the one that was last. */
    of: (on: On, steps: readonly Step[], stepMs: number, signal: AbortSignal) => {
      let last: string | undefined;
      const visuals: Visuals = async ({ stepId, viewport }) => {
        last = viewport;
        number = numberAfter(steps, stepId, number);
        const of = { ...on, number, viewport };
        const turn = await ask(of, graceMs(stepMs), signal);
        if (turn.kind === "refused") return turn;
        return {
          kind: "compare",
          sha256: turn.kind === "compare" ? turn.sha256 : null,
          compare: async (png) => {
            if (png.length > MAX_PICTURE_BYTES) throw new Error("it is too large to be sent");
            const base64 = png.toString("base64");
            return foundOf(await ask({ ...of, base64 }, graceMs(stepMs), signal));
          },
        };
      };
      let number = 0;
      return { visuals, viewport: () => last };
    },
  };
};

/** Where a step is, after those that were before it: a test that is called twice has its steps twice. */
const numberAfter = (steps: readonly Step[], stepId: string, before: number): number =>
  steps.findIndex(({ id, disabled }, index) => index >= before && id === stepId && !disabled) + 1;

const foundOf = (answer: VisualAnswer): VisualFound => {
  if (answer.kind !== "found") throw new Error("the service compares no pictures any more");
  const { outcome, pixels, ratio, size_differs: sizeDiffers, threshold, allowed } = answer;
  // Where the baseline lies, and the picture of the difference, are the service's own affair.
  const baseline = answer.baseline && { ...answer.baseline, key: "" };
  return { outcome, pixels, ratio, sizeDiffers, threshold, allowed, baseline, diff: null };
};
