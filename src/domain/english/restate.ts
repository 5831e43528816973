import { findKind } from "../catalogue/kinds.ts";
import { baseOf } from "./inflections.ts";
import { isFiller, spokenAs, withoutLeads } from "./leads.ts";
import { doneBySomebody, inActive, isTyped } from "./passives.ts";
import { withPerson } from "./persons.ts";
import { isQuoted, SUBJECTS, spoken, word } from "./phrases.ts";
import { inPlainPlaces, inPlainWords } from "./plainWords.ts";
import { isAside, isOpening, saysNothing, withoutBrackets, withoutTails } from "./tails.ts";
import type { Token } from "./words.ts";

/** No sentence that is said otherwise is longer. */
const MAX_TOKENS = 80;

/**
 * Says a sentence that no form takes as it is in plainer words: without what only says who acts, how politely,
 * in which order, when and why. Never left out: a negation, a figure, a name, a text, a place, another deed. Null
 * when there is nothing to be said otherwise. `isClaimed`: it says what should be so; `isDone`: what is done.
 */
export const restated = (
  tokens: readonly Token[],
  source: string,
  isClaimed: boolean,
  isDone: boolean,
): string | null => {
  if (tokens.length < 2 || tokens.length > MAX_TOKENS) return null;
  const worded = inPlainPlaces(inPlainWords(withoutBrackets(withoutLabel(tokens))));
  const parts = partsOf(worded);
  // Where nothing else is told it is done, and not what comes of it.
  const isTold = !isDone && !isClaimed && parts.every((part) => isTyped(part.tokens));
  const kept: Part[] = [];
  // Each of the ways gives back what it does not say otherwise: then nothing is to be compared.
  let isSame = worded === tokens && parts[0]?.joint === "";
  for (const [index, part] of parts.entries()) {
    const isTo =
      index > 0 && word(part.tokens[0]) === "to" && baseOf(word(part.tokens[1])) !== null;
    const plain = plainly(isTo ? part.tokens.slice(1) : part.tokens, isClaimed, isDone || isTold);
    const isFirst = kept.length === 0;
    const isLast = index === parts.length - 1;
    if (parts.length > 1 && isLower(plain, index) && (isAside(plain) || isFiller(plain))) continue;
    if (isFirst && !isLast && (isOpening(plain) || isGreeting(plain))) continue;
    if (isFirst && !isLast && isReason(plain)) continue;
    if (!isFirst && part.joint === "," && isRemark(plain)) continue;
    if (plain !== part.tokens) isSame = false;
    kept.push({ joint: isFirst ? "" : part.joint, tokens: plain });
  }
  if (isSame && kept.length === parts.length) return null;
  const plain = kept
    .map(({ joint, tokens: said }) => `${joint} ${render(said, source)}`.trim())
    .join(" ");
  const before = render(tokens, source);
  return plain === before || plain === "" ? null : plain;
};

/** What begins with a capital in mid-sentence is a name. */
const isLower = (tokens: readonly Token[], index: number): boolean =>
  index === 0 || tokens.every(({ text, lower }) => text === lower);

/** A part of a sentence, and what joins it to the one before. */
type Part = { readonly joint: string; readonly tokens: readonly Token[] };

const JOINT = new Set(["and", "then", "but", "&", ",", ";", "->", "=>", "→"]);

const partsOf = (tokens: readonly Token[]): readonly Part[] => {
  const parts: Part[] = [];
  let joint = "";
  let from = 0;
  for (let at = 0; at <= tokens.length; at++) {
    const token = tokens[at];
    const isJoint = token !== undefined && !isQuoted(token) && JOINT.has(token.lower);
    if (at < tokens.length && !isJoint) continue;
    if (at > from) {
      parts.push({ joint: joint.trim(), tokens: tokens.slice(from, at) });
      joint = "";
    }
    if (token) joint += ` ${token.text}`;
    from = at + 1;
  }
  if (joint !== "") parts.push({ joint: joint.trim(), tokens: [] });
  return parts;
};

const PLACING = new Set(["in", "into", "from", "for", "on", "under", "using", "with"]);

/** A name that begins with a capital in mid-sentence is no word of ours. */
/** `in the "Email" field I type …` → `in the "Email" field type …`. */
const withoutMidSubject = (tokens: readonly Token[]): readonly Token[] => {
  if (!PLACING.has(word(tokens[0]))) return tokens;
  for (let at = 2; at < tokens.length - 1; at++) {
    const isPerson = SUBJECTS.has(word(tokens[at]));
    const isUser = word(tokens[at]) === "the" && word(tokens[at + 1]) === "user";
    const length = isPerson ? 1 : isUser ? 2 : 0;
    const verb = tokens[at + length];
    const base = length > 0 ? baseOf(word(verb)) : null;
    if (!verb || base === null) continue;
    return [...tokens.slice(0, at), spokenAs(verb, base), ...tokens.slice(at + length + 1)];
  }
  return tokens;
};

const plainly = (
  tokens: readonly Token[],
  isClaimed: boolean,
  isDone: boolean,
): readonly Token[] => {
  const bared = withoutLeads(withPerson(tokens, isDone), isClaimed);
  // Where nothing was left out, who acts has been asked already.
  const led = withoutMidSubject(bared === tokens ? tokens : withPerson(bared, isDone));
  const bare = byDoingIt(withoutTails((isClaimed ? null : doneBySomebody(led)) ?? led));
  const active = isDone && !isClaimed ? inActive(bare) : bare;
  const [first] = active;
  const field = active.length < 5 ? fieldBefore(active) : null;
  if (field !== null) return field;
  const base = first && first.text === first.lower ? baseOf(word(first)) : null;
  return first && base !== null && base !== first.lower && active.length > 1
    ? [spokenAs(first, base), ...active.slice(1)]
    : active;
};

