import { parseTarget } from "../../catalogue/target.ts";
import { escapeRegExp } from "../../catalogue/values.ts";
import { placeIn, SUBJECT } from "./slots.ts";
import type { Draft, SlotReading } from "./types.ts";

/** The readings of the slots of a form, by label. */
type Slots = Readonly<Record<string, SlotReading>>;

const EMPTY = [""] as const;

const contained = (text: string): string =>
  text.includes("*") ? `/${escapeRegExp(text)}/` : `*${text}*`;

const WRAPPED: Readonly<Record<string, (text: string) => string>> = {
  contains: contained,
  starts: (text) => (text.includes("*") ? `/^${escapeRegExp(text)}/` : `${text}*`),
  ends: (text) => (text.includes("*") ? `/${escapeRegExp(text)}$/` : `*${text}`),
  regex: (text) => (/^\/.+\/[imsu]*$/.test(text) || text.includes("*") ? text : `/${text}/`),
  visible_within: (text) => `visible within ${text}`,
  hidden_within: (text) => `hidden within ${text}`,
  minus: (text) => `-${text}`,
  within: (text) => `visible within ${text}`,
};

/** Reads one field of a template: `-` is empty, `=text` is fixed, `a=b` joins an attribute, `wrap:slot` wraps. */
const fieldOf = (spec: string): ((slots: Slots) => readonly string[]) => {
  if (spec === "-") return () => EMPTY;
  if (spec.startsWith("=")) return () => [spec.slice(1).replaceAll("_", " ")];
  const pair = /^(\w+)=(\w+)$/.exec(spec);
  if (pair) {
    const [, name = "", value = ""] = pair;
    return (slots) => [`${textOf(slots, name)[0]}=${textOf(slots, value)[0]}`];
  }
  const fixed = /^'(\w+)'=(\w+)$/.exec(spec);
  if (fixed) return (slots) => [`${fixed[1]}=${textOf(slots, fixed[2] ?? "")[0]}`];
  const placedIn = /^in:(\w+):(\w+)$/.exec(spec);
  if (placedIn) {
    return (slots) => {
      const place = textOf(slots, placedIn[2] ?? "")[0] ?? "";
      const definite = /^(?:the|a|an) /i.test(place)
        ? place.replace(/^The /, "the ")
        : `the ${place}`;
      return textOf(slots, placedIn[1] ?? "").map(
        (target) => placeIn(target, definite, "in") ?? SUBJECT,
      );
    };
  }
  const lines = /^lines:(\w+)$/.exec(spec);
  if (lines) return (slots) => [textOf(slots, lines[1] ?? "").join("\n")];
  const wrapped = /^(\w+):(\w+)$/.exec(spec);
  const wrap = wrapped ? WRAPPED[wrapped[1] ?? ""] : undefined;
  if (wrapped && wrap) return (slots) => textOf(slots, wrapped[2] ?? "").map(wrap);
  return (slots) => textOf(slots, spec);
};

const textOf = (slots: Slots, label: string): readonly string[] => {
  const text = slots[label]?.text ?? "";
  return typeof text === "string" ? [text] : text;
};

const OPPOSITE: Readonly<Record<string, string>> = {
  assert_visible: "assert_hidden",
  assert_hidden: "assert_visible",
  assert_enabled: "assert_disabled",
  assert_disabled: "assert_enabled",
  assert_checked: "assert_unchecked",
  assert_unchecked: "assert_checked",
};

const AWAITED: Readonly<Record<string, string>> = {
  assert_visible: "visible",
  assert_hidden: "hidden",
  assert_enabled: "enabled",
};

const HOLDING_VALUES = new Set(["field", "dropdown", "slider"]);

/** A field holds a value, and no text; `assert_text!` asserts its text all the same. */
const ofField = (step: Draft): Draft => {
  if (step.action.endsWith("!")) return { ...step, action: step.action.slice(0, -1) };
  if (step.action !== "assert_text" && step.action !== "assert_contains") return step;
  const { find } = parseTarget(step.target);
  const isField = find.by === "kind" && HOLDING_VALUES.has(find.kind);
  return isField ? { ...step, action: "assert_value" } : step;
};

/** `"Edit" in the …`: a container needs its kind. */
const filled = (target: string, subject: string): string => {
  if (target === SUBJECT) return subject;
  const isDefinite = target.endsWith(`the ${SUBJECT}`);
  return isDefinite && parseTarget(subject).find.by !== "kind"
    ? target
    : target.replace(SUBJECT, () => subject);
};

/** Gives predicates their subjects: each step is made for each subject. */
export const withSubject = (
  steps: readonly Draft[],
  subjects: readonly string[],
): readonly Draft[] => {
  if (!steps.some(({ target }) => target.includes(SUBJECT))) return steps;
  return subjects.flatMap((target) =>
    steps.map((step) =>
      step.target.includes(SUBJECT)
        ? ofField({ ...step, target: filled(step.target, target) })
        : step,
    ),
  );
};

const waiting = (step: Draft): Draft => {
  const value = AWAITED[step.action];
  return value === undefined ? step : { ...step, action: "wait_for", value };
};

/** `When "A" appears, …`: the wait for what is asserted; null if that cannot be awaited. */
export const waited = (steps: readonly Draft[]): readonly Draft[] | null =>
  steps.every(({ action }) => AWAITED[action] !== undefined) ? steps.map(waiting) : null;

type Inner = Readonly<Record<string, readonly Draft[]>>;
export type FormTemplate = (slots: Slots, inner: Inner) => readonly Draft[];

/** `Close the "Hello" dialog by clicking "X"`: the steps stand in what is closed. */
const within = (steps: readonly Draft[], place: string): readonly Draft[] => {
  const isNamed = /["“']/.test(place);
  if (!isNamed) return steps;
  return steps.map((step) => {
    const target = step.target === "" ? "" : placeIn(step.target, place, "in");
    return { ...step, target: target ?? SUBJECT };
  });
};

const compilePart = (part: string): FormTemplate => {
  const passed = /^(\w*)@(\w+)$/.exec(part);
  if (passed) {
    const [, how = "", phrase = ""] = passed;
    return (slots, inner) => {
      const steps = inner[phrase] ?? [];
      if (how === "wait") return steps.map(waiting);
      if (how === "within") return within(steps, textOf(slots, "place")[0] ?? "");
      return how === "" ? steps : withSubject(steps, textOf(slots, how));
    };
  }
  const [action = "", target = "-", value = "-"] = part.split(" ");
  const targets = target === "$" ? () => [SUBJECT] : fieldOf(target);
  const values = fieldOf(value);
  return (slots) =>
    targets(slots).flatMap((one) =>
      values(slots).map((two) => ofField({ action, target: one, value: two, optional: false })),
    );
};

/**
 * Compiles `action target value; …`. A slot with several texts gives a step for each. `@Phrase` takes over the steps of a
 * phrase, `subject@Phrase` gives them the slot `subject` as target, and `wait@Phrase` turns assertions into waits.
 * The target `$` is the subject of a predicate.
 */
export const compileTemplate = (steps: string): FormTemplate => {
  const parts = steps.split(";").map((part) => compilePart(part.trim()));
  return (slots, inner) => parts.flatMap((part) => part(slots, inner));
};

/** The contrary of steps that a sentence denies; null if one of them has none. */
export const negated = (steps: readonly Draft[]): Draft[] | null => {
  const found = steps.map((step) => ({ ...step, action: OPPOSITE[step.action] ?? "" }));
  return found.every(({ action }) => action !== "") ? found : null;
};
