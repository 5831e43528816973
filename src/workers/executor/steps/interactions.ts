import type { Locator } from "playwright";
import { parseTarget } from "../../../domain/catalogue/target.ts";
import { parseKeyChord, parseScroll } from "../../../domain/catalogue/values.ts";
import { askView } from "../askPage.ts";
import {
  ClosedMeanwhileError,
  isClosedMeanwhile,
  plainMessage,
  reasonFromCallLog,
  StepError,
} from "../errors.ts";
import { findOrHeal } from "../healing/findOrHeal.ts";
import {
  clickLabel,
  freePointOf,
  isStillTicked,
  labelOf,
  readObstacle,
  readText,
  readTick,
  scrollBy,
} from "../inPage.ts";
import type { Found, Purpose } from "../locators.ts";
import type { PerformStep, StepContext } from "./context.ts";
import { EFFECT_MS, holdsValue } from "./effects.ts";
import { hasTyped, isFormatted } from "./formatted.ts";
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
  const { fingerprint, ...found } = await findOrHeal(context, purpose);
  try {
    await context.beforeChange();
    if (context.putsSecret) await context.hidden.hide(found.locator, context.timeouts.actionMs);
    const left = Math.max(LEAST_MS, Math.round(deadline - performance.now()));
    await act(found.locator, left);
    if (fingerprint) context.healing?.keep(fingerprint);
  } catch (error) {
    if (error instanceof StepError) throw error;
    const obstacle = await found.locator
      .evaluate(readObstacle, undefined, { timeout: OBSTACLE_MS })
      .catch(() => null);
    const message = couldNot(context, verb, found, error, obstacle);
    if (isClosedMeanwhile(error)) throw new ClosedMeanwhileError(message, found.text);
    throw new StepError(message, found.text);
  }
};

/** How long an element that could not be acted on is asked for the reason. */
const OBSTACLE_MS = 300;

/** The element that has the focus, in a line; empty for the page. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  if (!element || element === document.body) return "";
  const name = element.getAttribute("aria-label") || element.getAttribute("name") || element.id;
  return "<" + element.localName + ">" + (name ? " " + JSON.stringify(name) : "");
})()`;

const couldNot = (
  { step, timeouts }: StepContext,
  verb: string,
  found: Found,
  error: unknown,
  obstacle: string | null,
): string => {
  const message = plainMessage(error);
  const within = /Timeout \d+ms exceeded/.test(message)
    ? ` within ${inWords(timeouts.actionMs)}`
    : "";
  const isLate = within !== "" && obstacle !== null;
  const seen = isLate ? `it is ${obstacle}` : reasonFromCallLog(error);
  const reason = seen ?? (within ? "it was not ready" : message);
  return `Could not ${verb} ${step.target} (${found.text})${within}: ${reason}.`;
};

/** The place in the element that the step names; its middle unless said. */
const placeIn = ({ step }: StepContext) => {
  const { at } = parseTarget(step.target);
  return at ? { position: { x: at.x, y: at.y } } : {};
};

export const click: PerformStep = (context) =>
  onElement(context, "action", "click", (locator, timeout) =>
    locator.click({ timeout, ...placeIn(context) }),
  );

export const hover: PerformStep = (context) =>
  onElement(context, "action", "hover over", (locator, timeout) =>
    locator.hover({ timeout, ...placeIn(context) }),
  );

export const doubleClick: PerformStep = (context) =>
  onElement(context, "action", "double-click", (locator, timeout) =>
    locator.dblclick({ timeout, ...placeIn(context) }),
  );

export const rightClick: PerformStep = (context) =>
  onElement(context, "action", "right-click", (locator, timeout) =>
    locator.click({ button: "right", timeout, ...placeIn(context) }),
  );

export const focus: PerformStep = (context) =>
  onElement(context, "look", "focus", (locator, timeout) => locator.focus({ timeout }));

export const clear: PerformStep = (context) =>
  onElement(context, "fill", "clear", async (locator, timeout) => {
    await locator.clear({ timeout });
    await holdsValue(context, locator, (value) => value === "", '""');
  });

