import { setTimeout as delay } from "node:timers/promises";
import type { StepContext } from "./context.ts";

/** Pauses between looks, in milliseconds: most pages are ready within the first few. */
const PAUSES = [20, 50, 100, 100, 250];

/** The result of one look at the page: as wanted, or the actual value. */
export type Look<Actual> = { readonly ok: true } | { readonly ok: false; readonly actual: Actual };

/**
 * Looks again and again until it is so, at most `timeoutMs`; the last look is always taken after the time was over
 * or just before. Answers null when it is so, else what was there at the last look.
 * A look that throws is over at once.
 */
export const lookUntil = async <Actual>(
  { signal }: Pick<StepContext, "signal">,
  timeoutMs: number,
  look: () => Promise<Look<Actual>>,
): Promise<{ readonly actual: Actual } | null> => {
  const deadline = performance.now() + timeoutMs;
  for (let turn = 0; ; turn += 1) {
    const seen = await look();
    if (seen.ok) return null;
    const left = deadline - performance.now();
    if (left <= 0 || signal.aborted) return { actual: seen.actual };
    const pause = PAUSES[Math.min(turn, PAUSES.length - 1)] ?? 250;
    await delay(Math.min(pause, left), undefined, { signal }).catch(() => {});
  }
};

/** `5 s`, `1.5 s`, `300 ms`. */
export const inWords = (milliseconds: number): string =>
  milliseconds < 1000
    ? `${Math.round(milliseconds)} ms`
    : `${Number((milliseconds / 1000).toFixed(1))} s`;

/** A text in quotes, long ones cut. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > 300 ? `${text.slice(0, 299)}…` : text);
