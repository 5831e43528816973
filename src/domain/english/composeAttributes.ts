import type { Draft } from "./formTables.ts";
import { word } from "./phrases.ts";
import { placedThingAt, targetOf } from "./places.ts";
import type { Thing } from "./things.ts";
import type { Token } from "./words.ts";

const ATTRIBUTES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    placeholder: "placeholder",
    "placeholder text": "placeholder",
    href: "href",
    alt: "alt",
    "alt text": "alt",
    "alternative text": "alt",
    target: "target",
    src: "src",
    maxlength: "maxlength",
    "max length": "maxlength",
    "aria-label": "aria-label",
    type: "type",
  }),
);

/** What the name of an attribute begins with. */
const NAMING = new Set([...ATTRIBUTES.keys()].map((name) => name.split(" ")[0] ?? ""));

/** The attribute that is named at a place: how it is called, and where it ends. */
const attributeAt = (
  tokens: readonly Token[],
  from: number,
): { readonly name: string; readonly to: number } | null => {
  const at = /^(?:the|a|an|its)$/.test(word(tokens[from])) ? from + 1 : from;
  for (const length of [2, 1]) {
    const said = tokens
      .slice(at, at + length)
      .map(word)
      .join(" ");
    const name = ATTRIBUTES.get(said);
    if (name === undefined) continue;
    const to = at + length;
    return { name, to: word(tokens[to]) === "attribute" ? to + 1 : to };
  }
  return null;
};

/** `the "Docs" link has href https://docs.test`, `the alt text of the image "Map" is "Plan"`. */
export const attributeOf = (tokens: readonly Token[], from: number): Draft | null => {
  // Most sentences speak of none.
  if (!tokens.some(({ kind, lower }) => kind === "word" && NAMING.has(lower))) return null;
  const before = attributeAt(tokens, from);
  const isOf = before !== null && /^(?:of|on|for|in)$/.test(word(tokens[before.to]));
  const thing = placedThingAt(tokens, isOf ? before.to + 1 : from);
  if (!thing || thing.name === null) return null;
  if (!isOf && word(tokens[thing.to]) === "with") return withAttribute(tokens, thing);
  let at = thing.to;
  while (
    /^(?:should|must|has|to|now|still|also)$/.test(word(tokens[at])) &&
    !/^(?:has)$/.test(word(tokens[at]))
  )
    at++;
  const verb = word(tokens[at]);
  const behind = isOf
    ? null
    : /^(?:has|have|carries|shows)$/.test(verb)
      ? attributeAt(tokens, at + 1)
      : null;
  const name = isOf ? before.name : behind?.name;
  if (name === undefined || (isOf && !/^(?:is|be|reads|equals|says|shows)$/.test(verb)))
    return null;
  let next = isOf ? at + 1 : (behind?.to ?? at);
  while (
    /^(?:of|as|=|is|set|to)$/.test(tokens[next]?.lower ?? "") &&
    tokens[next]?.kind !== "quoted"
  )
    next++;
  const value = tokens[next];
  if (!value || next + 1 !== tokens.length || value.kind === "mark") return null;
  const isPlain =
    value.kind !== "word" || /^(?:https?:\/\/\S+|\/\S*|_\w+|\d+|\$\{\w+\})$/.test(value.text);
  const target = targetOf(thing);
  return target !== null && isPlain
    ? { action: "assert_attribute", target, value: `${name}=${value.text}` }
    : null;
};

/** `the link "About" with the href "/about" should exist`. */
const withAttribute = (tokens: readonly Token[], thing: Thing): Draft | null => {
  const named = attributeAt(tokens, thing.to + 1);
  const value = named && tokens[named.to];
  if (!named || value?.kind !== "quoted") return null;
  const rest = tokens
    .slice(named.to + 1)
    .map(word)
    .join(" ");
  const isThere =
    /^(?:(?:(?:should|must) )?(?:exists?|appears?|be (?:visible|displayed|present|shown))|is (?:visible|displayed|present|shown|there))?$/.test(
      rest,
    );
  const target = targetOf(thing);
  return target !== null && isThere
    ? { action: "assert_attribute", target, value: `${named.name}=${value.text}` }
    : null;
};
