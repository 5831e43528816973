import { isUtf8 } from "node:buffer";
import { ApiError } from "../apiError.ts";

/** Deeper than any body that an operation takes. */
const MAX_DEPTH = 64;
/** Four times as many as the largest body that an operation takes: 500 steps with all their fields. */
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
 * Reads a body as JSON. Throws ApiError 400 for what is no JSON in UTF-8, for a name that would change
 * an object's prototype, for a name that stands twice in one object (of which parsers take one or the
 * other), and for what is nested more deeply than any body; 413 for more values than
 * any body has, which would hold everybody up while they are looked at. One pass in front of the parser, so that
 * nothing is built of what is refused.
 */
export const parseJsonBody = (bytes: Buffer): unknown => {
  if (!isUtf8(bytes)) throw new ApiError(400, "The body is not valid UTF-8.");
  const whole = bytes.toString("utf8");
  const text = whole.startsWith(BOM) ? whole.slice(1) : whole;
  checkNames(text);
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own words quote the body.
    throw new ApiError(400, "The body is not valid JSON.");
  }
};

/** Names of the object at each depth; null for an array. */
type Level = { readonly names: Set<string>; readonly isConstructor: boolean } | null;

/** Looks at depth and names alone: whether the rest is JSON, the parser says. */
const checkNames = (text: string): void => {
  const levels: Level[] = [];
  let isName = false;
  let lastName = "";
  let values = 0;
  const count = () => {
    values += 1;
    if (values <= MAX_VALUES) return;
    throw new ApiError(413, `The body holds more than ${MAX_VALUES} values.`);
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
          throw new ApiError(400, `The body is nested more than ${MAX_DEPTH} deep.`);
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
      "The body has __proto__ or constructor.prototype for a name, which no body may have.",
    );
  }
  if (level.names.has(name)) {
    throw new ApiError(400, `The body names ${shown(name)} twice in one object.`);
  }
};

const shown = (name: string): string =>
  JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);

/** Where the string that begins at a quote ends; the end of the text when it does not. */
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

/** The name between two quotes as the parser will read it: it can be written in many ways. */
const nameIn = (text: string, start: number, end: number): string => {
  const raw = text.slice(start + 1, end);
  if (!raw.includes("\\")) return raw;
  try {
    return JSON.parse(`"${raw}"`);
  } catch {
    throw new ApiError(400, "The body is not valid JSON.");
  }
};
