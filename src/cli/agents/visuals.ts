import type { VisualAnswer } from "../../domain/agents/protocol.ts";
import { MAX_PICTURE_BYTES } from "../../domain/agents/protocol.ts";
import type { Step } from "../../domain/catalogue/step.ts";
import type { BrowserName } from "../../domain/runs/verdict.ts";
import type { VisualFound, Visuals } from "../../workers/executor/index.ts";
import type { Unsent } from "./outbox.ts";
import type { Requests } from "./requests.ts";

/** Which test of which delivery is spoken of. */
export type AttemptKey = {
  readonly execution_id: string;
  readonly delivery: number;
  readonly attempt: number;
  readonly browser: BrowserName;
};

/** What a step gives for its assertion, and a little for the way: then the service has not answered. */
const graceMs = (stepMs: number): number => stepMs / 2 + 4_000;

/**
 * Has the service compare the pictures of one test: the baselines, and what they are compared by, are there
 * alone. `viewport` tells the size of the page of the one that was last.
 */
export const remoteVisuals = (
  requests: Requests,
  on: AttemptKey,
  steps: readonly Step[],
  stepMs: number,
  signal: AbortSignal,
) => {
  /** Asks, over any number of connections. Rejects when no answer comes in time. */
  const ask = async (
    question: Omit<Extract<Unsent, { type: "visual" }>, "type" | "ask">,
  ): Promise<VisualAnswer> => {
    const answer = await requests.ask("visual", question, graceMs(stepMs), signal);
    if (answer === null) throw new Error("the service did not say what it is compared with");
    if (answer.kind === "failed") throw new Error(answer.reason);
    return answer;
  };

  let last: string | undefined;
  let number = 0;
  const visuals: Visuals = async ({ stepId, viewport }) => {
    last = viewport;
    number = numberAfter(steps, stepId, number);
    const of = { ...on, number, viewport };
    const turn = await ask(of);
    if (turn.kind === "refused") return turn;
    return {
      kind: "compare",
      sha256: turn.kind === "compare" ? turn.sha256 : null,
      compare: async (png) => {
        if (png.length > MAX_PICTURE_BYTES) throw new Error("it is too large to be sent");
        return foundOf(await ask({ ...of, base64: png.toString("base64") }));
      },
    };
  };
  return { visuals, viewport: () => last };
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
