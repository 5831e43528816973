import { findKind } from "../catalogue/kinds.ts";
import { parseKeyChord } from "../catalogue/values.ts";
import { isQuoted, word } from "./phrases.ts";
import { isWalk } from "./purposes.ts";
import type { Token } from "./words.ts";

const ADDRESS = /^(?:https?:\/\/|\/)\S*$/i;
const STATE =
  /^(?:visible|shown|displayed|present|hidden|gone|enabled|disabled|checked|ticked|unchecked|unticked|selected|empty|blank|open|closed|opened|page|screen|top|bottom|view|down|up|back|forward|clicked|pressed|loaded|appears?|disappears?|seen|there|screenshot|changes?|key|keys|alert|dialog|prompt|twice|seconds?|pixels)$/;

/** Whether a name, a text or a claim has certainly ended with a token. */
const isEnd = (token: Token | undefined): boolean =>
  token !== undefined &&
  (isQuoted(token) ||
    (token.kind === "word" &&
      (findKind(token.lower) !== null ||
        // `click Back to list`: a capital begins a name.
        (token.text === token.lower && STATE.test(token.lower)) ||
        ADDRESS.test(token.text) ||
        (token.text.length > 1 && parseKeyChord(token.text) !== null))));

/** Words that stand for a deed whose leaving out would leave out a step. */
const DOING =
  /^(?:click|clicks|tap|press|enter|enters|type|types|fill|fills|select|selects|choose|pick|upload|drag|hover|tick|untick|check|uncheck|verify|verifies|ensure|assert|wait|waits|scroll|logging|clicking|pressing|typing|entering|selecting|choosing|filling|uploading|dragging|hovering|ticking|unticking|checking|unchecking|waiting|scrolling|opening|reloading)$/;
const NEGATING =
  /^(?:not|no|never|none|nothing|without|neither|nor|cannot|unless|except|only|if|until|unlike)$|n't$/;
const COUNTING =
  /^(?:one|two|three|four|five|six|seven|eight|nine|ten|all|both|every|each|any|twice|times|seconds?|minutes?)$/;

