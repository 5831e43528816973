import type { KindName } from "../../catalogue/kinds.ts";
import { findKind, kinds } from "../../catalogue/kinds.ts";
import type { Target } from "../../catalogue/target.ts";
import type { LanguageData } from "../engine/grammar.ts";
import { elementSlot, elementsSlot, type NameWords, placeSlot, reading } from "../engine/slots.ts";
import type { SlotReader } from "../engine/types.ts";
import {
  addressSlot,
  attributeSlot,
  characterSlot,
  durationSlot,
  fileNameSlot,
  fileSlot,
  htmlAttributeSlot,
  keySlot,
  numberSlot,
  pixelsSlot,
  quotedListSlot,
  quotedSlot,
  sizeSlot,
  type TextWords,
  textSlot,
  timesSlot,
  urlSlot,
  wordSlot,
} from "../engine/values.ts";
import { auxiliaries, classes, numbers } from "../lexicon/classes.ts";
import { misspellings } from "../lexicon/misspellings.ts";
import * as names from "../lexicon/names.ts";
import { inflect, verbs } from "../lexicon/verbs.ts";
import { claims, claimVerbs, effects, predicates, states } from "../rules/claims.ts";
import { clauses, seeings } from "../rules/clauses.ts";
import { commands } from "../rules/commands.ts";

const articles = new Set(["the", "a", "an"]);
const ands = new Set(["and", "&", "plus"]);
const purposes = new Set((classes.purpose ?? "").split(", "));
const nameWords: NameWords = { articles, purposes, ...names };
const textWords: TextWords = {
  articles,
  numbers,
  vague: names.vagueText,
  trouble: names.textTrouble,
  describing: names.textDescribing,
};

const is = (...some: readonly KindName[]) => new Set<KindName | null>(some);
const TICKED = is("checkbox", "radio", "switch", "box");
/** `from the menu`: an open menu without a name narrows nothing down. */
const isUnnamedMenu = (within: Target | null): boolean =>
  within?.find.by === "kind" && within.find.kind === "menu" && within.find.name === null;
const CHOSEN_FROM = is("dropdown", "list", "field", "box");
const NOT_FILLED = is(
  "button",
  "link",
  "checkbox",
  "radio",
  "switch",
  "heading",
  "image",
  "menu",
  "tab",
  "row",
  "table",
  "dialog",
  "section",
  "form",
  "footer",
  "navigation",
  "dropdown",
  "menuitem",
  "toolbar",
  "frame",
  "banner",
);
const SUGGESTED = /suggest|autocomplete|result|typeahead/i;
const COUNTED = "They can be counted if their kind or name is said.";

const anyElement = elementSlot(nameWords, () => true);
const menuElement = elementSlot(nameWords, (_, { within }) => !isUnnamedMenu(within));
const element: SlotReader = (tokens, from, to, source) =>
  tokens.slice(from, to).some(({ text }) => text === "from")
    ? menuElement(tokens, from, to, source)
    : anyElement(tokens, from, to, source);
