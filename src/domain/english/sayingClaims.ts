import { findKind } from "../catalogue/kinds.ts";
import { isQuoted, word } from "./phrases.ts";
import type { Saying } from "./sayingParts.ts";
import { quote, type Token } from "./words.ts";

const sayOf =
  (tokens: readonly Token[], source: string) =>
  (from: number, to = tokens.length): string =>
    from < to ? source.slice(tokens[from]?.start, tokens[to - 1]?.end) : "";

const VERIFYING = /^(?:verify|check|ensure|confirm|assert|that|if|whether|validate|make|sure|all)$/;
const STATED =
  /^(?:visible|displayed|shown|present|there|listed|hidden|enabled|disabled|checked|ticked|unchecked|unticked|available)$/;

/** One of several, by the word for all of them; empty when it says nothing of what they are. */
const oneOf = (said: string): string | null => {
  if (
    /^(?:texts?|elements?|things?|entries|labels?|messages?|words?|names?|phrases?|controls?)$/.test(
      said,
    )
  )
    return "";
  const one = said.endsWith("xes") ? said.slice(0, -2) : said.slice(0, -1);
  return said.endsWith("s") && findKind(one) !== null ? one : null;
};

/** `Verify the following buttons are shown: "A", "B"`: the same of each; nothing but names may stand behind. */
export const followingAre: Saying = (tokens, at) => {
  const lead = tokens.slice(0, at);
  if (
    lead.length > 4 ||
    !lead.every((token) => VERIFYING.test(word(token)) || word(token) === "the")
  )
    return null;
  const plural = word(tokens[at + 1]);
  const isBare = /^(?:are|is|should|must)$/.test(plural);
  const kind = isBare ? "" : oneOf(plural);
  let next = isBare ? at + 1 : at + 2;
  if (kind === null) return null;
  let isNot = false;
  for (; /^(?:are|is|should|must|be|all|now|not)$/.test(word(tokens[next])); next++) {
    isNot ||= word(tokens[next]) === "not";
  }
  const state = tokens[next];
  if (!state || !STATED.test(word(state))) return null;
  const rest = tokens
    .slice(next + 1)
    .filter(({ lower, kind: is }) => !(is !== "quoted" && /^(?:,|and|:|&)$/.test(lower)));
  if (rest.length < 1 || !rest.every(({ kind: is }) => is === "quoted")) return null;
  return rest.map(({ text }) =>
    `the ${kind} ${quote(text)} should ${isNot ? "not " : ""}be ${state.text}`.replace(
      /the {2}/,
      "",
    ),
  );
};

/** `The user is taken to a URL that contains "/x"`: where one is. */
export const takenTo: Saying = (tokens, at) => {
  const rest = tokens.slice(at + 1).map(({ lower, kind }) => (kind === "word" ? lower : ""));
  const value = tokens.at(-1);
  if (at < 1 || at > 6 || value?.kind !== "quoted" || isQuoted(tokens[at - 1])) return null;
  const said = rest.slice(0, -1).join(" ");
  const found =
    /^(?:back )?(?:to|on|at) (?:the|a|an) (?:url|address|page|path|page whose (?:url|address)|url that|page with (?:a|the) url|page the url of which|page that has a url)(?: which| that)? (contains|containing|including|includes|with|starting with|starts with|beginning with|begins with|ending with|ends with|ending in)$/.exec(
      said,
    );
  if (!found || !/\b(?:url|address|path)\b/.test(said)) return null;
  const how = /^(?:start|begin)/.test(found[1] ?? "")
    ? "start with"
    : /^end/.test(found[1] ?? "")
      ? "end with"
      : "contain";
  return [`The URL should ${how} ${quote(value.text)}`];
};

const ASKED = /^(?:show|display|contain|say|read|have|appear|exist|include|open|disappear)$/;

/** `Does the page show "A"?`, `Is there a "Save" button?`: what is asked is claimed. */
export const isAsked: Saying = (tokens, at, source) => {
  if (at !== 0 || tokens.length < 3) return null;
  const say = sayOf(tokens, source);
  if (/^(?:is|are)$/.test(word(tokens[0]))) {
    return word(tokens[1]) === "there" ? [`there should be ${say(2)}`] : null;
  }
  if (/^(?:i|you|we|not)$/.test(word(tokens[1]))) return null;
  const verb = tokens.findIndex((token, index) => index > 1 && ASKED.test(word(token)));
  return verb > 1 ? [`${say(1, verb)} should ${say(verb)}`] : null;
};

