import { findKind } from "../catalogue/kinds.ts";
import type { Draft } from "./formTables.ts";
import { word } from "./phrases.ts";
import { placeAt, placedThingAt, targetOf, textOf } from "./places.ts";
import { type Thing, thingCalled } from "./things.ts";
import { emptyAt } from "./thingWords.ts";
import type { Token } from "./words.ts";

const NUMBERS = new Map(
  "zero one two three four five six seven eight nine ten eleven twelve"
    .split(" ")
    .map((said, number): [string, number] => [said, number]),
);

const numberAt = (tokens: readonly Token[], at: number): number | null => {
  const said = word(tokens[at]);
  const known = NUMBERS.get(said) ?? 0;
  if (known > 0) return known;
  const digit = said.charCodeAt(0);
  return digit >= 48 && digit <= 57 && /^\d{1,4}$/.test(said) ? Number(said) : null;
};

/** Whether a word may say how many there are. */
const isNumber = (token: Token, at: number, tokens: readonly Token[]): boolean =>
  word(token) === "single" || numberAt(tokens, at) !== null;

const singularOf = (said: string): string | null => {
  for (const length of [1, 2]) {
    const one = said.slice(0, -length);
    if (said.endsWith("s") && findKind(one) !== null) return one;
  }
  return said.endsWith("ies") && findKind(`${said.slice(0, -3)}y`) !== null
    ? `${said.slice(0, -3)}y`
    : null;
};

type Counted = { readonly count: number; readonly thing: Thing; readonly to: number };

/** `exactly 3 rows`, `only one "Edit" button`: what is counted, and where its words end; null when it is not said for certain. */
const countedAt = (tokens: readonly Token[], from: number): Counted | null => {
  let at = from;
  if (
    /^(?:exactly|only|just|a)$/.test(word(tokens[at])) &&
    (word(tokens[at]) !== "a" || word(tokens[at + 1]) === "single")
  )
    at++;
  const count = word(tokens[at]) === "single" ? 1 : numberAt(tokens, at);
  if (count === null) return null;
  at++;
  const name = tokens[at]?.kind === "quoted" ? tokens[at] : null;
  const kindAt = name ? at + 1 : at;
  const two = singularOf(`${word(tokens[kindAt])} ${word(tokens[kindAt + 1])}`);
  const said = word(tokens[kindAt]);
  const isOne = count === 1 && findKind(said) !== null;
  // `3 ".product" elements`: what a selector finds.
  const isSelector = /^[.#[]\S/.test(name?.text ?? "");
  const element = isSelector && /^elements?$/.test(said) ? "element" : null;
  const kind = two ?? element ?? singularOf(said) ?? (isOne ? said : null);
  if (kind === null) return null;
  let to = kindAt + (two ? 2 : 1);
  const behind = !name && tokens[to]?.kind === "quoted" ? tokens[to] : null;
  if (behind) to++;
  const called = name?.text ?? behind?.text ?? null;
  return { count, thing: thingCalled(called, called !== null, kind, to), to };
};

const THERE = /^(?:is|are|be|exists?|remains?|remain)$/;
const HAS = /^(?:has|have|contains?|lists?|shows?|holds?|displays?|includes?|comprises?|offers?)$/;
const MADE_OF = /^(?:be made up of|is made up of|consists? of|is composed of|be composed of)$/;
const SHOWN =
  /^(?:shown|listed|displayed|visible|present|there|exists?|appears?|remains?|stacked)$/;
const CHOSEN_FROM =
  /^(?:dropdown|drop-down|dropdown list|dropdown menu|select|select box|combobox|combo box|picker)$/;

/** `… in the "Weekday" dropdown`: what options are in; null for any other place. */
const dropdownAt = (
  tokens: readonly Token[],
  at: number,
): { readonly text: string; readonly to: number } | null => {
  const thing = /^(?:in|inside|within|of|from|under)$/.test(word(tokens[at]))
    ? placedThingAt(tokens, at + 1)
    : null;
  const isNamed = thing !== null && thing.name !== null && CHOSEN_FROM.test(thing.kind);
  return isNamed && thing.places.length === 0
    ? { text: `in the ${textOf(thing)}`, to: thing.to }
    : null;
};

/**
 * `There should be exactly 3 rows in the "Orders" table`, `the "Orders" table must have 3 rows`, `3 rows are listed in
 * …`; null for all others, and for more or fewer than a number.
 */
export const composedCount = (tokens: readonly Token[], from: number): Draft | null => {
  // Most sentences count nothing.
  if (!tokens.some(isNumber)) return null;
  let at = from;
  let owner: Thing | null = null;
  if (word(tokens[at]) === "there") {
    at++;
    while (/^(?:should|must|will|shall|now|still|then)$/.test(word(tokens[at]))) at++;
    if (!THERE.test(word(tokens[at]))) return null;
    at++;
  } else if (/^(?:i|we|you|one)$/.test(word(tokens[at]))) {
    at++;
    while (/^(?:should|must|will|can|now|still|then|expect|to)$/.test(word(tokens[at]))) at++;
    if (!/^(?:see|find|get|have)$/.test(word(tokens[at]))) return null;
    at++;
  } else if (countedAt(tokens, at) === null) {
    owner = placedThingAt(tokens, at);
    if (!owner) return null;
    at = owner.to;
    while (/^(?:should|must|will|shall|now|still|then|only|to)$/.test(word(tokens[at]))) at++;
    const made = [3, 4].find((length) =>
      MADE_OF.test(
        tokens
          .slice(at, at + length)
          .map(word)
          .join(" "),
      ),
    );
    const isOf = word(tokens[at + 1]) === "of" && /^consists?$/.test(word(tokens[at]));
    if (made === undefined && !isOf && !HAS.test(word(tokens[at]))) return null;
    at += made ?? (isOf ? 2 : 1);
  }
  const counted = countedAt(tokens, at);
  if (!counted) return null;
  at = counted.to;
  const places: string[] = [];
  while (at < tokens.length) {
    const isShown =
      places.length === 0 && /^(?:is|are|should|must|be|now|still)$/.test(word(tokens[at]));
    const step = isShown || SHOWN.test(word(tokens[at])) ? 1 : emptyAt(tokens, at);
    const place =
      step > 0
        ? null
        : ((counted.thing.kind === "option" ? dropdownAt(tokens, at) : null) ??
          placeAt(tokens, at, null));
    if (step === 0 && !place) return null;
    if (place) places.push(place.text);
    at = place?.to ?? at + step;
  }
  if (owner && places.length > 0) return null;
  const where = owner ? [`in the ${textOf(owner)}`, ...owner.places] : places;
  const target = targetOf(counted.thing, where);
  return target === null ? null : { action: "assert_count", target, value: `${counted.count}` };
};
