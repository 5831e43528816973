import { kinds } from "../kinds.ts";
import { readTarget } from "../target.ts";
import type { Token } from "../words.ts";

/** A verb by its gerund: `After clicking "Save", …`. */
const GERUNDS: Readonly<Record<string, string>> = {
  clicking: "click",
  "double-clicking": "double-click",
  "right-clicking": "right-click",
  pressing: "press",
  tapping: "tap",
  hitting: "hit",
  opening: "open",
  visiting: "visit",
  navigating: "navigate",
  going: "go",
  entering: "enter",
  typing: "type",
  filling: "fill",
  selecting: "select",
  choosing: "choose",
  picking: "pick",
  checking: "check",
  ticking: "tick",
  unchecking: "uncheck",
  unticking: "untick",
  hovering: "hover",
  reloading: "reload",
  refreshing: "refresh",
  accepting: "accept",
  dismissing: "dismiss",
  scrolling: "scroll",
  dragging: "drag",
  clearing: "clear",
  waiting: "wait",
};

const word = (token: Token | undefined): string => (token?.kind === "word" ? token.lower : "");
const isMark = (token: Token | undefined, text: string): boolean =>
  token?.kind === "mark" && token.text === text;
const isQuoted = (token: Token | undefined): boolean => token?.kind === "quoted";
const isJoint = (token: Token | undefined): boolean =>
  isMark(token, ",") || /^(?:and|&|or|then|but)$/.test(word(token));

/** No sentence that is rewritten is longer. */
const MAX_TOKENS = 60;

/**
 * Says a sentence that means several, or that puts the place first, as sentences that the forms know: the same
 * words in another order, none of them left out. Null for all others.
 */
export const rewritten = (tokens: readonly Token[], source: string): readonly string[] | null => {
  if (tokens.length < 4 || tokens.length > MAX_TOKENS) return null;
  const say = (from: number, to?: number): string => {
    const part = tokens.slice(from, to);
    const [first] = part;
    return first ? source.slice(first.start, part.at(-1)?.end) : "";
  };
  return (
    placeFirst(tokens, source, say) ??
    afterDoing(tokens, say) ??
    neitherNor(tokens, say) ??
    notOr(tokens, say) ??
    distributed(tokens, say)
  );
};

type Say = (from: number, to?: number) => string;

const PLACE = new Set(["in", "within", "inside", "on", "under", "from"]);

/** `In the "Billing" section, click "Change"` → `click "Change" in the "Billing" section`. */
const placeFirst = (tokens: readonly Token[], source: string, say: Say): string[] | null => {
  if (!PLACE.has(word(tokens[0]))) return null;
  const comma = tokens.findIndex((token) => isMark(token, ","));
  if (comma < 2 || comma === tokens.length - 1) return null;
  // Whether the place is meant for the second of two would be a guess.
  if (tokens.slice(comma + 1).some(isJoint)) return null;
  const place = readTarget(tokens.slice(1, comma), source);
  const kind = place?.target.find.by === "kind" ? place.target.find.kind : null;
  if (!place || place.doubt !== null || kind === null) return null;
  const isPlace =
    kinds[kind].container || kind === "field" || kind === "dropdown" || kind === "box";
  return isPlace ? [`${say(comma + 1)} in ${say(1, comma)}`] : null;
};

/** `After clicking "Save", "Saved" is visible` → `click "Save"`, `"Saved" is visible`. */
const afterDoing = (tokens: readonly Token[], say: Say): string[] | null => {
  if (!/^(?:after|upon|on|once|by|when)$/.test(word(tokens[0]))) return null;
  const said = /^(?:i|you|we)$/.test(word(tokens[1]));
  const told = tokens.findIndex((token) => isMark(token, ","));
  if (said && told > 3 && told < tokens.length - 1) return [say(1, told), say(told + 1)];
  const gerund = word(tokens[1]);
  const verb = Object.hasOwn(GERUNDS, gerund) ? GERUNDS[gerund] : undefined;
  const comma = tokens.findIndex((token) => isMark(token, ","));
  if (!verb || comma < 3 || comma === tokens.length - 1) return null;
  return [`${verb} ${say(2, comma)}`, say(comma + 1)];
};

/** `I should see neither "A" nor "B"`; `Neither "A" nor "B" is visible`. */
const neitherNor = (tokens: readonly Token[], say: Say): string[] | null => {
  const neither = tokens.findIndex((token) => word(token) === "neither");
  const nor = tokens.findIndex((token) => word(token) === "nor");
  if (neither < 0 || nor < neither + 2 || nor === tokens.length - 1) return null;
  const names = [say(neither + 1, nor)];
  if (neither > 0) {
    if (!/^(?:see|sees)$/.test(word(tokens[neither - 1]))) return null;
    names.push(say(nor + 1));
  } else {
    const verb = tokens.findIndex(
      (token, at) => at > nor && /^(?:is|are|should)$/.test(word(token)),
    );
    const rest = verb < 0 ? "" : say(verb).toLowerCase();
    if (!/^(?:is|are|should be) (?:visible|displayed|shown|present)$/.test(rest)) return null;
    names.push(say(nor + 1, verb));
  }
  return names.map((name) => `I should not see ${name}`);
};

/** `I should not see "A" or "B"`: neither of them. */
const notOr = (tokens: readonly Token[], say: Say): string[] | null => {
  const at = tokens.findIndex((token) => word(token) === "see");
  const or = tokens.length - 2;
  const isNegated = /^(?:not|no|longer|don't|shouldn't|can't|cannot)$/.test(word(tokens[at - 1]));
  const isPair = or === at + 2 && word(tokens[or]) === "or";
  if (at < 1 || !isNegated || !isPair) return null;
  if (!isQuoted(tokens[at + 1]) || !isQuoted(tokens[or + 1])) return null;
  return [say(0, or), `${say(0, at + 1)} ${say(or + 1)}`];
};

const PREDICATE =
  /^(?:is|are|should|must|appear|exist|disappear|to|buttons|links|fields|inputs|headings|tabs|checkboxes|options|images|messages|texts|items|rows|columns|cells|sections|dropdowns)$/;

/** `Verify that "A", "B" and "C" are visible`: what is said of the last is said of each. */
const distributed = (tokens: readonly Token[], say: Say): string[] | null => {
  const first = tokens.findIndex(isQuoted);
  if (first < 0) return null;
  const names: string[] = [say(first, first + 1)];
  let at = first + 1;
  while (at < tokens.length) {
    let next = at;
    while (isMark(tokens[next], ",") || /^(?:and|&|the)$/.test(word(tokens[next]))) next++;
    if (next === at || !isQuoted(tokens[next])) break;
    names.push(say(next, next + 1));
    at = next + 1;
  }
  const rest = tokens.slice(at);
  if (names.length < 2 || !PREDICATE.test(word(rest[0])) || rest.some(isJoint)) return null;
  // "to" speaks of the list only behind a verb: `expect "A" and "B" to be visible`, not `drag "A" and "B" to`.
  if (word(rest[0]) === "to" && !/^(?:be|have|appear|exist)$/.test(word(rest[1]))) return null;
  if (tokens.slice(0, first).some(isJoint) || rest.some(isQuoted)) return null;
  let lead = first;
  if (word(tokens[lead - 1]) === "both") lead--;
  return names.map((name) => [say(0, lead), name, say(at)].filter(Boolean).join(" "));
};