/** `The button changes its text to "A"`: what it reads then. */
export const changesIts: Saying = (tokens, at, source) => {
  const verb = word(tokens[at - 1]);
  const value = tokens.at(-1);
  const isOver = tokens.length === at + 4 && value?.kind === "quoted";
  if (!isOver || !/^(?:changes|change|changed|updates|switches|turns)$/.test(verb)) return null;
  if (!/^(?:text|label|caption|title|wording)$/.test(word(tokens[at + 1]))) return null;
  if (!/^(?:to|into)$/.test(word(tokens[at + 2]))) return null;
  let end = at - 1;
  while (/^(?:should|must|will|now|then|has|to)$/.test(word(tokens[end - 1]))) end--;
  return end > 0 ? [`${sayOf(tokens, source)(0, end)} should read ${quote(value.text)}`] : null;
};

/** `The text of the "Follow" button changes to "A"`: what its text is then. */
export const textChanges: Saying = (tokens, at, source) => {
  const value = tokens.at(-1);
  if (value?.kind !== "quoted" || tokens.length < 6 || !isTextNamed(tokens, at)) return null;
  const isTo = /^(?:to|into)$/.test(word(tokens[at + 1]));
  const isBecoming = /^(?:becomes|become)$/.test(word(tokens[at]));
  if (tokens.length !== at + (isTo ? 3 : 2) || isTo === isBecoming) return null;
  let end = at;
  while (/^(?:should|must|will|now|then|has|have)$/.test(word(tokens[end - 1]))) end--;
  const say = sayOf(tokens, source);
  // What is written on it is its text.
  const at0 = tokens
    .slice(0, 2)
    .findIndex((token) => /^(?:label|caption|wording)$/.test(word(token)));
  const thing = at0 >= 0 ? `the text ${say(at0 + 1, end)}` : say(0, end);
  return [`${thing} should be ${quote(value.text)}`];
};

const TEXTUAL = /^(?:text|label|caption|wording|title|heading|name)$/;

/** Whether it is said that it is the text of something: `the label of …`, `the "Follow" button's text`. */
const isTextNamed = (tokens: readonly Token[], at: number): boolean => {
  const start = /^(?:the|verify|check)$/.test(word(tokens[0])) ? 1 : 0;
  const isOf = TEXTUAL.test(word(tokens[start])) && /^(?:of|on)$/.test(word(tokens[start + 1]));
  return isOf || TEXTUAL.test(word(tokens[at - 1]));
};

/** `Nothing called "A" may be shown` */
export const nothingCalled: Saying = (tokens, at, source) => {
  const name = tokens[at + 2];
  if (at > 3 || name?.kind !== "quoted") return null;
  if (!/^(?:called|named|labelled|labeled|titled)$/.test(word(tokens[at + 1]))) return null;
  const rest = tokens
    .slice(at + 3)
    .map(({ lower }) => lower)
    .join(" ");
  const isSeen =
    /^(?:may|should|must|can|is|will)(?: be)? (?:shown|visible|displayed|there|present|seen|listed|found|on the page|on the screen)$/.test(
      rest,
    );
  return isSeen ? [`${sayOf(tokens, source)(at + 2, at + 3)} should be hidden`] : null;
};

/** `The "Terms" link should open in a new window (target="_blank")`, `… should have target="_blank"`. */
export const hasTarget: Saying = (tokens, at, source) => {
  const value = tokens[at + 1];
  if (value?.kind !== "quoted" || value.text === "") return null;
  const isBracket = tokens[at - 1]?.text === "(" && tokens[at + 2]?.text === ")";
  const isLast = tokens.length === at + (isBracket ? 3 : 2);
  const before = tokens
    .slice(0, isBracket ? at - 1 : at)
    .map(({ lower, kind }) => (kind === "word" ? lower : "_"))
    .join(" ");
  const found =
    / (?:should |must |will )?(?:opens?(?: up)? in (?:a|another) (?:new |separate |different )?(?:browser )?(?:window|tab)|has|have)(?: the attribute)?$/.exec(
      before,
    );
  if (!isLast || !found || (isBracket && !/window|tab/.test(found[0]))) return null;
  const end = before.slice(0, found.index).split(" ").length;
  return [
    `the target attribute of ${sayOf(tokens, source)(0, end)} should be ${quote(value.text)}`,
  ];
};
