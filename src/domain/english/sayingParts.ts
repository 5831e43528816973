import { GERUNDS } from "./inflections.ts";
import { isQuoted, SUBJECTS, word } from "./phrases.ts";
import type { Token } from "./words.ts";

/** What a sentence says, where some words of it that are left out are not understood by themselves. */
export type Unless = { readonly said: readonly string[]; readonly unless: string };

/** Says a sentence otherwise, of which a word that tells it stands at a place; null where it says something else. */
export type Saying = (
  tokens: readonly Token[],
  at: number,
  source: string,
) => readonly string[] | Unless | null;

/** The words of some tokens as they were written. */
export const written = (tokens: readonly Token[], source: string): string =>
  tokens.length === 0 ? "" : source.slice(tokens[0]?.start, tokens.at(-1)?.end);

/** Whether a token is one of some marks. */
export const isMark = (token: Token | undefined, marks: string): boolean =>
  token?.kind === "mark" && marks.includes(token.text);

/** Whether something goes on with a token besides what was said before it. */
export const isJoint = (token: Token | undefined): boolean =>
  isMark(token, ",;:") || /^(?:and|then|but|or|&|nor|-|–|—|->|=>|→|>|\+)$/.test(word(token));

/** Where a bracket that opens at a place is closed; -1 when it is not. */
export const closedAt = (tokens: readonly Token[], open: number): number =>
  tokens.findIndex((token, at) => at > open && isMark(token, ")"));

/** With one of these it is not said that something is done, or not always. */
export const NEGATING =
  /^(?:not|no|never|none|nothing|neither|nor|cannot|without|unless|except|only|if|until|till|when|whenever|while|once|after|before|repeat|every|each|either|optionally|optional|instead)$|n't$/;

/** What is done by something else that is done: no step by itself. */
const VAGUE =
  /^(?:accept|add|agree|answer|apply|approve|archive|ask|assign|authenticate|block|book|buy|cancel|change|close|collapse|complete|confirm|continue|copy|create|cut|decline|delete|discard|dismiss|download|duplicate|edit|empty|end|exit|expand|export|filter|find|finish|follow|get|gets|give|go|hand|hide|import|increase|decrease|raise|lower|bump|invite|leave|like|log|look|maximise|maximize|minimise|minimize|move|mute|unmute|order|paste|pause|pay|pin|place|play|post|print|proceed|publish|quit|rate|redo|register|reject|remove|rename|reopen|reply|reset|restore|resume|return|returns|revert|save|search|send|share|show|sign|skip|sort|start|stop|submit|subscribe|switch|undo|unpin|unsubscribe|unlock|lock|update|view|withdraw|zoom|filters|goes|closes|submits|saves|removes|deletes|adds|cancels|confirms|sends|leaves|finishes|completes|hands|logs|signs|searches)$/;

/** How many words say who acts, at the beginning. */
const subjectAt = (tokens: readonly Token[]): number => {
  if (SUBJECTS.has(word(tokens[0]))) return 1;
  const at = /^(?:the|a)$/.test(word(tokens[0])) ? 1 : 0;
  return /^(?:user|customer|tester|visitor|admin|agent)$/.test(word(tokens[at])) ? at + 1 : 0;
};

/** Whether some words only say what is brought about by what is done: `Close the dialog`, `search for "welder"`. */
export const isBroughtAbout = (tokens: readonly Token[]): boolean =>
  tokens.length > 0 &&
  tokens.length < 12 &&
  VAGUE.test(word(tokens[subjectAt(tokens)])) &&
  !tokens.some((token) => isJoint(token) || NEGATING.test(word(token)) || isMark(token, "()"));

/** `typing "a" and pressing Enter` → `type "a" and press Enter`; null when it does not begin with a gerund. */
export const asAsked = (tokens: readonly Token[], source: string): string | null => {
  if (!GERUNDS.has(word(tokens[0]))) return null;
  let said = "";
  for (const [at, token] of tokens.entries()) {
    const isFirst = at === 0 || isJoint(tokens[at - 1]);
    const base = isFirst && token.kind === "word" ? GERUNDS.get(token.lower) : undefined;
    const space = at > 0 && (tokens[at - 1]?.end ?? 0) < token.start ? " " : "";
    said += `${space}${base ?? source.slice(token.start, token.end)}`;
  }
  return said;
};

/** The names in quotes among some tokens, and those of files. */
export const quotedIn = (tokens: readonly Token[]): readonly Token[] =>
  tokens.filter((token) => isQuoted(token) || (token.text.includes(".") && FILE.test(token.text)));

const FILE = /^[\w-]+\.(?:pdf|png|jpe?g|gif|csv|txt|docx?|xlsx?|zip|svg|json|xml|mp[34])$/i;

/** Words with what was named before in the place of "it"; the same where no "it" stands, null where it is not known. */
export const withName = (
  tokens: readonly Token[],
  source: string,
  name: Token | undefined,
): string | null => {
  const its = tokens.filter((token) => /^(?:it|them)$/.test(word(token)));
  if (its.length === 0) return written(tokens, source);
  const [it] = its;
  if (!it || its.length > 1 || !name || word(it) !== "it") return null;
  const end = tokens.at(-1)?.end ?? it.end;
  const start = tokens[0]?.start ?? it.start;
  return `${source.slice(start, it.start)}${source.slice(name.start, name.end)}${source.slice(it.end, end)}`;
};

export const VERIFYING =
  /^(?:verify|check|ensure|confirm|assert|validate|make|sure|that|if|whether)$/;

/** How many words only say that a claim follows. */
export const leadOf = (tokens: readonly Token[]): number => {
  let at = 0;
  while (at < 3 && VERIFYING.test(word(tokens[at]))) at++;
  return at;
};
