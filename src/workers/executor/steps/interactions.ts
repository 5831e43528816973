import type { Locator } from "playwright";
import { parseKeyChord, parseScroll } from "../../../domain/catalogue/values.ts";
import {
  ClosedMeanwhileError,
  isClosedMeanwhile,
  plainMessage,
  reasonFromCallLog,
  StepError,
} from "../errors.ts";
import { findOrHeal } from "../healing/findOrHeal.ts";
import { clickLabel, readOptions, type SelectOption, scrollBy } from "../inPage.ts";
import { type Found, findOne, type Purpose } from "../locators.ts";
import { whereItIs } from "../stillThere.ts";
import type { PerformStep, StepContext } from "./context.ts";
import { inWords, lookUntil, quoted } from "./polling.ts";

/** An action has so long at least, however long its element was looked for. */
const LEAST_MS = 1_000;

/** Finds the element, then acts on it; both together take at most the action's time. */
export const onElement = async (
  context: StepContext,
  purpose: Purpose,
  verb: string,
  act: (locator: Locator, timeoutMs: number) => Promise<unknown>,
): Promise<void> => {
  const started = performance.now();
  const deadline = started + context.timeouts.actionMs;
  const { fingerprint, ...first } = await findOrHeal(context, purpose);
  let found: Found = first;
  try {
    found = await whereItIs(
      first,
      context.step.action,
      deadline,
      (timeoutMs) => findOne(context, purpose, timeoutMs),
      context.beforeChange,
    );
    if (context.putsSecret) await context.hidden.hide(found.locator, context.timeouts.actionMs);
    const left = Math.max(LEAST_MS, Math.round(deadline - performance.now()));
    await act(found.locator, left);
    if (fingerprint) context.healing?.keep(fingerprint);
  } catch (error) {
    if (error instanceof StepError) throw error;
    const message = couldNot(context, verb, found, error);
    if (isClosedMeanwhile(error)) throw new ClosedMeanwhileError(message, found.text);
    throw new StepError(message, found.text);
  }
};

const couldNot = (
  { step, timeouts }: StepContext,
  verb: string,
  found: Found,
  error: unknown,
): string => {
  const message = plainMessage(error);
  const within = /Timeout \d+ms exceeded/.test(message)
    ? ` within ${inWords(timeouts.actionMs)}`
    : "";
  const reason = reasonFromCallLog(error) ?? (within ? "it was not ready" : message);
  return `Could not ${verb} ${step.target} (${found.text})${within}: ${reason}.`;
};

export const click: PerformStep = (context) =>
  onElement(context, "action", "click", (locator, timeout) => locator.click({ timeout }));

export const hover: PerformStep = (context) =>
  onElement(context, "action", "hover over", (locator, timeout) => locator.hover({ timeout }));

export const doubleClick: PerformStep = (context) =>
  onElement(context, "action", "double-click", (locator, timeout) => locator.dblclick({ timeout }));

export const rightClick: PerformStep = (context) =>
  onElement(context, "action", "right-click", (locator, timeout) =>
    locator.click({ button: "right", timeout }),
  );

export const focus: PerformStep = (context) =>
  onElement(context, "look", "focus", (locator, timeout) => locator.focus({ timeout }));

export const clear: PerformStep = (context) =>
  onElement(context, "fill", "clear", (locator, timeout) => locator.clear({ timeout }));

/** Types key by key, after what is in the field already. */
export const type: PerformStep = (context) =>
  onElement(context, "fill", "type into", async (locator, timeout) => {
    await locator.press("End", { timeout });
    await locator.pressSequentially(context.step.value, { timeout });
  });

/** Drags the element and drops it on the one that the value names. */
export const drag: PerformStep = (context) =>
  onElement(context, "look", "drag", async (locator, timeout) => {
    const place = { ...context, step: { ...context.step, target: context.step.value } };
    const found = await findOne({ ...place, foundBy: () => {} }, "look", timeout);
    await locator.dragTo(found.locator, { timeout });
  });