/** Types key by key, after what is in the field already. */
export const type: PerformStep = (context) =>
  onElement(context, "fill", "type into", async (locator, timeout) => {
    const { value: typed } = context.step;
    await locator.press("End", { timeout });
    const before = await locator.evaluate(readText, undefined, { timeout });
    await locator.pressSequentially(typed, { timeout });
    const isIn = (value: string): boolean => typed === "" || hasTyped(value, before, typed);
    await holdsValue(context, locator, isIn, quoted(typed));
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
  onElement(context, "fill", "fill", async (locator, timeout) => {
    const wanted = MAY_BE_DATED.test(context.step.value)
      ? await asNative(context, locator, timeout)
      : context.step.value;
    await locator.fill(wanted, { timeout });
    await holdsValue(context, locator, (value) => isFormatted(value, wanted), quoted(wanted));
  });

const MAY_BE_DATED = /^\s*\d{1,4}[:./\- ]/;
const NATIVE_FORMS: Readonly<Record<string, readonly [form: RegExp, example: string]>> = {
  date: [/^\d{4,}-\d\d-\d\d$/, "2026-03-31"],
  month: [/^\d{4,}-\d\d$/, "2026-03"],
  week: [/^\d{4,}-W\d\d$/, "2026-W14"],
  time: [/^\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/, "09:30"],
  "datetime-local": [/^\d{4,}-\d\d-\d\d[T ]\d\d:\d\d/, "2026-03-31T09:30"],
};

/** A date or time as the browser's own fields take it. A date that has several readings is asked about. */
const asNative = async (
  { step }: StepContext,
  locator: Locator,
  timeout: number,
): Promise<string> => {
  const type = (await locator.getAttribute("type", { timeout }))?.toLowerCase() ?? "";
  const [form, example] = NATIVE_FORMS[type] ?? [];
  const said = step.value.trim();
  if (!form || form.test(said)) return step.value;
  const clock = /^(\d{1,2})[:.](\d\d)(?: ?([ap])\.?m\.?)?$/i.exec(said);
  if (type === "time" && clock) {
    const [, hours = "", minutes, half] = clock;
    const hour = half
      ? (Number(hours) % 12) + (half.toLowerCase() === "p" ? 12 : 0)
      : Number(hours);
    return `${String(hour).padStart(2, "0")}:${minutes}`;
  }
  throw new StepError(
    `${step.target} is a field for a ${type.replace("-local", "")}: ${quoted(said)} is written as ${quoted(example ?? "")} there.`,
  );
};

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
  const focused = await askView<string>(context.view, FOCUSED).catch(() => "");
  if (focused !== "") context.noted(`pressed in ${focused}`);
  await page.keyboard.press(chord);
};

export const check: PerformStep = (context) => setChecked(context, true);
export const uncheck: PerformStep = (context) => setChecked(context, false);

const setChecked = (context: StepContext, checked: boolean): Promise<void> =>
  onElement(context, "check", checked ? "tick" : "untick", async (locator, timeout) => {
    const { isReached, isChecked } = await locator.evaluate(readTick, undefined, { timeout });
    if (isReached) await locator.setChecked(checked, { timeout });
    else if (isChecked !== checked) await clickDrawn(locator, timeout);
    const wrong = await lookUntil(context, EFFECT_MS, async () => {
      const is = await locator.evaluate(isStillTicked, undefined, { timeout });
      return is === checked ? { ok: true } : { ok: false, actual: is };
    });
    const state = checked ? "ticked" : "unticked";
    if (wrong) throw new StepError(`${context.step.target} did not become ${state}.`);
    context.lasts({
      said: `${context.step.target} is not ${state} any more.`,
      isStill: async () =>
        (await locator.count()) !== 1 || (await locator.evaluate(isStillTicked)) === checked,
    });
  });

/** Pages that draw their own checkboxes hide the real one and show its label: a person clicks that, beside its links. */
const clickDrawn = async (locator: Locator, timeout: number): Promise<void> => {
  const label = (await locator.evaluateHandle(labelOf, undefined, { timeout })).asElement();
  if (label && (await label.isVisible())) {
    const position = await label.evaluate(freePointOf, undefined);
    await label.click({ timeout, ...(position && { position }) });
  } else await locator.evaluate(clickLabel);
};
