import type { StepInput } from "../catalogue/step.ts";
import { MAX_WAIT_FOR_MS, parseDuration } from "../catalogue/values.ts";
import { readNumber } from "./numberSlots.ts";
import { quote } from "./words.ts";

/** Reports why a line is asked about. */
type Ask = (message: string) => void;

const QUOTED = /"(?:[^"\\]|\\.)*"|“[^”]*”|«[^»]*»/g;
const LIMIT =
  /\b(?:up to|at most|max(?:imum)?(?: of)?|(?:no|not) (?:longer|more) than)\s+(an?|\d+(?:\.\d+)?|[a-z]+)\s*(ms|milliseconds?|s|secs?|seconds?|mins?|minutes?)\b/gi;
const WAITING = /\bwait(?:s|ing)?\b/gi;
const LIMIT_UNCLEAR =
  'Say the limit with the element that is waited for: Wait up to 30 seconds for "Done".';

/** `30 seconds`, `ten seconds`, `a minute`; null if it is not a time. */
const limitOf = (amount: string, unit: string): string | null => {
  const number = /^an?$/i.test(amount) ? 1 : (readNumber(amount.toLowerCase()) ?? Number(amount));
  const text = `${number} ${unit}`;
  const ms = parseDuration(text);
  return ms === null || ms > MAX_WAIT_FOR_MS ? null : text;
};

/**
 * Sets the limits that a line says on its `wait_for` steps: `Wait up to 30 seconds for "Done"`. Returns false if a limit
 * would be lost.
 */
const keepLimits = (text: string, steps: StepInput[], from: number): boolean => {
  if (!/wait/i.test(text)) return true;
  const said = text.replaceAll(QUOTED, (quoted) => " ".repeat(quoted.length));
  const limits = [...said.matchAll(LIMIT)];
  const waits = said.match(WAITING)?.length ?? 0;
  if (limits.length === 0 || waits === 0) return true;
  const waiting: number[] = [];
  for (let at = from; at < steps.length; at++) {
    if (steps[at]?.action === "wait_for") waiting.push(at);
  }
  const isShared = limits.length === 1 && waits === 1;
  if (waiting.length === 0 || (!isShared && limits.length !== waiting.length)) return false;
  for (const [index, at] of waiting.entries()) {
    const [, amount = "", unit = ""] = (isShared ? limits[0] : limits[index]) ?? [];
    const limit = limitOf(amount, unit);
    const step = steps[at];
    if (!step || limit === null) return false;
    steps[at] = { ...step, value: `${step.value || "visible"} within ${limit}` };
  }
  return true;
};

const BETWEEN = /^["”»]?\s*(?:,? and|,|&|plus)\s*(?:the )?["“«]?$/i;

/** Whether a line names both options next to each other: `"Red" and "Blue"`. */
const areListed = (text: string, one: string, other: string): boolean => {
  const at = text.indexOf(one);
  const next = text.indexOf(other, at + one.length);
  return at >= 0 && next >= 0 && BETWEEN.test(text.slice(at + one.length, next));
};

/** Joins consecutive choices from one list: `Select "Red" and "Blue" from "Colors"` is one step with two options. */
const joinChoices = (text: string, steps: StepInput[], from: number): void => {
  for (let at = steps.length - 1; at > from; at--) {
    const step = steps[at];
    const before = steps[at - 1];
    if (step?.action !== "select" || before?.action !== "select") continue;
    const [next = ""] = step.value.split("\n");
    if (before.target !== step.target || !areListed(text, before.value, next)) continue;
    steps.splice(at - 1, 2, { ...before, value: `${before.value}\n${step.value}` });
  }
};

const PAIRS = /^(?:[^=:]{1,60}:\s*)?(?:[\p{L}][\p{L} '-]{0,40} = [^=,]+(?:,(?: and)? |$)){2,}$/u;

/** `Fill in the form: Name = Ann, Age = 30`: where one pair is filled in, all are. */
const fillPairs = (text: string, steps: StepInput[], from: number): void => {
  const isForm = steps.length > from + 1 && steps[from]?.action === "fill";
  if (!isForm || !text.includes("=") || !PAIRS.test(text.replace(/\.$/, ""))) return;
  for (let at = from; at < steps.length; at++) {
    const step = steps[at];
    if (step?.action === "assert_text") steps[at] = { ...step, action: "fill" };
  }
};

const TOOLTIP =
  /\btool[- ]?tip(?: (?:with|that|saying|says?|reading|reads?|stating|containing|the|text|message|label|should|must|is|shows?|displays?)){0,5}:? ?["“]([^"”]+)["”]|["“]([^"”]+)["”] tool[- ]?tip\b/gi;
const SEEN = new Set(["assert_visible", "assert_hidden", "wait_for"]);

/** `A tooltip with the text "Copied!" appears`: the text must be seen in a tooltip. */
const keepTooltips = (text: string, steps: StepInput[], from: number): void => {
  if (!/tip/i.test(text)) return;
  const shown = [...text.matchAll(TOOLTIP)].map(([, behind, before]) => behind ?? before ?? "");
  for (let at = from; at < steps.length; at++) {
    const step = steps[at];
    const name = shown.find((one) => step?.target === one || step?.target === quote(one));
    if (step && name !== undefined && SEEN.has(step.action))
      steps[at] = { ...step, target: `tooltip ${quote(name)}` };
  }
};

/** Gives the steps of a line, from `from` on, what the line says of several words at once. */
export const keepWhole = (text: string, steps: StepInput[], from: number, ask: Ask): void => {
  if (steps.length === from) return;
  fillPairs(text, steps, from);
  joinChoices(text, steps, from);
  keepTooltips(text, steps, from);
  if (keepLimits(text, steps, from)) return;
  steps.length = from;
  ask(LIMIT_UNCLEAR);
};
