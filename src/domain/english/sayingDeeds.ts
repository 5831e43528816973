import { findKind } from "../catalogue/kinds.ts";
import { baseOf } from "./inflections.ts";
import { word } from "./phrases.ts";
import { isHolder, placedThingAt, targetOf } from "./places.ts";
import { isMark, type Saying, written } from "./sayingParts.ts";
import { quote, type Token } from "./words.ts";

/** `Take a screenshot and call it summary`: what a picture is called. */
export const pictureCalled: Saying = (tokens, at, source) => {
  const verb = word(tokens[at - 1]);
  if (!/^(?:call|name|label|title)$/.test(verb) || at < 4) return null;
  let end = at - 1;
  while (
    /^(?:and|then|,)$/.test(tokens[end - 1]?.lower ?? "") &&
    tokens[end - 1]?.kind !== "quoted"
  )
    end--;
  const before = tokens.slice(0, end);
  const rest = tokens.slice(word(tokens[at + 1]) === "as" ? at + 2 : at + 1);
  const isPicture = before.some((token) => /^(?:screenshot|snapshot)$/.test(word(token)));
  if (!isPicture || rest.length !== 1 || end === at - 1) return null;
  return [`${written(before, source)} called ${quote(rest[0]?.text ?? "")}`];
};

const LISTED = /^(?:click|clicks|tap|taps|press|tick|ticks|check|untick|uncheck|hover|hit|open)$/;
const MAX_TITLE = 3;

/** A name that begins with a capital, with nothing but words in it and no kind at its end; null for anything else. */
const titleOf = (tokens: readonly Token[]): string | null => {
  const isTitle =
    tokens.length > 0 &&
    tokens.length <= MAX_TITLE &&
    /^\p{Lu}/u.test(tokens[0]?.text ?? "") &&
    tokens.every(({ kind, text }) => kind === "word" && /^[\p{L}\d&'’-]+$/u.test(text)) &&
    findKind(word(tokens.at(-1))) === null;
  return isTitle ? tokens.map(({ text }) => text).join(" ") : null;
};

/** `Tap on Next, Next and Finish`: names that a comma divides are several, and each of them is meant. */
export const eachTitle: Saying = (tokens, at) => {
  if (at > 2 || !tokens.some((token) => isMark(token, ","))) return null;
  if (!LISTED.test(word(tokens[at]))) return null;
  const isOn = /^(?:on|over)$/.test(word(tokens[at + 1]));
  const from = isOn ? at + 2 : at + 1;
  const parts: Token[][] = [[]];
  let commas = 0;
  for (const token of tokens.slice(from)) {
    const isComma = isMark(token, ",");
    if (isComma) commas++;
    if (!isComma && word(token) !== "and") parts.at(-1)?.push(token);
    // `A, and B`
    else if (parts.at(-1)?.length) parts.push([]);
  }
  const names = parts.map(titleOf);
  if (commas === 0 || names.length < 3 || names.some((name) => name === null)) return null;
  const verb = baseOf(word(tokens[at])) ?? word(tokens[at]);
  return names.map(
    (name) => `${verb}${isOn ? ` ${word(tokens[at + 1])}` : ""} ${quote(name ?? "")}`,
  );
};

/** `Close the "Welcome" popup by clicking the X`: the cross of what is closed. */
export const closedByCross: Saying = (tokens, at) => {
  const [verb] = tokens;
  const thing = placedThingAt(tokens, 1);
  if (!/^(?:close|dismiss|hide)$/.test(word(verb)) || !thing || thing.to !== at) return null;
  const said = tokens
    .slice(at)
    .map(({ text }) => text)
    .join(" ");
  const isCross =
    /^(?:by (?:clicking|pressing|tapping)|with|using)(?: on)? (?:the|its) (?:X|x|×)$/.test(said);
  const holder = isHolder(thing.kind) && thing.name !== null ? targetOf(thing) : null;
  return isCross && holder !== null ? [`click "X" in the ${holder}`] : null;
};

/** `Choose "Home delivery" using its radio button`: the radio button of what is chosen. */
export const byItsRadio: Saying = (tokens, at) => {
  const name = tokens[1];
  const said = tokens
    .slice(at)
    .map(({ lower }) => lower)
    .join(" ");
  const isChosen = /^(?:choose|select|pick|vote|tick)$/.test(word(tokens[0]));
  const kind =
    /^(?:using|with|via|by (?:clicking|selecting|choosing|ticking|checking)) (?:its|the) (radio button|radio|checkbox)$/.exec(
      said,
    )?.[1];
  return isChosen && kind !== undefined && at === 2 && name?.kind === "quoted"
    ? [`${kind === "checkbox" ? "tick" : "choose"} the ${quote(name.text)} ${kind}`]
    : null;
};

/** `check that the "Name" field's maxlength is 40`: an attribute of what is named. */
export const attributeOfIts: Saying = (tokens, at, source) => {
  const owner = tokens[at - 1];
  const kind = owner?.kind === "word" ? /^(.+)['’]s$/.exec(owner.lower)?.[1] : undefined;
  if (!owner || kind === undefined || findKind(kind) === null) return null;
  const start = /^(?:verify|check|ensure|confirm|assert)$/.test(word(tokens[0])) ? 1 : 0;
  const from = start > 0 && /^(?:that|if)$/.test(word(tokens[start])) ? start + 1 : start;
  const verb = word(tokens[at + 1]);
  if (at - 1 <= from || !/^(?:is|should|equals|must)$/.test(verb) || at + 2 >= tokens.length)
    return null;
  if (tokens.slice(from, at).some((token) => isMark(token, ",;:"))) return null;
  const thing = source.slice(tokens[from]?.start, owner.end - 2);
  return [`the ${word(tokens[at])} attribute of ${thing} ${written(tokens.slice(at + 1), source)}`];
};

/** `Enter patient number 88-1204`: what is called by a number, and the number. */
export const numberSaid: Saying = (tokens, at) => {
  const value = tokens.at(-1);
  if (at !== 0 || tokens.length < 3 || tokens.length > 5 || value?.kind !== "word") return null;
  const name = tokens.slice(1, -1);
  const isName = name.every(({ kind, text }) => kind === "word" && /^[a-z][a-z-]+$/.test(text));
  const isNumber = /^(?:number|code|id|amount|quantity|price|date|pin)$/.test(word(name.at(-1)));
  const isFigure = /^[\p{L}\d][\p{L}\d./-]*$/u.test(value.text) && /\d/.test(value.text);
  if (!isName || !isNumber || !isFigure || name.length < 2) return null;
  if (/^(?:the|a|an|your|my|any|valid|invalid|wrong|correct|same|new|another)$/.test(word(name[0])))
    return null;
  return [`fill ${quote(name.map(({ text }) => text).join(" "))} with ${quote(value.text)}`];
};
