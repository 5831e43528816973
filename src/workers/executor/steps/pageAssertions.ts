import {
  parsePattern,
  type TextPattern,
  wildcardSource,
} from "../../../domain/catalogue/values.ts";
import { StepError } from "../errors.ts";
import { testRegExp } from "../inPage.ts";
import { asRead as folded } from "../matching/compare.ts";
import type { PerformStep, StepContext } from "./context.ts";
import { inWords, type Look, lookUntil, quoted } from "./polling.ts";

/** The page's address. A pattern that starts with `/` and is no `/regex/` is meant on the page's own host. */
export const assertUrl: PerformStep = (context) => {
  const { page, step } = context;
  const pattern = parsePattern(step.value.trim());
  return expectPage(context, "address", async () => {
    const actual = page.url();
    const pathOnly = pattern.kind !== "regex" && pattern.text.startsWith("/");
    const compared = pathOnly && URL.canParse(actual) ? withoutOrigin(actual) : actual;
    const matches =
      (await matchesIn(context, pattern, compared)) ||
      // `https://example.com` and `https://example.com/` are one address.
      (pattern.kind === "exact" &&
        URL.canParse(pattern.text) &&
        new URL(pattern.text).href === actual);
    return matches ? { ok: true } : { ok: false, actual };
  });
};

const withoutOrigin = (address: string): string => {
  const { pathname, search, hash } = new URL(address);
  return `${pathname}${search}${hash}`;
};

export const assertTitle: PerformStep = (context) => {
  const pattern = parsePattern(context.step.value.trim());
  return expectPage(context, "title", async () => {
    const actual = folded(await context.page.title().catch(() => ""));
    return (await matchesIn(context, pattern, actual)) ? { ok: true } : { ok: false, actual };
  });
};

const expectPage = async (
  context: StepContext,
  noun: string,
  look: () => Promise<Look<string>>,
): Promise<void> => {
  const limit = context.timeouts.assertionMs;
  const wrong = await lookUntil(context, limit, look);
  if (!wrong) return;
  const { kind } = parsePattern(context.step.value.trim());
  const verb = kind === "exact" ? "be" : "match";
  throw new StepError(
    `Expected the ${noun} of the page to ${verb} ${quoted(context.step.value)}, but it is ${quoted(wrong.actual)} (waited ${inWords(limit)}).`,
  );
};

/**
 * A user's regular expression is tried in the page, not here: one that takes for ever hangs the page,
 * which the step's time-out ends, and not the executor.
 */
const matchesIn = async (
  { page }: StepContext,
  pattern: TextPattern,
  text: string,
): Promise<boolean> => {
  if (pattern.kind === "exact") return pattern.text === text;
  const source = pattern.kind === "wildcard" ? wildcardSource(pattern.text) : pattern.source;
  const flags = pattern.kind === "wildcard" ? "" : pattern.flags;
  return page.evaluate(testRegExp, [source, flags, text]).catch(() => false);
};
