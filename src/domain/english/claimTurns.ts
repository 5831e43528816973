import { findKind } from "../catalogue/kinds.ts";
import { isQuoted, SUBJECTS, word } from "./phrases.ts";
import { isHolder, placedThingAt } from "./places.ts";
import { isSure, leadOf, leadsTo, sayOf, unableTo } from "./pressTurns.ts";
import { isCapital } from "./thingWords.ts";
import type { Token } from "./words.ts";

type Say = (from: number, to?: number) => string;

const MAX_TOKENS = 50;

/** What tells that a sentence may be one of these at all: most are none. */
const CUE = { shared: 1, none: 2, both: 4, unable: 8, leads: 16, holds: 32 } as const;
const cuesBy = new Map<string, number>();
const put = (words: string, cue: number): void => {
  for (const said of words.split(" ")) cuesBy.set(said, (cuesBy.get(said) ?? 0) | cue);
};
put("and but ,", CUE.shared);
put("none", CUE.none);
put("both", CUE.both);
put("cannot can't unable able", CUE.unable);
put("takes take brings bring sends send redirects opens open closes returns reveals", CUE.leads);
put("with", CUE.holds);

const cuesOf = (tokens: readonly Token[]): number => {
  let cues = 0;
  for (const { kind, lower } of tokens) {
    if (kind !== "word" && kind !== "mark") continue;
    cues |= cuesBy.get(lower) ?? 0;
  }
  return cues;
};

const STATE =
  /^(?:visible|shown|displayed|hidden|enabled|disabled|checked|unchecked|ticked|unticked|clickable|empty|blank|inactive)$/;
const NOT = /^(?:not|no|never|cannot)$|n't$/;
const PREDICATE =
  /^(?:is|are|should|must|has|shows|displays|reads|says|contains|holds|remains|stays|becomes|isn't|shouldn't|doesn't|cannot|can't)$/;

/** `The "Currency" select has the value "CHF" and is disabled`: each of what is said of one thing. */
const ofOneThing = (tokens: readonly Token[], say: Say): string[] | null => {
  const lead = leadOf(tokens);
  const thing = placedThingAt(tokens, lead);
  if (!thing || !isSure(thing) || !PREDICATE.test(word(tokens[thing.to]))) return null;
  const subject = say(lead, thing.to);
  const said: string[] = [];
  let from = thing.to;
  for (let at = thing.to + 2; at < tokens.length; at++) {
    if (!isJoint(tokens[at])) continue;
    let next = at;
    while (isJoint(tokens[next]) || /^(?:then|also)$/.test(word(tokens[next]))) next++;
    const first = word(tokens[next]);
    const isState = STATE.test(first) && (next + 1 === tokens.length || isJoint(tokens[next + 1]));
    if (!PREDICATE.test(first) && !isState) continue;
    // `should not be visible and enabled`: how far the "not" reaches is not known.
    if (isState && tokens.slice(from, at).some((token) => NOT.test(token.lower))) return null;
    said.push(partOf(subject, tokens, from, at, say));
    from = next;
    at = next;
  }
  return said.length > 0 ? [...said, partOf(subject, tokens, from, tokens.length, say)] : null;
};

const partOf = (
  subject: string,
  tokens: readonly Token[],
  from: number,
  to: number,
  say: Say,
): string => `${subject} ${STATE.test(word(tokens[from])) ? "is " : ""}${say(from, to)}`;

const isJoint = (token: Token | undefined): boolean =>
  token !== undefined && !isQuoted(token) && /^(?:and|but|,)$/.test(token.lower);

/** `None of the rows in the "Invoices" table should say "Overdue"`: it is nowhere in that place. */
const noneOf = (tokens: readonly Token[], say: Say): string[] | null => {
  const lead = leadOf(tokens);
  const isNone =
    word(tokens[lead]) === "none" &&
    word(tokens[lead + 1]) === "of" &&
    word(tokens[lead + 2]) === "the";
  const kind = findKind(word(tokens[lead + 3]));
  const last = tokens.at(-1);
  if (!isNone || !/^(?:row|item|cell|listitem)$/.test(kind ?? "") || last?.kind !== "quoted")
    return null;
  let end = tokens.length - 1;
  if (
    !/^(?:say|says|contain|contains|show|shows|read|reads|have|has|include|includes)$/.test(
      word(tokens[end - 1]),
    )
  )
    return null;
  end--;
  if (/^(?:should|must|may|can)$/.test(word(tokens[end - 1]))) end--;
  return /^(?:in|of|on|from|within|inside)$/.test(word(tokens[lead + 4])) && end > lead + 5
    ? [
        `${say(tokens.length - 1)} ${say(lead + 4, end).replace(/^(?:of|from) /, "in ")} should not be visible`,
      ]
    : null;
};

