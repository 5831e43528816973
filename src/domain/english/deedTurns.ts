import type { Draft } from "./formTables.ts";
import { baseOf, GERUNDS } from "./inflections.ts";
import {
  answered,
  given,
  idleFor,
  ofLast,
  pressed,
  type Turn,
  tabbed,
  wordsOf,
} from "./keyTurns.ts";
import { isQuoted, word } from "./phrases.ts";
import { placedThingAt, textOf } from "./places.ts";
import { sayOf } from "./pressTurns.ts";
import { isCapital } from "./thingWords.ts";
import { quote, type Token } from "./words.ts";

const MAX_TOKENS = 60;

const isMark = (token: Token | undefined, marks: string): boolean =>
  token?.kind === "mark" && marks.includes(token.text);

/** `Locate "Grace period" in the list and click the info icon next to it`: what is done beside what is named. */
const besideIt: Turn = (tokens, say) => {
  const isTwo = word(tokens[1]) === "for";
  const start = isTwo ? 2 : 1;
  const thing = placedThingAt(tokens, start);
  if (!thing || thing.name === null || thing.isLoose) return null;
  let and = thing.to;
  if (/^(?:in|on|from|within)$/.test(word(tokens[and])) && word(tokens[and + 1]) === "the")
    while (and < thing.to + 5 && word(tokens[and]) !== "and" && !isMark(tokens[and], ",")) and++;
  const isJoined = word(tokens[and]) === "and" || isMark(tokens[and], ",");
  let verb = and + 1;
  while (/^(?:and|then)$/.test(word(tokens[verb]))) verb++;
  if (!isJoined || baseOf(word(tokens[verb])) === null) return null;
  const tail = wordsOf(tokens.slice(-3));
  const length = /next to it$/.test(tail) ? 3 : /(?:beside|near) it$/.test(tail) ? 2 : 0;
  const named = textOf({ ...thing, places: [] });
  if (length > 0) return [`${say(verb, tokens.length - length)} next to ${named}`];
  const isRow = /^(?:in|on|of) (?:its|that|the same) (?:row|line)$/.test(tail);
  return isRow && thing.isQuoted
    ? [`${say(verb, tokens.length - 3)} in the ${quote(thing.name)} row`]
    : null;
};

/** `Type your name (Rosa Lind) in "Signature"`: what is typed stands in brackets behind what it is. */
const typedInBrackets: Turn = (tokens, say) => {
  const open = tokens.findIndex((token) => isMark(token, "("));
  const close = tokens.findIndex((token, at) => at > open && isMark(token, ")"));
  if (
    open < 2 ||
    open > 6 ||
    close < open + 2 ||
    !/^(?:in|into|as|to|for)$/.test(word(tokens[close + 1]))
  )
    return null;
  const isPlain = tokens
    .slice(1, open)
    .every(({ kind, text, lower }) => kind === "word" && text === lower);
  const inside = tokens.slice(open + 1, close);
  const [only] = inside;
  if (!isPlain || inside.some(isQuoted) !== (inside.length === 1 && only?.kind === "quoted"))
    return null;
  if (/^(?:e\.g|eg|i\.e|for|such|like|optional|required|see|or)/.test(word(only))) return null;
  const text = only?.kind === "quoted" ? only.text : say(open + 1, close);
  return [`enter ${quote(text)} ${say(close + 1)}`];
};

/** `Search ${invoiceNo} in "Search invoices"`: what is looked for needs no quotes where its end is certain. */
const searchedIn: Turn = (tokens, say) => {
  const from = word(tokens[1]) === "for" ? 2 : 1;
  const value = tokens[from];
  const into = placedThingAt(tokens, from + 2);
  // What is called so is a field to look for something in.
  const isField = into?.isQuoted && into.kind === "" && SEARCHED.test(into.name ?? "");
  const isText = value?.kind === "quoted" || /^\$\{[\w.]+\}$/.test(value?.text ?? "");
  if (
    isText &&
    isField &&
    into.to === tokens.length &&
    /^(?:in|using|with|via)$/.test(word(tokens[from + 1]))
  )
    return [`type ${say(from, from + 1)} into ${say(from + 2)}`];
  const isSure =
    value?.kind === "word" && /^\$\{[\w.]+\}$|^[\p{Lu}\d][\p{L}\d-]*$/u.test(value.text);
  return isSure &&
    /^(?:in|using|with|via|through)$/.test(word(tokens[from + 1])) &&
    tokens.length > from + 2
    ? [`search for ${quote(value.text)} ${say(from + 1)}`]
    : null;
};

