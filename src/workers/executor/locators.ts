import { setTimeout as delay } from "node:timers/promises";
import type { Locator } from "playwright";
import { parseTarget } from "../../domain/catalogue/target.ts";
import { NotFoundError, StepError } from "./errors.ts";
import { look, type Seen } from "./look.ts";
import type { Purpose } from "./matching/sought.ts";
import { notFound, several, type Where } from "./notFound.ts";

export type { Purpose } from "./matching/sought.ts";

/** An element found: how to act on it, and how it was found, in words. */
export type Found = { readonly locator: Locator; readonly text: string };

/** Several matches are looked at again for this long: a page that is changing may show both the old and the new. */
const AMBIGUOUS_GRACE_MS = 1_000;
const PAUSES = [20, 50, 100, 100, 250];

/** While requests are in flight, an element of exactly the name may arrive: one of a longer name waits this long. */
const LONGER_NAME_GRACE_MS = 2_000;

/**
 * Finds the one visible element that the step's target names, waiting for it at most `timeoutMs`.
 * Throws StepError: nothing like it, with the nearest that there is; or several, with what they are.
 */
export const findOne = async (
  context: Where,
  purpose: Purpose,
  timeoutMs: number,
): Promise<Found> => {
  const target = parseTarget(context.step.target);
  const started = performance.now();
  for (let turn = 0; ; turn += 1) {
    const isLast = performance.now() - started >= timeoutMs;
    const seen = await look(context.view, target, purpose, isLast || turn % 8 === 7);
    const elapsed = performance.now() - started;
    if (seen.kind === "some") {
      if (seen.count === 1 && (isLast || !mayBeForestalled(context, seen, elapsed))) {
        keepSeen(context, seen);
        return seen;
      }
      if (seen.count > 1 && elapsed >= Math.min(AMBIGUOUS_GRACE_MS, timeoutMs))
        throw several(context, seen);
    } else if (isLast || context.signal.aborted) {
      throw new NotFoundError(await notFound(context, purpose, seen.reason, timeoutMs));
    }
    await pause(context, turn);
  }
};

/**
 * Waits until the target is seen at least once, as a claim has it. Throws StepError like `findOne` when it does not
 * come, and when several things could be what it is to be in.
 */
export const findAny = async (context: Where, timeoutMs: number): Promise<void> => {
  const target = parseTarget(context.step.target);
  const deadline = performance.now() + timeoutMs;
  for (let turn = 0; ; turn += 1) {
    const isLast = performance.now() >= deadline;
    const seen = await look(context.view, target, "claim", isLast || turn % 8 === 7);
    if (seen.kind === "some") return keepSeen(context, seen);
    if (isLast || context.signal.aborted) {
      throw new StepError(await notFound(context, "claim", seen.reason, timeoutMs));
    }
    await pause(context, turn);
  }
};

const mayBeForestalled = (
  { requestsInFlight }: Where,
  { isPart }: Extract<Seen, { kind: "some" }>,
  elapsed: number,
): boolean => isPart && elapsed < LONGER_NAME_GRACE_MS && requestsInFlight() > 0;

const pause = ({ signal }: Where, turn: number): Promise<void> =>
  delay(PAUSES[Math.min(turn, PAUSES.length - 1)] ?? 250, undefined, { signal }).catch(() => {});

/** Says how the element was found, what is to be noted of it, and where it stands. */
export const keepSeen = (context: Where, seen: Extract<Seen, { kind: "some" }>): void => {
  context.foundBy(seen.text);
  for (const note of seen.notes) context.noted(note);
  if (seen.box) context.sawAt(seen.box);
};
