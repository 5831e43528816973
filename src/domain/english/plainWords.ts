import { findKind, type KindName } from "../catalogue/kinds.ts";
import { ordinalOf } from "../catalogue/targetParts.ts";
import { baseOf } from "./inflections.ts";
import { isQuoted, spoken, word } from "./phrases.ts";
import type { Token } from "./words.ts";

type Rewording = { readonly from: readonly string[]; readonly to: readonly string[] };

const rewordings = (lines: readonly string[]): ReadonlyMap<string, readonly Rewording[]> => {
  const byFirst = new Map<string, Rewording[]>();
  for (const line of lines) {
    const [from = "", to = ""] = line.split(" > ");
    for (const words of from.split("|")) {
      const said = { from: words.split(" "), to: to === "" ? [] : to.split(" ") };
      const known = byFirst.get(said.from[0] ?? "") ?? [];
      known.push(said);
      byFirst.set(said.from[0] ?? "", known);
    }
  }
  for (const known of byFirst.values()) {
    known.sort((one, other) => other.from.length - one.from.length);
  }
  return byFirst;
};

/** Other words for what the forms say; never for a part of a name, which stands in quotes or begins with a capital. */
const WORDINGS = rewordings([
  "there to be > there should be",
  "will appear|has appeared|have appeared|should have appeared|will have appeared|should be appear|should appears|will show up|should come|should come up|comes up|will come up|should pop up > appears",
  "will disappear|has vanished|will vanish|has gone|have gone|has gone away|has been removed|have been removed > disappears",
  "will be|should be being|shall be|is going to be|has to be|have to be|needs to be|need to be|must now be|should get|should become > should be",
  "will not be|won't be|must not be|shall not be|is never > should not be",
  "will show|will display|will now show > should show",
  "will contain|will include > should contain",
  "will have > should have",
  "will see|'ll see|saw|have seen|has seen|get to see|gets to see|am shown|is shown the|will be able to see|should able to see|should then see|should be shown the > should see",
  "will not see|won't see|no longer sees|no longer see|is not shown|are not shown|am not shown|don't expect to see|do not expect to see|does not expect to see|will no longer see > should not see",
  "expected to see > expect to see",
  "continues to be|continue to be|keeps on being > is still",
  "should have changed to|must have changed to|has changed to|have changed to|should come as|should come out as|comes as|should turn out as|should turn to|should now read > should be",
  "should have become|must have become > should be",
  "should be prefilled with|is prefilled with|is pre-filled with|should be pre-filled with|comes prefilled with|is already filled with > should have the value",
  "put a tick against|put a tick next to|put a tick beside|put a tick at|put a tick on|put a check mark next to|put a checkmark next to|put a check mark against|put a check next to|place a tick next to|place a check mark next to|place a checkmark next to|set a tick at|set a tick next to|set the tick at|put a tick in front of|put a check mark in front of|place a check mark in front of > tick",
  "stays at|stay at|remains at|remain at|is still at > is",
  "should stay at|should remain at|must stay at|must remain at > should be",
  "after having waited for > after waiting for",
  "fire up|spin up|pull up > open",
  "the shared test|the common test|the reusable test > the test",
  "looks identical to the baseline|is identical to the baseline|looks the same as the baseline|looks exactly like the baseline|should look identical to the baseline|should be identical to the baseline|should look like the baseline|looks like the baseline > matches the baseline",
  "starts out empty|starts empty|starts off empty|starts blank > is empty",
  "carries > has",
  "mouse over > hover over",
  "scroll until i see|scroll until you see|scroll until you reach|scroll down until you see|scroll down until i see|scroll till you see|scroll till > scroll to",
  "is up again|are up again|is back again > is displayed",
  "gets cleared|is emptied > is empty",
  "am expecting to|are expecting to > expect to",
  "i'm expecting to > i expect to",
  "must to > must",
  "should to > should",
  "can to > can",
  "is appearing|are appearing|should be appearing > appears",
  "am choose|am select > choose",
  "and drop it on|and drop it onto|and drop it into|and drop it in|and drop it over|and release it on|and release it over > to",
  "as first step|as the first step|as a first step|as next step|as the next step > first",
  "pull up > open",
  "hit the space bar|press the space bar|press the spacebar|hit the spacebar > press Space",
  "must never|should never|shall never|may never|will never > should not",
  "wait up to when|wait up until|wait up till > wait until",
  "the terms and conditions by|the terms & conditions by|our terms and conditions by > the terms by",
  "whereupon|upon which|and as a result of this|as a result of which|which then|and subsequently > and",
  "msg|mesg > message",
  "msgs > messages",
  "w/ > with",
  "pls|plz > please",
  "has to show|have to show|needs to show|is to show|has to display|needs to display > should show",
  "has to contain|have to contain|needs to contain|is to contain > should contain",
  "has to have|have to have|needs to have > should have",
  "has to say|needs to say|is to say|has to read|needs to read > should say",
  "is coming|is coming up|is getting displayed|is getting shown|should get displayed|should get shown|gets displayed|gets shown|get displayed|is being displayed|is being shown > is displayed",
  "is no more|are no more > is no longer",
  "no more visible > no longer visible",
  "will now be|will then be > should be",
  "press and release > press",
  "double click|double clicks > double-click",
  "right click|right clicks > right-click",
  "key in > type",
  "whose label is|whose text is|whose name is|whose title is|whose caption is|that is labelled|that is called|that is named|which is labelled|which is called|which is named|that is titled|which is titled > called",
  "click to the > click the",
  "inside of > inside",
  "out of the > from the",
  "onto the > on the",
  "into to > into",
  "in to the > into the",
  "at most > up to",
]);

