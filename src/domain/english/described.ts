import type { Target } from "../catalogue/target.ts";
import { isFieldName } from "./fieldNames.ts";
import { word } from "./phrases.ts";
import { ARTICLE } from "./slotTypes.ts";
import type { Token } from "./words.ts";

/** What tells one of many from others, and is the beginning of no name. */
const DESCRIBING = new Set(
  [
    "previously selected correct new newly right wrong proper updated expected appropriate relevant entered chosen",
    "matching corresponding existing remaining other different changed modified latest original desired specified",
    "required necessary various similar related saved deleted created added uploaded removed filtered valid invalid",
    "recently just same all both said your my their our his her whole entire full complete given actual",
  ]
    .join(" ")
    .split(" "),
);
/** Kinds of which there are many, told from each other by what is so of them; a button may be called "new". */
const MANY = new Set(["row", "listitem", "option", "cell", "image", "text", "field", "table"]);
/** What begins no name in small letters, but says where. */
const WHERE =
  /^(?:away|outside|inside|elsewhere|anywhere|somewhere|near|around|between|below|above|behind|beside|under|underneath|off|through|within|until|without|about|after|before|over|onto|into)$/;
const CLAIMED = /^(?:verify|check|ensure|confirm|assert|validate)$/;
const EVERY = /^(?:all|no|any|every|each|only|both|new|that|the|none|some)$/;
const FOCUS = /^(?:(?:keyboard|input) )?focus(?: (?:indicator|outline|ring|state|order|is))?$/;
const PEOPLE = /^(?:you|we|I|i)$/;
/** Who acts, and what is said of anything: nothing on a page is called so, and nothing else. */
const NOBODY = /^(?:user|users|customer|visitor|values?|data|changes|behaviou?r|functionality)$/;

/**
 * `the previously selected values`, `the project you want to open`, `away from the menu`: told by what is so of it,
 * and neither called anything nor of a kind that says which.
 */
export const isDescribed = (tokens: readonly Token[], { find }: Target): boolean => {
  const from = tokens[0]?.kind === "word" && ARTICLE.test(tokens[0].lower) ? 1 : 0;
  const [first, second] = tokens.slice(from);
  if (first?.kind !== "word") return false;
  // `Verify all records`: what is claimed, and no name.
  if (CLAIMED.test(first.lower) && tokens.length > 2 && EVERY.test(second?.text ?? "")) return true;
  // Where a sentence begins with it, and nothing else was made of it.
  if (CLAIMED.test(first.lower) && first.start === 0 && isSmall(second)) return true;
  if (first.text !== first.lower) return isOfSomebody(tokens, from);
  const said = tokens.slice(from);
  if (from === 0 && WHERE.test(first.text) && said.length > 1) return true;
  if (isOfSomebody(tokens, from)) return true;
  if (find.by === "kind") return isOneOfMany(find);
  if (find.by !== "name" || said.some(({ kind, text, lower }) => kind !== "word" || text !== lower))
    return false;
  const words = said.map(({ lower }) => lower).join(" ");
  if (FOCUS.test(words) || NOBODY.test(words)) return true;
  if (/^an?$/.test(word(tokens[0]))) return true;
  return said.length > 1 && DESCRIBING.has(first.text) && !isFieldName(words);
};

const isSmall = (token: Token | undefined): boolean =>
  token?.kind === "word" && token.text === token.lower;

/** `the selected row`, `the next field`: which one is told by what was done. */
const isOneOfMany = (find: { readonly kind: string; readonly name: string | null }): boolean => {
  if (find.name === null || !MANY.has(find.kind) || find.name !== find.name.toLowerCase())
    return false;
  return find.name.split(" ").every((one) => DESCRIBING.has(one) || one === "next");
};

/** `the item you want to remove`: behind an article in small letters somebody tells which. */
const isOfSomebody = (tokens: readonly Token[], from: number): boolean =>
  tokens.some(
    (token, at) =>
      at > from &&
      PEOPLE.test(token.kind === "word" ? token.text : "") &&
      [at - 2, at - 3, at - 4].some((one) => ARTICLE.test(word(tokens[one]))),
  );
