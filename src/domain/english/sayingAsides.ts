import { baseOf } from "./inflections.ts";
import { isQuoted, word } from "./phrases.ts";
import { placedThingAt } from "./places.ts";
import { isJoint, isMark, NEGATING, quotedIn, type Saying, written } from "./sayingParts.ts";
import type { Token } from "./words.ts";

/** What is said between two commas and changes nothing of what is said around it. */
const ASIDE =
  /^(?:before anything else|first of all|first and foremost|of course|as always|as usual|to begin with|by the way|as expected|as described|as agreed|as before|once again|in particular|if you will|for good measure|needless to say|above all)$/;

/** Where what is said between two commas ends; 0 where what begins with a comma is no aside. */
const asideFrom = (tokens: readonly Token[], at: number): number => {
  const end = isMark(tokens[at], ",")
    ? tokens.findIndex((token, index) => index > at && isMark(token, ","))
    : -1;
  if (at === 0 || end < at + 2 || end > at + 5) return 0;
  const said = tokens
    .slice(at + 1, end)
    .map(word)
    .join(" ");
  return ASIDE.test(said) ? end : 0;
};

/** `Make certain, before anything else, that "A" is off`: what is said between the commas is left out. */
export const withoutAside: Saying = (tokens, at, source) => {
  // All of them are left out with the first.
  if (tokens.findIndex((_, index) => asideFrom(tokens, index) > 0) !== at) return null;
  const said: string[] = [];
  let from = 0;
  for (let index = at; index < tokens.length; index++) {
    const end = asideFrom(tokens, index);
    if (end === 0) continue;
    said.push(written(tokens.slice(from, index), source));
    from = end + 1;
    index = end;
  }
  said.push(written(tokens.slice(from), source));
  return [said.join(" ")];
};

const MANNER =
  /^(?:(?:key by key|character by character|letter by letter|one (?:key|character|letter) at a time|one by one))$/;
const MANNER_CUE = /^(?:slowly|carefully)$/;

/** `Type "lon" slowly, character by character, into the City field` → `Type "lon" character by character into …`. */
export const typedSlowly: Saying = (tokens, at, source) => {
  const end = tokens.findIndex((token, index) => index > at && isMark(token, ","));
  const said = tokens
    .slice(at + 1, end)
    .map(word)
    .join(" ");
  if (end < 0 || !MANNER.test(said) || !/^(?:type|types|enter|key|write)$/.test(word(tokens[0])))
    return null;
  const from = MANNER_CUE.test(word(tokens[at - 1])) ? at - 1 : at;
  const rest = written(tokens.slice(end + 1), source);
  return from < 2 ? null : [`${written(tokens.slice(0, from), source)} ${said} ${rest}`];
};

const SOURCE =
  /^(?:spec|specs|specification|frs|brd|prd|srs|requirement|requirements|design|designs|mockup|mock-up|wireframe|docs|documentation|story|ticket|acceptance criteria|style guide|manual|user story)$/;

/** `As per the FRS the label should read "A"`: where it is written is left out. */
export const asPer: Saying = (tokens, at, source) => {
  const isPer = at === 1 && /^(?:as)$/.test(word(tokens[0]));
  const isTo = at === 0 && word(tokens[0]) === "according";
  if (!isPer && !isTo) return null;
  let from = isTo ? (word(tokens[1]) === "to" ? 2 : -1) : 2;
  if (from < 0) return null;
  if (/^(?:the|our|its)$/.test(word(tokens[from]))) from++;
  for (const length of [2, 1]) {
    const said = tokens
      .slice(from, from + length)
      .map(word)
      .join(" ");
    if (!SOURCE.test(said)) continue;
    const next = isMark(tokens[from + length], ",") ? from + length + 1 : from + length;
    return next < tokens.length - 1 ? [written(tokens.slice(next), source)] : null;
  }
  return null;
};

const CLAIMED = /^(?:is|are|should|must|has|shows|reads|contains|does|can|stays|remains)$/;

