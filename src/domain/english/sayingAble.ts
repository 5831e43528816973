import { baseOf, GERUNDS } from "./inflections.ts";
import { word } from "./phrases.ts";
import {
  isJoint,
  isMark,
  leadOf,
  NEGATING,
  quotedIn,
  type Saying,
  written,
} from "./sayingParts.ts";
import { quote, type Token } from "./words.ts";

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
