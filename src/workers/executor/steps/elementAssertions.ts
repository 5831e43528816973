import type { Locator } from "playwright";
import { parseAttribute } from "../../../domain/catalogue/values.ts";
import { StepError } from "../errors.ts";
import { readText } from "../inPage.ts";
import { findOne, type Purpose } from "../locators.ts";
import { folded } from "../unseen.ts";
import type { PerformStep, StepContext } from "./context.ts";
import { inWords, type Look, lookUntil, quoted } from "./polling.ts";

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
