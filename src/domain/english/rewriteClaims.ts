import { findKind } from "../catalogue/kinds.ts";
import { readTarget } from "../catalogue/target.ts";
import { GERUNDS } from "./inflections.ts";
import type { Token } from "./words.ts";

/** Says the words of a sentence from one token to before another. */
export type Say = (from: number, to?: number) => string;

const word = (token: Token | undefined): string => (token?.kind === "word" ? token.lower : "");
const isJoint = (token: Token | undefined): boolean =>
  (token?.kind === "mark" && token.text === ",") || /^(?:and|&|or|then|but)$/.test(word(token));

const HAPPENS =
  /^(?:is|are|appears|appear|opens|open|closes|disappears|should|shall|must|becomes|shows|see|sees)$/;
const STARTS =
  /^(?:the|a|an|i|verify|check|ensure|confirm|assert|field|button|link|message|text|heading|checkbox)$/;
const DOES =
  /^(?:click|clicks|press|presses|tap|taps|select|selects|enter|enters|submit|submits|open|opens|choose|chooses|tick|ticks|check|checks|hover|hovers)$/;

/** `"Saved" appears after clicking "Save"` → `click "Save"`, `"Saved" appears`. */
export const causeLast = (tokens: readonly Token[], say: Say): string[] | null => {
  const at = tokens.findIndex((token) => /^(?:after|when|once|upon|on)$/.test(word(token)));
  if (at < 2 || at > tokens.length - 3 || tokens.some(isJoint)) return null;
  const [first] = tokens;
  if (first?.kind !== "quoted" && !STARTS.test(word(first))) return null;
  if (!tokens.slice(0, at).some((token) => HAPPENS.test(word(token)))) return null;
  const gerund = word(tokens[at + 1]);
  const verb = GERUNDS.get(gerund);
  if (verb) return [`${verb} ${say(at + 2)}`, say(0, at)];
  if (!/^(?:after|when|once)$/.test(word(tokens[at]))) return null;
  const article = word(tokens[at + 1]) === "the" ? 1 : 0;
  const isPerson = /^(?:i|we|you|they|user|customer|visitor)$/.test(word(tokens[at + 1 + article]));
  return isPerson && DOES.test(word(tokens[at + 2 + article]))
    ? [say(at + 2 + article), say(0, at)]
    : null;
};

/** `Use the "Country" dropdown to select "Canada"` → `select "Canada" in the "Country" dropdown`. */
export const usedFor = (tokens: readonly Token[], source: string, say: Say): string[] | null => {
  if (!/^(?:use|uses)$/.test(word(tokens[0])) || tokens.some(isJoint)) return null;
  const to = tokens.findIndex((token) => word(token) === "to");
  const deed = word(tokens[to + 1]);
  if (to < 2 || to + 2 >= tokens.length) return null;
  const place = readTarget(tokens.slice(1, to), source);
  const kind = place?.doubt === null && place.target.find.by === "kind" ? place.target.find : null;
  const suits =
    (kind?.kind === "dropdown" && /^(?:select|choose|pick)$/.test(deed)) ||
    (kind?.kind === "field" && /^(?:enter|type|input)$/.test(deed));
  const named = tokens.slice(to + 2);
  const isOne =
    (named.length === 1 && named[0]?.kind === "quoted") ||
    (named.length < 5 &&
      /^\p{Lu}/u.test(named[0]?.text ?? "") &&
      named.every((token) => token.kind === "word"));
  return suits && isOne ? [`${say(to + 1)} in ${say(1, to)}`] : null;
};

const POSSESSED = /^(?:text|value|placeholder|href|src|alt|title)$/;

/** `The "Save" button's text is "Save"` → `the text of the "Save" button is "Save"`. */
export const possessed = (tokens: readonly Token[], say: Say): string[] | null => {
  const at = tokens.findIndex(
    (token) => /[^s]['’]s$/.test(word(token)) && findKind(word(token).slice(0, -2)) !== null,
  );
  const noun = word(tokens[at + 1]);
  if (at < 1 || !POSSESSED.test(noun) || at + 2 >= tokens.length) return null;
  const isClaim = /^(?:verify|check|ensure|assert|confirm|validate|expect)$/.test(word(tokens[0]));
  const lead = isClaim ? 1 + Number(/^(?:that|if)$/.test(word(tokens[1]))) : 0;
  if (tokens[lead]?.kind !== "quoted" && word(tokens[lead]) !== "the") return null;
  const owner = `${say(lead, at)} ${word(tokens[at]).slice(0, -2)}`.trim();
  const isAttribute = word(tokens[at + 2]) === "attribute" && noun !== "text" && noun !== "value";
  if (noun === "title" && !isAttribute) return null;
  const isTwo = (noun === "alt" && word(tokens[at + 2]) === "text") || isAttribute;
  const end = at + (isTwo ? 3 : 2);
  return [`${say(0, lead)} the ${say(at + 1, end)} of ${owner} ${say(end)}`.trim()];
};