const PROMPT = /^(?:the )?(?:browser )?prompt(?: dialog)?$/i;
const field = elementSlot(nameWords, (kind, { find }) => {
  if (find.by === "name" && PROMPT.test(find.name)) return "Say that the prompt is answered.";
  return kind === "dropdown" || !NOT_FILLED.has(kind);
});
const chooser = elementSlot(nameWords, (kind, { find }) =>
  (find.by === "name" || find.by === "kind") && SUGGESTED.test(find.name ?? "")
    ? "It is not clear whether it is a list to choose from: click the entry instead."
    : kind === "menu" && find.by === "kind" && find.name === null
      ? false
      : kind === null || CHOSEN_FROM.has(kind) || kind === "menu"
        ? true
        : kind === "row" || kind === "section" || kind === "table"
          ? "It is not clear which dropdown is meant."
          : false,
);
const strictChooser = elementSlot(nameWords, (kind, { find }) => {
  if (kind !== "dropdown" && kind !== "list") return false;
  const name = find.by === "kind" ? (find.name ?? "") : "";
  return SUGGESTED.test(name)
    ? "It is not clear whether it is a list to choose from: click the entry instead."
    : true;
});
const tickable = elementSlot(nameWords, (kind, target) =>
  TICKED.has(kind) || kind === "option" || (kind === null && target.find.by !== "kind")
    ? true
    : "It is not clear which box is ticked.",
);
const boxOnly = elementSlot(nameWords, (kind) => TICKED.has(kind) && kind !== "box");
const choosableOne = elementSlot(nameWords, (kind, target) => {
  if (TICKED.has(kind) && kind !== "box") return false;
  if (kind === "dropdown" || kind === "field" || kind === "list") {
    return "It is not clear what is chosen from it.";
  }
  const isSome =
    kind === "option" &&
    target.find.by === "kind" &&
    (target.find.name === null || target.ordinal !== null);
  if (SUGGESTED.test(target.within?.find.by === "kind" ? (target.within.find.name ?? "") : "")) {
    return "It is not clear whether it is a list to choose from: click the entry instead.";
  }
  if (isSome) return "It is not clear which option is meant: name it in quotes.";
  const isMixed = target.find.by === "name" && /^[a-z]+ [A-Z]/.test(target.find.name);
  if (isMixed) return "It is not clear what is chosen from: name it in quotes.";
  const isVague = target.find.by === "name" && /^(?:a|an|any|one|some) /i.test(target.find.name);
  return isVague ? "It is not clear what is chosen from: name it in quotes." : true;
});
const choosable: SlotReader = (tokens, from, to, source) => {
  const found = choosableOne(tokens, from, to, source);
  const isAny =
    /^an?$/.test(tokens[from]?.lower ?? "") &&
    !tokens.slice(from, to).some(({ kind }) => kind === "quoted");
  const isSmall = tokens
    .slice(from, to)
    .every(({ kind, text }) => kind === "word" && /^[a-z]+$/.test(text));
  const hasKind = findKind(tokens[to - 1]?.lower ?? "") !== null;
  const span = tokens.slice(from, to);
  const isRelated =
    span.every(({ kind }) => kind === "word") &&
    span.slice(1).some(({ text }) => /^(?:as|for|from|using|via)$/.test(text));
  if (found && isRelated) return { ...found, doubt: found.doubt ?? "Put the name in quotes." };
  if (found && isSmall && !hasKind)
    return { ...found, doubt: found.doubt ?? "Put the name in quotes." };
  return found && isAny
    ? { ...found, doubt: found.doubt ?? "It is not clear which one is chosen." }
    : found;
};
const PARTS = is(
  "tab",
  "menu",
  "menuitem",
  "link",
  "dropdown",
  "section",
  "dialog",
  "icon",
  "button",
  "listitem",
  "row",
  "table",
  "list",
  "cell",
  "image",
);
const TITLES = new Set(["title", "url", "page title", "browser title", "page url"]);
/** The subject of a claim: names without quotes are short, and hold no verb. */
const thing: SlotReader = (tokens, from, to, source) => {
  const found = element(tokens, from, to, source);
  const span = tokens.slice(from, to);
  if (span.length > 1 && (/^\d+$/.test(span[0]?.text ?? "") || numbers.has(span[0]?.text ?? "")))
    return null;
  if (!found || span.some(({ kind }) => kind !== "word")) {
    return found && /^\/[\w/-]*$/.test(String(found.text)) ? null : found;
  }
  const counted = span[articles.has(span[0]?.lower ?? "") ? 1 : 0];
  if (span.length > 1 && (/^\d+$/.test(counted?.text ?? "") || numbers.has(counted?.lower ?? "")))
    return null;
  if (/^(?:the )?results?$/i.test(String(found.text))) return null;
  if (TITLES.has(String(found.text).toLowerCase())) return null;
  const isVerb = span.some(({ text }) => names.neverSubject.has(text));
  if (isVerb) return null;
  const isLong = span.length > 5;
  return isLong ? reading(found.text, "A name this long needs quotes around it.") : found;
};
const waitedFor: SlotReader = (tokens, from, to, source) => {
  const found = thing(tokens, from, to, source);
  if (!found || !/^\d/.test(tokens[from]?.text ?? "")) return found;
  return reading(found.text, "It is not clear what is waited for.");
};
/** The place of a drop: numbers and positions name no element. */
const dropPlace = elementSlot(nameWords, (kind, { find }) => {
  if (kind === "slider") return "It is not clear where on it.";
  return find.by === "name" && /^(?:position )?\d+$/i.test(find.name)
    ? "It is not clear which element is meant."
    : true;
});
const control = elementSlot(
  nameWords,
  (kind, { find }) =>
    kind === "button" ||
    kind === "icon" ||
    kind === "link" ||
    (kind === null && find.by === "name" && find.name.length < 3),
);
const possessive: SlotReader = (tokens, from, to, source) => {
  const last = tokens[to - 1];
  if (last?.kind !== "word" || !last.lower.endsWith("'s")) return null;
  const bare = {
    ...last,
    text: last.text.slice(0, -2),
    lower: last.lower.slice(0, -2),
    end: last.end - 2,
  };
  return element([...tokens.slice(0, to - 1), bare], from, to, source);
};
const cancel: SlotReader = (tokens, from, to) => {
  const token = tokens[from];
  return to === from + 1 && token?.kind === "quoted" && /^(?:cancel|no|dismiss)$/i.test(token.text)
    ? reading(token.text)
    : null;
};

const part = elementSlot(nameWords, (kind) => kind !== null && PARTS.has(kind));
const tabElement = elementSlot(
  nameWords,
  (kind, { find }) =>
    kind === "tab" &&
    find.by === "kind" &&
    find.name !== null &&
    !/^(?:browser|new|previous|other|first|second|last|\d)/i.test(find.name),
);
/** `the "Reviews" tab`, a tab of the page; \`tab "Invoice 88"\` is one of the browser. */
const tabPart: SlotReader = (tokens, from, to, source) =>
  tokens[to - 1]?.lower === "tab" ? tabElement(tokens, from, to, source) : null;
