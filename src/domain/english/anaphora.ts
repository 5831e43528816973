import { findKind, type KindName } from "../catalogue/kinds.ts";
import type { StepInput } from "../catalogue/step.ts";
import { parseTarget, type Target } from "../catalogue/target.ts";
import { word } from "./phrases.ts";
import type { Token } from "./words.ts";

/** `in that row`, `click this button`; `verify that button …` points to nothing. */
const POINTING =
  /^(?:in|of|on|within|inside|from|to|into|next|click|tap|press|tick|untick|uncheck|hover|over|open|close|clear|with)$/;

/** One look for all three. */
const MENTIONING = / (?:th(?:at|is)|same) /;

/** Whether words stand in a text that may name again what was mentioned before. */
export const mayMention = (text: string): boolean =>
  MENTIONING.test(text) &&
  /\bsame\b|\b(?:in|of|on|within|inside|from|to|into|click|tap|press|tick|untick|uncheck|over|hover|open|close|clear|with) (?:that|this) /i.test(
    text,
  );

/** `Click this button`, of which nothing was said before. */
export const pointsAt = (tokens: readonly Token[]): boolean =>
  tokens.some((token, at) => {
    if (token.kind !== "word" || (token.text !== "this" && token.text !== "that")) return false;
    const kind = findKind(word(tokens[at + 1]));
    const isAlone = kind !== null && kind !== "form" && !isName(tokens[at + 2]);
    return (
      isAlone &&
      /^(?:click|tap|press|tick|untick|uncheck|hover|over|close|clear)$/.test(word(tokens[at - 1]))
    );
  });

const isName = (token: Token | undefined): boolean => token?.kind === "quoted";

/** How many steps back something may have been mentioned. */
const MAX_BACK = 12;

/** The texts of a kind of thing in a target and in the places that it names. */
const mentionedIn = (text: string, kind: KindName): readonly string[] => {
  const target = parseTarget(text);
  const isWhole = (one: Target): boolean => one.within === null && one.near === null;
  // `button "Edit" in the row "Ann"` as a whole.
  if (ofKind(target, kind)) return [text];
  if (!target.within || !ofKind(target.within, kind) || !isWhole(target.within)) return [];
  const at = text.lastIndexOf(" in the ");
  return at < 0 ? [] : [text.slice(at + " in the ".length)];
};

const ofKind = ({ find }: Target, kind: KindName): boolean =>
  find.by === "kind" && find.kind === kind && find.name !== null;

/**
 * `Untick the same checkbox`, `… in that row`: the sentence with what was mentioned before in its place; null when no
 * such words stand in it, or not just one thing of that kind has been mentioned.
 */
export const withMentioned = (
  tokens: readonly Token[],
  source: string,
  steps: readonly StepInput[],
): string | null => {
  for (let at = 0; at < tokens.length - 1; at++) {
    const said = word(tokens[at]);
    const isSame = said === "the" && word(tokens[at + 1]) === "same";
    const isThat = (said === "that" || said === "this") && POINTING.test(word(tokens[at - 1]));
    if (!isSame && !isThat) continue;
    const token = tokens[at + (isSame ? 2 : 1)];
    const kind = findKind(word(token));
    if (!token || kind === null || kind === "text" || kind === "icon") continue;
    const recent = steps.slice(-MAX_BACK);
    const named = new Set(
      recent.flatMap(({ target }) => (target ? mentionedIn(target, kind) : [])),
    );
    const [only] = named;
    if (named.size !== 1 || only === undefined) return null;
    return `${source.slice(tokens[0]?.start, tokens[at]?.start)}the ${only}${source.slice(token.end, tokens.at(-1)?.end)}`;
  }
  return null;
};
