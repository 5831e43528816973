import type { KindName } from "../../catalogue/kinds.ts";
import { findKind } from "../../catalogue/kinds.ts";
import { parseTarget, type Target } from "../../catalogue/target.ts";
import { elementsSlot } from "../engine/elementLists.ts";
import { elementSlot, type NameWords, reading } from "../engine/slots.ts";
import { bounded, type SlotReader, type SlotReading } from "../engine/types.ts";
import type { TextWords } from "../engine/values.ts";
import { classes, numbers } from "../lexicon/classes.ts";
import * as names from "../lexicon/names.ts";
import type { Token } from "../words.ts";

export const articles = new Set(["the", "a", "an"]);
export const ands = new Set(["and", "&", "plus"]);
const purposes = new Set((classes.purpose ?? "").split(", "));
export const nameWords: NameWords = {
  articles,
  purposes,
  unfinished: names.unfinished,
  leading: names.leading,
  never: names.never,
  trailing: names.trailing,
  describing: names.describing,
  nothing: names.nothing,
  pronouns: names.pronouns,
  possessives: names.possessives,
  linkVerbs: names.linkVerbs,
};
export const textWords: TextWords = {
  articles,
  numbers,
  vague: names.vagueText,
  trouble: names.textTrouble,
  describing: names.textDescribing,
};

const is = (...some: readonly KindName[]) => new Set<KindName | null>(some);
export const TICKED = is("checkbox", "radio", "switch", "box");
/** `from the menu`: an open menu without a name narrows nothing down. */
const isUnnamedMenu = (within: Target | null): boolean =>
  within?.find.by === "kind" && within.find.kind === "menu" && within.find.name === null;
export const CHOSEN_FROM = is("dropdown", "list", "field", "box");
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
export const SUGGESTED = /suggest|autocomplete|result|typeahead/i;
export const COUNTED = "They can be counted if their kind or name is said.";

