import { setTimeout as delay } from "node:timers/promises";
import type { Locator } from "playwright";
import { parseTarget, type Target } from "../../domain/catalogue/target.ts";
import { NotFoundError, StepError } from "./errors.ts";
import { countOf, look, type Seen } from "./look.ts";
import { notFound, several, type Where } from "./notFound.ts";
import { seenPlainly } from "./seenPlainly.ts";
import { textOf } from "./targetText.ts";
import type { Purpose, Role, Way } from "./ways.ts";

export type { Purpose } from "./ways.ts";

/** An element found: how to act on it, and how it was found, in words. */
export type Found = {
  readonly locator: Locator;
  readonly text: string;
  /** It was told from others by where it stands: the locator knows it by its number, which may soon be another's. */
  readonly isPlaced?: true;
};

/** Several matches are looked at again for this long: a page that is changing may show both the old and the new. */
const AMBIGUOUS_GRACE_MS = 1_000;
const PAUSES = [20, 50, 100, 100, 250];

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
    const seen = await look(context.view, target, purpose, context.view, isLast || turn % 8 === 7);
    const elapsed = performance.now() - started;
    if (seen.kind === "some") {
      const [only, ...others] = seen.picks;
      if (only !== undefined && others.length === 0) {
        const found = await settled(seen, only, target, purpose);
        context.foundBy(found.text);
        return found;
      }
      if (elapsed >= Math.min(AMBIGUOUS_GRACE_MS, timeoutMs)) throw await several(context, seen);
    } else if (isLast || context.signal.aborted) {
      throw new NotFoundError(await notFound(context, purpose, seen.reason, timeoutMs));
    }
    const pause = PAUSES[Math.min(turn, PAUSES.length - 1)] ?? 250;
    await delay(pause, undefined, { signal: context.signal }).catch(() => {});
  }
};

/** Waits until the target names at least one visible element. Throws StepError like `findOne` when none comes. */
export const findAny = async (context: Where, timeoutMs: number): Promise<void> => {
  const target = parseTarget(context.step.target);
  const deadline = performance.now() + timeoutMs;
  for (let turn = 0; ; turn += 1) {
    const isLast = performance.now() >= deadline;
    const plain = await seenPlainly(context.view, target);
    if (plain !== null) return context.foundBy(plain);
    const seen = await lookOnce(context, isLast || turn % 8 === 7);
    if (seen && !seen.isUnclear) return context.foundBy(seen.text);
    if (isLast || context.signal.aborted) {
      throw new StepError(await notFound(context, "look", seen?.text, timeoutMs));
    }
    const pause = PAUSES[Math.min(turn, PAUSES.length - 1)] ?? 250;
    await delay(pause, undefined, { signal: context.signal }).catch(() => {});
  }
};

/**
 * Looks once: how many visible elements the target names, and how they were found; null when none. `isUnclear`: where
 * it says that they are could be several places, and the text says which.
 */
export const lookOnce = async (
  context: Where,
  thorough = false,
): Promise<{ text: string; count: number; isUnclear?: true } | null> => {
  const target = parseTarget(context.step.target);
  const seen = await look(context.view, target, "look", context.view, thorough);
  if (seen.kind === "none" && seen.isUnclear) {
    return { text: seen.reason ?? "", count: 0, isUnclear: true };
  }
  return seen.kind === "some" && seen.picks.length > 0
    ? { text: textOf(seen.way, target), count: seen.picks.length }
    : null;
};

const settled = async (
  seen: Extract<Seen, { kind: "some" }>,
  pick: number,
  target: Target,
  purpose: Purpose,
): Promise<Found> => {
  const single =
    seen.picks.length === 1 && pick === 0 && !target.ordinal && !target.within && !target.near;
  if (single && !seen.isStrict) {
    const narrowed = await byUsualRole(seen.way, purpose);
    if (narrowed)
      return { ...narrowed, text: textOf({ ...seen.way, text: narrowed.text }, target) };
  }
  const locator = single ? seen.visible : seen.visible.nth(pick);
  const text = seen.way.text.startsWith("name") ? await roleText(locator, seen.way) : seen.way.text;
  const isPlaced = target.within !== null || target.near !== null;
  return { locator, text: textOf({ ...seen.way, text }, target), ...(isPlaced && { isPlaced }) };
};

/** The roles that what is meant for a purpose has most often. */
const USUAL: Readonly<Record<Purpose, readonly Role[]>> = {
  look: [],
  file: [],
  action: ["button", "link"],
  fill: ["textbox", "searchbox"],
  select: ["combobox"],
  check: ["checkbox", "radio"],
};

/**
 * The one element that a name means whatever its role, by its role, where that is a usual one. Each question about
 * it goes through the page for one role then, and not for all that there are.
 */
const byUsualRole = async (way: Way, purpose: Purpose): Promise<Found | null> => {
  for (const role of way.ofRole ? USUAL[purpose] : []) {
    const locator = way.ofRole?.(role).filter({ visible: true });
    if (locator && (await countOf(locator)) === 1)
      return { locator, text: `role=${role}[${way.text}]` };
  }
  return null;
};

/**
 * Found by its accessible name whatever its role: says which role it was, as assistive technology sees it. Asked
 * that way because Playwright answers it beside the page's scripts, and would put its own into them for any other way.
 */
const roleText = async (locator: Locator, way: Way): Promise<string> => {
  const seen = await locator.ariaSnapshot({ timeout: 500 }).catch(() => "");
  const role = /^- '?([a-z]+)\b/.exec(seen)?.[1] ?? "text";
  return role === "text" ? way.text : `role=${role}[${way.text}]`;
};
