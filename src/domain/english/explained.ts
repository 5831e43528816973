import { findKind } from "../catalogue/kinds.ts";
import { nounDeed } from "./consequences.ts";
import { baseOf, GERUNDS } from "./inflections.ts";
import { readSize } from "./numberSlots.ts";
import { isQuoted, SUBJECTS, word } from "./phrases.ts";
import { saysNothing } from "./tails.ts";
import type { Token } from "./words.ts";

const isMark = (token: Token | undefined, marks: string): boolean =>
  token?.kind === "mark" && marks.includes(token.text);

const MAX_LEAD = 12;
/** With one of these a lead says where, as whom, or under which condition: it may not be left out. */
const MATTERS =
  /^(?:if|unless|when|known|issue|example|alternative|optional|forbidden|mobile|phone|tablet|desktop|logged|signed|log|login|sign|repeat|every|each|all|wait|actual|currently|instead|bug|note|but|or|should|must|may)$/;

/**
 * `Edit the description: clear "Description", type "B"`: how many words only sum up what stands behind the colon; 0
 * when they may say more, or nothing like it is said.
 */
export const elaborated = (tokens: readonly Token[]): number => {
  const colon = tokens.findIndex((token) => isMark(token, ":"));
  if (colon < 2 || colon > MAX_LEAD || colon + 2 >= tokens.length) return 0;
  const lead = tokens.slice(0, colon);
  const isPlain = lead.every(
    (token, at) =>
      token.kind === "word" &&
      (at === 0 || token.text === token.lower) &&
      /^[\p{L}'’-]+$/u.test(token.text) &&
      !MATTERS.test(token.lower),
  );
  const last = lead.at(-1);
  // `Type in the search field: "boots"` goes on behind the colon.
  if (isQuoted(tokens[colon + 1]) || findKind(word(last)) !== null || !isPlain) return 0;
  const first = lead[0];
  const isSummed =
    baseOf(word(first)) !== null || /^(?:attempt|the|in|by|use|using)$/.test(word(first));
  // `Guest checkout: click "Buy"`: a heading before what is done.
  const isHeading =
    lead.length < 7 &&
    saysNothing(lead) &&
    !SCOPES.test(word(first)) &&
    !lead.some((token) => findKind(word(token)) !== null || REACHES.test(word(token))) &&
    baseOf(word(tokens[colon + 1])) !== null;
  return (isSummed || isHeading) && saysNothing(lead.slice(1)) ? colon + 1 : 0;
};

/** What a heading begins with that says where, when or as whom the rest is done. */
const SCOPES =
  /^(?:as|at|on|in|under|within|inside|after|before|once|from|with|without|for|via|during|upon|given|expected|actual|result|url|using|by|while|until|since|between)$/;
const REACHES =
  /^(?:twice|again|times|page|screen|window|viewport|admin|guest|refresh|reload|back|after|before|without|row|step|then|as|logged|anonymous|fail|fails|broken)$/;

type Say = (from: number, to?: number) => string;

const sayOf =
  (tokens: readonly Token[], source: string): Say =>
  (from, to = tokens.length) =>
    from < to ? source.slice(tokens[from]?.start, tokens[to - 1]?.end) : "";

/** Whether a sentence goes on with a token behind a place or a state that stands first. */
const goesOn = (token: Token | undefined): boolean =>
  isQuoted(token) ||
  /^(?:the|a|an|i|you|we|there|verify|check|ensure|make|expect|confirm)$/.test(word(token)) ||
  (token !== undefined && token.text === token.lower && baseOf(word(token)) !== null);

const SIZED = /^(?:viewport|screen|window|resolution|display|size|device|browser|width)$/;

const STATING = new Set(["on", "at", "with", "in", "using", "for"]);

/** What is done before the rest of a sentence, because it begins with how things are then; in all ways to read it. */
export const leadingDeed = (
  tokens: readonly Token[],
  source: string,
): readonly (readonly string[])[] => {
  const say = sayOf(tokens, source);
  const ways: (readonly string[])[] = [];
  const first = word(tokens[0]);
  if (!STATING.has(first)) return ways;
  for (let at = 2; at < Math.min(tokens.length - 1, 14); at++) {
    const isComma = isMark(tokens[at], ",:");
    if (!isComma && !goesOn(tokens[at])) continue;
    const rest = say(isComma ? at + 1 : at);
    const size = sizeIn(tokens.slice(1, at), source);
    if (size !== null) ways.push([`set the viewport to ${size}`, rest]);
    const state = stateIn(tokens.slice(1, at), source);
    if (state !== null) ways.push([state, rest]);
    if (isComma) break;
  }
  return ways;
};

/** `a viewport of 390x844`, `an iPhone 13`: the size of the page; null for anything else. */
const sizeIn = (tokens: readonly Token[], source: string): string | null => {
  let from = 0;
  while (
    /^(?:the|a|an|of|with|that|is|mobile|small|large|narrow|wide|tablet|desktop)$/.test(
      word(tokens[from]),
    ) ||
    SIZED.test(word(tokens[from]))
  ) {
    from++;
  }
  let end = tokens.length;
  while (end > from && SIZED.test(word(tokens[end - 1]))) end--;
  const raw = end > from ? source.slice(tokens[from]?.start, tokens[end - 1]?.end) : "";
  return raw !== "" && !isQuoted(tokens[from]) ? (readSize(null, raw)?.text ?? null) : null;
};

/** `the mouse over "A"`, `the focus on the "Email" field`: what is done to come there; null for anything else. */
const stateIn = (tokens: readonly Token[], source: string): string | null => {
  const start = /^(?:the|your|my)$/.test(word(tokens[0])) ? 1 : 0;
  const noun = word(tokens[start]);
  const joint = word(tokens[start + 1]);
  const rest = tokens[start + 2];
  if (!rest) return null;
  const said = source.slice(rest.start, tokens.at(-1)?.end);
  if (/^(?:mouse|pointer)$/.test(noun) && /^(?:over|on)$/.test(joint)) return `hover over ${said}`;
  return noun === "focus" && /^(?:in|on)$/.test(joint) ? `focus ${said}` : null;
};

const CLAIMS =
  /^(?:is|are|appears|appear|opens|open|closes|disappears|should|must|becomes|shows|see|sees|get|gets|displayed|visible|vanishes|exists|pops|comes|reads|says|contains)$/;

/** The clauses that say what is done, of which all but the first may leave out who does it; null when one is no deed. */
const deedsIn = (tokens: readonly Token[], source: string): readonly string[] | null => {
  const deeds: string[] = [];
  let from = 0;
  for (let at = 0; at <= tokens.length; at++) {
    const token = tokens[at];
    const isJoint =
      token !== undefined && (isMark(token, ",") || /^(?:and|then)$/.test(word(token)));
    const isEnd = at === tokens.length || (isJoint && isDeed(tokens, skipJoints(tokens, at)));
    if (!isEnd) continue;
    const part = tokens.slice(from, at);
    const start = subjectIn(part);
    const two = nounDeed(part.slice(start));
    const base = two?.verb ?? baseOf(word(part[start]));
    const object = part[start + (two?.length ?? 1)];
    if (base === null || goesOnIn(part)) return null;
    if (!object) {
      if (!/^(?:reload|refresh)$/.test(base)) return null;
      deeds.push("reload the page");
    } else deeds.push(`${base} ${source.slice(object.start, part.at(-1)?.end)}`);
    from = skipJoints(tokens, at);
    at = from;
  }
  return deeds;
};

/** Whether another deed or claim begins within a part: it stands in no order to what is said before. */
const goesOnIn = (part: readonly Token[]): boolean =>
  part.some((token, at) => {
    const isJoint = isMark(token, ",;") || /^(?:and|then|but)$/.test(word(token));
    const next = part[skipJoints(part, at)];
    return isJoint && !isQuoted(next) && goesOn(next);
  });

const skipJoints = (tokens: readonly Token[], at: number): number => {
  let next = at;
  while (isMark(tokens[next], ",") || /^(?:and|then)$/.test(word(tokens[next]))) next++;
  return next;
};

/** How many words say who acts. */
const subjectIn = (tokens: readonly Token[]): number => {
  let at = 0;
  if (SUBJECTS.has(word(tokens[0])) || PERFECT.test(word(tokens[0]))) at = 1;
  else if (word(tokens[0]) === "the" && /^(?:user|customer|page)$/.test(word(tokens[1]))) at = 2;
  while (/^(?:have|has|'ve|had|then|also)$/.test(word(tokens[at]))) at++;
  return at;
};

const isDeed = (tokens: readonly Token[], at: number): boolean => {
  const rest = tokens.slice(at);
  const start = subjectIn(rest);
  const verb = rest[start];
  if (verb === undefined || verb.text !== verb.lower) return false;
  return (
    GERUNDS.has(word(verb)) || (start > 0 && baseOf(word(verb)) !== null) || /ed$/.test(word(verb))
  );
};

const AFTER = new Set(["after", "when", "once", "upon", "if", "on"]);

/**
 * `"Saved" appears after entering 5 into "Qty" and clicking "Save"`, `Untick "A" prior to clicking "B"`: what is done
 * first stands last, and is said first; in all ways to read it.
 */
export const reordered = (
  tokens: readonly Token[],
  source: string,
): readonly (readonly string[])[] => {
  const say = sayOf(tokens, source);
  const ways: (readonly string[])[] = [];
  for (let at = 2; at < tokens.length - 2; at++) {
    const joint = word(tokens[at]);
    const isBefore = joint === "before" || (joint === "prior" && word(tokens[at + 1]) === "to");
    const isAfter = AFTER.has(joint);
    if ((!isBefore && !isAfter) || isMark(tokens[at - 1], ":")) continue;
    const from = at + (joint === "prior" ? 2 : 1);
    const rest = tokens.slice(from);
    if (!isDeed(rest, 0)) continue;
    const deeds = deedsIn(rest, source);
    const end = isMark(tokens[at - 1], ",") ? at - 1 : at;
    const before = say(0, end);
    if (deeds === null) continue;
    if (isBefore && !tokens.slice(0, end).some((token) => CLAIMS.test(word(token)))) {
      ways.push([before, ...deeds]);
    }
    if (isAfter && isOneClaim(tokens.slice(0, end))) {
      ways.push([...deeds, before]);
    }
  }
  // `When I've opened /a, dragged "B" onto "C" and reloaded, "B" is visible`, without its keyword.
  const start = /^(?:after|when|once|upon|on)$/.test(word(tokens[0])) ? 1 : 0;
  if (start === 0 && !PERFECT.test(tokens[0]?.lower ?? "")) return ways;
  const comma = tokens.findLastIndex((token) => isMark(token, ","));
  if (comma > start + 2 && comma < tokens.length - 2) {
    const lead = tokens.slice(start, comma);
    const isTold = start === 0 || isDeed(lead, 0);
    const deeds = isTold ? deedsIn(lead, source) : null;
    if (deeds) ways.push([...deeds, say(comma + 1)]);
  }
  return ways;
};

/** Whether nothing but one claim is made: what is done besides stands in its own order. */
const isOneClaim = (tokens: readonly Token[]): boolean => {
  const first = word(tokens[0]);
  const isDone = baseOf(first) !== null && !/^(?:verify|ensure|assert|observe|look)$/.test(first);
  const isSeveral = tokens.some(
    (token) => isMark(token, ",;") || /^(?:and|then|but|or)$/.test(word(token)),
  );
  return !isDone && !isSeveral && tokens.some((token) => CLAIMS.test(word(token)));
};

const PERFECT = /^(?:i've|we've|you've)$/;