/** Whether some words say nothing that a step could lack: no name, value, figure, address, negation or other deed. */
export const saysNothing = (tokens: readonly Token[]): boolean =>
  tokens.every(
    (token) =>
      (token.kind === "word" || (token.kind === "mark" && !/[;:?]/.test(token.text))) &&
      !/^[-–—]$/.test(token.text) &&
      !/[\d@/\\<>{}[\]=$%#*]/.test(token.text) &&
      !NEGATING.test(token.lower) &&
      !DOING.test(token.lower) &&
      !COUNTING.test(token.lower),
  );

const said = (tokens: readonly Token[]): string => tokens.map(({ lower }) => lower).join(" ");

const PAGE =
  "(?:the |this |that |a |your )?(?:new |next |following |whole |entire |current |target |resulting )?(?:[a-z-]+ )?(?:page|screen|app|application|site|website|web page|homepage|browser|everything|content)";
const LOADED = new RegExp(
  `^(?:once|when|whenever|after|as soon as|while) ${PAGE} (?:(?:has|have|is|are|was|been|fully|completely|finishes|finished|successfully|now) )*(?:loads?|loaded|loading|opens?|opened|open|appears?|appeared|ready|displayed|shown|rendered|up|visible|there|comes up)(?: completely| fully| again)?$`,
);
const DONE =
  /^(?:once|when|after|as soon as|whenever) (?:(?:you|you're|you are|i|i am|i'm|we|we are|everything is|all is|that is|this is|it is|that's|it's|they are|having) )?(?:done|finished|ready|complete|completed|prompted|there|done so|done that|done this|in place|have finished|have done so|are done|are finished|are ready)(?: with (?:that|this|it))?$/;
const ASIDE =
  /^(?:please|all (?:went|goes|is|was) (?:well|good|fine|ok)|all good|(?:[a-z]+ )?not (?:needed|required|necessary)|too|as well|as usual|as always|as before|as expected|as normal|as shown(?: above| below)?|as described(?: above| below)?|for me|thanks|thank you|of course|if you please|for example|to continue|to proceed|to go on|again|once more|one more time|another time|once again|then|now|next|finally|afterwards|after that|after this|first|also|additionally|however|hi|hello|hey|dear (?:team|all)|hi (?:team|all|there)|dear (?:qa|testers|colleagues|tester|everyone)|today|immediately|right away|straight away|at once|at the end|in the end|accordingly|obviously|e\.g|like before|respectively|thereafter|meanwhile|in addition|moreover|furthermore|instead)$/;

/** Whether a part of a sentence between commas only says when, politely, or by the way. */
export const isAside = (tokens: readonly Token[]): boolean => {
  if (tokens.length === 0 || tokens.length > 12) return false;
  if (tokens.some((token) => token.kind !== "word")) return false;
  const words = said(tokens);
  return ASIDE.test(words) || DONE.test(words) || LOADED.test(words);
};

/** `When done, …`, `When the page is ready, …`, of which a keyword has been taken away. */
export const isOpening = (tokens: readonly Token[]): boolean => {
  if (tokens.length > 11 || tokens.some(({ kind }) => kind !== "word")) return false;
  const words = `when ${said(tokens)}`;
  return DONE.test(words) || LOADED.test(words);
};

/** `once the page is loaded click …`: how many words say that it has loaded, before what is done. */
export const openingBefore = (tokens: readonly Token[]): number => {
  if (!OPENERS.has(word(tokens[0]))) return 0;
  for (let at = Math.min(tokens.length - 2, 12); at > 1; at--) {
    const words = said(tokens.slice(0, at));
    if (DONE.test(words) || LOADED.test(words)) return at;
  }
  return 0;
};

const PURPOSE = new Set(["so", "because", "since", "which", "for", "to", "in", "where", "who"]);
/** What says when, before what is done or behind it. */
export const OPENERS = new Set(["once", "when", "after", "as", "while"]);
const TAIL =
  /^(?:again|once more|one more time|another time|once again|too|as well|also|please|for me|(?:for|to) (?:a|an|the|any|every) (?:logged-in |normal |regular )?(?:user|viewer|guest|customer|visitor|auditor|admin|member|editor|buyer|seller|reader|owner|manager|agent|student|tester|employee|trial account|guest user|new user)|now|as usual|as before|as always|as normal|as expected|as shown|as shown (?:above|below)|as described(?: above| below)?|(?:with|using|by) (?:the|your|my) (?:mouse|keyboard|left mouse button)|on (?:the|this|that|the current) (?:page|screen|website|site)|in (?:the|this|your|a|my) (?:app|application|browser|window|web browser|firefox|chrome|safari|edge)|in (?:firefox|chrome|safari|edge|chromium)|on (?:the|your) (?:keyboard|website)|together|completely|entirely|fully|immediately|right away|straight away|at once|instantly|automatically|manually|carefully|quickly|afterwards|afterward|after that|after this|first|at first|finally|eventually|at the end|in the end|here|instead|accordingly|correctly|properly|successfully|directly|thereafter|subsequently|as a result|by mouse|exactly|precisely|verbatim|word for word|in turn|one by one|one after the other|one after another|in this order|in that order|by the user|to the user|at the same time|shortly after|soon|as it should|like before|as evidence|as proof|for evidence|for the (?:report|record|records|test report|documentation)|for reference|in full|with (?:a|one|the) click)$/;

/** What may not be left out behind "to": it would be a deed of its own. */
const isPurpose = (rest: readonly Token[]): boolean => {
  const [first, second] = rest;
  switch (first?.lower) {
    case "so":
      return (
        word(second) === "that" ||
        word(second) === "as" ||
        /^(?:the|you|we|i|it)$/.test(word(second))
      );
    case "in":
      return word(second) === "order";
    case "for":
      return /ing$/.test(word(second)) && rest.length > 2;
    case "to":
      // How often a key is pressed to come through them all is not said.
      if (rest.some((token) => /^(?:through|until|around|across)$/.test(word(token)))) return false;
      return /^[a-z-]+$/.test(second?.text ?? "") && !/^(?:the|a|an|be|have)$/.test(word(second));
    case "because":
    case "since":
    case "which":
    case "where":
    case "who":
      return rest.length > 2;
    default:
      return false;
  }
};

/**
 * A clause without what stands behind it and says nothing of it: when, why, what for, with what; the same when
 * there is nothing of the kind, or when something would be left out that matters.
 */
export const withoutTails = (all: readonly Token[]): readonly Token[] => {
  let tokens = all;
  for (let rounds = 0; rounds < 3; rounds++) {
    const at = tailOf(tokens);
    if (at < 0) break;
    tokens = tokens.slice(0, at);
  }
  return tokens;
};

/** `Expect the page to match …`: behind "to" stands what is claimed. */
const CLAIMING =
  /^(?:expect|expects|expected|verify|check|ensure|assert|confirm|validate|make|wait|waits|the|a|i|scroll|drag|move|use|is|are|should)$/;

/** `… so that the dialog closes` claims something of the page. */
const isSaidOf = (token: Token): boolean =>
  (token.kind === "word" && findKind(token.lower) !== null) ||
  /^(?:visible|displayed|shown|hidden|enabled|disabled|appears|disappears|closes|opens|checked|page|url|title)$/.test(
    token.lower,
  );

const HOW = /^(?:quickly|slowly|carefully|immediately|repeatedly|gently)$/;

/** What a tail can begin with: most words can not. */
const TAIL_STARTS = new Set([
  ...PURPOSE,
  ...OPENERS,
  ..."again one another too also please now with using by on together completely entirely fully".split(
    " ",
  ),
  ..."immediately right straight at instantly automatically manually carefully quickly afterwards".split(
    " ",
  ),
  ..."afterward first finally eventually here instead accordingly correctly properly successfully".split(
    " ",
  ),
  ..."slowly repeatedly gently directly thereafter subsequently shortly soon like exactly precisely verbatim word".split(
    " ",
  ),
]);

/** `Click Switch to dark mode`: a kind with a capital right behind the verb begins a name. */
const opensName = (tokens: readonly Token[], at: number): boolean => {
  const token = tokens[at];
  const isKind = token?.kind === "word" && findKind(token.lower) !== null;
  return isKind && token.text !== token.lower && (at < 2 || word(tokens[at - 1]) === "the");
};

const tailOf = (tokens: readonly Token[]): number => {
  for (let at = isQuoted(tokens[0]) ? 1 : 2; at < tokens.length; at++) {
    const token = tokens[at];
    if (token?.kind !== "word" || !TAIL_STARTS.has(token.text)) continue;
    // `Submit quickly`: a name that begins with a capital has ended before how it is done.
    const isHow =
      at === tokens.length - 1 &&
      HOW.test(token.text) &&
      /^\p{Lu}/u.test(tokens[at - 1]?.text ?? "");
    if (isHow) return at;
    if (!isEnd(tokens[at - 1])) continue;
    if (opensName(tokens, at - 1)) continue;
    const rest = tokens.slice(at);
    if (rest.length > 14) continue;
    if (rest.length < 6 && TAIL.test(said(rest))) return at;
    if (OPENERS.has(token.lower) && (DONE.test(said(rest)) || LOADED.test(said(rest)))) return at;
    if (token.lower === "to" && (CLAIMING.test(word(tokens[0])) || isWalk(tokens, at))) continue;
    const isSo = token.lower === "so" || token.lower === "which";
    if (isSo && rest.some(isSaidOf)) continue;
    if (PURPOSE.has(token.lower) && isPurpose(rest) && saysNothing(rest.slice(1))) return at;
  }
  return -1;
};

/** `set "Class" to "Economy" (dropdown)`: what it is decides what is done. */
const isKind = (said: string): boolean =>
  /^(?:dropdowns?|drop-downs?|select|checkbox(?:es)?|radio|toggle|switch|link|menu|slider|combobox)$/.test(
    said,
  );

/** `(may take up to 10 s)` */
const LASTING =
  /^(?:this |it |which )?(?:may |might |can |could |should |will |usually )?takes? (?:up to |about |around |a |some |at most )?[\w. ]{1,20}$/;

/** A clause without what stands in brackets, behind a name that has ended, and says nothing of it. */
export const withoutBrackets = (tokens: readonly Token[]): readonly Token[] => {
  const open = tokens.findIndex(({ kind, text }) => kind === "mark" && text === "(");
  if (open < 1 || !isEnd(tokens[open - 1])) return tokens;
  const close = tokens.findIndex(
    ({ kind, text }, at) => at > open && kind === "mark" && text === ")",
  );
  const inside = tokens.slice(open + 1, close);
  const isLasting = LASTING.test(said(inside));
  if (close < 0 || inside.length > 10 || !(isLasting || saysNothing(inside))) return tokens;
  if (inside.some(({ lower }) => lower === "optional" || isKind(lower))) return tokens;
  return [...tokens.slice(0, open), ...tokens.slice(close + 1)];
};