const SEARCHED = /\b(?:search|find|filter|look ?up|query)\b/i;
const CHOOSING = /^(?:select|selects|choose|chooses|pick|picks|click|tap)$/;

/** `From the list of suggestions choose "A"` is a click; `out of the Title options select "Ms"` chooses in what is called so. */
const chosenFrom: Turn = (tokens, say) => {
  const verb = tokens.findIndex((token) => CHOOSING.test(word(token)));
  const value = tokens[verb + 1];
  if (verb < 2 || verb > 8 || tokens.length !== verb + 2 || !value) return null;
  if (value.kind !== "quoted" && !isCapital(value)) return null;
  const end = isMark(tokens[verb - 1], ",") ? verb - 1 : verb;
  const start = word(tokens[0]) === "out" && word(tokens[1]) === "of" ? 2 : 1;
  const named = tokens.slice(/^(?:the|a)$/.test(word(tokens[start])) ? start + 1 : start, end);
  const text = value.kind === "quoted" ? say(verb + 1) : quote(value.text);
  // What is clicked there is looked for there: it is asked about.
  if (SUGGESTED.test(wordsOf(named)))
    return /^(?:click|tap)$/.test(word(tokens[verb])) ? null : [`click ${text}`];
  const [name, kind] = named;
  const isNamed = name !== undefined && (name.kind === "quoted" || isCapital(name));
  return named.length === 2 && isNamed && /^(?:options|choices|values)$/.test(word(kind))
    ? [`select ${text} from ${quote(name.text)}`]
    : null;
};

const SUGGESTED =
  /^(?:list of )?(?:suggestions?|suggested (?:options|items|values)|autocomplete(?: (?:list|suggestions|options))?|auto-complete(?: list)?|suggestions? list|search suggestions)(?: that (?:appears?|opens?|comes up))?$/;

/** `Verify by refreshing the page that "Dark" is still ticked`: it is done, and then looked at. */
const verifiedBy: Turn = (tokens, say) => {
  const verb = GERUNDS.get(word(tokens[2]));
  const that = tokens.findIndex((token, at) => at > 2 && /^(?:that|whether|if)$/.test(word(token)));
  return word(tokens[1]) === "by" && verb !== undefined && that > 3
    ? [`${verb} ${say(3, that)}`, `verify ${say(that)}`]
    : null;
};

const RELOADED =
  /^(?:after|upon|on|following) (?:a|the|one|another|every)? ?(?:page )?(?:reload|refresh)(?: of the page)?$/;

/** `"Dark" is still on after a page refresh`: it is done first. */
const afterReload: Turn = (tokens, say) => {
  for (let at = 0; at < tokens.length; at++) {
    if (!/^(?:after|upon|following|on)$/.test(word(tokens[at]))) continue;
    if (at > 1 && RELOADED.test(wordsOf(tokens.slice(at)))) return ["reload the page", say(0, at)];
    if (at > 0) continue;
    const comma = tokens.findIndex((token) => isMark(token, ","));
    if (comma > 0 && RELOADED.test(wordsOf(tokens.slice(0, comma))))
      return ["reload the page", say(comma + 1)];
  }
  return null;
};

/** `Without leaving the page, click "Book"`, `In Firefox: …`: nobody leaves it, and where it is tried is no step. */
const bareOf: Turn = (tokens, say) => {
  const mark = tokens.findIndex((token) => isMark(token, ",:"));
  if (mark < 2 || mark > 10 || mark + 2 >= tokens.length) return null;
  const lead = tokens.slice(0, mark);
  if (word(lead[0]) === "without") {
    return STAYING.test(wordsOf(lead)) ? [say(mark + 1)] : null;
  }
  return BROWSER.test(wordsOf(lead)) ? [say(mark + 1)] : null;
};

const STAYING =
  /^without (?:leaving|reloading|refreshing|closing|navigating away from|leaving or reloading)(?: (?:the|this) (?:page|screen|site|form|browser|window))?$/;
const BROWSER =
  /^(?:in|on|using|with) (?:the )?(?:latest )?(?:mozilla )?(?:google )?(?:firefox|chrome|safari|edge|chromium|opera|brave)(?: browser)?$/;

