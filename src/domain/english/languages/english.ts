import type { KindName } from "../../catalogue/kinds.ts";
import { kinds } from "../../catalogue/kinds.ts";
import type { LanguageData } from "../engine/grammar.ts";
import { elementSlot, elementsSlot, type NameWords, placeSlot, reading } from "../engine/slots.ts";
import type { SlotReader } from "../engine/types.ts";
import {
  addressSlot,
  attributeSlot,
  durationSlot,
  fileSlot,
  keySlot,
  numberSlot,
  quotedListSlot,
  quotedSlot,
  sizeSlot,
  textSlot,
  type TextWords,
  timesSlot,
  urlSlot,
  wordSlot,
} from "../engine/values.ts";
import { auxiliaries, classes, numbers } from "../lexicon/classes.ts";
import * as names from "../lexicon/names.ts";
import { inflect, verbs } from "../lexicon/verbs.ts";
import { claims, claimVerbs, effects, predicates, states } from "../rules/claims.ts";
import { clauses, seeings } from "../rules/clauses.ts";
import { commands } from "../rules/commands.ts";

const articles = new Set(["the", "a", "an"]);
const ands = new Set(["and", "&", "plus", "as"]);
const nameWords: NameWords = { articles, ...names };
const textWords: TextWords = {
  articles,
  numbers,
  vague: names.vagueText,
  trouble: names.textTrouble,
  describing: names.textDescribing,
};

const is = (...some: readonly KindName[]) => new Set<KindName | null>(some);
const TICKED = is("checkbox", "radio", "switch", "box");
const CHOSEN_FROM = is("dropdown", "list", "field", "box");
const NOT_FILLED = is(
  "button", "link", "checkbox", "radio", "switch", "heading", "image", "menu", "tab", "row", "table", "dialog", "section", "form", "footer", "navigation", "dropdown", "menuitem", "toolbar", "frame", "banner",
);
const COUNTED = "They can be counted if their kind or name is said.";

const element = elementSlot(nameWords, () => true);
const field = elementSlot(nameWords, (kind) => (kind === "dropdown" || !NOT_FILLED.has(kind)));
const chooser = elementSlot(nameWords, (kind) =>
  kind === null || CHOSEN_FROM.has(kind) || kind === "menu"
    ? true
    : kind === "row" || kind === "section" || kind === "table"
      ? "It is not clear which dropdown is meant."
      : false,
);
const strictChooser = elementSlot(nameWords, (kind) => kind !== null && (kind === "dropdown" || kind === "list"));
const tickable = elementSlot(nameWords, (kind, target) =>
  TICKED.has(kind) || kind === "option" || (kind === null && target.find.by !== "kind")
    ? true
    : "It is not clear which box is ticked.",
);
const boxOnly = elementSlot(nameWords, (kind) => TICKED.has(kind) && kind !== "box");
const choosable = elementSlot(nameWords, (kind, target) => {
  if (TICKED.has(kind) && kind !== "box") return false;
  if (kind === "dropdown" || kind === "field" || kind === "list") {
    return "It is not clear what is chosen from it.";
  }
  const isVague = target.find.by === "name" && /^(?:a|an|any|one|some) /i.test(target.find.name);
  return isVague ? "It is not clear what is chosen from: name it in quotes." : true;
});
const PARTS = is("tab", "menu", "menuitem", "link", "dropdown", "section", "dialog", "icon", "button", "listitem", "row", "table", "list", "cell", "image");
const part = elementSlot(nameWords, (kind) => kind !== null && PARTS.has(kind));
const tabPart = elementSlot(nameWords, (kind, { find }) => kind === "tab" && find.by === "kind" && find.name !== null && !/^(?:browser|new|previous|other|first|second|last|\d)/i.test(find.name));
const frame = elementSlot(nameWords, (kind) => kind === "frame");
const holder = elementSlot(nameWords, (kind) => kind !== null && !kinds[kind].container && kind !== "columnheader");
const counted = elementSlot(nameWords, (kind, { find }) =>
  kind !== null || find.by === "selector" || find.by === "testId" ? true : COUNTED,
);

