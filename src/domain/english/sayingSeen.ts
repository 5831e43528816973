import { findKind } from "../catalogue/kinds.ts";
import { readNumber } from "./numberSlots.ts";
import { word } from "./phrases.ts";
import { placedThingAt } from "./places.ts";
import { isMark, leadOf, quotedIn, type Saying, VERIFYING, written } from "./sayingParts.ts";
import { thingAt } from "./things.ts";
import { quote } from "./words.ts";

const SHOWN = /^(?:visible|displayed|shown|present|there|listed)$/;

/** `"A" is displayed instead of "B"`, `Instead of "B", "A" is shown`: one is seen, and the other is not. */
export const insteadOf: Saying = (tokens, at, source) => {
  const length = word(tokens[at]) === "in" ? 3 : 2;
  const said = tokens
    .slice(at, at + length)
    .map(word)
    .join(" ");
  if (!/^(?:instead of|in place of|rather than)$/.test(said)) return null;
  const other = placedThingAt(tokens, at + length);
  if (!other?.isQuoted || other.to !== tokens.length || other.places.length > 0) return null;
  const from = leadOf(tokens);
  const one = placedThingAt(tokens, from);
  if (!one || one.to >= at) return null;
  const claim = tokens.slice(one.to, at).map(word).join(" ");
  const isSeen =
    /^(?:is|should be|must be|will be|has to be|shall be) (?:now |then )?(?:visible|displayed|shown|present|there|listed)$|^(?:appears|should appear|shall appear|is seen)$/.test(
      claim,
    );
  // What is said of one is no other kind of thing.
  const name = written(tokens.slice(at + length, other.to), source);
  const kind = other.kind === "" && one.kind !== "" ? ` ${one.kind}` : "";
  const the = kind === "" || /^the /.test(name) ? "" : "the ";
  if (isSeen && one.isQuoted) {
    return [written(tokens.slice(0, at), source), `${the}${name}${kind} should not be visible`];
  }
  return null;
};

/** `The label of the button shall read "A" in place of "B"`: a button "A" is seen, and none "B". */
export const readsInstead: Saying = (tokens, at, source) => {
  const length = word(tokens[at]) === "in" ? 3 : 2;
  const [value, other] = [tokens[at - 1], tokens[at + length]];
  const said = tokens
    .slice(at, at + length)
    .map(word)
    .join(" ");
  if (!/^(?:instead of|in place of|rather than)$/.test(said)) return null;
  if (value?.kind !== "quoted" || other?.kind !== "quoted" || at + length + 1 !== tokens.length)
    return null;
  const claim = tokens
    .slice(leadOf(tokens), at - 1)
    .map(word)
    .join(" ");
  const found =
    /^(?:the (?:label|text|caption) (?:of|on) )?the (button|link|tab|heading) (?:should |shall |must |now |will )?(?:reads?|says?|be|is|be called|be labell?ed|is labell?ed)$/.exec(
      claim,
    );
  if (!found) return null;
  return [
    `the ${written([value], source)} ${found[1]} should be visible`,
    `the ${written([other], source)} ${found[1]} should not be visible`,
  ];
};

/** `Nowhere on the page may one read "NaN"`: it is not there. */
export const nowhereSeen: Saying = (tokens, at) => {
  const names = quotedIn(tokens);
  const [name] = names;
  if (at !== leadOf(tokens) || names.length !== 1 || !name) return null;
  const said = tokens
    .slice(at + 1)
    .map((token) => (token === name ? "_" : word(token)))
    .join(" ");
  const isSeen =
    /^(?:on (?:the|this) (?:page|screen|site) )?(?:is|may|should|must|can|does|will|do) (?:(?:one|you|the user|users|i|we) )?(?:(?:see|read|find) _|_ (?:be )?(?:appear|visible|shown|displayed|seen|found|there|read|occur)|there be _)$/.test(
      said,
    );
  return isSeen ? [`${quote(name.text)} should not be visible`] : null;
};