/** `Tick the box beside "A", not the one beside "B"`: which one is meant was said. */
const notTheOther: Turn = (tokens, say) => {
  const at = tokens.findIndex(
    (token, index) => isMark(token, ",") && /^(?:not|and)$/.test(word(tokens[index + 1])),
  );
  const not = word(tokens[at + 1]) === "and" ? at + 2 : at + 1;
  if (at < 2 || word(tokens[not]) !== "not" || tokens.length > not + 9) return null;
  const rest = tokens.slice(not + 1);
  const isNamed = /^(?:the|on|in)$/.test(word(rest[0])) || rest[0]?.kind === "quoted";
  const goesOn = rest.some(
    (token) =>
      isMark(token, ",;:") ||
      /^(?:and|but|then|or|is|are|should|must)$/.test(word(token)) ||
      baseOf(word(token)) !== null,
  );
  return isNamed && !goesOn && baseOf(word(tokens[0])) !== null ? [say(0, at)] : null;
};

const OWNED = /^(?:card|row|section|tile|entry|panel|item)$/;

const NOBODY =
  /^(?:today|yesterday|tomorrow|browser|what|let|it|that|here|there|who|page|user)['’]s$/;

/** `Ann Lee's card: click "View"`, `click "Edit" in Ann's row`: whose it is names the place. */
export const inOwn: Turn = (tokens, say) => {
  const at = tokens.findIndex(
    (token, index) =>
      /['’]s$/.test(token.text) && token.kind === "word" && OWNED.test(word(tokens[index + 1])),
  );
  const owner = tokens[at];
  if (!owner || !isCapital(owner) || NOBODY.test(owner.lower)) return null;
  let from = at;
  while (
    from > 0 &&
    at - from < 3 &&
    isCapital(tokens[from - 1]) &&
    (from > 1 || baseOf(word(tokens[0])) === null)
  )
    from--;
  const name = say(from, at + 1).replace(/['’]s$/, "");
  const place = `the ${quote(name)} ${word(tokens[at + 1])}`;
  const isPlaced = /^(?:in|on|from|of|within|inside|under)$/.test(word(tokens[from - 1]));
  if (from > 0 && !isPlaced) return null;
  const rest = say(at + 2);
  if (from > 1) return [`${say(0, from - 1)} in ${place} ${rest}`.trim()];
  return isMark(tokens[at + 2], ":,") && tokens.length > at + 3
    ? [`in ${place}, ${say(at + 3)}`]
    : null;
};

const TURNS: readonly (readonly [string, Turn])[] = [
  ["locate find spot identify look", besideIt],
  ["type enter input fill write put insert provide", typedInBrackets],
  ["search look", searchedIn],
  ["from out in among", chosenFrom],
  ["verify check confirm ensure validate", verifiedBy],
  ["without in on using with", bareOf],
  ["do stay be sit remain let leave keep don't hold hang", idleFor],
  ["give", given],
  ["ok okay accept confirm approve cancel dismiss decline reject abort", answered],
  ["type enter send input tab escape esc backspace", pressed],
  ["tab tabs", tabbed],
  ["turn switch toggle type enter put write insert paste input", ofLast],
];
const byFirst = new Map<string, Turn[]>();
for (const [words, turn] of TURNS)
  for (const first of words.split(" ")) byFirst.set(first, [...(byFirst.get(first) ?? []), turn]);

/** What a deed comes to that is said in a roundabout way; in all ways to read it. */
export const deedTurns = (
  tokens: readonly Token[],
  source: string,
  last: Draft | null,
): readonly (readonly string[])[] => {
  if (tokens.length < 2 || tokens.length > MAX_TOKENS) return [];
  const first = byFirst.get(word(tokens[0]));
  const turns: Turn[] = first === undefined ? [] : [...first];
  for (const { kind, lower } of tokens) {
    if (kind !== "word") continue;
    if (lower === "reload" || lower === "refresh") turns.push(afterReload);
    else if (lower === "not") turns.push(notTheOther);
    else if (lower.endsWith("'s")) turns.push(inOwn);
  }
  // Most sentences have none of these words.
  if (turns.length === 0) return [];
  const say = sayOf(tokens, source);
  return turns.map((turn) => turn(tokens, say, last)).filter((way) => way !== null);
};
