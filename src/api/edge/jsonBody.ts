import { isUtf8 } from "node:buffer";
import { ApiError } from "../apiError.ts";

/** Above the depth of any valid body. */
const MAX_DEPTH = 64;
/** Four times the largest valid body: 500 steps with all fields. */
const MAX_VALUES = 20_000;
const BOM = "\ufeff";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/**
 * Parses a JSON body. Throws ApiError 400 if the body is not valid UTF-8 JSON, contains a key that would change a
 * prototype or a duplicate key, or is nested too deeply; 413 if it has too many values, which would block the event
 * loop. These checks run before parsing, so that rejected bodies are never built.
 */
export const parseJsonBody = (bytes: Buffer): unknown => {
  if (!isUtf8(bytes)) throw new ApiError(400, "The body is not valid UTF-8.");
  const whole = bytes.toString("utf8");
  const text = whole.startsWith(BOM) ? whole.slice(1) : whole;
  checkNames(text);
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message would quote the body.
    throw new ApiError(400, "The body is not valid JSON.");
  }
};

/** Keys of the object at one depth; null for an array. */
type Level = { readonly names: Set<string>; readonly isConstructor: boolean } | null;

/** Checks depth, keys and number of values; the parser checks the rest. */
const checkNames = (text: string): void => {
  const levels: Level[] = [];
  let isName = false;
  let lastName = "";
  let values = 0;
  const count = () => {
    values += 1;
    if (values <= MAX_VALUES) return;
    throw new ApiError(413, `The body contains more than ${MAX_VALUES} values.`);
  };
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = endOfString(text, at);
        const level = levels[levels.length - 1];
        if (isName && level) {
          lastName = nameIn(text, at, end);
          checkName(lastName, level);
          level.names.add(lastName);
        }
        isName = false;
        at = end;
        break;
      }
      case OPEN_OBJECT:
      case OPEN_ARRAY: {
        count();
        if (levels.length === MAX_DEPTH) {
          throw new ApiError(400, `The body is nested more than ${MAX_DEPTH} levels deep.`);
        }
        const isObject = text.charCodeAt(at) === OPEN_OBJECT;
        const isConstructor = lastName === "constructor";
        levels.push(isObject ? { names: new Set(), isConstructor } : null);
        isName = isObject;
        lastName = "";
        break;
      }
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        levels.pop();
        isName = false;
        lastName = "";
        break;
      case COMMA:
        count();
        isName = Boolean(levels[levels.length - 1]);
        lastName = "";
        break;
      case COLON:
        isName = false;
        break;
    }
  }
};

const checkName = (name: string, level: NonNullable<Level>): void => {
  if (name === "__proto__" || (level.isConstructor && name === "prototype")) {
    throw new ApiError(
      400,
      "The body contains the key __proto__ or constructor.prototype, which is not allowed.",
    );
  }
  if (level.names.has(name)) {
    throw new ApiError(400, `The body contains the key ${shown(name)} twice in one object.`);
  }
};

const shown = (name: string): string =>
  JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);

/** Index of the closing quote of a string; the length of the text if it is not closed. */
const endOfString = (text: string, start: number): number => {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
};

const isEscaped = (text: string, at: number): boolean => {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
};

/** The decoded key between two quotes. */
const nameIn = (text: string, start: number, end: number): string => {
  const raw = text.slice(start + 1, end);
  if (!raw.includes("\\")) return raw;
  try {
    return JSON.parse(`"${raw}"`);
  } catch {
    throw new ApiError(400, "The body is not valid JSON.");
  }
};
