import { findKind } from "../catalogue/kinds.ts";
import { parseKeyChord } from "../catalogue/values.ts";
import type { Token } from "./words.ts";

const word = (token: Token | undefined): string => (token?.kind === "word" ? token.lower : "");

const PURPOSES = new Set(
  [
    "submit save continue close open confirm proceed finish complete go move log login sign start begin",
    "view show reveal display apply send add create delete remove cancel return navigate exit register",
    "reset trigger launch expand collapse dismiss hide update edit search checkout continue get access",
    "jump advance enable activate agree accept purchase buy pay place commit store publish post share",
  ]
    .join(" ")
    .split(" "),
);
/** How far one comes with a key that is pressed again and again. */
const AGAIN = /^(?:all|each|every|through|until|between|around|among|across)$/;
const DEEDS =
  /^(?:click|clicks|tap|taps|press|presses|hit|hits|push|pushes|use|uses|select|selects|choose|chooses|tick|check)$/;

/** Whether a name or a key has certainly ended with a token. */
export const isEnd = (token: Token | undefined): boolean =>
  token?.kind === "quoted" ||
  token?.kind === "literal" ||
  (token?.kind === "word" &&
    (findKind(token.lower) !== null ||
      token.lower === "key" ||
      (token.text.length > 1 && parseKeyChord(token.text) !== null)));

/** What nothing but a verb is: behind a name without quotes it says what for. */
const SURE = new Set(
  [
    "submit save proceed finish close open confirm continue send add create delete remove cancel return navigate",
    "register launch expand dismiss hide update edit enable activate agree accept publish go see make get apply",
    "upload download import generate refresh reload disable move choose find invite join leave reject manage",
    "configure install connect verify discard undo restore revert learn customize customise begin start show",
    "change complete approve decline activate deactivate retry access exit reveal display allow grant deny try",
  ]
    .join(" ")
    .split(" "),
);
/** By itself it says what for as well: `to continue`. */
const ALONE =
  /^(?:submit|save|proceed|finish|close|confirm|continue|send|create|delete|remove|cancel|apply|register|publish|begin|start|exit|complete|accept|agree|pay|discard|upload|download|install)$/;
/** What is a noun as well: `Back to search results`. */
const EITHER =
  /^(?:view|search|log|sign|test|check|review|print|share|preview|export|reset|order|filter|sort|report|copy|use|set|turn|enter|select|run|add|place|pay|work)$/;
const DETERMINER =
  /^(?:the|a|an|your|this|that|it|all|any|more|its|their|our|my|in|up|for|on|off|out)$/;
/** What a button says of itself: `Click to reveal`. */
const INVITING = /^(?:Click|Tap|Press|Drag|Swipe|How|Ready|Want|Nice)$/;
const MAX_NAME = 6;

/** `Click Save to save your changes`: where the name has ended that begins with a capital; -1 when that is not certain. */
const behindTitle = (tokens: readonly Token[]): number => {
  let from = /^(?:on|upon)$/.test(word(tokens[1])) ? 2 : 1;
  if (word(tokens[from]) === "the") from++;
  const first = tokens[from];
  if (first?.kind !== "word" || !/^\p{Lu}/u.test(first.text) || INVITING.test(first.text))
    return -1;
  for (let at = from + 1; at < tokens.length - 1 && at <= from + MAX_NAME; at++) {
    if (tokens[at]?.kind !== "word") return -1;
    if (word(tokens[at]) !== "to") continue;
    const verb = tokens[at + 1];
    if (verb?.kind !== "word" || verb.text !== verb.lower) continue;
    const isLast = at + 2 === tokens.length;
    if (isLast ? ALONE.test(verb.text) : SURE.has(verb.text)) return at;
    if (EITHER.test(verb.text) && DETERMINER.test(word(tokens[at + 2]))) return at;
  }
  return -1;
};

/** What a purpose does not go on with: behind a dash or an arrow something else is said. */
const isMore = ({ kind, text }: Token): boolean =>
  kind === "mark" || kind === "selector" || /^(?:[-–—]|->|=>|→)$/.test(text);

const WALKED = /^(?:tab|arrow|arrows|up|down|left|right|arrowup|arrowdown|arrowleft|arrowright)$/;
const WALKING = /^(?:move|navigate|go|reach|jump|cycle|step|get|walk|traverse|browse|highlight)$/;

/** `Use the Tab key to move through all links`: how often it is pressed is not said. */
export const isWalk = (tokens: readonly Token[], to: number): boolean => {
  const before = tokens.slice(1, to);
  if (!WALKING.test(word(tokens[to + 1])) || !before.some((one) => WALKED.test(word(one))))
    return false;
  const behind = tokens.slice(to + 2, to + 5);
  const isUsed = /^(?:use|uses|using)$/.test(word(tokens[0]));
  const isNext = behind.some((one) => /^(?:next|previous)$/.test(word(one)));
  return (isUsed && !isNext) || behind.some((one) => AGAIN.test(word(one)));
};

/** `Click "Save" to submit the form`: what it is done for adds nothing to what is done. */
export const withoutPurpose = (tokens: readonly Token[]): readonly Token[] => {
  if (!DEEDS.test(word(tokens[0]))) return tokens;
  // `Use the Tab key to move through all links`: how often is not said.
  const isKey = /^(?:use|uses|press|presses|hit)$/.test(word(tokens[0]));
  if (isKey && tokens.some((token) => AGAIN.test(word(token)))) return tokens;
  const behind = behindTitle(tokens);
  if (behind > 0 && !tokens.slice(behind).some(isMore)) {
    const isInOrder = word(tokens[behind - 1]) === "order" && word(tokens[behind - 2]) === "in";
    return tokens.slice(0, isInOrder ? behind - 2 : behind);
  }
  const at = tokens.findIndex(
    (token, index) =>
      token.lower === "to" &&
      index > 1 &&
      (isEnd(tokens[index - (word(tokens[index - 1]) === "order" ? 3 : 1)]) ||
        word(tokens[index - 2]) === "+") &&
      PURPOSES.has(word(tokens[index + 1])),
  );
  if (at < 0 || tokens.slice(at).some(isMore)) {
    return tokens;
  }
  if (isWalk(tokens, at)) return tokens;
  const isInOrder = word(tokens[at - 1]) === "order" && word(tokens[at - 2]) === "in";
  return tokens.slice(0, isInOrder ? at - 2 : at);
};
