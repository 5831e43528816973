import type { Locator } from "playwright";
import { StepError } from "../errors.ts";
import { readText } from "../inPage.ts";
import type { StepContext } from "./context.ts";
import { lookUntil, quoted } from "./polling.ts";

/** A page may take so long to show the effect of an action. */
export const EFFECT_MS = 1_000;
const ASK_MS = 1_000;

/**
 * Checks that a field holds what an action put into it. A field that is gone by then is noted: its value cannot be
 * observed. Throws StepError with the value that it has.
 */
export const holdsValue = async (
  context: StepContext,
  locator: Locator,
  isSo: (value: string) => boolean,
  wanted: string,
): Promise<void> => {
  const wrong = await lookUntil<string | null>(context, EFFECT_MS, async () => {
    if ((await locator.count().catch(() => 0)) !== 1) return { ok: false, actual: null };
    const value = await locator
      .evaluate(readText, undefined, { timeout: ASK_MS })
      .catch(() => null);
    return value !== null && isSo(value.replace(/\n$/, ""))
      ? { ok: true }
      : { ok: false, actual: value };
  });
  if (!wrong) {
    return context.lasts({
      said: `the field ${context.step.target} does not hold ${wanted} any more.`,
      isStill: async () => {
        if ((await locator.count()) !== 1) return true;
        const value = await locator.evaluate(readText, undefined, { timeout: ASK_MS });
        return isSo(value.replace(/\n$/, ""));
      },
    });
  }
  if (wrong.actual === null)
    return context.noted("the field was gone before its value could be read");
  throw new StepError(
    `The field ${context.step.target} should hold ${wanted}, but it holds ${quoted(wrong.actual)}.`,
  );
};