/** What a place is said to be at, in the words of targets. */
const PLACES = rewordings([
  "against > next to",
  "right next to|directly next to|immediately next to|just next to|close to|right beside|directly beside|that belongs to|belonging to|which belongs to > next to",
  "that is next to|which is next to|that's next to|that is beside|which is beside|located next to|placed next to|found next to|shown next to|that stands next to|, which is next to > next to",
  "that is in|which is in|that's in|located in|found in|placed in|situated in|positioned in|shown in|available in|contained in|that can be found in|which can be found in|, which is in|that is inside|which is inside|that is located in|which is located in|that is within > in",
]);

const LOOKING = new Set(
  "success error warning info information confirmation validation status submit toggle navigation cookie login main primary secondary".split(
    " ",
  ),
);

/** `success popup "Saved"`, `the "Save" submit button`: what only describes the kind is left out. */
const withoutEpithet = (tokens: readonly Token[]): readonly Token[] => {
  const at = tokens.findIndex((token, index) => {
    if (token.kind !== "word" || !LOOKING.has(token.text)) return false;
    const kind = tokens[index + 1];
    const isKind = kind?.text === kind?.lower && findKind(word(kind)) !== null;
    const isBefore = isKind && tokens[index + 2]?.kind === "quoted";
    const isBehind = isKind && tokens[index - 1]?.kind === "quoted";
    return isBefore || isBehind;
  });
  if (at < 0) return tokens;
  const kind = findKind(word(tokens[at + 1]));
  return kind === "text" ? tokens : [...tokens.slice(0, at), ...tokens.slice(at + 1)];
};

const OPENED =
  /^(?:that|which) (?:opens|opened|appears|appeared|pops up|popped up|shows up|comes up|is shown|is displayed|is opened|has opened|has appeared|just opened|now opens|now appears|is open)$/;
const EPITHETS = new Set(
  "opened corresponding resulting respective mandatory relevant displayed appropriate said given existing visible very whole entire actual aforementioned newly-opened shown".split(
    " ",
  ),
);
const AUX = /^(?:should|must|will|can|is|are|be|been|was|has|have|am|to|does|do|gets|get)$/;
const ADVERBS = new Set(
  [
    "now then also still already always really clearly actually currently immediately automatically properly",
    "correctly instantly simply just directly eventually finally indeed successfully subsequently fully initially again therefore",
  ]
    .join(" ")
    .split(" "),
);
const SAYS =
  /^(?:has|have|is|are|shows|show|contains|contain|says|reads|displays|appears|disappears|see|sees|exists|opens|closes)$/;
const EXACT = new Set(["exactly", "precisely", "literally"]);
const EQUAL =
  /^(?:be|is|are|reads?|says?|equals?|equal|matches|match|shows?|displays?|to|text|value)$/;
const ARTICLE = /^(?:the|a|an)$/;
/** All that may be idle: most words are none of them. */
const IDLE = new Set([...ADVERBS, ...EXACT, ...EPITHETS]);

