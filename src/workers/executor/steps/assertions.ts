import type { Locator } from "playwright";
import {
  parseAttribute,
  parseCount,
  parsePattern,
  type TextPattern,
  wildcardSource,
} from "../../../domain/catalogue/values.ts";
import { lookAtWhole } from "../arriving.ts";
import { StepError } from "../errors.ts";
import { readText, testRegExp } from "../inPage.ts";
import { findAny, findOne, lookOnce, type Purpose } from "../locators.ts";
import { notFound } from "../notFound.ts";
import { withoutUnseen } from "../unseen.ts";
import type { PerformStep, StepContext } from "./context.ts";
import { inWords, type Look, lookUntil, quoted } from "./polling.ts";

/** Something that the target names is visible. More than one is as good: they are all what was asked for. */
export const assertVisible: PerformStep = async (context) => {
  await findAny(context, context.timeouts.assertionMs);
};

/** Nothing that the target names is visible. */
export const assertHidden: PerformStep = (context) => hidden(context, context.timeouts.assertionMs);

/** Waits until nothing that the target names is visible; throws StepError with what still is. */
export const hidden = async (context: StepContext, timeoutMs: number): Promise<void> => {
  const still = await lookUntil(context, timeoutMs, async () => {
    // What is quick does not know every way to be called something: that nothing is there must be said by all of them.
    const quick = await lookOnce(context);
    if (quick) return { ok: false, actual: quick };
    const { seen, isWhole } = await lookAtWhole(context.view, () => lookOnce(context, true));
    return seen || !isWhole ? { ok: false, actual: seen } : { ok: true };
  });
  // A page that goes on arriving for as long is judged by what there is of it.
  if (!still?.actual) return;
  const { text, count, isUnclear } = still.actual;
  if (isUnclear) throw cannotTell(context, text);
  context.foundBy(text);
  throw new StepError(
    `Expected not to see ${context.step.target}, but ${count === 1 ? "it is" : `${count} such elements are`} visible (${text}), still after ${inWords(timeoutMs)}.`,
    text,
  );
};

const cannotTell = ({ step }: StepContext, reason: string): StepError =>
  new StepError(
    `Cannot tell what there is of ${step.target}: ${reason}. Say which of them: first, last, 2nd, …`,
  );

/** Finds the element and looks at it until it is as wanted. What it was instead goes into the error. */
const expectElement = async <Actual>(
  context: StepContext,
  purpose: Purpose,
  look: (locator: Locator) => Promise<Look<Actual>>,
  explain: (actual: Actual) => string,
): Promise<void> => {
  const started = performance.now();
  const limit = context.timeouts.assertionMs;
  let found = await findOne(context, purpose, limit);
  let isFresh = true;
  const left = Math.max(0, limit - (performance.now() - started));
  const wrong = await lookUntil(context, left, async () => {
    // What stands in its place by now is not what was found there.
    if (found.isPlaced && !isFresh)
      found = await findOne(context, purpose, Math.max(0, limit - (performance.now() - started)));
    isFresh = false;
    try {
      return await look(found.locator);
    } catch {
      // The page replaced the element between two looks: find it anew.
      found = await findOne(context, purpose, Math.max(0, limit - (performance.now() - started)));
      return look(found.locator);
    }
  });
  if (!wrong) return;
  throw new StepError(
    `${explain(wrong.actual)} (${found.text}; waited ${inWords(limit)}).`,
    found.text,
  );
};

const QUICK = { timeout: 1_000 };

const expectState =
  (
    word: string,
    opposite: string,
    purpose: Purpose,
    holds: (locator: Locator) => Promise<boolean>,
  ): PerformStep =>
  (context) =>
    expectElement(
      context,
      purpose,
      async (locator) => ((await holds(locator)) ? { ok: true } : { ok: false, actual: null }),
      () => `Expected ${context.step.target} to be ${word}, but it is ${opposite}`,
    );

