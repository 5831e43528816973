import { findKind } from "../catalogue/kinds.ts";
import { parseTarget } from "../catalogue/target.ts";
import { parseKeyChord } from "../catalogue/values.ts";
import { isFieldName } from "./fieldNames.ts";
import type { Draft } from "./formTables.ts";
import { baseOf, GERUNDS, TOLD } from "./inflections.ts";
import { isQuoted, word } from "./phrases.ts";
import { asAsked, written } from "./sayingParts.ts";
import { thingAt } from "./things.ts";
import { isNameWord } from "./thingWords.ts";
import { quoteLiteral, type Token } from "./words.ts";

/** Where a piece of a sentence stands. */
export type Place = {
  readonly joint: string;
  /** What joins what comes next; empty for the last. */
  readonly next: string;
  /** What the piece before came to; null for the first. */
  readonly last: Draft | null;
  readonly isLast: boolean;
  /** Whether something is pressed behind it, or a page was gone to before it: then fields are filled in. */
  readonly isForm: boolean;
};

const ADDRESS = /^(?:https?:\/\/|\/)\S*$/i;
const DONE = /^(?:fill|type|select|check|uncheck|upload|clear|click|press)$/;
const FILLED = /^(?:fill|type|select|check|uncheck|upload|clear)$/;
const CLICKED = /^(?:button|btn|link|hyperlink|tab|menu item|menu option|menu entry)$/;
const TICKED = /^(?:radio|radio button|checkbox)$/;
const SEEN =
  /^(?:toast|message|error message|success message|msg|error|warning|alert|notification|heading|dialog|modal|popup|pop-up|tooltip|banner|snackbar|confirmation)$/;
const ARROW = /^(?:->|=>|→|»|>)$/;
const THEN = /^(?:then|finally|lastly|next|->|=>|→|»|>)$/;
/** What a button that ends something is called. */
const ENDING =
  /^(?:Save|Submit|Continue|Next|Apply|Send|Proceed|Finish|Done|Create|Confirm|Add|Update|Login|Log|Sign|Search|Book|Pay|Reserve|Start|Order|Register|Publish|Generate|Buy|Place|Check|Go|Post|Import|Export)$/;

/** A piece of a sentence that says but a name, or a name and a text, as a sentence; null for any other. */
export const tersely = (
  all: readonly Token[],
  place: Place,
  source: string,
): readonly string[] | null => {
  const tokens =
    /^(?:first|next|lastly|finally|then)$/.test(word(all[0])) && isQuoted(all[1])
      ? all.slice(1)
      : all;
  return (
    asAddress(tokens, place) ??
    asKey(tokens, place) ??
    asName(tokens, all, place, source) ??
    asNothing(tokens, place) ??
    asPair(tokens, place, source) ??
    asGerund(tokens, place, source) ??
    ofLast(tokens, place, source)
  );
};

const asAddress = (tokens: readonly Token[], { last }: Place): readonly string[] | null => {
  const [first, second] = tokens;
  const isDirect = tokens.length === 3 && word(tokens[2]) === "directly";
  const isTaken =
    /^(?:take|try|use|start|open|visit)$/.test(word(first)) && (isDirect || tokens.length === 2);
  const address = isTaken ? second : first;
  const isAlone = (isTaken || tokens.length === 1) && ADDRESS.test(address?.text ?? "");
  return last === null && isAlone && address ? [`go to ${address.text}`] : null;
};

const KEY = /^(?:enter|tab|escape|esc|return)$/;

/** `…, Enter`, `… + Tab`: a key by itself behind what was typed or pressed. */
const asKey = (tokens: readonly Token[], { last }: Place): readonly string[] | null => {
  const [only] = tokens;
  const isKey = tokens.length === 1 && KEY.test(word(only)) && /^\p{Lu}/u.test(only?.text ?? "");
  if (!isKey || !only || parseKeyChord(only.text) === null) return null;
  return last && /^(?:fill|type|focus)$/.test(last.action) ? [`press the ${only.text} key`] : null;
};