const anyElement = elementSlot(nameWords, () => true);
const menuElement = elementSlot(nameWords, (_, { within }) => !isUnnamedMenu(within));
export const element: SlotReader = (tokens, from, to, source) => {
  const found = tokens.slice(from, to).some(({ text }) => text === "from")
    ? menuElement(tokens, from, to, source)
    : anyElement(tokens, from, to, source);
  return found && !isLiteral(tokens, from, to) && POSITION.test(String(found.text))
    ? { ...found, doubt: "It is not clear which element is meant." }
    : found;
};
const POSITION = /^(?:the )?(?:positions?|coordinates?|point) [(\d]/i;
/** Whether a target stands in backquotes, and is taken as it is. */
export const isLiteral = (tokens: readonly Token[], from: number, to: number): boolean =>
  to === from + 1 && tokens[from]?.kind === "literal";
const PROMPT = /^(?:the )?(?:browser )?prompt(?: dialog)?$/i;
const plainField = elementSlot(nameWords, (kind, { find }) => {
  if (find.by === "name" && /^[\d/.:,-]+$/.test(find.name)) return false;
  if (find.by === "name" && PROMPT.test(find.name)) return "Say that the prompt is answered.";
  if (find.by === "name" && / from /.test(find.name)) return "Say only what it is to be.";
  return kind === "dropdown" || !NOT_FILLED.has(kind);
});
export const field: SlotReader = (tokens, from, to, source) =>
  (isLiteral(tokens, from, to) ? element : plainField)(tokens, from, to, source);
export const clearable = elementSlot(nameWords, (_, { find }) =>
  find.by === "name" && /^[a-z]+ed$/.test(find.name)
    ? "It is not clear what is cleared: name the field."
    : true,
);
const plainChooser = elementSlot(nameWords, (kind, { find }) =>
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
export const chooser: SlotReader = (tokens, from, to, source) =>
  (isLiteral(tokens, from, to) ? element : plainChooser)(tokens, from, to, source);
const strictless = elementSlot(nameWords, (kind) => kind === null || !NOT_FILLED.has(kind));
/** `user ID`, `the Email address`: the name of a field without quotes, before its text. */
export const bareField = bounded(4, (tokens, from, to, source) => {
  const span = tokens.slice(from, to);
  const last = span.at(-1);
  if (to - from > 4 || span.some(({ kind }) => kind !== "word") || !last) return null;
  if (
    names.textNouns.has(last.lower) ||
    span.some(({ lower }, at) => names.textTrouble.has(lower) || (at > 0 && articles.has(lower)))
  )
    return null;
  return strictless(tokens, from, to, source);
});
/** `username`, `Postal code`: a name that only a field has. */
export const knownField = bounded(4, bareField, ({ lower }) => names.fieldNouns.has(lower));
export const strictChooser = elementSlot(nameWords, (kind, { find }) => {
  if (kind !== "dropdown" && kind !== "list") return false;
  const name = find.by === "kind" ? (find.name ?? "") : "";
  return SUGGESTED.test(name)
    ? "It is not clear whether it is a list to choose from: click the entry instead."
    : true;
});
const tickableOne = elementSlot(nameWords, (kind, target) =>
  TICKED.has(kind) || kind === "option" || (kind === null && target.find.by !== "kind")
    ? true
    : "It is not clear which box is ticked.",
);
export const tickable: SlotReader = (tokens, from, to, source) =>
  (isLiteral(tokens, from, to) ? element : tickableOne)(tokens, from, to, source);
export const boxOnly = elementSlot(nameWords, (kind) => TICKED.has(kind) && kind !== "box");
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
/** `"Delete" from the "Milk" row`: what is chosen in a row is not said. */
const isFromRow = (text: SlotReading["text"]): boolean => {
  const place = parseTarget(String(text)).within?.find;
  return place?.by === "kind" && /^(?:row|section|table)$/.test(place.kind);
};
const choosable: SlotReader = (tokens, from, to, source) => {
  const found = choosableOne(tokens, from, to, source);
  if (
    found &&
    tokens.slice(from, to).some(({ text }) => text === "from") &&
    (!menuElement(tokens, from, to, source) || isFromRow(found.text))
  )
    return null;
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
export const PARTS = is(
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
export const thing: SlotReader = (tokens, from, to, source) => {
  if (isLiteral(tokens, from, to)) return element(tokens, from, to, source);
  if (to === from + 1 && names.pronouns.has(tokens[from]?.lower ?? "")) return null;
  if (tokens[from]?.lower === "wait") return null;
  const found = element(tokens, from, to, source);
  const span = tokens.slice(from, to);
  if (span.length > 1 && (/^\d+$/.test(span[0]?.text ?? "") || numbers.has(span[0]?.text ?? "")))
    return null;
  if (span.some(({ kind, text }) => kind === "word" && /^(?:displayed|shown)$/.test(text)))
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
export const waitedFor: SlotReader = (tokens, from, to, source) => {
  const found = thing(tokens, from, to, source);
  if (!found || isLiteral(tokens, from, to) || !/^\d/.test(tokens[from]?.text ?? "")) return found;
  return reading(found.text, "It is not clear what is waited for.");
};
/** The place of a drop: numbers and positions name no element. */
export const dropPlace = elementSlot(nameWords, (kind, { find }) => {
  if (kind === "slider") return "It is not clear where on it.";
  return find.by === "name" && /^(?:position )?\d[\d,.; x]*$/i.test(find.name)
    ? "It is not clear which element is meant."
    : true;
});
export const control = elementSlot(
  nameWords,
  (kind, { find }) =>
    kind === "button" ||
    kind === "icon" ||
    kind === "link" ||
    (kind === null && find.by === "name" && find.name.length < 3),
);
export const possessive = bounded(
  24,
  (tokens, from, to, source) => {
    const last = tokens[to - 1];
    if (last?.kind !== "word" || !last.lower.endsWith("'s")) return null;
    const bare = {
      ...last,
      text: last.text.slice(0, -2),
      lower: last.lower.slice(0, -2),
      end: last.end - 2,
    };
    return element([...tokens.slice(0, to - 1), bare], from, to, source);
  },
  ({ lower }) => lower.endsWith("'s"),
);
export const cancel = bounded(1, (tokens, from, to) => {
  const token = tokens[from];
  return to === from + 1 && token?.kind === "quoted" && /^(?:cancel|no|dismiss)$/i.test(token.text)
    ? reading(token.text)
    : null;
});

const chosenList = elementsSlot(nameWords, choosable, ands);
const kindOfText = (text: string): string => {
  const { find } = parseTarget(text);
  return find.by === "kind" ? find.kind : find.by;
};
/** What is chosen: the elements of a list are of one kind. */
export const choosableList: SlotReader = (tokens, from, to, source) => {
  const found = chosenList(tokens, from, to, source);
  if (!found || typeof found.text === "string") return found;
  const placed = found.text.filter((text) => parseTarget(text).within !== null);
  return new Set(found.text.map(kindOfText)).size > 1 || placed.length % found.text.length > 0
    ? { ...found, doubt: "It is not clear what is chosen and what is clicked." }
    : found;
};

/** `the manager approves the request`: what an action is done for, in plain words before `by`. */
export const deed = bounded(6, (tokens, from, to) => {
  const span = tokens.slice(from, to);
  const isPlain = span.every(
    ({ kind, text, lower }, at) =>
      kind === "word" &&
      (at === 0 || text === lower) &&
      /^[a-z-]+$/.test(lower) &&
      !names.deedEnds.has(lower) &&
      findKind(lower) === null,
  );
  return isPlain && span.length < 7 ? reading("deed", null, 0.3) : null;
});
/** `error message`, `success message`: one message of a page, by its words. */
export const messageName = bounded(3, (tokens, from, to, source) => {
  const start = articles.has(tokens[from]?.lower ?? "") ? from + 1 : from;
  const isMessage =
    to === start + 2 &&
    names.messageKinds.has(tokens[start]?.lower ?? "") &&
    /^(?:message|notification|alert|banner|toast)$/.test(tokens[to - 1]?.lower ?? "");
  return isMessage ? reading(source.slice(tokens[start]?.start, tokens[to - 1]?.end)) : null;
});