/** The words of a sentence as the forms have them, in place of others that mean the same. */
export const inPlainWords = (tokens: readonly Token[]): readonly Token[] => {
  const said: Token[] = [];
  // Whatever is not said otherwise is given back as it is, so that nobody need compare it.
  let isSame = true;
  let at = 0;
  while (at < tokens.length) {
    const token = tokens[at];
    if (!token) break;
    const found = rewordedAt(WORDINGS, tokens, at);
    if (found) {
      said.push(...found.to.map(spoken));
      isSame = false;
      at += found.from.length;
      continue;
    }
    // `Check, that …`
    const isComma = token.text === "," && token.kind === "mark" && at === 1;
    if (isComma && /^(?:that|if|whether)$/.test(word(tokens[at + 1]))) {
      at++;
      continue;
    }
    // `fill "A" with "b" + click "Save"`: between two deeds a plus is "and".
    const next = tokens[at + 1];
    if (
      token.kind === "word" &&
      token.text === "+" &&
      next?.text === next?.lower &&
      word(next) !== "key" &&
      baseOf(word(next)) !== null
    ) {
      said.push(spoken("and"));
      isSame = false;
      at++;
      continue;
    }
    // `"Name is mandatory" validation should be displayed`
    const isMessage =
      token.lower === "validation" && token.kind === "word" && isQuoted(said.at(-1));
    if (isMessage && AUX.test(word(next))) {
      said.push(spoken("message"));
      isSame = false;
      at++;
      continue;
    }
    // `click at "Save"`, `click to "Save"`
    const isAt =
      token.kind === "word" && (token.text === "at" || token.text === "to") && said.length > 0;
    if (
      isAt &&
      next &&
      CLICKING.test(word(said.at(-1))) &&
      (isQuoted(next) || /^\p{Lu}/u.test(next.text))
    ) {
      at++;
      continue;
    }
    if (!isIdle(tokens, at, said.at(-1))) said.push(token);
    at++;
  }
  return kindsBehindNames(withoutEpithet(isSame && said.length === tokens.length ? tokens : said));
};

const CLICKING = /^(?:click|clicks|tap|taps|clicked|double-click|right-click)$/;

const rewordedAt = (
  known: ReadonlyMap<string, readonly Rewording[]>,
  tokens: readonly Token[],
  at: number,
): Rewording | null => {
  const token = tokens[at];
  if (!token || isQuoted(token) || (at > 0 && token.text !== token.lower)) return null;
  const those = known.get(token.lower);
  if (those === undefined) return null;
  for (const found of those) {
    if (isSaidAt(tokens, at, found.from))
      return at + found.from.length < tokens.length + 1 ? found : null;
  }
  return null;
};

/** Whether some words stand at a place, of which the first is known to stand there. */
const isSaidAt = (tokens: readonly Token[], at: number, words: readonly string[]): boolean => {
  for (let index = 1; index < words.length; index++) {
    if (lower(tokens[at + index]) !== words[index]) return false;
  }
  return true;
};

const lower = (token: Token | undefined): string => (token && !isQuoted(token) ? token.lower : "");

/** An adverb beside an auxiliary, an epithet before a quoted name, "exactly" before a text: nothing hangs on them. */
const isIdle = (tokens: readonly Token[], at: number, before: Token | undefined): boolean => {
  const token = tokens[at];
  const next = tokens[at + 1];
  if (token?.kind !== "word" || token.text !== token.lower || !next) return false;
  if (!IDLE.has(token.lower)) return false;
  if (ADVERBS.has(token.lower)) {
    return AUX.test(word(before)) || SAYS.test(word(next));
  }
  if (EXACT.has(token.lower)) return isQuoted(next) && EQUAL.test(word(before));
  if (!EPITHETS.has(token.lower) || !ARTICLE.test(word(before))) return false;
  return (
    isQuoted(next) || /^(?:first|last|second|third)$/.test(word(next)) || /^\p{Lu}/u.test(next.text)
  );
};

const NAMED_BEFORE = new Set<KindName>([
  ...(["button", "link", "field", "checkbox", "dropdown", "heading", "radio", "switch"] as const),
]);