export const assertEnabled = expectState("enabled", "disabled", "look", (locator) =>
  locator.isEnabled(QUICK),
);
export const assertDisabled = expectState("disabled", "enabled", "look", (locator) =>
  locator.isDisabled(QUICK),
);
export const assertChecked = expectState("checked", "not checked", "check", (locator) =>
  locator.isChecked(QUICK),
);
export const assertUnchecked = expectState(
  "unchecked",
  "checked",
  "check",
  async (locator) => !(await locator.isChecked(QUICK)),
);

/** The text that a person reads in an element: a field's is what has been entered. White space is folded. */
const textOf = (locator: Locator): Promise<string> => locator.evaluate(readText, undefined, QUICK);

const folded = (text: string): string => withoutUnseen(text).replace(/\s+/g, " ").trim();

export const assertText: PerformStep = (context) => {
  const wanted = folded(context.step.value);
  return expectElement(
    context,
    "look",
    async (locator) => {
      const actual = folded(await textOf(locator));
      // innerText has CSS's capitals; what the author wrote is as right.
      if (actual === wanted || folded((await locator.textContent(QUICK)) ?? "") === wanted)
        return { ok: true };
      return { ok: false, actual };
    },
    (actual) =>
      `Expected the text of ${context.step.target} to be ${quoted(wanted)}, but it is ${quoted(actual)}`,
  );
};

export const assertContains: PerformStep = (context) => {
  const wanted = folded(context.step.value);
  return expectElement(
    context,
    "look",
    async (locator) => {
      const actual = folded(await textOf(locator));
      if (
        actual.includes(wanted) ||
        folded((await locator.textContent(QUICK)) ?? "").includes(wanted)
      ) {
        return { ok: true };
      }
      return { ok: false, actual };
    },
    (actual) =>
      `Expected the text of ${context.step.target} to contain ${quoted(wanted)}, but it is ${quoted(actual)}`,
  );
};

export const assertValue: PerformStep = (context) => {
  const wanted = context.step.value;
  return expectElement(
    context,
    "fill",
    async (locator) => {
      const value = await locator.inputValue(QUICK);
      // A dropdown's value is what a person sees chosen, or what the page sends.
      const shown = await textOf(locator);
      return value === wanted || folded(shown) === folded(wanted)
        ? { ok: true }
        : { ok: false, actual: shown };
    },
    (actual) =>
      `Expected the value of ${context.step.target} to be ${quoted(wanted)}, but it is ${quoted(actual)}`,
  );
};

export const assertAttribute: PerformStep = (context) => {
  const wanted = parseAttribute(context.step.value);
  if (!wanted) throw new StepError(`${quoted(context.step.value)} is not name=value.`);
  return expectElement(
    context,
    "look",
    async (locator) => {
      const actual = await locator.getAttribute(wanted.name, QUICK);
      return actual === wanted.value ? { ok: true } : { ok: false, actual };
    },
    (actual) =>
      `Expected the attribute ${wanted.name} of ${context.step.target} to be ${quoted(wanted.value)}, but ${
        actual === null ? "it has none" : `it is ${quoted(actual)}`
      }`,
  );
};

/** So many visible elements match the target, all found in one and the same way. */
export const assertCount: PerformStep = async (context) => {
  const wanted = parseCount(context.step.value);
  if (wanted === null) throw new StepError(`${quoted(context.step.value)} is not a whole number.`);
  const limit = context.timeouts.assertionMs;
  let unclear: string | null = null;
  const wrong = await lookUntil(context, limit, async () => {
    const { seen, isWhole } = await lookAtWhole(context.view, () => lookOnce(context, true));
    unclear = seen?.isUnclear ? seen.text : null;
    if (seen && unclear === null) context.foundBy(seen.text);
    const count = seen?.count ?? 0;
    const isSo = count === wanted && unclear === null;
    return isSo && isWhole ? { ok: true } : { ok: false, actual: count };
  });
  if (!wrong) return;
  if (unclear !== null) throw cannotTell(context, unclear);
  // A page that goes on arriving for as long is judged by what there is of it.
  if (wrong.actual === wanted) return;
  const counted = `Expected ${wanted} ${context.step.target}, but there ${wrong.actual === 1 ? "is" : "are"} ${wrong.actual} (waited ${inWords(limit)}).`;
  throw new StepError(wrong.actual === 0 ? `${counted} ${await notFound(context)}` : counted);
};

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
