import { word } from "./phrases.ts";
import { placedThingAt } from "./places.ts";
import { leadOf, type Saying, written } from "./sayingParts.ts";

/** `Tooltip of the "?" icon is "Between 6 and 20"`: it is seen when one hovers over that. */
export const tooltipOf: Saying = (tokens, at, source) => {
  const from = leadOf(tokens);
  const start = word(tokens[from]) === "the" ? from + 1 : from;
  const thing =
    at === start && /^(?:of|on|for)$/.test(word(tokens[at + 1]))
      ? placedThingAt(tokens, at + 2)
      : null;
  const value = tokens.at(-1);
  if (!thing || value?.kind !== "quoted" || thing.name === null || thing.isLoose) return null;
  const claim = tokens.slice(thing.to, -1).map(word).join(" ");
  if (!/^(?:is|reads|says|shows|(?:should|must|shall) (?:be|read|say|show))$/.test(claim))
    return null;
  const where = written(tokens.slice(at + 2, thing.to), source);
  return [`hover over ${where}`, `I should see the tooltip ${written([value], source)}`];
};

/** `Validate the tooltip text is "A"`: the text of the tooltip. */
export const textOfKind: Saying = (tokens, at, source) => {
  const from = leadOf(tokens);
  const start = /^(?:the|a)$/.test(word(tokens[from])) ? from + 1 : from;
  const value = tokens.at(-1);
  const kind = written(tokens.slice(start, at), source);
  const isBare =
    at === start + 1 && /^(?:tooltip|heading|button|banner|toast|alert)$/.test(kind.toLowerCase());
  if (!isBare || value?.kind !== "quoted") return null;
  const claim = written(tokens.slice(at + 1, -1), source).toLowerCase();
  return /^(?:is|should be|must be|equals|reads|should read)$/.test(claim)
    ? [`the text of the ${kind.toLowerCase()} should be ${written([value], source)}`]
    : null;
};

/** `The "Menu" button should have aria-expanded "true"`: an attribute, and what it is. */
export const hasAria: Saying = (tokens, at, source) => {
  const name = tokens[at + 1];
  const value = tokens[at + 2];
  const isAttribute = name?.kind === "word" && /^(?:aria|data)-[a-z-]+$/.test(name.text);
  if (!isAttribute || value?.kind !== "quoted" || tokens.length !== at + 3) return null;
  let end = at;
  while (/^(?:should|must|will|shall|now|also|still)$/.test(word(tokens[end - 1]))) end--;
  const from = leadOf(tokens);
  const thing = placedThingAt(tokens.slice(0, end), from);
  if (thing?.to !== end || thing.name === null) return null;
  return [
    `${written(tokens.slice(from, end), source)} has the attribute ${name.text}=${written([value], source)}`,
  ];
};

/** `Is the page title "Plans"?`: what is asked is claimed. */
export const askedText: Saying = (tokens, at, source) => {
  const value = tokens.at(-1);
  const thing = tokens.slice(1, -1);
  if (at !== 0 || value?.kind !== "quoted" || thing.length === 0 || thing.length > 5) return null;
  const last = word(thing.at(-1));
  const isText = /^(?:title|heading|url)$/.test(last) && /^(?:the|page|main)$/.test(word(thing[0]));
  const isPlain = thing.every(({ kind }) => kind === "word");
  return isText && isPlain
    ? [`${written(thing, source)} should be ${written([value], source)}`]
    : null;
};
