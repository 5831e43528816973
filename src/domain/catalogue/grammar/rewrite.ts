import { kinds } from "../kinds.ts";
import { readTarget } from "../target.ts";
import type { Token } from "../words.ts";
import { GERUNDS } from "./gerunds.ts";
import { causeLast, possessed, type Say, usedFor } from "./rewriteClaims.ts";
import { bothOf, boxesOf, fromContextMenu, ofAll } from "./rewriteLists.ts";
import { scoped } from "./scopes.ts";

const word = (token: Token | undefined): string => (token?.kind === "word" ? token.lower : "");
const isMark = (token: Token | undefined, text: string): boolean =>
  token?.kind === "mark" && token.text === text;
const isQuoted = (token: Token | undefined): boolean => token?.kind === "quoted";
const isJoint = (token: Token | undefined): boolean =>
  isMark(token, ",") || /^(?:and|&|or|then|but)$/.test(word(token));

/** No sentence that is rewritten is longer. */
const MAX_TOKENS = 60;

/**
 * Says a sentence that means several, or that puts the place first, as sentences that the forms know: the same
 * words in another order, none of them left out. Null for all others.
 */
export const rewritten = (tokens: readonly Token[], source: string): readonly string[] | null => {
  if (tokens.length < 4 || tokens.length > MAX_TOKENS) return null;
  const said = cuesIn(tokens);
  const start = word(tokens[0]);
  if (said === 0 && !STARTS.has(start)) return null;
  const say = sayOf(tokens, source);
  const has = CUE;
  return (
    (STARTS.has(start) ? startingWith(tokens, source, say) : null) ??
    (said & has.by ? byDoing(tokens, say) : null) ??
    (said & has.so ? soThat(tokens, say) : null) ??
    (said & has.gerund ? doingShows(tokens, say) : null) ??
    (said & has.cause ? causeLast(tokens, say) : null) ??
    (start === "use" || start === "uses" ? usedFor(tokens, source, say) : null) ??
    (said & has.possessive ? possessed(tokens, say) : null) ??
    (said & has.neither ? neitherNor(tokens, say) : null) ??
    (said & has.or ? notOr(tokens, say) : null) ??
    (said & has.menu ? fromContextMenu(tokens, say) : null) ??
    (said & has.boxes ? boxesOf(tokens, say) : null) ??
    (said & has.joint ? ofSeveral(tokens, source, say) : null)
  );
};

/** What a sentence that begins with a place, or with what was before, comes to. */
const startingWith = (tokens: readonly Token[], source: string, say: Say) =>
  scoped(tokens, source, say) ??
  placeFirst(tokens, source, say) ??
  placeBeforeVerb(tokens, source, say) ??
  onceSeen(tokens, say) ??
  afterDoing(tokens, say);

const ofSeveral = (tokens: readonly Token[], source: string, say: Say) => {
  const named = ofAll(tokens);
  return bothOf(tokens, source, say) ?? distributed(named, sayOf(named, source));
};

const STARTS = new Set(
  "in within inside on under from for using once after as at by upon when use uses".split(" "),
);

/** What tells that a sentence may be one of these at all: most are none. */
const CUE = {
  by: 1,
  so: 2,
  gerund: 4,
  cause: 8,
  possessive: 16,
  neither: 32,
  or: 64,
  menu: 128,
  boxes: 256,
  joint: 512,
} as const;

const CUES = new Map<string, number>([
  ["by", CUE.by],
  ["so", CUE.so],
  ["neither", CUE.neither],
  ["or", CUE.or],
  ["menu", CUE.menu],
  ["and", CUE.joint],
  ["&", CUE.joint],
  [",", CUE.joint],
  ...["boxes", "checkboxes"].map((said): [string, number] => [said, CUE.boxes]),
  ...["after", "when", "once", "upon", "on"].map((said): [string, number] => [said, CUE.cause]),
  ...Object.keys(GERUNDS).map((said): [string, number] => [said, CUE.gerund]),
]);

const cuesIn = (tokens: readonly Token[]): number => {
  let cues = 0;
  for (const { kind, lower } of tokens) {
    if (kind !== "word" && kind !== "mark") continue;
    cues |= CUES.get(lower) ?? 0;
    if (lower.endsWith("'s")) cues |= CUE.possessive;
  }
  return cues;
};