/** `Both the Save and the Cancel buttons are enabled`, `Both Save and Cancel are visible`: each of the two. */
const bothThe = (tokens: readonly Token[], say: Say): string[] | null => {
  const lead = leadOf(tokens);
  const and = tokens.findIndex((token) => word(token) === "and");
  if (word(tokens[lead]) !== "both" || and < lead + 2) return null;
  const said = tokens.findIndex(
    (token, at) => at > and && /^(?:is|are|should|must)$/.test(word(token)),
  );
  if (said < 0) return null;
  const plural = word(tokens[said - 1]);
  // `both the "Name" and the "Email" field`: is the first one a field, too?
  const isHalf = tokens[and - 1]?.kind === "quoted" && !plural.endsWith("s");
  if (isHalf && tokens[said - 1]?.kind !== "quoted") return null;
  const kind = plural.endsWith("s") && findKind(plural) !== null ? plural : "";
  const one = kind.replace(/(?:(?<=x|sh|ch|s)e)?s$/, "");
  const named = (from: number, to: number): string | null => {
    const start = word(tokens[from]) === "the" ? from + 1 : from;
    const part = tokens.slice(start, to);
    // `the Edit button`
    if (part.length > 1 && findKind(word(part.at(-1))) !== null)
      return kind === "" ? say(start, to) : null;
    const isName = part.length > 0 && part.length < 4 && isCapital(part[0]);
    if (part.length === 1 && part[0]?.kind === "quoted") return `${say(start, to)} ${one}`.trim();
    return isName && part.every(({ kind: is }) => is === "word")
      ? `"${say(start, to)}" ${one}`.trim()
      : null;
  };
  const names = [named(lead + 1, and), named(and + 1, kind === "" ? said : said - 1)];
  const rest = say(said).replace(/^are\b/, "is");
  return names.every((name) => name !== null)
    ? names.map((name) =>
        `the ${name} ${rest}`.replace(/^the (?="[^"]*" (?:is|should|must)\b)/, ""),
      )
    : null;
};

/** `The "Delete?" dialog with the buttons "Yes" and "No" appears`: it is shown, and each of them in it. */
const holding = (tokens: readonly Token[], say: Say, isClaimed: boolean): string[] | null => {
  let lead = leadOf(tokens);
  const start = lead;
  if (SUBJECTS.has(word(tokens[lead]))) lead++;
  while (/^(?:should|must|then|see|sees|get|gets)$/.test(word(tokens[lead]))) lead++;
  const thing = placedThingAt(tokens, lead);
  if (!thing?.isQuoted || !isHolder(thing.kind) || thing.places.length > 0) return null;
  if (word(tokens[thing.to]) !== "with") return null;
  const inside: string[] = [];
  let at = thing.to + 1;
  while (/^(?:the|a|an|two|three|four|following|both)$/.test(word(tokens[at])) && at < thing.to + 4)
    at++;
  const plural = word(tokens[at]);
  const kind = plural.endsWith("s") && findKind(plural) !== null ? plural : null;
  if (kind !== null) {
    const one = kind.replace(/(?:(?<=x|sh|ch|s)e)?s$/, "");
    for (at++; at < tokens.length; at++) {
      if (isJoint(tokens[at])) continue;
      if (tokens[at]?.kind !== "quoted") break;
      inside.push(`the ${one} ${say(at, at + 1)}`);
    }
  } else {
    at = thing.to + 1;
    for (;;) {
      const held = placedThingAt(tokens, at);
      if (!held?.isQuoted || held.kind === "" || held.places.length > 0) break;
      inside.push(`the ${say(at, held.to).replace(/^(?:the|an?) /i, "")}`);
      at = held.to;
      if (!isJoint(tokens[at])) break;
      while (isJoint(tokens[at])) at++;
    }
  }
  const rest = tokens
    .slice(at)
    .map(({ lower }) => lower)
    .join(" ");
  const isOver = lead > start ? rest === "" : APPEARS.test(rest) || (isClaimed && rest === "");
  if (inside.length === 0 || !isOver) return null;
  const holder = say(lead, thing.to).replace(/^(?:the|an?) /i, "");
  return [
    `I should see the ${holder}`,
    ...inside.map((one) => `I should see ${one} in the ${holder}`),
  ];
};

const APPEARS =
  /^(?:is (?:shown|displayed|visible|present|open|opened)|(?:should|must) (?:be (?:shown|displayed|visible|present|open)|appear|open|pop up|show up)|appears|opens|pops up|shows up|comes up)$/;

/** What a claim comes to that is said of several, of several kinds, or by what brings it about; in all ways to read it. */
export const claimTurns = (
  tokens: readonly Token[],
  source: string,
  isClaimed: boolean,
): readonly (readonly string[])[] => {
  if (tokens.length < 4 || tokens.length > MAX_TOKENS) return [];
  const cues = cuesOf(tokens);
  if (cues === 0) return [];
  const say = sayOf(tokens, source);
  const ways = [
    (cues & CUE.shared) === 0 ? null : ofOneThing(tokens, say),
    (cues & CUE.none) === 0 ? null : noneOf(tokens, say),
    (cues & CUE.both) === 0 ? null : bothThe(tokens, say),
    (cues & CUE.unable) === 0 ? null : unableTo(tokens, say),
    (cues & CUE.leads) === 0 ? null : leadsTo(tokens, say),
    (cues & CUE.holds) === 0 ? null : holding(tokens, say, isClaimed),
  ];
  return ways.filter((way) => way !== null);
};