/** `"Save" button`, `toast "Saved"`, `then "Reserve"`, `Send`: a name alone is clicked, ticked or seen. */
const asName = (
  tokens: readonly Token[],
  all: readonly Token[],
  { joint, next, last, isLast }: Place,
  source: string,
): readonly string[] | null => {
  const said = written(tokens, source);
  const thing = thingAt(tokens, 0);
  if (thing?.isQuoted && thing.to === tokens.length && thing.kind !== "") {
    // `The heading is "A" and the button "B"`: behind a claim it may as well be claimed.
    if (last?.action.startsWith("assert_") && !THEN.test(joint)) return null;
    if (CLICKED.test(thing.kind)) return [`click the ${said}`];
    if (TICKED.test(thing.kind)) return [`tick the ${said}`];
    // Among fields a message is one of them.
    const isDone = last !== null && /^(?:click|press|check|uncheck|select)$/.test(last.action);
    return SEEN.test(thing.kind) && isDone ? [`I should see the ${said}`] : null;
  }
  const [only] = tokens;
  const isOrdered = THEN.test(joint) || tokens !== all;
  if (tokens.length === 1 && only?.kind === "quoted") {
    // Behind what was clicked it may as well be seen.
    const isPressed =
      last !== null &&
      (FILLED.test(last.action) || (last.action === "click" && (!isLast || /^[a-z]/.test(joint))));
    // `… + Tab -> "Invalid"`: at the end it is seen.
    if (isLast && ARROW.test(joint) && last !== null && /^(?:click|press)$/.test(last.action))
      return [`I should see ${said}`];
    // What stands behind an arrow and before a claim may be seen as well.
    if (ARROW.test(joint) && !ARROW.test(next) && last?.action === "click") return null;
    const isStep = tokens !== all || ARROW.test(next) || (isOrdered && isPressed);
    return isStep && (last === null || DONE.test(last.action) || last.action === "navigate")
      ? [`click ${said}`]
      : null;
  }
  const isName =
    tokens.length < 4 &&
    // `Save btn active` says how it is.
    !(tokens.length > 1 && STATED.test(word(tokens.at(-1)))) &&
    /^\p{Lu}\p{Ll}/u.test(only?.text ?? "") &&
    tokens.every(({ kind, text }) => kind === "word" && /^[\p{L}&'’-]+$/u.test(text)) &&
    !CLICKED.test(word(tokens.at(-1)));
  if (!isName || last === null || !only || parseKeyChord(said) !== null) return null;
  const kind = findKind(word(tokens.at(-1)));
  if (
    kind !== null &&
    (tokens.length < 2 || !/^(?:text|section|form|listitem|row|image)$/.test(kind))
  )
    return null;
  const isEnding = ENDING.test(only.text) && (FILLED.test(last.action) || last.action === "click");
  return isEnding && (FILLED.test(last.action) || isOrdered) ? [`click "${said}"`] : null;
};

const STATED =
  /^(?:active|inactive|enabled|disabled|visible|invisible|hidden|shown|displayed|gone|missing|present|absent|empty|filled|checked|unchecked|ticked|unticked|selected|clickable|works|fails|appears|disappears|on|off|green|red|grey|gray|greyed|closed|opened|clicked|pressed|again|twice|ok|done|open)$/;

/** `no warning`: none is seen. */
const asNothing = (tokens: readonly Token[], { last }: Place): readonly string[] | null => {
  const kind = tokens.slice(1).map(word).join(" ");
  const isNone = word(tokens[0]) === "no" && SEEN.test(kind.replace(/s$/, ""));
  return isNone && last !== null ? [`no ${kind} is shown`] : null;
};

/** Names of what a page says, which is no field. */
const SAID =
  /(?:^|\s)(?:expected|actual|note|step|total|subtotal|balance|status|count|sum|score|result|results|heading|title|label|tooltip|toast|banner|message|error|warning|text|button|link|price|url|page)$/i;

/** `Name "Ann"`, `Outcome - "No answer"`, `cvc = 111`, `comment "Good" in Feedback`: what is filled in. */
const asPair = (
  tokens: readonly Token[],
  { isForm, last, next }: Place,
  source: string,
): readonly string[] | null => {
  if (last?.action.startsWith("assert_")) return null;
  // `Fill "A" by "1" and "B" by "2"`
  const [one, joint, other] = tokens;
  const isLike =
    tokens.length === 3 && last?.action === "fill" && one?.kind === "quoted" && other !== undefined;
  if (
    isLike &&
    one &&
    /^(?:by|at|to|with)$/.test(word(joint)) &&
    (isQuoted(other) || /^\d/.test(other.text))
  )
    return [`fill ${written([one], source)} with ${written([other], source)}`];
  const into = intoField(tokens, source);
  if (into) return isForm ? into : null;
  const mark = tokens.findIndex(
    (token) => token.kind !== "quoted" && /^(?:[=:–-]|->|=>|→)$/.test(token.text),
  );
  const quoted = tokens.findIndex(isQuoted);
  const end = mark > 0 ? mark : quoted === tokens.length - 1 && quoted > 0 ? quoted : -1;
  if (end < 1) return null;
  const value = tokens.slice(mark > 0 ? mark + 1 : end);
  const name = tokens.slice(0, end);
  const label = written(name, source);
  const isSign = mark > 0 && tokens[mark]?.text === "=";
  const bare = label.replace(/ (?:field|dropdown)$/i, "").replaceAll('"', "");
  const isField = /^(?:field|dropdown|select)$/.test(
    findKind(word(name.at(-1))) ?? findKind(word(name[0])) ?? "",
  );
  // `Email: "a@" + Tab`
  const isLeft = next === "+" && mark > 0;
  if (!isForm && !isField && !isLeft && !(isSign && isFieldName(bare))) return null;
  const isValue =
    value.length === 1 ||
    (isSign && value.length < 5 && value.every(({ text }) => /^[\p{L}\d]+$/u.test(text)));
  if (!isValue || (SAID.test(bare) && !/^(?:Message|Title|Subject)$/.test(bare)) || name.length > 4)
    return null;
  // `Next to "A"` is a place, `Maria opens "/a"` is done by somebody.
  const isLabel = name.every(
    (token, at) =>
      (token.kind === "quoted" && name.length < 4) ||
      (isNameWord(token) &&
        (baseOf(token.lower) === null || (at === 0 && kindBefore(name) !== null))),
  );
  const isListed = isFieldName(bare) || isField || mark > 0 || FOLLOWED.test(last?.action ?? "");
  if (!isListed) return null;
  const isCard = isSign && name.length === 1 && word(name[0]) === "card";
  const behind = isCard ? null : findKind(word(name.at(-1)));
  const kind = behind ?? (isField ? kindBefore(name) : null);
  if (!isLabel || !isCalled(name) || (kind !== null && !/^(?:field|dropdown|text)$/.test(kind)))
    return null;
  const [first] = value;
  const text =
    value.length === 1 && first && isQuoted(first)
      ? written(value, source)
      : `"${written(value, source)}"`;
  if (text.slice(1, -1).includes('"')) return null;
  if (kind === "dropdown") return [`select ${text} from the ${label}`];
  const target = kind === "field" ? `the ${label}` : label.startsWith('"') ? label : `"${label}"`;
  return [`fill ${target} with ${text}`];
};

/** What fields without a sign are named behind. */
const FOLLOWED = /^(?:fill|select|navigate)$/;
/** Words that say where, when, how or by whom something is done, and stand in the name of no field. */
const NO_LABEL =
  /^(?:next|beside|besides|below|above|under|over|near|behind|before|after|at|on|in|into|onto|inside|within|without|from|with|by|via|through|between|against|around|across|along|towards?|until|till|since|during|per|like|unlike|except|instead|as|than|if|when|while|once|unless|because|so|but|not|no|never|only|just|even|still|already|again|also|always|then|now|here|there|where|that|which|who|whose|what|this|these|those|it|its|they|them|he|she|we|you|i|is|are|was|were|be|been|being|has|have|had|do|does|did|can|could|should|must|may|might|will|would|shall|both|either|neither|each|every|all|any|some|none|another|other|same|and|or|nor|see|sees|seeing|find|finds|locate|locates|notice|notices|observe|observes|spot|spots|say|says|saying|read|reads|show|shows|showing|display|displays|contain|contains|state|states|called|named|labelled|labeled|titled|marked|with|using|use|get|gets|receive|receives|keep|keeps|let|lets|make|makes|need|needs|want|wants|try|tries|equals|becomes|remains|stays|appears|disappears|rename|move|delete|remove|create|bring|reveal|trigger|view|list|print|download|share|send|sends|inspect|review|test|tests|examine|consider|ignore|skip|avoid|prefer|follow|archive|publish|approve|reject|restore|duplicate|copy|cut|filter|sort|group|expand|collapse|play|stop|start|open|close|back|forward|up|down|to|of)$/;

/** Whether words can be what a field is called: neither a place nor a deed, nor who does it. */
const isCalled = (name: readonly Token[]): boolean => {
  if (name.some(isQuoted) || isFieldName(name.map(word).join(" "))) return true;
  const [first] = name;
  const last = name.at(-1);
  if (NO_LABEL.test(word(first)) || NO_LABEL.test(word(last))) return false;
  // `Maria opens`: who does it, and what is done.
  return !name.some((token, at) => at > 0 && TOLD.has(word(token)) && !isQuoted(token));
};

/** `drop-down list "Floor"` */
const kindBefore = (name: readonly Token[]): string | null =>
  findKind(name.slice(0, -1).map(word).join(" "));

/** `comment "Good" in Feedback`: what kind of text goes where. */
const intoField = (tokens: readonly Token[], source: string): readonly string[] | null => {
  const [noun, text, joint, ...name] = tokens;
  const isText = noun?.kind === "word" && baseOf(noun.lower) === null && text?.kind === "quoted";
  if (!isText || !/^(?:in|into)$/.test(word(joint)) || name.length === 0 || name.length > 3)
    return null;
  return [`type ${written([text], source)} ${written(tokens.slice(2), source)}`];
};

const asGerund = (tokens: readonly Token[], _: Place, source: string): readonly string[] | null => {
  const asked = GERUNDS.has(word(tokens[0])) && tokens.length > 1 ? asAsked(tokens, source) : null;
  return asked === null ? null : [asked];
};

const STATE =
  /^(?:gone|visible|shown|displayed|hidden|enabled|disabled|ticked|unticked|checked|unchecked)$/;

const SAYING = /^(?:holds|has|shows|contains|reads|says|displays|equals|includes)$/;

/** `row gone`, `select it`, `it gets ticked`: what was named just before. */
const ofLast = (
  tokens: readonly Token[],
  { last }: Place,
  source: string,
): readonly string[] | null => {
  if (!last?.target) return null;
  // `"Organisation" is disabled and holds "A"`
  const isSame =
    last.action.startsWith("assert_") && SAYING.test(word(tokens[0])) && tokens.length > 1;
  if (isSame) return [`${quoteLiteral(last.target)} ${written(tokens, source)}`];
  const { find } = parseTarget(last.target);
  const target = find.by === "kind" ? `the ${last.target}` : quoteLiteral(last.target);
  const [first, second] = tokens;
  const kind = tokens.length === 2 && STATE.test(word(second)) ? findKind(word(first)) : null;
  if (kind !== null && find.by === "kind" && find.kind === kind)
    return [`${target} should be ${word(second)}`];
  const isPicked =
    tokens.length === 2 &&
    word(second) === "it" &&
    /^(?:select|choose|pick|open)$/.test(baseOf(word(first)) ?? "");
  if (isPicked && /^assert_/.test(last.action)) return [`click ${target}`];
  const isGiven =
    tokens.length === 3 && word(first) === "it" && /^(?:gets|receives)$/.test(word(second));
  const text = tokens[2];
  if (isGiven && text?.kind === "quoted" && find.by === "kind" && find.kind === "field")
    return [`fill ${target} with ${written([text], source)}`];
  const gets = tokens.findIndex((token) => /^(?:is|gets|becomes|must|should)$/.test(word(token)));
  const isIt = word(first) === "it";
  const state = word(tokens.at(-1));
  // `Tick "A" and it becomes enabled`: not what was ticked, but what was spoken of before.
  if (/^(?:un)?check$/.test(last.action) && /^(?:en|dis)abled$/.test(state)) return null;
  if (isIt && gets === 1 && STATE.test(state) && tokens.length === 3)
    return [`${target} should be ${state}`];
  return null;
};
