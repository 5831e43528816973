import { setTimeout as delay } from "node:timers/promises";
import { lookAtWhole } from "../arriving.ts";
import { lookAt, type Seen } from "../look.ts";
import { askRest } from "../matching/ask.ts";
import type { StepContext } from "./context.ts";

/** The time for which a negative claim or a count must hold on a page at rest. */
const HOLD_MS = 250;
const PAUSES = [20, 50, 100, 100, 250];

/**
 * Looks until the target is as wanted and stays so on a page at rest: its document has arrived, no request is in
 * flight, and nothing changes for 250 ms. Answers null when it is so, else what was seen last; `isRestless` when it
 * was so, but the page never came to rest.
 */
export const untilAtRest = async (
  context: StepContext,
  timeoutMs: number,
  isSo: (seen: Seen) => boolean,
): Promise<{ readonly seen: Seen; readonly isRestless: boolean } | null> => {
  const { view, step, signal } = context;
  const deadline = performance.now() + timeoutMs;
  let heldSince: { readonly at: number; readonly mark: string } | null = null;
  for (let turn = 0; ; turn += 1) {
    const { seen, isWhole } = await lookAtWhole(view, () =>
      lookAt(view, step.target, "claim", true),
    );
    const isThere = isSo(seen);
    const mark = isThere && isWhole ? await markOf(context) : null;
    const now = performance.now();
    if (mark === null) heldSince = null;
    else if (heldSince === null || heldSince.mark !== mark) heldSince = { at: now, mark };
    else if (now - heldSince.at >= HOLD_MS) return null;
    const isOver = now >= deadline && (heldSince === null || now - deadline > 2 * HOLD_MS);
    if (isOver || signal.aborted) return { seen, isRestless: isThere };
    const pause = PAUSES[Math.min(turn, PAUSES.length - 1)] ?? HOLD_MS;
    const left = heldSince === null ? pause : HOLD_MS - (now - heldSince.at) + 1;
    await delay(left, undefined, { signal }).catch(() => {});
  }
};

/** null while the page is at work. */
const markOf = async ({ view, requestsInFlight }: StepContext): Promise<string | null> => {
  if (requestsInFlight() > 0) return null;
  const rest = await askRest(view).catch(() => null);
  return rest === null || rest.isBusy || requestsInFlight() > 0 ? null : rest.mark;
};
