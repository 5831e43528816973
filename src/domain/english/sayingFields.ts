import { findKind } from "../catalogue/kinds.ts";
import { baseOf } from "./inflections.ts";
import { isQuoted, word } from "./phrases.ts";
import { placedThingAt } from "./places.ts";
import { isJoint, isMark, NEGATING, type Saying, written } from "./sayingParts.ts";
import type { Token } from "./words.ts";

const CHOOSING = /^(?:select|selects|choose|chooses|pick|picks)$/;
const TYPING = /^(?:enter|enters|type|types|input|inputs|write|put|fill|set|key)$/;

/** A name of a field, as words or in quotes; null for anything else. */
const nameIn = (tokens: readonly Token[], source: string): string | null => {
  const from = /^(?:the|a|an)$/.test(word(tokens[0])) ? 1 : 0;
  const name = tokens.slice(from);
  const [only] = name;
  if (!only || name.length > 4) return null;
  if (isQuoted(only) && name.length === 1) return written(name, source);
  const isPlain = name.every(
    (token) =>
      token.kind === "word" &&
      /^[\p{L}\d][\p{L}\d'’/-]*$/u.test(token.text) &&
      !NEGATING.test(token.lower),
  );
  const kind = findKind(word(name.at(-1)));
  if (!isPlain || (kind !== null && !/^(?:field|dropdown)$/.test(kind))) return null;
  return kind === null ? `"${written(name, source)}"` : `the ${written(name, source)}`;
};

/** A text that is typed or chosen: in quotes, or words that begin with a capital or a figure; null for anything else. */
const valueIn = (tokens: readonly Token[], source: string): string | null => {
  const [only] = tokens;
  if (!only || tokens.length > 4) return null;
  if (tokens.length === 1 && isQuoted(only)) return written(tokens, source);
  const isPlain = tokens.every(
    ({ kind, text }) => kind === "word" && /^[\p{Lu}\d$€£₹+-][^\s"<>|[\]]*$/u.test(text),
  );
  const isText = tokens.length === 1 && only.kind === "word" && /[\d@]/.test(only.text);
  return isPlain || isText ? `"${written(tokens, source)}"` : null;
};

/** `Select Doctor = Dr Okoye`, `Enter Username = admin1`: what is chosen or typed stands behind the sign. */
export const setEqual: Saying = (tokens, at, source) => {
  const verb = word(tokens[0]);
  if (tokens.slice(at + 1).some((token) => token.text === "=")) return null;
  const name = nameIn(tokens.slice(1, at), source);
  const value = valueIn(tokens.slice(at + 1), source);
  if (name === null || value === null) return null;
  if (CHOOSING.test(verb)) return [`select ${value} from ${name}`];
  return TYPING.test(verb) ? [`fill ${name} with ${value}`] : null;
};

/** `Vehicle reg: enter LK19 XYZ`: the field stands before what is done to it. */
export const fieldFirst: Saying = (tokens, at, source) => {
  if (tokens.some((token, index) => index !== at && isMark(token, ":,;"))) return null;
  const verb = word(tokens[at + 1]);
  const first = word(tokens[0]);
  const isOwn = baseOf(first) === null && !TOLD.test(first) && at < 5;
  const name = isOwn ? nameIn(tokens.slice(0, at), source) : null;
  const value = valueIn(tokens.slice(at + 2), source);
  if (name === null || value === null) return null;
  if (CHOOSING.test(verb)) return [`select ${value} from ${name}`];
  return /^(?:enter|type|input|write)$/.test(verb) ? [`fill ${name} with ${value}`] : null;
};

/** What tells of the test, and is no field of the page. */
const TOLD =
  /^(?:step|steps|test|case|note|qa|user|tester|admin|action|do|then|when|given|and|but|expected|actual|result|example|scenario|negative|positive|edge|happy|tc|ac|variant|optional|alternatively|first|second|third|last|next|finally|precondition|setup|task|tip|hint|info|as|on|in|at|if|to|for|with|check|verify)/;

/** `Type the following message in "Reply": "See you"`: the text that follows. */
export const theFollowing: Saying = (tokens, at, source) => {
  const text = tokens.at(-1);
  const verb = word(tokens[at - 2]);
  if (word(tokens[at - 1]) !== "the" || text?.kind !== "quoted" || at < 2) return null;
  if (!TYPING.test(verb) && !CHOOSING.test(verb) && !/^paste$/.test(verb)) return null;
  const isNoun =
    /^(?:text|message|value|note|comment|string|code|option|address|email|name|number|date|query)$/.test(
      word(tokens[at + 1]),
    );
  const place = tokens.slice(at + (isNoun ? 2 : 1), -1).filter((token) => !isMark(token, ":"));
  const start = /^(?:i|we|you)$/.test(word(tokens[0])) ? 1 : 0;
  if (at - 2 !== start) return null;
  if (!/^(?:in|into|to|from)$/.test(word(place[0])) || place.length < 2 || place.some(isJoint))
    return null;
  return [`${verb} ${written([text], source)} ${written(place, source)}`];
};

/** `"Save as template" clicked`: what somebody has done. */
export const toldDone: Saying = (tokens, at, source) => {
  if (at !== tokens.length - 1) return null;
  const thing = placedThingAt(tokens.slice(0, at), 0);
  const verb = baseOf(word(tokens[at]));
  const isThing = thing?.to === at && (thing.isQuoted || thing.kind !== "") && !thing.isLoose;
  return isThing && verb !== null ? [`${verb} ${written(tokens.slice(0, at), source)}`] : null;
};