const frame = elementSlot(nameWords, (kind) => kind === "frame");
const holder = elementSlot(
  nameWords,
  (kind) => kind !== null && !kinds[kind].container && kind !== "columnheader",
);
const counted = elementSlot(nameWords, (kind, { find }) =>
  kind !== null || find.by === "selector" || find.by === "testId" ? true : COUNTED,
);

/** A field name before a colon: `Email: "a@b.c"`. */
const fieldName: SlotReader = (tokens, from, to, source) => {
  const span = tokens.slice(from, to);
  const isName =
    span.length < 4 &&
    !span.some(({ lower }) => findKind(lower) === "text" || lower === "your") &&
    (span[0]?.kind === "quoted" || /^\p{L}/u.test(span[0]?.text ?? ""));
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
  const isMarked = /^\p{Lu}/u.test(span[0]?.text ?? "") || articles.has(span[0]?.lower ?? "");
  return hasKind && isMarked
    ? found
    : reading(
        found.text,
        `It is not clear whether "${String(found.text)}" is a name: put it in quotes.`,
      );
};

const NTH = "first second third fourth fifth sixth seventh eighth ninth tenth".split(" ");
const nth: SlotReader = (tokens, from, to) => {
  const word = tokens[from]?.lower ?? "";
  const at = NTH.indexOf(word) + 1 || Number(/^(\d+)(?:st|nd|rd|th)$/.exec(word)?.[1] ?? 0);
  return to === from + 1 && at > 0 ? reading(String(at)) : null;
};

const ARROWS = new Set([">", "→", "»", "›"]);
/** A path through menus: `Settings > Users`. */
const path: SlotReader = (tokens, from, to, source) => {
  const one = tokens[from];
  if (to === from + 1 && one?.kind === "quoted" && source.startsWith("**", one.start)) {
    const parts = one.text.split(/ (?:>|→|->) /);
    return parts.length > 1 ? reading(parts) : null;
  }
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
  const isCapital =
    first?.kind === "word" && /^(?:\p{Lu}|\d+(?!\d*(?:st|nd|rd|th)$))/u.test(first.text);
  const isShort = tokens.slice(from, to).every(({ lower }) => !names.textTrouble.has(lower));
  return isCapital && isShort && to - from < 6 ? reading(found.text, null, 0.3) : found;
};

/** A name of a test: quoted, or in backquotes. */
const test: SlotReader = (tokens, from, to) => {
  const token = tokens[from];
  return to === from + 1 && (token?.kind === "quoted" || token?.kind === "literal")
    ? reading(token.text)
    : null;
};

/** English: the words, rows and slots of the grammar. */
export const english: LanguageData = {
  verbs,
  inflect,
  classes,
  auxiliaries,
  misspellings,
  rules: [
    ...clauses,
    ...seeings,
    ...commands,
    ...claims,
    ...predicates,
    ...states,
    ...claimVerbs,
    ...effects,
  ],
  slots: {
    url: urlSlot,
    address: addressSlot,
    element,
    things: elementsSlot(nameWords, thing, ands),
    waited: elementsSlot(nameWords, waitedFor, ands),
    dropPlace,
    control,
    possessive,
    cancel,
    tickable,
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
    place: (tokens, from, to, source) => {
      const found = placeSlot(nameWords)(tokens, from, to, source);
      return found && SUGGESTED.test(String(found.text)) ? null : found;
    },
    fileName: fileNameSlot,
    device: (tokens, from, to, source) => {
      const found = sizeSlot(tokens, from, to, source);
      return found && /^\D/.test(String(found.text)) ? found : null;
    },
    kinded: elementSlot(nameWords, (kind) => kind !== null),
    confirm: (tokens, from, to) =>
      to === from + 1 && tokens[from]?.kind === "quoted" && /^ok$/i.test(tokens[from]?.text ?? "")
        ? reading("ok")
        : null,
    path,
    nth,
    text: option,
    option: optionText,
    expected: textSlot(textWords, true),
    quoted: quotedSlot,
    quotedList: (tokens, from, to, source) =>
      quotedListSlot(ands)(tokens, from, to, source) ?? quotedSlot(tokens, from, to, source),
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
    htmlAttribute: htmlAttributeSlot,
    pixels: pixelsSlot,
    named: (tokens, from, to, source) =>
      tokens.slice(from, to).some(({ kind }) => kind === "quoted")
        ? elementsSlot(nameWords, thing, ands)(tokens, from, to, source)
        : null,
    quotedOnly: (tokens, from, to) =>
      to === from + 1 && tokens[from]?.kind === "quoted" ? reading(tokens[from]?.text ?? "") : null,
    character: characterSlot,
    webUrl: (tokens, from, to, source) =>
      /^(?:\/\w|https?:)/.test(tokens[from]?.text ?? "") ? urlSlot(tokens, from, to, source) : null,
    test,
  },
};