/** Words behind `meaning` or `i.e.` that tell what was meant before, as a claim; null where it is none. */
const meantBy = (
  before: readonly Token[],
  rest: readonly Token[],
  source: string,
): string | null => {
  const from = /^(?:that|,)$/.test(rest[0]?.lower ?? "") ? 1 : 0;
  const claim = rest.slice(from);
  const isClaim = claim.some((token) => CLAIMED.test(word(token)));
  if (!isClaim || claim.length < 3) return null;
  const said = withQuoted(claim, source);
  if (!/^(?:its|their)$/.test(word(claim[0]))) {
    // What was named before and is not again would be lost.
    const again = quotedIn(claim);
    return quotedIn(before).every((name) => again.some(({ lower }) => lower === name.lower))
      ? said
      : null;
  }
  // `its target attribute is …`: of what the sentence begins with.
  const thing = placedThingAt(before, 0);
  const verb = claim.findIndex((token) => CLAIMED.test(word(token)));
  if (!thing || thing.name === null || verb !== 3 || word(claim[2]) !== "attribute") return null;
  const of = written(before.slice(0, thing.to), source);
  return `the ${word(claim[1])} attribute of ${of} ${withQuoted(claim.slice(verb), source)}`;
};

/** `… attribute … is _blank`: the one word that an attribute is needs no quotes. */
const withQuoted = (claim: readonly Token[], source: string): string => {
  const value = claim.at(-1);
  const isPlain =
    claim.some((token) => word(token) === "attribute") &&
    value?.kind === "word" &&
    /^(?:is|be|equals)$/.test(word(claim.at(-2))) &&
    !/^(?:set|missing|present|empty|absent|there|given|removed|gone)$/.test(value.lower);
  return isPlain
    ? `${written(claim.slice(0, -1), source)} "${value.text}"`
    : written(claim, source);
};

/** `The password must be masked, meaning the type attribute of … is password`: what is meant is claimed. */
export const meaningThat: Saying = (tokens, at, source) => {
  const end = isMark(tokens[at - 1], ",") ? at - 1 : at;
  const before = tokens.slice(0, end);
  if (end < 3 || before.some((token) => isJoint(token) || NEGATING.test(word(token)))) return null;
  if (!before.some((token) => CLAIMED.test(word(token)))) return null;
  // Who sees it, and how many of it, is no state that is told in other words.
  const isState = /^(?:the|its|this|that|both|all)$/.test(word(tokens[0])) || isQuoted(tokens[0]);
  if (!isState || before.some(({ kind, text }) => kind === "word" && /\d/.test(text))) return null;
  const meant = meantBy(before, tokens.slice(at + 1), source);
  return meant === null ? null : { said: [meant], unless: written(before, source) };
};

const TYPING = /^(?:enter|enters|type|types|input|write|put|fill in)$/;

/** The parts of a list of two or three: `A and B`, `A, B and C`; null for anything else. */
const partsOf = (tokens: readonly Token[]): readonly (readonly Token[])[] | null => {
  const parts: Token[][] = [[]];
  for (const token of tokens) {
    if (isMark(token, ",") || word(token) === "and") parts.push([]);
    else parts.at(-1)?.push(token);
  }
  const all = parts.filter((part) => part.length > 0);
  const isList = word(tokens[tokens.length - 1 - (all.at(-1)?.length ?? 0)]) === "and";
  return isList && all.length > 1 && all.length < 4 ? all : null;
};