/** What is done by something that is clicked, and says nothing of its own. */
const VAGUE =
  /^(?:confirm|submit|save|accept|proceed|continue|finish|send|cancel|agree|apply|search|complete|end|start|close|login|register)$/;

/** `open the first row by double-clicking it` → `double-click the first row`; `close it by clicking "X"` → `click "X"`. */
const byDoingIt = (tokens: readonly Token[]): readonly Token[] => {
  const by = tokens.findIndex((token) => word(token) === "by");
  if (by < 1) return tokens;
  const isTwo = /^(?:double|right)$/.test(word(tokens[by + 1]));
  const verb = tokens[by + (isTwo ? 2 : 1)];
  const base = /ing$/.test(word(verb)) ? baseOf(word(verb)) : null;
  const isVagueAlone = by === 1 && VAGUE.test(word(tokens[0]));
  if ((by < 2 && !isVagueAlone) || !verb || base === null || baseOf(word(tokens[0])) === null)
    return tokens;
  const said = spokenAs(verb, isTwo ? `${word(tokens[by + 1])}-${base}` : base);
  let rest = tokens.slice(by + (isTwo ? 3 : 2));
  if (/^(?:on|over)$/.test(word(rest[0]))) rest = rest.slice(1);
  const object = tokens.slice(1, by);
  if (object.some((token) => /^(?:is|are|was|-|–|—|and|then)$/.test(word(token)))) return tokens;
  // A dialog of the browser is answered, whatever is clicked in it.
  if (object.some((token) => /^(?:alert|prompt|confirm|confirmation)$/.test(word(token))))
    return tokens;
  if (rest.length === 1 && word(rest[0]) === "it") return [said, ...object];
  const isVague = object.every(({ kind, text, lower }) => kind === "word" && text === lower);
  return isVague && rest.length > 0 ? [said, ...rest] : tokens;
};

const isGreeting = (tokens: readonly Token[]): boolean =>
  tokens.length < 4 &&
  /^(?:hi|hello|hey|dear)$/.test(word(tokens[0])) &&
  tokens.every(({ kind }) => kind === "word");

/** `"Email" field "ann@example.com"`, its colon taken away → `fill the "Email" field with …`. */
const fieldBefore = (tokens: readonly Token[]): readonly Token[] | null => {
  const value = tokens.at(-1);
  const kind = findKind(word(tokens.at(-2)));
  if (value?.kind !== "quoted" || tokens[0]?.kind !== "quoted") return null;
  if (kind === "field") {
    return [spoken("fill"), spoken("the"), ...tokens.slice(0, -1), spoken("with"), value];
  }
  return kind === "dropdown"
    ? [spoken("select"), value, spoken("from"), spoken("the"), ...tokens.slice(0, -1)]
    : null;
};

/** `To save your changes, …`, `In order to log in, …`, `Since the form is complete, …`. */
const isReason = (tokens: readonly Token[]): boolean => {
  const [first, second] = [word(tokens[0]), word(tokens[1])];
  const isPurpose =
    (first === "to" && !/^(?:the|a|an)$/.test(second)) ||
    (first === "in" && second === "order") ||
    (first === "so" && second === "that") ||
    (first === "for" && /ing$/.test(second));
  const isBecause = /^(?:because|since)$/.test(first) && tokens.length > 2;
  return (isPurpose || isBecause) && tokens.length > 1 && saysNothing(tokens.slice(1));
};

/** `…, which saves the changes`, `…, because it is required`: said of what was done. */
const isRemark = (tokens: readonly Token[]): boolean =>
  /^(?:which|because|since|so|where)$/.test(word(tokens[0])) &&
  tokens.length > 2 &&
  !tokens.some((token) => PLACED.test(word(token))) &&
  saysNothing(tokens.slice(1));

const PLACED =
  /^(?:at|in|on|near|under|below|above|beside|next|behind|top|bottom|left|right|corner)$/;

const LABEL =
  /^(?:(?:re-?test|regression|regression for|bug|issue|ticket|story|fix for|fix|verify|check|test)? ?[a-z]{2,10}-\d{1,6}|ac\d{1,2}|tc\d{1,3}|req\d{1,3}|us\d{1,4}|by default|initially|at first|should be|must be|qa(?: note)?|tester|user|step|action|next step|user action|test action|tc|test|todo|task|ac|check|verify|url|first step|last step|final step|expected|then|when|pass criteria|do|please)$/;

/** `QA note: click …`, `TC 12.3: click …`: who says it, and where it stands in a list. */
const withoutLabel = (tokens: readonly Token[]): readonly Token[] => {
  const colon = tokens.findIndex(({ kind, text }) => kind === "mark" && text === ":");
  if (colon < 1 || colon > 3 || colon + 2 >= tokens.length) return tokens;
  const words = tokens
    .slice(0, colon)
    .map(({ lower }) => lower)
    .filter((said) => !/^#?\d+(?:\.\d+)*$/.test(said))
    .join(" ");
  return LABEL.test(words) ? tokens.slice(colon + 1) : tokens;
};

/** The words of a sentence, those that nobody has written among them. */
const render = (tokens: readonly Token[], source: string): string => {
  let said = "";
  for (const token of tokens) {
    const isBare = token.kind === "word" || token.kind === "mark";
    if (said !== "") said += " ";
    said += isBare ? token.text : source.slice(token.start, token.end);
  }
  return said;
};
