import { findKind } from "../catalogue/kinds.ts";
import { baseOf } from "./inflections.ts";
import { readNumber } from "./numberSlots.ts";
import { word } from "./phrases.ts";
import { isJoint, isMark, type Saying, written } from "./sayingParts.ts";
import type { Token } from "./words.ts";

const TOLD =
  /^(?:typed|entered|filled|picked|selected|chosen|ticked|checked|unticked|unchecked|inserted|written|uploaded|attached)$/;

/** `Have "Anna" typed into "Assign to"`, `With "Annual" picked in "Period", …`: what is done, and then the rest. */
export const withDone: Saying = (tokens, at, source) => {
  if (at > 0) return null;
  const first = word(tokens[0]);
  if (first === "having") return havingDone(tokens, source);
  const told = tokens.findIndex((token) => TOLD.test(word(token)));
  if (told < 2 || told > 6) return null;
  const verb = baseOf(word(tokens[told]));
  const isWith = first === "with";
  const comma = isWith ? tokens.findIndex((token) => isMark(token, ",")) : tokens.length;
  if (verb === null || comma < told || tokens.slice(1, told).some(isJoint)) return null;
  if (tokens.slice(told, comma).some(isJoint)) return null;
  const done = `${verb} ${written(tokens.slice(1, told), source)} ${written(tokens.slice(told + 1, comma), source)}`;
  return isWith ? [done, written(tokens.slice(comma + 1), source)] : [done];
};

/** `Having entered 18:00 in "From" and 17:00 in "To", the tester clicks "Save"` */
const havingDone = (tokens: readonly Token[], source: string): readonly string[] | null => {
  const verb = baseOf(word(tokens[1]));
  const comma = tokens.findLastIndex((token) => isMark(token, ","));
  if (verb === null || comma < 3 || comma === tokens.length - 1) return null;
  const first = tokens.findIndex((token) => isMark(token, ","));
  const end = first;
  const done = `${verb} ${written(tokens.slice(2, end), source)}`;
  return [done, written(tokens.slice(end + 1), source)];
};

/** `set "Min age" at 18 and "Max age" at 35` → `… to 18 …`. */
export const setAt: Saying = (tokens, at, source) => {
  if (!/^sets?$/.test(word(tokens[0])) || at < 2) return null;
  if (!/^\d/.test(tokens[at + 1]?.text ?? "")) return null;
  // Said once for all of them.
  if (tokens.slice(0, at).some((token) => word(token) === "at")) return null;
  const said = tokens
    .map((token, index) => {
      const isAt = word(token) === "at" && /^\d/.test(tokens[index + 1]?.text ?? "");
      return isAt ? "to" : source.slice(token.start, token.end);
    })
    .join(" ");
  return [said.replaceAll(/ ([,;:.])/g, "$1")];
};

const INTO = /^(?:in|into|for)$/;

/** `Enter 10.5 in both "Width" and "Height"` → in each of them. */
export const inBoth: Saying = (tokens, at, source) => {
  const [one, and, other] = tokens.slice(at + 1);
  const isPair = one?.kind === "quoted" && word(and) === "and" && other?.kind === "quoted";
  const verb = baseOf(word(tokens[0]));
  if (!isPair || verb === null || at < 3 || !INTO.test(word(tokens[at - 1]))) return null;
  const rest = tokens.slice(at + 4);
  const kind = findKind(word(rest[0])) !== null ? 1 : 0;
  const done = written(tokens.slice(0, at), source);
  if (rest.length > kind || tokens.slice(0, at).some(isJoint)) return null;
  const noun = kind === 1 ? ` ${word(rest[0]).replace(/s$/, "")}` : "";
  return [one, other].map((name) => `${done} ${written([name], source)}${noun}`);
};

/** `Press Backspace five times in the "Zip" field` → `… in the "Zip" field five times`. */
export const repeatedThere: Saying = (tokens, at, source) => {
  const isTimes = word(tokens[at]) === "times";
  const number = isTimes ? readNumber(word(tokens[at - 1])) : 2;
  const from = isTimes ? at - 1 : at;
  const rest = tokens.slice(at + 1);
  if (number === null || number < 2 || number > 20 || from < 2) return null;
  if (!/^(?:in|on|into|inside|within|next)$/.test(word(rest[0]))) return null;
  if (rest.some(isJoint) || tokens.slice(0, from).some(isJoint)) return null;
  if (baseOf(word(tokens[0])) === null) return null;
  const done = `${written(tokens.slice(0, from), source)} ${written(rest, source)}`;
  return Array.from({ length: number }, () => done);
};

/** `type "Ann" and press Enter in the "Guests" field`: typed where the key is pressed. */
export const typedAndPressed: Saying = (tokens, at, source) => {
  const [verb, text] = tokens;
  const isTyped = /^(?:type|enter|write|input)$/.test(word(verb)) && text !== undefined;
  const isNext = at === 3 && /^(?:and|then)$/.test(word(tokens[2]));
  const key = tokens[at + 1];
  const place = tokens.slice(at + 2);
  const isKey = key?.kind === "word" && /^(?:enter|tab|return|escape)$/.test(key.lower);
  if (!isTyped || !isNext || !isKey || place.length < 2 || place.some(isJoint)) return null;
  if (!/^(?:in|into|inside)$/.test(word(place[0]))) return null;
  const there = written(place, source);
  return [`type ${written([text], source)} ${there}`, `press ${key.text} ${there}`];
};
