import type { StepInput } from "../catalogue/step.ts";
import { waitedFor } from "./consequences.ts";
import { HINT } from "./hints.ts";
import { eachClaimed, eachObject, eachThere, firstFew } from "./objectLists.ts";
import { onAddress } from "./pressTurns.ts";
import { readFirst, readText, readTexts } from "./readings.ts";
import { type Context, MAX_CLAUSES } from "./search.ts";
import { readConditional, readDelayed } from "./timed.ts";
import type { Token } from "./words.ts";

/* Sentences that mean one thing as a whole, said another way: of each in a list, on a page, waited for, when or after something. */

/** Reads a sentence of which a part says when the rest is so, or how long after. */
export const readTimed = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
  hints: number,
): readonly StepInput[] | null =>
  ((hints & HINT.condition) === 0 ? null : readConditional(tokens, source, context)) ??
  ((hints & HINT.after) === 0 ? null : readDelayed(tokens, source, context, isClaimed));

/** What can be so of several things of one place at once. A text is but one: a field has no two. */
const OF_EACH = new Set([
  ...["assert_visible", "assert_hidden", "assert_enabled", "assert_disabled"],
  ...["assert_checked", "assert_unchecked"],
]);

/** Reads what is so of each of several things in one place; null when that is not said. */
export const readEachThere = (
  tokens: readonly Token[],
  source: string,
  context: Context,
): readonly StepInput[] | null => {
  const said = eachThere(tokens, source);
  const read = said && said.length <= MAX_CLAUSES ? readFirst([said], context) : null;
  return read?.every(({ action }) => OF_EACH.has(action)) ? read : null;
};

/** Reads what is said of each of several things; null when nothing is. */
export const readLists = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  hints: number,
): readonly StepInput[] | null => {
  const isList = (hints & HINT.list) !== 0;
  const there = isList ? readEachThere(tokens, source, context) : null;
  if (there) return there;
  for (const said of [
    isList ? eachObject(tokens, source) : null,
    isList ? eachClaimed(tokens, source) : null,
    (hints & HINT.first) === 0 ? null : firstFew(tokens, source),
  ]) {
    const read = said && readFirst([said], context);
    if (read) return read;
  }
  return null;
};

/** `"Total" is $5 on /cart`: what is claimed on a page that is gone to first. */
export const readThere = (
  tokens: readonly Token[],
  source: string,
  context: Context,
): readonly StepInput[] | null => {
  const said = context.isFirst && context.mood !== "then" ? onAddress(tokens, source) : null;
  const read = said && readTexts(said, context);
  return read?.slice(1).every(({ action }) => action.startsWith("assert_")) ? read : null;
};

const WAITED: Readonly<Record<string, string>> = {
  assert_visible: "visible",
  assert_hidden: "hidden",
  assert_enabled: "enabled",
};

/** `Wait until the title is "Done"`: a claim is tried until it holds, so that waiting for it is claiming it. */
export const readWaited = (
  tokens: readonly Token[],
  source: string,
  context: Context,
): readonly StepInput[] | null => {
  const said = waitedFor(tokens, source);
  const read = said === null ? null : readText(said, { ...context, isFirst: false, mood: "then" });
  if (!read?.every(({ action }) => action.startsWith("assert_"))) return null;
  return read.map((step) => {
    const value = WAITED[step.action];
    return value === undefined ? step : { ...step, action: "wait_for", value };
  });
};