const sayOf =
  (tokens: readonly Token[], source: string): Say =>
  (from, to) => {
    const part = tokens.slice(from, to);
    const [first] = part;
    return first ? source.slice(first.start, part.at(-1)?.end) : "";
  };

const PLACE = new Set(["in", "within", "inside", "on", "under", "from", "for", "using"]);

/** `In the "Billing" section, click "Change"` → `click "Change" in the "Billing" section`. */
const placeFirst = (tokens: readonly Token[], source: string, say: Say): string[] | null => {
  if (!PLACE.has(word(tokens[0]))) return null;
  const comma = tokens.findIndex((token) => isMark(token, ","));
  if (comma < 2 || comma === tokens.length - 1) return null;
  // Whether the place is meant for the second of two would be a guess.
  if (tokens.slice(comma + 1).some(isJoint)) return null;
  const place = readTarget(tokens.slice(1, comma), source);
  const kind = place?.target.find.by === "kind" ? place.target.find.kind : null;
  if (!place || place.doubt !== null || kind === null) return null;
  const isField = kind === "field" || kind === "dropdown" || kind === "box";
  const isPlace = isField || (kinds[kind].container && word(tokens[0]) !== "for");
  if (!isPlace) return null;
  const named = `in ${say(1, comma)}`;
  const rest = comma + 1;
  // `In the "Cart" section, "Pay" should be disabled`: the place goes to the name.
  const predicate = tokens.findIndex((token, at) => at > rest && SAID_OF.test(word(token)));
  const isSubject =
    isQuoted(tokens[rest]) || (word(tokens[rest]) === "the" && isQuoted(tokens[rest + 1]));
  if (predicate > 0 && isSubject) return [`${say(rest, predicate)} ${named} ${say(predicate)}`];
  const filled = tokens.findIndex((token, at) => at > rest + 1 && word(token) === "with");
  if (filled > 0 && word(tokens[rest]).startsWith("fill")) {
    return [`${say(rest, filled)} ${named} ${say(filled)}`];
  }
  return [`${say(rest)} ${named}`];
};

const SAID_OF = /^(?:should|is|are|must|has|have|contains|shows)$/;

/** `Click "Save" so that "Saved" is visible` → both, one after the other. */
const soThat = (tokens: readonly Token[], say: Say): string[] | null => {
  const so = tokens.findIndex(
    (token, at) => word(token) === "so" && word(tokens[at + 1]) === "that",
  );
  return so > 1 && so + 2 < tokens.length ? [say(0, so), say(so + 2)] : null;
};

const VERB =
  /^(?:click|clicks|press|tap|enter|type|fill|select|choose|check|tick|untick|uncheck|hover|double-click|right-click|clear)$/;

/** `Within the "Cart" section click "Remove"` → `click "Remove" in the "Cart" section`. */
const placeBeforeVerb = (tokens: readonly Token[], source: string, say: Say): string[] | null => {
  if (!/^(?:in|within|inside|on)$/.test(word(tokens[0]))) return null;
  const verb = tokens.findIndex((token) => VERB.test(word(token)));
  if (verb < 3 || verb === tokens.length - 1 || tokens.some(isJoint)) return null;
  const place = readTarget(tokens.slice(1, verb), source);
  const kind = place?.target.find.by === "kind" ? place.target.find.kind : null;
  const isPlace = place?.doubt === null && kind !== null && kinds[kind].container === true;
  const isNamed = tokens.slice(1, verb).some(isQuoted);
  return isPlace && isNamed ? [`${say(verb)} in ${say(1, verb)}`] : null;
};

const SEEN =
  /^(?:appears|opens|disappears|closes|visible|displayed|shown|gone|hidden|enabled|open)$/;

/** `Once "Loading" disappears, click "Next"`, `After 2 seconds, click "Next"` → `wait until …`, `click "Next"`. */
const onceSeen = (all: readonly Token[], sayAll: Say): string[] | null => {
  // `As soon as "Saved" appears, …`
  const isSoon = ["as", "soon", "as"].every((one, at) => word(all[at]) === one);
  if (["at", "this", "point", ","].every((one, at) => all[at]?.text.toLowerCase() === one)) {
    return all.length > 4 ? [sayAll(4)] : null;
  }
  const [tokens, skipped] = isSoon ? [all.slice(2), 2] : [all, 0];
  const say: Say = (from, to) =>
    sayAll(from + skipped, to === undefined ? undefined : to + skipped);
  if (!isSoon && !/^(?:once|after)$/.test(word(tokens[0]))) return null;
  const comma = tokens.findIndex((token) => isMark(token, ","));
  if (comma < 2 || comma === tokens.length - 1) return null;
  const isTime =
    word(tokens[0]) === "after" && /^(?:ms|seconds?|minutes?|s)$/.test(word(tokens[comma - 1]));
  if (isTime) return [`wait ${say(1, comma)}`, say(comma + 1)];
  if (!SEEN.test(word(tokens[comma - 1])) || tokens.slice(0, comma).some(isJoint)) return null;
  return [`wait until ${say(1, comma)}`, say(comma + 1)];
};