/** Scrolls to an element, or the page or an element to an end or by pixels. */
export const scroll: PerformStep = async (context) => {
  const { step, view } = context;
  const way = step.value === "" ? null : parseScroll(step.value);
  if (step.value !== "" && way === null) {
    throw new StepError(`${quoted(step.value)} is neither top, bottom nor a number of pixels.`);
  }
  if (step.target.trim() !== "") {
    return onElement(context, "look", "scroll to", async (locator, timeout) => {
      if (way) await locator.evaluate(scrollBy, way, { timeout });
      else await locator.scrollIntoViewIfNeeded({ timeout });
    });
  }
  await context.beforeChange();
  if (way) await view.locator(":root").evaluate(scrollBy, way);
};

export const fill: PerformStep = (context) =>
  onElement(context, "fill", "fill", (locator, timeout) =>
    locator.fill(context.step.value, { timeout }),
  );

/** Presses a key in an element, or where the focus is. */
export const press: PerformStep = async (context) => {
  const { page, step } = context;
  const chord = parseKeyChord(step.value);
  if (chord === null) throw new StepError(`${quoted(step.value)} is no key or chord of keys.`);
  if (step.target.trim() !== "") {
    return onElement(context, "action", `press ${chord} in`, (locator, timeout) =>
      locator.press(chord, { timeout }),
    );
  }
  await context.beforeChange();
  await page.keyboard.press(chord);
};

export const check: PerformStep = (context) => setChecked(context, true);
export const uncheck: PerformStep = (context) => setChecked(context, false);

const setChecked = (context: StepContext, checked: boolean): Promise<void> =>
  onElement(context, "check", checked ? "tick" : "untick", async (locator, timeout) => {
    if (await locator.isVisible()) return locator.setChecked(checked, { timeout });
    // Pages that draw their own checkboxes hide the real one and show its label: a person clicks that.
    if ((await locator.isChecked({ timeout })) === checked) return;
    await locator.evaluate(clickLabel);
    if ((await locator.isChecked({ timeout })) !== checked) {
      throw new StepError(
        `${context.step.target} did not become ${checked ? "ticked" : "unticked"}.`,
      );
    }
  });

/** Chooses an option by its label, then by its value: of a `<select>`, or of a dropdown that the page draws itself. */
export const select: PerformStep = (context) =>
  onElement(context, "select", "choose from", async (locator, timeout) => {
    const { step, view } = context;
    const wanted = folded(step.value);
    if (await isPlainOption(context, locator, wanted)) {
      await locator.selectOption({ label: wanted }, { timeout });
      return;
    }
    const first = await locator.evaluate(readOptions, undefined, { timeout });
    if (first === null) {
      await locator.click({ timeout });
      const option = view
        .getByRole("option", { name: step.value, exact: true })
        .filter({ visible: true });
      return option.first().click({ timeout });
    }
    let chosen: SelectOption | undefined;
    let seen: readonly SelectOption[] | null = first;
    const missing = await lookUntil(context, timeout, async () => {
      const options = seen ?? (await locator.evaluate(readOptions)) ?? [];
      seen = null;
      chosen =
        options.find(({ label }) => folded(label) === wanted) ??
        options.find(({ value }) => value === step.value) ??
        options.find(({ label }) => folded(label).toLowerCase() === wanted.toLowerCase());
      return chosen && !chosen.disabled ? { ok: true } : { ok: false, actual: options };
    });
    if (missing || !chosen) {
      const labels = (missing?.actual ?? []).slice(0, 20).map(({ label }) => quoted(folded(label)));
      const problem = chosen ? `is disabled` : "is not among its options";
      throw new StepError(
        `Could not choose ${quoted(step.value)} from ${step.target}: it ${problem}. Options: ${labels.join(", ") || "none"}.`,
      );
    }
    await locator.selectOption({ value: chosen.value, label: chosen.label }, { timeout });
  });

/**
 * Whether it is a `<select>` with one such option, which can be chosen: most are. Asked beside the page's own
 * scripts; to read the options Playwright would first put all of its own into the page, which takes as long as a step.
 */
const isPlainOption = async (
  { view }: StepContext,
  locator: Locator,
  wanted: string,
): Promise<boolean> => {
  if (wanted === "") return false;
  const option = locator
    .and(view.locator("select"))
    .locator("option:enabled:not([label])")
    .filter({ hasText: wholeText(wanted) });
  return (await option.count().catch(() => 0)) === 1;
};

const wholeText = (text: string): RegExp => {
  const words = text.split(" ").map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^\\s*${words.join("\\s+")}\\s*$`);
};

const folded = (text: string): string => text.replace(/\s+/g, " ").trim();