/** `the button Save changes` → `the Save changes button`: a capital says where the name begins. */
const kindsBehindNames = (tokens: readonly Token[]): readonly Token[] => {
  for (let at = 0; at < tokens.length - 1; at++) {
    const first = tokens[at + 1];
    if (!isCapital(first)) continue;
    const token = tokens[at];
    const kind = token && token.text === token.lower ? findKind(word(token)) : null;
    if (!token || kind === null || !NAMED_BEFORE.has(kind)) continue;
    // `…, select Settings`: what is done, and no kind.
    if (token.lower === "select" && (at === 0 || tokens[at - 1]?.kind === "mark")) continue;
    let end = at + 2;
    while (isNameWord(tokens, end)) end++;
    // `button Save button`
    if (findKind(word(tokens[end])) !== null) continue;
    return [...tokens.slice(0, at), ...tokens.slice(at + 1, end), token, ...tokens.slice(end)];
  }
  return tokens;
};

/** Whether a word begins with a capital: none of the letters a to z is one. */
const isCapital = (token: Token | undefined): boolean => {
  if (token?.kind !== "word") return false;
  const code = token.text.charCodeAt(0);
  return !(code >= 97 && code <= 122) && /^\p{Lu}/u.test(token.text);
};

const ENDS_NAME =
  /^(?:in|on|at|to|into|with|from|is|are|should|must|has|have|and|then|or|but|next|for|of|again|still|now|by|using|within|inside|shows|contains|appears|disappears|becomes|was|will|can|cannot|does|that|which|twice|once|as|after|when|before|until|while|because|so)$/;

const isNameWord = (tokens: readonly Token[], at: number): boolean => {
  const token = tokens[at];
  return token?.kind === "word" && !ENDS_NAME.test(token.lower) && findKind(token.lower) === null;
};

/** Where things stand, in the words that targets have for it. */
export const inPlainPlaces = (tokens: readonly Token[]): readonly Token[] => {
  const isDeed =
    baseOf(word(tokens[0])) !== null || /^(?:i|we|you|the|user|please|in)$/.test(word(tokens[0]));
  const said: Token[] = [];
  let isSame = true;
  let at = 0;
  while (at < tokens.length) {
    const token = tokens[at];
    if (!token) break;
    const found = isDeed && at > 0 ? rewordedAt(PLACES, tokens, at) : null;
    if (found && isName(said.at(-1)) && !/^(?:is|are|be)$/.test(word(said.at(-1)))) {
      said.push(...found.to.map(spoken));
      isSame = false;
      at += found.from.length;
      continue;
    }
    const isThat = token.lower === "that" || token.lower === "which";
    const opened = isThat && isName(said.at(-1)) ? openedAt(tokens, at) : 0;
    if (opened > 0) {
      isSame = false;
      at += opened;
      continue;
    }
    said.push(token);
    at++;
  }
  return ordinalsBeforeNames(isSame ? tokens : said);
};

const isName = (token: Token | undefined): boolean =>
  token !== undefined && (isQuoted(token) || findKind(word(token)) !== null);

/** `the "Confirm" dialog that opens`: how many words say that it has come. */
const openedAt = (tokens: readonly Token[], at: number): number => {
  if (!/^(?:that|which)$/.test(word(tokens[at]))) return 0;
  for (let length = 4; length >= 2; length--) {
    const words = tokens
      .slice(at, at + length)
      .map(word)
      .join(" ");
    if (OPENED.test(words)) return length;
  }
  return 0;
};

/** `the first of the "Delete" buttons` → `the first "Delete" button`. */
const ordinalsBeforeNames = (tokens: readonly Token[]): readonly Token[] => {
  const at = tokens.findIndex(
    (token, index) =>
      word(tokens[index + 1]) === "of" &&
      word(tokens[index + 2]) === "the" &&
      ordinalOf(token) !== null,
  );
  if (at < 0) return tokens;
  const kind = tokens.findIndex((token, index) => index > at + 2 && findKind(word(token)) !== null);
  const plural = word(tokens[kind]);
  if (kind < 0 || kind > at + 6 || !plural.endsWith("s")) return tokens;
  const one = /(?:x|sh|ch|s)es$/.test(plural) ? plural.slice(0, -2) : plural.slice(0, -1);
  if (findKind(one) === null) return tokens;
  return [
    ...tokens.slice(0, at + 1),
    ...tokens.slice(at + 3, kind),
    spoken(one),
    ...tokens.slice(kind + 1),
  ];
};