const DONE_BY =
  /^(?:submit|submits|save|saves|close|closes|confirm|open|opens|accept|accepts|log|login|sign|cancel|dismiss|complete|finish|continue|proceed|apply|delete|remove|send|start|exit|leave|expand|collapse|filter|sort|add|create|publish|begin|closes|submits|saves|confirms|opens|logs|register|search|navigate|go|return|agree|consent)$/;

/** `Submit the form by clicking "Send"` → `click "Send"`: what it comes to adds nothing to what is done. */
const byDoing = (tokens: readonly Token[], say: Say): string[] | null => {
  if (!tokens.some(({ lower }) => lower === "by")) return null;
  const article = word(tokens[0]) === "the" ? 1 : 0;
  const isUser = /^(?:user|customer|visitor)$/.test(word(tokens[article]));
  const start = isUser ? article + 1 : /^(?:i|we|you|they)$/.test(word(tokens[0])) ? 1 : 0;
  const by = tokens.findIndex((token) => word(token) === "by");
  const gerund = word(tokens[by + 1]);
  const verb = Object.hasOwn(GERUNDS, gerund) ? GERUNDS[gerund] : undefined;
  if (by < start + 1 || !verb || by + 2 >= tokens.length) return null;
  const before = tokens.slice(start, by);
  // A dialog of the browser is answered, whatever is clicked in it.
  if (before.some((token) => /^(?:alert|prompt|confirm|confirmation)$/.test(word(token))))
    return null;
  if (!DONE_BY.test(word(before[0])) || before.some(({ kind }) => kind !== "word")) return null;
  if (tokens.some(isJoint) && before.some(isJoint)) return null;
  return [`${verb} ${say(by + 2)}`];
};

const SHOWS =
  /^(?:shows|displays|opens|reveals|should|redirects|navigates|leads|takes|brings|must|will)$/;

/** `Clicking "Save" shows "Saved"` → `click "Save"`, `the page shows "Saved"`. */
const doingShows = (tokens: readonly Token[], say: Say): string[] | null => {
  const gerund = word(tokens[0]);
  const verb = Object.hasOwn(GERUNDS, gerund) ? GERUNDS[gerund] : undefined;
  if (!verb) return null;
  const at = tokens.findIndex((token, index) => index > 1 && SHOWS.test(word(token)));
  if (at < 2 || at === tokens.length - 1 || tokens.slice(0, at).some(isJoint)) return null;
  const shows = tokens.slice(at).map(word).join(" ");
  const caused = CAUSED.find(([words]) => shows.startsWith(words));
  if (!caused) return null;
  const [words, claim] = caused;
  const rest = at + words.split(" ").length;
  return rest < tokens.length ? [`${verb} ${say(1, at)}`, `${claim} ${say(rest)}`] : null;
};

const LEADS = [
  ...["takes me to", "takes you to", "takes the user to", "should take me to", "will take me to"],
  ...["should take the user to", "redirects to", "should redirect to", "navigates to", "leads to"],
  ...["should navigate to", "should lead to", "brings me to"],
];
const SHOWN = [
  ...["should display", "should show", "should open", "should reveal", "displays", "shows"],
  ...["reveals", "opens", "must show", "must display", "will show", "will display", "brings up"],
];
/** What a deed causes, and how that is claimed. */
const CAUSED: readonly (readonly [string, string])[] = [
  ...LEADS.map((words): [string, string] => [words, "I should be on"]),
  ...SHOWN.map((words): [string, string] => [words, "I should see"]),
];

