import type { VisualAnswer } from "../../domain/agents/protocol.ts";
import { MAX_PICTURE_BYTES } from "../../domain/agents/protocol.ts";
import type { Step } from "../../domain/catalogue/step.ts";
import type { BrowserName } from "../../domain/runs/verdict.ts";
import type { VisualFound, Visuals } from "../../workers/executor/index.ts";
import type { Unsent } from "./outbox.ts";
import type { Requests } from "./requests.ts";

/** Identifies one attempt of one delivery in one browser. */
export type AttemptKey = {
  readonly execution_id: string;
  readonly delivery: number;
  readonly attempt: number;
  readonly browser: BrowserName;
};

/** How long to wait for an answer: half the step's time limit, as for assertions, plus 4 s for the network. */
const answerLimitMs = (stepMs: number): number => stepMs / 2 + 4_000;

/**
 * Compares the pictures of one test on the service, which has the baselines and their settings. `viewport` returns
 * the viewport of the last picture.
 */
export const remoteVisuals = (
  requests: Requests,
  on: AttemptKey,
  steps: readonly Step[],
  stepMs: number,
  signal: AbortSignal,
) => {
  /** Rejects if no answer arrives in time. */
  const ask = async (
    question: Omit<Extract<Unsent, { type: "visual" }>, "type" | "ask">,
  ): Promise<VisualAnswer> => {
    const answer = await requests.ask("visual", question, answerLimitMs(stepMs), signal);
    if (answer === null)
      throw new Error("the service did not answer the comparison request in time");
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
        if (png.length > MAX_PICTURE_BYTES) throw new Error("the picture is larger than the limit");
        return foundOf(await ask({ ...of, base64: png.toString("base64") }));
      },
    };
  };
  return { visuals, viewport: () => last };
};

/** The next position of a step after `before`: a test that is called twice repeats its steps. */
const numberAfter = (steps: readonly Step[], stepId: string, before: number): number =>
  steps.findIndex(({ id, disabled }, index) => index >= before && id === stepId && !disabled) + 1;

const foundOf = (answer: VisualAnswer): VisualFound => {
  if (answer.kind !== "found") throw new Error("the service no longer compares pictures");
  const { outcome, pixels, ratio, size_differs: sizeDiffers, threshold, allowed } = answer;
  // The service keeps the baseline's key and the difference picture.
  const baseline = answer.baseline && { ...answer.baseline, key: "" };
  return { outcome, pixels, ratio, sizeDiffers, threshold, allowed, baseline, diff: null };
};