const APPOSED =
  /^(?:message|error|warning|toast|notification|heading|title|banner|alert|dialog|popup|pop-up|button|link|tooltip|hint|label|text)$/;

/** `A confirmation message, "Form published", is displayed`: what it is, and between commas its name. */
export const namedBetween: Saying = (tokens, at, source) => {
  const [name, comma] = [tokens[at + 1], tokens[at + 2]];
  const from = leadOf(tokens);
  const before = tokens.slice(from, at);
  const isNoun =
    before.length > 1 &&
    before.length < 5 &&
    /^(?:a|an|the)$/.test(word(before[0])) &&
    before.every(({ kind, text, lower }) => kind === "word" && text.toLowerCase() === lower) &&
    APPOSED.test(word(before.at(-1)));
  if (!isNoun || name?.kind !== "quoted" || !isMark(comma, ",")) return null;
  const rest = tokens.slice(at + 3);
  if (!/^(?:is|should|must|will|appears|shows|has|pops)$/.test(word(rest[0]))) return null;
  return [
    `${written(tokens.slice(0, at), source)} ${written([name], source)} ${written(rest, source)}`,
  ];
};

/** `a table named "Comparison" with 4 columns shall appear`: it is seen, and how many of them it has. */
export const seenWithCount: Saying = (tokens, at) => {
  const from = leadOf(tokens);
  const thing = thingAt(tokens, from);
  const number = readNumber(word(tokens[at + 1]));
  const plural = word(tokens[at + 2]);
  const kind = findKind(plural.replace(/s$/, ""));
  if (thing?.to !== at || !thing.isQuoted || thing.kind === "" || number === null) return null;
  const claim = tokens
    .slice(at + 3)
    .map(word)
    .join(" ");
  const isSeen =
    /^(?:(?:shall|should|must|will) )?(?:appears?|(?:is|be) (?:visible|displayed|shown|there|present))$/.test(
      claim,
    );
  if (
    !isSeen ||
    kind === null ||
    !/^(?:row|column|columnheader|listitem|cell|button|link|field|checkbox|image|option)$/.test(
      kind,
    )
  )
    return null;
  const name = `the ${quote(thing.name ?? "")} ${thing.kind}`;
  return [`${name} should be visible`, `there should be ${number} ${plural} in ${name}`];
};

const EXISTING = /^(?:exists?|appears?|shows?|is|are|should|must|has|have)$/;

/** `Verify each of these menu items exists: "Cut", "Copy"`: each of them is seen. */
export const eachOfThese: Saying = (tokens, at) => {
  const lead = tokens.slice(0, at).map(word);
  if (
    !lead.every((said) => VERIFYING.test(said) || /^(?:each|all|every|of|one|both|the)$/.test(said))
  )
    return null;
  let verb = at + 1;
  while (verb < at + 4 && !EXISTING.test(word(tokens[verb]))) verb++;
  const plural = tokens
    .slice(at + 1, verb)
    .map(word)
    .join(" ");
  const one = plural.endsWith("xes") ? plural.slice(0, -2) : plural.replace(/s$/, "");
  if (plural === "" || one === plural || findKind(one) === null) return null;
  let next = verb;
  if (!/^(?:exists?|appears?)$/.test(word(tokens[verb]))) {
    while (/^(?:is|are|should|must|be|exist|appear)$/.test(word(tokens[next]))) next++;
    if (!SHOWN.test(word(tokens[next]))) next--;
    if (
      next < verb ||
      (!/^(?:exist|appear)$/.test(word(tokens[next])) &&
        !SHOWN.test(word(tokens[next + 1])) &&
        !SHOWN.test(word(tokens[next])))
    )
      return null;
  }
  const rest = tokens
    .slice(next + 1)
    .filter(({ lower, kind }) => kind === "quoted" || !/^(?:,|and|:|&|-|–)$/.test(lower));
  if (rest.length < 2 || !rest.every(({ kind }) => kind === "quoted")) return null;
  return rest.map(({ text }) => `the ${one} ${quote(text)} should be visible`);
};