/** `After clicking "Save", "Saved" is visible` → `click "Save"`, `"Saved" is visible`. */
const afterDoing = (tokens: readonly Token[], say: Say): string[] | null => {
  if (!/^(?:after|upon|on|once|by|when)$/.test(word(tokens[0]))) return null;
  const person = /^(?:i|you|we|they)$/.test(word(tokens[1])) ? 1 : 2;
  const said = person === 1 || (word(tokens[1]) === "the" && word(tokens[2]) === "user");
  const told = tokens.findIndex((token) => isMark(token, ","));
  if (said && told > person + 2 && told < tokens.length - 1) return [say(1, told), say(told + 1)];
  const gerund = word(tokens[1]);
  const verb = Object.hasOwn(GERUNDS, gerund) ? GERUNDS[gerund] : undefined;
  const comma = tokens.findIndex((token) => isMark(token, ","));
  if (!verb || comma < 2 || comma === tokens.length - 1) return null;
  if (comma === 2) return verb === "reload" || verb === "refresh" ? ["reload", say(3)] : null;
  return [`${verb} ${say(2, comma)}`, say(comma + 1)];
};

/** `I should see neither "A" nor "B"`; `Neither "A" nor "B" is visible`. */
const neitherNor = (tokens: readonly Token[], say: Say): string[] | null => {
  const neither = tokens.findIndex((token) => word(token) === "neither");
  const nor = tokens.findIndex((token) => word(token) === "nor");
  if (neither < 0 || nor < neither + 2 || nor === tokens.length - 1) return null;
  const names = [say(neither + 1, nor)];
  const isClaim =
    /^(?:verify|check|ensure|assert|confirm|validate)$/.test(word(tokens[0])) && neither <= 2;
  if (neither > 0 && !isClaim) {
    if (!/^(?:see|sees)$/.test(word(tokens[neither - 1]))) return null;
    names.push(say(nor + 1));
  } else {
    const verb = tokens.findIndex(
      (token, at) => at > nor && /^(?:is|are|should)$/.test(word(token)),
    );
    const rest = verb < 0 ? "" : say(verb).toLowerCase();
    if (!/^(?:is|are|should be) (?:visible|displayed|shown|present)$/.test(rest)) return null;
    names.push(say(nor + 1, verb));
  }
  return names.map((name) => `I should not see ${name}`);
};

/** `I should not see "A" or "B"`: neither of them. */
const notOr = (tokens: readonly Token[], say: Say): string[] | null => {
  const at = tokens.findIndex((token) => word(token) === "see");
  const or = tokens.length - 2;
  const isNegated = /^(?:not|no|longer|don't|shouldn't|can't|cannot)$/.test(word(tokens[at - 1]));
  const isPair = or === at + 2 && word(tokens[or]) === "or";
  if (at < 1 || !isNegated || !isPair) return null;
  if (!isQuoted(tokens[at + 1]) || !isQuoted(tokens[or + 1])) return null;
  return [say(0, or), `${say(0, at + 1)} ${say(or + 1)}`];
};

const PREDICATE =
  /^(?:is|are|should|must|appear|exist|disappear|to|buttons|links|fields|inputs|headings|tabs|checkboxes|options|images|messages|texts|items|rows|columns|cells|sections|dropdowns)$/;

/** `Verify that "A", "B" and "C" are visible`: what is said of the last is said of each. */
const distributed = (tokens: readonly Token[], say: Say): string[] | null => {
  const first = tokens.findIndex(isQuoted);
  if (first < 0) return null;
  const names: string[] = [say(first, first + 1)];
  let at = first + 1;
  while (at < tokens.length) {
    let next = at;
    while (isMark(tokens[next], ",") || /^(?:and|&|the)$/.test(word(tokens[next]))) next++;
    if (next === at || !isQuoted(tokens[next])) break;
    names.push(say(next, next + 1));
    at = next + 1;
  }
  const rest = tokens.slice(at);
  if (names.length < 2 || !PREDICATE.test(word(rest[0])) || rest.some(isJoint)) return null;
  // "to" speaks of the list only behind a verb: `expect "A" and "B" to be visible`, not `drag "A" and "B" to`.
  if (word(rest[0]) === "to" && !/^(?:be|have|appear|exist)$/.test(word(rest[1]))) return null;
  if (tokens.slice(0, first).some(isJoint) || rest.some(isQuoted)) return null;
  let lead = first;
  if (word(tokens[lead - 1]) === "both") lead--;
  return names.map((name) => [say(0, lead), name, say(at)].filter(Boolean).join(" "));
};
