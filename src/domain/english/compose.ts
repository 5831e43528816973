import type { StepInput } from "../catalogue/step.ts";
import { problemsOf } from "../catalogue/vocabulary.ts";
import { composedClaims } from "./composeClaims.ts";
import { composedDeed } from "./composeDeeds.ts";
import { isFieldName } from "./fieldNames.ts";
import type { Draft } from "./formTables.ts";
import { baseOf } from "./inflections.ts";
import { spoken, word } from "./phrases.ts";
import type { Context } from "./search.ts";
import { quote, type Token, tokenize } from "./words.ts";

/** No clause that is put together is longer. */
const MAX_TOKENS = 40;

/**
 * Puts together what a clause means that no form takes, from its verb and from the things that it names: every word
 * of it must be accounted for, or it is null. What it says is not done below Then, nor claimed of what is done.
 */
export const composed = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
): readonly StepInput[] | null => {
  if (tokens.length < 2 || tokens.length > MAX_TOKENS) return null;
  const isClaim = isClaimed || context.mood === "then";
  const said = withLast(tokens, context.last ?? null);
  const deed = isClaim
    ? null
    : (composedDeed(said) ?? goingOn(said, context.last ?? null) ?? fieldAndText(said));
  const drafts = deed ? [deed] : composedClaims(said);
  if (!drafts) return null;
  // `When the "A" box is ticked` is done, or so: below Given and When only what is seen is claimed for certain.
  const isDone = context.mood === "given" || context.mood === "when";
  if (!deed && isDone && !drafts.every(({ action }) => SEEN.test(action))) return null;
  const description = source.slice(tokens[0]?.start, tokens.at(-1)?.end);
  const steps = drafts.map((draft) => stepOf(draft, description));
  return steps.every((step) => problemsOf(step).length === 0) ? steps : null;
};

/** A deed that leaves out its verb, behind another of its kind: `pick "A" in the "B" dropdown, "C" in the "D" dropdown`. */
const goingOn = (tokens: readonly Token[], last: Draft | null): Draft | null => {
  const isSwitched =
    (last?.action === "check" || last?.action === "uncheck") &&
    /^(?:on|off)$/.test(word(tokens.at(-1)));
  if (isSwitched && tokens[0]?.kind === "quoted") {
    return composedDeed([spoken("switch"), ...tokens]);
  }
  // `clear "City" and type "Oslo" instead`: it goes where nothing is left.
  if (last?.action === "clear" && last.target !== undefined)
    return intoCleared(tokens, last.target);
  const verb = last?.action === "select" ? "select" : last?.action === "fill" ? "type" : null;
  const isValue = tokens[0]?.kind === "quoted" || /^[\d$]/.test(tokens[0]?.text ?? "");
  if (verb === null || !isValue) return null;
  const found = composedDeed([spoken(verb), ...tokens]);
  return found?.action === last?.action ? found : null;
};

const SEEN = /^assert_(?:visible|hidden|enabled|disabled)$/;

const intoCleared = (tokens: readonly Token[], target: string): Draft | null => {
  const [verb, text, instead] = tokens;
  const isOver = tokens.length === 2 || (tokens.length === 3 && /^instead$/.test(word(instead)));
  const isTyped = /^(?:type|enter|write|put|input|insert)$/.test(baseOf(word(verb)) ?? "");
  const isText = text?.kind === "quoted" || /^[\p{Lu}\d][\p{L}\d.,-]*$/u.test(text?.text ?? "");
  return isOver && isTyped && isText && text ? { action: "fill", target, value: text.text } : null;
};

/** `username ${user}`, `email "a@b.c"`: what fields are called so often that no verb is needed. */
const fieldAndText = (tokens: readonly Token[]): Draft | null => {
  const text = tokens.at(-1);
  const name = tokens.slice(0, -1);
  if (!text || name.length === 0 || name.length > 3 || name.some(({ kind }) => kind !== "word"))
    return null;
  const said = name.map(({ text: one }) => one).join(" ");
  const isText = text.kind === "quoted" || /^\$\{[\w.]+\}$/.test(text.text);
  return isText && isFieldName(said) ? { action: "fill", target: said, value: text.text } : null;
};

const CLAIMED = /^assert_(?:visible|enabled|disabled|checked|unchecked|text|contains|value)$/;

/** `… and it is enabled`, behind a claim, or behind a tick of what is ticked: "it" is what was named there. */
const withLast = (tokens: readonly Token[], last: Draft | null): readonly Token[] => {
  // Most sentences have no "it": none of what follows is said of them.
  if (!tokens.some(({ kind, lower }) => kind === "word" && lower.startsWith("it"))) return tokens;
  const short = tokens.findIndex((token) => /^(?:it's|it’s)$/.test(word(token)));
  if (short >= 0) {
    const spelt = [
      ...tokens.slice(0, short),
      spoken("it"),
      spoken("is"),
      ...tokens.slice(short + 1),
    ];
    const meant = withLast(spelt, last);
    return meant === spelt ? tokens : meant;
  }
  const at = tokens.findIndex((token) => word(token) === "it");
  if (
    at < 0 ||
    at > 4 ||
    !last?.target ||
    tokens.slice(at + 1).some((token) => word(token) === "it")
  )
    return tokens;
  const isTick =
    (last.action === "check" || last.action === "uncheck") &&
    /^(?:ticked|checked|unticked|unchecked|on|off)$/.test(word(tokens.at(-1)));
  const isValue =
    (last.action === "fill" || last.action === "select") &&
    /^(?:has|shows|holds|contains|keeps)$/.test(word(tokens[at + 1]));
  if (!CLAIMED.test(last.action) && !isTick && !isValue) return tokens;
  const { tokens: named, problem } = tokenize(last.target);
  const isName = named.length > 1 || named[0]?.kind === "quoted";
  const before = tokens.slice(0, at);
  if (
    problem ||
    before.some(
      (token) =>
        baseOf(word(token)) !== null &&
        !/^(?:check|verify|make|ensure|assert|confirm)$/.test(word(token)),
    )
  )
    return tokens;
  const target = isName ? named : tokenize(quote(last.target)).tokens;
  const isSwitch = isTick && /^(?:on|off)$/.test(word(tokens.at(-1)));
  const state = word(tokens.at(-1)) === "on" ? "checked" : "unchecked";
  const behind = isSwitch ? [...tokens.slice(at + 1, -1), spoken(state)] : tokens.slice(at + 1);
  return [...before, ...target, ...behind];
};

const stepOf = ({ action, target, value }: Draft, description: string): StepInput => ({
  action,
  target: target ?? "",
  value: value ?? "",
  description,
  optional: false,
  disabled: false,
});