/** A field name before a colon: `Email: "a@b.c"`. */
const fieldName: SlotReader = (tokens, from, to, source) => {
  const span = tokens.slice(from, to);
  const isName = span.length < 4 && (span[0]?.kind === "quoted" || /^\p{L}/u.test(span[0]?.text ?? ""));
  return isName ? field(tokens, from, to, source) : null;
};

/** An element of an elliptical list: quoted, or with its kind. */
const listed: SlotReader = (tokens, from, to, source) => {
  const span = tokens.slice(from, to);
  const isQuoted = span.some(({ kind }) => kind !== "word");
  const found = element(tokens, from, to, source);
  if (!found || isQuoted) return found;
  const last = span.at(-1)?.lower ?? "";
  const hasKind = Object.values(kinds).some(({ words }) => words.includes(last));
  return hasKind ? found : reading(found.text, `It is not clear whether "${String(found.text)}" is a name: put it in quotes.`);
};

const NTH = "first second third fourth fifth sixth seventh eighth ninth tenth".split(" ");
const nth: SlotReader = (tokens, from, to) => {
  const word = tokens[from]?.lower ?? "";
  const at = NTH.indexOf(word) + 1 || Number(/^(\d+)(?:st|nd|rd|th)$/.exec(word)?.[1] ?? 0);
  return to === from + 1 && at > 0 ? reading(String(at)) : null;
};

const ARROWS = new Set([">", "→", "->", "»", "=>", "›", "/"]);
/** A path through menus: `Settings > Users`. */
const path: SlotReader = (tokens, from, to, source) => {
  const texts: string[] = [];
  let start = from;
  for (let at = from; at <= to; at++) {
    if (at < to && !ARROWS.has(tokens[at]?.text ?? "")) continue;
    const found = at > start ? element(tokens, start, at, source) : null;
    if (!found || found.doubt !== null || typeof found.text !== "string") return null;
    texts.push(found.text);
    start = at + 1;
  }
  return texts.length > 1 ? reading(texts) : null;
};

const option = textSlot(textWords);

/** The words of an option: several words are a name, unless an article says that any will do. */
const optionText: SlotReader = (tokens, from, to, source) => {
  const found = option(tokens, from, to, source);
  if (!found?.doubt) return found;
  const first = tokens[from];
  const isCapital = first?.kind === "word" && /^\p{Lu}|^\d/u.test(first.text);
  const isShort = tokens.slice(from, to).every(({ lower }) => !names.textTrouble.has(lower));
  return isCapital && isShort && to - from < 6 ? reading(found.text, null, 0.3) : found;
};

/** A name of a test: quoted, or in backquotes. */
const test: SlotReader = (tokens, from, to) => {
  const token = tokens[from];
  return to === from + 1 && (token?.kind === "quoted" || token?.kind === "literal") ? reading(token.text) : null;
};

/** English: the words, rows and slots of the grammar. */
export const english: LanguageData = {
  verbs,
  inflect,
  classes,
  auxiliaries,
  rules: [...clauses, ...seeings, ...commands, ...claims, ...predicates, ...states, ...claimVerbs, ...effects],
  slots: {
    url: urlSlot,
    address: addressSlot,
    element,
    elements: elementsSlot(nameWords, element, ands),
    listed,
    field,
    fieldName,
    chooser,
    optionField: elementSlot(nameWords, (kind) => kind === null || CHOSEN_FROM.has(kind)),
    strictChooser,
    tickables: elementsSlot(nameWords, tickable, ands),
    boxes: elementsSlot(nameWords, boxOnly, ands),
    boxOnly,
    choosable: elementsSlot(nameWords, choosable, ands),
    part,
    tabpart: tabPart,
    frame,
    holder,
    counted,
    place: placeSlot(nameWords),
    path,
    nth,
    text: option,
    option: optionText,
    expected: textSlot(textWords, true),
    quoted: quotedSlot,
    quotedList: (tokens, from, to, source) => quotedListSlot(ands)(tokens, from, to, source) ?? quotedSlot(tokens, from, to, source),
    key: keySlot(false),
    namedKey: keySlot(true),
    number: numberSlot(textWords),
    times: timesSlot(textWords),
    duration: durationSlot(textWords),
    file: fileSlot,
    size: sizeSlot,
    variable: wordSlot,
    name: wordSlot,
    attribute: attributeSlot,
    test,
  },
};
