import type { Locator } from "playwright";
import type { Match } from "../../../domain/catalogue/target.ts";
import { parseAttribute } from "../../../domain/catalogue/values.ts";
import { StepError } from "../errors.ts";
import { isMixed, readObstacle, readTexts } from "../inPage.ts";
import { findOne, type Purpose } from "../locators.ts";
import { lookAt } from "../look.ts";
import type { Said } from "../matching/ask.ts";
import { asRead, hasText } from "../matching/compare.ts";
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
  const left = (): number => Math.max(0, limit - (performance.now() - started));
  const wrong = await lookUntil(context, left(), async () => {
    try {
      return await look(found.locator);
    } catch {
      // The page replaced the element between two looks: find it anew.
      found = await findOne(context, purpose, left());
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
    purpose: Purpose,
    stateOf: (locator: Locator) => Promise<string>,
    isSo: (state: string) => boolean = (state) => state === word,
  ): PerformStep =>
  (context) =>
    expectElement(
      context,
      purpose,
      async (locator) => {
        const actual = await stateOf(locator);
        return isSo(actual) ? { ok: true } : { ok: false, actual };
      },
      (actual) => `Expected ${context.step.target} to be ${word}, but it is ${actual}`,
    );

/** An element that a person cannot use is not enabled, whatever keeps them from it. */
const useOf = async (locator: Locator): Promise<string> =>
  (await locator.isDisabled(QUICK))
    ? "disabled"
    : ((await locator.evaluate(readObstacle, undefined, QUICK)) ?? "enabled");

const tickOf = async (locator: Locator): Promise<string> => {
  if (await locator.evaluate(isMixed, undefined, QUICK)) return "partly checked";
  return (await locator.isChecked(QUICK)) ? "checked" : "not checked";
};

export const assertEnabled = expectState("enabled", "look", useOf);
/** A dialog in front of an element does not disable it. */
export const assertDisabled = expectState(
  "disabled",
  "look",
  useOf,
  (state) => state !== "enabled" && !state.startsWith("behind"),
);
export const assertChecked = expectState("checked", "check", tickOf);
export const assertUnchecked = expectState(
  "unchecked",
  "check",
  tickOf,
  (state) => state === "not checked",
);

const textsOf = (locator: Locator) => locator.evaluate(readTexts, undefined, QUICK);

/** The text of the target; of an explicit selector all of its text. Throws when there is not one of it any more. */
const saidBy = async ({ view, step }: StepContext, locator: Locator): Promise<Said> => {
  const seen = await lookAt(view, step.target, "read");
  if (seen.kind === "some" && seen.said) return seen.said;
  const { text, source, lang } = await textsOf(locator);
  return { text, tight: text, source, lang };
};

/** Claims what an element says. The capitals that styles make and those that the page wrote are both right. */
const expectText =
  (match: Match, verb: string): PerformStep =>
  (context) => {
    const wanted = context.step.value;
    return expectElement(
      context,
      "read",
      async (locator) => {
        const { text, tight, source, lang } = await saidBy(context, locator);
        const isSo = [text, tight, source].some((one) =>
          hasText({ text: one, lang }, wanted, match),
        );
        return isSo ? { ok: true } : { ok: false, actual: asRead(text) };
      },
      (actual) =>
        `Expected the text of ${context.step.target} to ${verb} ${quoted(asRead(wanted))}, but it is ${quoted(actual)}`,
    );
  };

export const assertText = expectText("exactly", "be");
/** Whole words and whole numbers: 3 is not in 13. */
export const assertContains = expectText("words", "contain the words");

/** A value in its lines, each as a person reads it. */
const linesOf = (value: string): string => value.trim().split(/\r?\n/).map(asRead).join("\n");

export const assertValue: PerformStep = (context) => {
  const wanted = context.step.value;
  return expectElement(
    context,
    "fill",
    async (locator) => {
      // A dropdown's value is what a person sees chosen; what the page sends is noted.
      const { text: shown } = await textsOf(locator);
      if (linesOf(shown) === linesOf(wanted)) return { ok: true };
      const sent = await locator.inputValue(QUICK).catch(() => null);
      if (sent !== wanted) return { ok: false, actual: shown };
      context.noted(
        `${quoted(wanted)} is the value that the page sends: it shows ${quoted(shown)}`,
      );
      return { ok: true };
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
