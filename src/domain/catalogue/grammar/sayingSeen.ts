import { findKind } from "../kinds.ts";
import { quote, type Token } from "../words.ts";
import { baseOf, GERUNDS } from "./inflections.ts";
import { readNumber } from "./numberSlots.ts";
import { word } from "./phrases.ts";
import { placedThingAt } from "./places.ts";
import { isJoint, isMark, NEGATING, quotedIn, type Saying, written } from "./sayingParts.ts";
import { thingAt } from "./things.ts";

const VERIFYING = /^(?:verify|check|ensure|confirm|assert|validate|make|sure|that|if|whether)$/;
const SHOWN = /^(?:visible|displayed|shown|present|there|listed)$/;

/** Without what only says that a claim follows. */
const leadOf = (tokens: readonly Token[]): number => {
  let at = 0;
  while (at < 3 && VERIFYING.test(word(tokens[at]))) at++;
  return at;
};

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
    at === start + 1 &&
    /^(?:tooltip|heading|button|link|banner|toast|alert|label)$/.test(kind.toLowerCase());
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

/** `Verify whether the user is able to click "Save"`: what can be done is done. */
export const ableTo: Saying = (tokens, at, source) => {
  const isAble = word(tokens[at]) === "able";
  const to = isAble ? at + 2 : at + 1;
  if (isAble && word(tokens[at + 1]) !== "to") return null;
  const lead = tokens.slice(0, at).map(word).join(" ");
  const found =
    /^(?:verify|check|ensure|confirm|test|validate) (?:that |if |whether )?(?:the |a )?(?:user|customer|visitor|admin|tester|i|we|you)(?: (?:is|are|should be))?$/.exec(
      lead,
    );
  const verb = word(tokens[to]);
  const rest = tokens.slice(to + 1);
  const isPlain =
    /^(?:click|tap|select|choose|pick|tick|untick|type|enter|press|upload|open|expand|hover)$/.test(
      verb,
    );
  if (!found || isAble === !/(?:is|are|be)$/.test(lead) || !isPlain || quotedIn(rest).length === 0)
    return null;
  return rest.some((token) => NEGATING.test(word(token)) || word(token) === "or")
    ? null
    : [written(tokens.slice(to), source)];
};

/** `select the date 15 from the "Joined" calendar`: a day of a calendar is clicked. */
export const dayInCalendar: Saying = (tokens, at, source) => {
  if (!/^(?:select|choose|pick|click)s?$/.test(word(tokens[0])) || at !== tokens.length - 1)
    return null;
  let from = 1;
  while (/^(?:the|on|date|day)$/.test(word(tokens[from]))) from++;
  const day = tokens[from];
  const isDay = day !== undefined && /^\d{1,2}$/.test(day.text);
  if (!isDay || !/^(?:from|in|on)$/.test(word(tokens[from + 1]))) return null;
  const start = word(tokens[from + 2]) === "the" ? from + 3 : from + 2;
  const name = tokens[start];
  return name?.kind === "quoted" && start + 1 === at
    ? [`click ${quote(day.text)} in the ${written([name], source)} calendar`]
    : null;
};

/** `With the mouse over "Red kettle", "Quick view" is visible`: one hovers over it first. */
export const withPointer: Saying = (tokens, at, source) => {
  const isWith =
    at === 2 && word(tokens[0]) === "with" && /^(?:the|your|my)$/.test(word(tokens[1]));
  const comma = tokens.findIndex((token) => isMark(token, ","));
  const thing = tokens.slice(at + 2, comma);
  if (!isWith || comma < at + 3 || !/^(?:over|on|above)$/.test(word(tokens[at + 1]))) return null;
  if (thing.some(isJoint) || comma === tokens.length - 1) return null;
  return [`hover over ${written(thing, source)}`, written(tokens.slice(comma + 1), source)];
};

/** `Expand "A" and "B" by double clicking them, …`: the same with both of them. */
export const eachDoneBy: Saying = (tokens, at, source) => {
  const [, one, and, other] = tokens;
  const isPair =
    one?.kind === "quoted" && word(and) === "and" && other?.kind === "quoted" && at === 4;
  if (!isPair || baseOf(word(tokens[0])) === null) return null;
  const isTwo = /^(?:double|right)$/.test(word(tokens[5]));
  const verb = GERUNDS.get(word(tokens[isTwo ? 6 : 5]));
  let end = isTwo ? 7 : 6;
  if (word(tokens[end]) === "on") end++;
  if (verb === undefined || !/^(?:them|each|both)$/.test(word(tokens[end]))) return null;
  if (word(tokens[end + 1]) === "of" && word(tokens[end + 2]) === "them") end += 2;
  const deed = isTwo ? `${word(tokens[5])}-${verb}` : verb;
  const deeds = [one, other].map((name) => `${deed} ${written([name], source)}`);
  const rest = tokens.slice(end + 1);
  if (rest.length === 0) return deeds;
  return isJoint(rest[0]) && rest.length > 1 ? [...deeds, written(rest.slice(1), source)] : null;
};

/** `The back button of the browser brings me to /search`: one goes back, and is there. */
export const backBrings: Saying = (tokens, at, source) => {
  const lead = tokens.slice(leadOf(tokens), at).map(word).join(" ");
  const address = tokens.at(-1);
  if (
    !/^(?:(?:the )?back button of the browser|(?:the )?browser's back button|(?:the )?browser back button)$/.test(
      lead,
    )
  )
    return null;
  const behind = tokens
    .slice(at + 1, -1)
    .map(word)
    .join(" ");
  const isTo = /^(?:(?:me|you|us|the user|one) )?(?:back )?to$/.test(behind);
  return isTo && /^(?:https?:\/\/|\/)\S*$/i.test(address?.text ?? "")
    ? ["go back", `I should be on ${written([address as Token], source)}`]
    : null;
};

/** `On the page on iPad Mini: …`: how large the screen is stands before the colon. */
export const checkedOn: Saying = (tokens, at, source) => {
  const colon = tokens.findIndex((token) => isMark(token, ":"));
  const lead = tokens.slice(0, at).map(word).join(" ");
  const device = tokens.slice(at + 1, colon);
  const isLead =
    /^(?:check|verify|look at|test|view|inspect) the (?:page|layout|screen|site|design)$/.test(
      lead,
    );
  if (!isLead || colon < at + 2 || device.some(isJoint) || device.length > 5) return null;
  return [
    `${word(tokens[at])} ${written(device, source)}, ${written(tokens.slice(colon + 1), source)}`,
  ];
};
