import { parseKeyChord } from "../catalogue/values.ts";
import { ARTICLE, firm, type Slot, slot } from "./slotTypes.ts";
import type { Token } from "./words.ts";

/** Words after which a value without quotes may have ended. */
const VALUE_TROUBLE = new Set(
  "and then but or + w/ in into on within inside at next near from using by with to as if when".split(
    " ",
  ),
);

/** Words that speak of a text instead of saying it: "your name", "a valid password", "username". */
const VAGUE = new Set(
  [
    "the a an your my our his her their its this that these some any all every each no valid invalid",
    "correct incorrect wrong right random new another first second third last something anything",
    "nothing username password email e-mail credentials text value it them",
    "today's tomorrow's yesterday's today tomorrow yesterday user's",
  ]
    .join(" ")
    .split(" "),
);

/** `more than 255 characters`, `spaces only`: how a text is, and not the text. */
const DESCRIBED = /\b(?:characters?|chars|letters|digits|symbols|spaces|whitespace)\b| only$/i;

/** `Express (1-2 days)`: one pair of brackets at its end belongs to the text. */
const isBracketed = (raw: string): boolean =>
  /^[\p{L}\d][^()"]* \([^(),;:"]*\d[^(),;:"]*\)$/u.test(raw);

/** Reads a text that is typed or claimed; null when part of it is quoted. */
export const readValue = (tokens: readonly Token[], raw: string): Slot | null => {
  if (tokens.some(({ kind }) => kind === "quoted" || kind === "literal")) return null;
  if (
    tokens.some(({ kind }) => kind === "mark" && !isBracketed(raw)) ||
    /^(?:<.*>|\{.*\}|\[.*\])$/.test(raw)
  ) {
    return slot(raw, "It is not clear where the text starts and ends.", false);
  }
  const [first] = tokens;
  const isVague =
    first && VAGUE.has(first.lower) && (tokens.length > 1 || first.text === first.lower);
  if (isVague || (tokens.length > 1 && DESCRIBED.test(raw))) {
    return slot(
      raw,
      `Put the text that is meant in quotes: it is not clear what "${raw}" is.`,
      false,
    );
  }
  const trouble =
    tokens.length > 1 ? tokens.find(({ lower }) => VALUE_TROUBLE.has(lower)) : undefined;
  if (trouble)
    return slot(raw, `It is not clear whether "${trouble.text}" belongs to the text.`, false);
  return slot(raw, null, false);
};

const FILE_NAME =
  /\.(?:html?|xhtml|php\d?|aspx?|jspx?|cgi|do|action|json|xml|txt|pdf|svg|md|cfm|pl)(?:[?#].*)?$/i;
const LOCAL_HOST =
  /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:]+\])(?::\d{1,5})?(?:[/?#].*)?$/i;
const HOST_NAME = /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z]{2,}(?::\d{1,5})?(?:[/?#].*)?$/i;

/** Reads an address as a browser's address bar would; null when it is no address. */
export const readUrl = (text: string | null, isQuoted: boolean): Slot | null => {
  if (text === null || (/\s/.test(text) && !isQuoted)) return null;
  if (/^https?:\/\/./i.test(text) || /^[/?#]/.test(text) || /^\.\.?\//.test(text))
    return slot(text, null, isQuoted);
  if (text.startsWith("${")) return slot(text, null, isQuoted);
  if (/\s/.test(text)) return null;
  if (LOCAL_HOST.test(text)) return slot(`http://${text}`, null, isQuoted);
  if (FILE_NAME.test(text) && /^[\w./?#&=%-]+$/.test(text)) return slot(`/${text}`, null, isQuoted);
  if (HOST_NAME.test(text)) return slot(`https://${text}`, null, isQuoted);
  if (/^[a-z][a-z\d+.-]*:/i.test(text))
    return firm(text, "Only http and https addresses can be opened.", isQuoted);
  return null;
};

/** Keys that are as often the name of a button. */
const DOUBLE = new Set(["Delete", "Home", "Insert", "Pause", "Control", "Shift", "Alt", "Meta"]);

/** Reads a key or a chord; null for anything else. */
export const readKey = (tokens: readonly Token[], text: string, isQuoted: boolean): Slot | null => {
  const last = tokens.at(-1);
  const saysKey =
    !isQuoted &&
    last?.kind === "word" &&
    /^(?:key|keys|button)$/.test(last.lower) &&
    last.lower !== "button";
  let words = text;
  if (saysKey) {
    const rest = tokens.slice(0, -1);
    const start =
      rest[0]?.kind === "word" && ARTICLE.test(rest[0].lower) && rest.length > 1 ? 1 : 0;
    const named = rest.slice(start);
    const [one] = named;
    if (!one) return null;
    const isOneQuoted = named.length === 1 && (one.kind === "quoted" || one.kind === "literal");
    if (isOneQuoted) return slot(one.text, null, true);
    words = text.slice(
      one.start - (tokens[0]?.start ?? 0),
      (named.at(-1)?.end ?? 0) - (tokens[0]?.start ?? 0),
    );
  }
  if (!isQuoted && /^the /i.test(words)) words = words.slice(4);
  const chord = parseKeyChord(words);
  if (!chord) return null;
  if (
    !saysKey &&
    !chord.includes("+") &&
    ((DOUBLE.has(chord) && !/^space ?bar$/i.test(words)) || [...chord].length === 1)
  ) {
    return firm(chord, `"${words}" may be a key or the name of a button.`, isQuoted);
  }
  return slot(chord, null, isQuoted);
};