/** `Enter a@b.test and "pw" in the Email and Password fields`: each in its own. */
export const inEachOwn: Saying = (tokens, at, source) => {
  if (!TYPING.test(word(tokens[0])) || at < 4) return null;
  const values = partsOf(tokens.slice(1, at));
  let to = tokens.length;
  if (word(tokens[to - 1]) === "respectively") to--;
  if (isMark(tokens[to - 1], ",")) to--;
  const isFields = /^(?:fields|boxes|inputs)$/.test(word(tokens[to - 1]));
  const from = word(tokens[at + 1]) === "the" ? at + 2 : at + 1;
  const names = isFields ? partsOf(tokens.slice(from, to - 1)) : null;
  if (!values || !names || values.length !== names.length) return null;
  const isValue = values.every((part) => {
    const [only] = part;
    return part.length === 1 && (only?.kind === "quoted" || /[@\d$]/.test(only?.text ?? ""));
  });
  const isName = names.every(
    (part) =>
      (part.length === 1 && isQuoted(part[0])) ||
      (part.length < 4 && part.every(({ kind, text }) => kind === "word" && /^\p{Lu}/u.test(text))),
  );
  if (!isValue || !isName) return null;
  return names.map((name, index) => {
    const value = values[index] ?? [];
    const text =
      value[0]?.kind === "quoted" ? written(value, source) : `"${written(value, source)}"`;
    const label = isQuoted(name[0]) ? written(name, source) : `"${written(name, source)}"`;
    return `type ${text} into the ${label} field`;
  });
};

const KEEPING = /^(?:keep|save|store|remember|put|hold)$/;
const GETTING = /^(?:get|read|take|copy|grab|note|fetch)$/;

/** `Get the code from "Confirmation code", keep it in variable pnr`: the text of what is named is stored. */
export const keptIn: Saying = (tokens, at, source) => {
  const names = quotedIn(tokens.slice(0, at));
  const [name] = names;
  let end = at;
  while (isJoint(tokens[end - 1])) end--;
  const isGot = GETTING.test(word(tokens[0])) && KEEPING.test(word(tokens[at])) && end < at;
  if (!isGot || word(tokens[at + 1]) !== "it" || names.length !== 1 || tokens[end - 1] !== name)
    return null;
  // `Get the code from "Code"`: what it is, and where.
  const before = tokens.slice(1, end - 1);
  if (before.some((token) => /^(?:picture|screenshot|snapshot|photo|file)$/.test(word(token))))
    return null;
  if (!before.every(({ kind, text }) => kind === "word" && /^[a-z-]+$/.test(text))) return null;
  if (
    !/^(?:from|of|in)$/.test(word(before.at(-1))) ||
    before.some((token) => baseOf(word(token)) === word(token) && word(token) !== "note")
  )
    return null;
  const rest = tokens.slice(at + 2).map(word);
  const variable = tokens.at(-1);
  const isVariable = /^(?:in|as|under|into)(?: (?:the|a))?(?: variable)?$/.test(
    rest.slice(0, -1).join(" "),
  );
  return isVariable && variable?.kind === "word" && /^[A-Za-z_]\w*$/.test(variable.text)
    ? [`store the text of ${written([name as Token], source)} as ${variable.text}`]
    : null;
};

/** `Note down the Case number as caseNo`: its text is stored. */
export const notedAs: Saying = (tokens, at, source) => {
  const isNoted = /^(?:note|write|jot)$/.test(word(tokens[0])) && word(tokens[1]) === "down";
  const variable = tokens[at + 1];
  const isVariable = variable?.kind === "word" && /^[a-z]+[A-Z_\d]\w*$/.test(variable.text);
  if (!isNoted || !isVariable || at + 2 !== tokens.length || at < 3) return null;
  const from = word(tokens[2]) === "the" ? 3 : 2;
  const name = tokens.slice(from, at);
  const [first] = name;
  const isNamed =
    (name.length === 1 && first?.kind === "quoted") ||
    (name.length < 4 &&
      /^\p{Lu}/u.test(first?.text ?? "") &&
      name.every(({ kind, text }) => kind === "word" && /^[\p{L}\d-]+$/u.test(text)));
  if (!isNamed) return null;
  const label = first?.kind === "quoted" ? written(name, source) : `"${written(name, source)}"`;
  return [`store the text of ${label} as ${variable.text}`];
};
