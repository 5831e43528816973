import { findKind } from "../kinds.ts";
import { parseTarget } from "../target.ts";
import { quote, quoteLiteral, type Token, tokenize } from "../words.ts";
import { actForms, wholeForms } from "./actForms.ts";
import { claimForms } from "./claimForms.ts";
import type { Clause } from "./clauses.ts";
import { placeDoubts, placeForms } from "./goForms.ts";
import type { Mood } from "./lines.ts";
import { type Draft, type FormTable, formsFor, formTable, matchForm } from "./match.ts";
import { placeClaims } from "./pageForms.ts";
import { type Reader, readerOf } from "./reader.ts";
import { readNumber } from "./slots.ts";
import { waitForms } from "./waitForms.ts";
import { expanded, inPresent, repeatsOf, withoutPurpose, withoutTail } from "./wordings.ts";

/** Where in the test a clause stands. */
export type Context = { readonly mood: Mood | null; readonly isFirst: boolean };

/** Longer clauses are no instruction; quoted texts count as one word. */
export const MAX_CLAUSE_WORDS = 40;
const MAX_REPEATS = 50;

const claims = formTable([...placeClaims, ...claimForms]);
const allForms = [...waitForms, ...actForms, ...claimForms];
const toGoTo = formTable([...placeForms, ...allForms]);
const toBeAt = formTable([...placeClaims, ...allForms]);
const wholes = formTable(wholeForms);
const unclearPlace = formTable([...placeDoubts, ...allForms]);

/** What the forms make of a clause. */
export type Outcome =
  | { readonly kind: "step"; readonly draft: Draft; readonly lead: readonly Token[] }
  /** Not certain. `firm` ends the search: another form would be a guess. */
  | { readonly kind: "doubt"; readonly message: string; readonly firm: boolean }
  | { readonly kind: "unknown" };

/** A word in lower case; empty for anything else. */
export const word = (token: Token | undefined): string =>
  token?.kind === "word" ? token.lower : "";

/** Whether a token is a text that says itself where it ends. */
export const isQuoted = (token: Token | undefined): boolean =>
  token?.kind === "quoted" || token?.kind === "literal" || token?.kind === "selector";

/** Words that only join; the soft ones may as well start a name. */
export const HARD_CONNECTORS = new Set([
  ...[
    "then",
    "please",
    "afterwards",
    "afterward",
    "and",
    "just",
    "simply",
    "subsequently",
    "kindly",
  ],
]);
export const SOFT_CONNECTORS = new Set([
  "now",
  "next",
  "finally",
  "also",
  "first",
  "lastly",
  "secondly",
]);

/** The clause before, of which "and …" may leave something unsaid. */
export type Previous = {
  readonly draft: Draft;
  readonly lead: readonly Token[];
  readonly tokens: readonly Token[];
};

export type Read = (Outcome & { kind: "step"; times: number }) | Exclude<Outcome, { kind: "step" }>;

/** Reads one clause; what it leaves unsaid may stand in the one before. */
export const readClause = (
  clause: Clause,
  reader: Reader,
  context: Context,
  previous: Previous | null,
): Read => {
  if (clause.tokens.length === 0)
    return { kind: "doubt", message: "Something is missing at its end.", firm: true };
  if (clause.tokens.length > MAX_CLAUSE_WORDS) {
    return {
      kind: "doubt",
      message: "Too long for one instruction: quote the texts in it.",
      firm: true,
    };
  }
  const into = previous && typedIntoTheSame(clause, previous);
  if (into) return into;
  const meant = previous && withPronoun(clause.tokens, previous.draft, reader.source);
  if (meant) {
    const { tokens } = tokenize(meant);
    const read = withRepeats(tokens, readerOf(meant), context);
    if (read.kind === "step") return { ...read, lead: [] };
  }
  const own = withRepeats(clause.tokens, reader, context);
  if (own.kind === "step" || (own.kind === "doubt" && own.firm)) return own;
  const shared = previous && readElliptical(clause, readerOf(reader.source), context, previous);
  return shared ?? own;
};

const TYPING = /^(?:type|types|enter|enters|input|write|put|insert|paste)$/;
/** The name without its quotes where it is read as one. */
const nameOf = ({ text }: Token): string => {
  const { find } = parseTarget(text);
  return find.by === "name" && find.name === text ? text : quote(text);
};

const FROM = /^(?:from|in|on|for|of|as|with|to)$/;
const CHOOSING = /^(?:select|selects|choose|chooses|pick|picks)$/;

/** `Clear the "Name" field and enter "Bob"`, `Open the "Size" dropdown and choose "L"`: where was just said. */
const typedIntoTheSame = (clause: Clause, { draft }: Previous): Read | null => {
  const all = withoutAdverb(clause.tokens);
  const [verb, ...rest] = word(all.at(-1)) === "instead" ? all.slice(0, -1) : all;
  const named = word(rest[0]) === "the" ? rest.slice(word(rest[1]) === "text" ? 2 : 1) : rest;
  const [text] = named;
  if (
    CHOOSING.test(word(verb)) &&
    draft.action === "click" &&
    named.length > 0 &&
    named.length < 5
  ) {
    const isBare =
      named.every((token) => token.kind === "word") && /^[\p{Lu}\d]/u.test(text?.text ?? "");
    const bare = isBare && findKind(word(named.at(-1))) === null;
    if (bare && text && !named.some((token) => FROM.test(word(token)))) {
      const said = { ...text, text: named.map((token) => token.text).join(" ") };
      return chosenInTheSame(draft, said);
    }
  }
  if (named.length !== 1 || text?.kind !== "quoted") return null;
  if (CHOOSING.test(word(verb)) && draft.action === "right_click") {
    return { kind: "step", draft: { action: "click", target: nameOf(text) }, lead: [], times: 1 };
  }
  if (CHOOSING.test(word(verb)) && draft.action === "click") return chosenInTheSame(draft, text);
  if (!TYPING.test(word(verb))) return null;
  if (!["clear", "click", "focus"].includes(draft.action)) return null;
  const { find } = parseTarget(draft.target ?? "");
  if (draft.action !== "clear" && (find.by !== "kind" || find.kind !== "field")) return null;
  const filled: Draft = { action: "fill", target: draft.target ?? "", value: text.text };
  return { kind: "step", draft: filled, lead: [], times: 1 };
};

const chosenInTheSame = (draft: Draft, { text }: Token): Read | null => {
  const { find } = parseTarget(draft.target ?? "");
  if (find.by !== "kind" || find.kind !== "dropdown") return null;
  const chosen: Draft = { action: "select", target: draft.target ?? "", value: text };
  return { kind: "step", draft: chosen, lead: [], times: 1 };
};

const DOING =
  /^(?:click|clicks|tap|press|hit|hover|hovers|double-click|right-click|clear|tick|check|untick|uncheck|type|types|enter|enters|fill|select|choose|pick|drag|scroll|focus|submit|wait|repeat|repeats|retype|re-enter|paste|open|expand|close)$/;
const CLAIMED = /^(?:should|is|must|has|shows|contains|reads|says|becomes|turns)$/;

/**
 * `… is enabled, then click it`: what the clause before was about. `repeat it in "B"`: the text that was
 * typed there. Null when no such word stands in the clause.
 */
const withPronoun = (all: readonly Token[], draft: Draft, source: string): string | null => {
  const start = all.findIndex((token) => !HARD_CONNECTORS.has(word(token)));
  const tokens = withoutAdverb(
    SUBJECTS.has(word(all[start])) ? all.slice(start + 1) : all.slice(start),
  );
  const at = tokens.findIndex((token) => word(token) === "it");
  const first = tokens[0];
  if (at < 0 || !first) return null;
  const verb = word(first);
  const rest = tokens[at + 1];
  const after = rest ? ` ${source.slice(rest.start, tokens.at(-1)?.end)}` : "";
  const isSubject = at === 0 && CLAIMED.test(word(rest));
  if (draft.target && isSubject) return `${quoteLiteral(draft.target)}${after}`;
  if (!DOING.test(verb) || at === 0) return null;
  if (
    at === 1 &&
    draft.value &&
    /^(?:in|into|again)$/.test(word(rest)) &&
    TYPED.has(draft.action)
  ) {
    const place = after.replace(/^ again/, "");
    return `type ${quote(draft.value)}${place}`;
  }
  if (!draft.target) return null;
  const before = source.slice(first.start, tokens[at - 1]?.end);
  return `${before} ${quoteLiteral(draft.target)}${after}`;
};

const TYPED = new Set(["fill", "type"]);

const ARROW = /^(?:->|=>|→|»|>)$/;

/** `and "pw" into Password`: what the clause before said is understood. Only with something in quotes. */
const readElliptical = (
  clause: Clause,
  reader: Reader,
  context: Context,
  previous: Previous,
): Read | null => {
  const [first, second] = clause.tokens;
  const { action } = previous.draft;
  // What stands behind a dash is a sentence of its own.
  if (DASH.test(clause.joint)) return null;
  const once = (tokens: readonly Token[], isSame: (next: string) => boolean): Read | null => {
    const read = tryForms(tokens, reader, context);
    return read.kind === "step" && isSame(read.draft.action) ? { ...read, times: 1 } : null;
  };
  if (clause.joint === "but") {
    const isOtherState = clause.tokens.length === 1 && STATES.test(word(first));
    if (isOtherState && STATES.test(word(previous.tokens.at(-1)))) {
      return once([...previous.tokens.slice(0, -1), ...clause.tokens], (next) =>
        next.startsWith("assert_"),
      );
    }
    const isNegated = word(first) === "not" && isQuoted(second) && action === "assert_visible";
    if (!isNegated) return null;
    const target = previous.draft.target ?? "";
    const place = target.lastIndexOf(" in the ");
    if (place < 0 || second?.kind !== "quoted") {
      return once([...notSeen, ...clause.tokens.slice(1)], () => true);
    }
    // `"A" is visible in the "Cart" section but not "B"`: not there.
    const hidden = `${quote(second.text)}${target.slice(place)}`;
    return clause.tokens.length === 2
      ? { kind: "step", draft: { action: "assert_hidden", target: hidden }, lead: [], times: 1 }
      : null;
  }
  // `Set "A" to 1 and B to 2`
  const isSet = SETTING.test(word(previous.lead.at(-1))) && isPair(clause.tokens);
  const isSure = isSet || (LISTED.has(action) && isNamedThing(clause.tokens));
  if (clause.tokens.some(isQuoted) || ARROW.test(clause.joint) || isSure) {
    // `Click on "Menu", then on "Logout"`
    const isTwice = clause.tokens.length > 1 && word(previous.lead.at(-1)) === word(first);
    const said = isTwice ? clause.tokens.slice(1) : clause.tokens;
    return previous.lead.length > 0
      ? once([...previous.lead, ...said], (next) => next === action)
      : null;
  }
  // `… is visible and should be enabled`
  const verb = previous.tokens.findIndex((token) => SAID_VERB.test(word(token)));
  if (CLAIM_VERB.test(word(first)) && verb > 0 && action.startsWith("assert_")) {
    return once([...previous.tokens.slice(0, verb), ...clause.tokens], (next) =>
      next.startsWith("assert_"),
    );
  }
  // `… should be visible and enabled`
  // A negation may reach over the "and", or not: that is no case for guessing.
  if (previous.tokens.some(({ lower }) => /^(?:not|no|longer)$|n't$/.test(lower))) return null;
  const isState = clause.tokens.length === 1 && STATES.test(word(first));
  if (!isState || !STATES.test(word(previous.tokens.at(-1)))) return null;
  return once([...previous.tokens.slice(0, -1), ...clause.tokens], (next) =>
    next.startsWith("assert_"),
  );
};

const SETTING = /^(?:set|sets|change|changes)$/;

/** `End date to 2025-03-14`: what is set, and to a figure. */
const isPair = (tokens: readonly Token[]): boolean => {
  const to = tokens.findIndex((token) => word(token) === "to");
  return to > 0 && to === tokens.length - 2 && /^\d/.test(word(tokens.at(-1)));
};

const LISTED = new Set(["assert_visible", "assert_hidden", "click", "hover", "check", "uncheck"]);

/** `the Sign out link`, `on the Menu button`: the kind at its end says where the name ends. */
const isNamedThing = (tokens: readonly Token[]): boolean => {
  const start = /^(?:on|over)$/.test(word(tokens[0])) ? 1 : 0;
  const isArticle = /^(?:the|a|an)$/.test(word(tokens[start]));
  const kind = findKind(word(tokens.at(-1))) ?? findKind(tokens.slice(-2).map(word).join(" "));
  return isArticle && kind !== null && tokens.length > start + 2;
};

const DASH = /^[-–—]$/;
const CLAIM_VERB = /^(?:should|is|are|must)$/;
const SAID_VERB = /^(?:should|is|are|must|exists|appears)$/;
const STATES =
  /^(?:visible|displayed|shown|present|clickable|hidden|enabled|disabled|checked|ticked|unchecked|unticked)$/;

const spoken = (text: string): Token => ({ kind: "word", text, lower: text, start: 0, end: 0 });
const notSeen = ["should", "not", "see"].map(spoken);

const REPEATED = new Set(["click", "press", "go_back", "go_forward", "reload"]);

/** `Click "+" 3 times`, `press Tab twice`. */
const withRepeats = (tokens: readonly Token[], reader: Reader, context: Context): Read => {
  const repeats = repeatsOf(tokens, readNumber);
  if (!repeats || repeats.times < 1) {
    const read = readVariants(tokens, reader, context);
    return read.kind === "step" ? { ...read, times: 1 } : read;
  }
  const read = readVariants(repeats.tokens, readerOf(reader.source), context);
  if (read.kind !== "step") return read;
  if (!REPEATED.has(read.draft.action)) {
    // `"Apple" appears 3 times`
    const whole = readVariants(tokens, readerOf(reader.source), context);
    if (whole.kind === "step") return { ...whole, times: 1 };
  }
  if (repeats.times > MAX_REPEATS || !REPEATED.has(read.draft.action)) {
    return {
      kind: "doubt",
      message: `Only a click or a key can be repeated, up to ${MAX_REPEATS} times.`,
      firm: true,
    };
  }
  return { ...read, times: repeats.times };
};

const SUBJECTS = new Set(["i", "we", "you", "they", "he", "she"]);
const PERSONS = new Set(["user", "customer", "visitor", "tester", "admin", "member", "client"]);
const ADVERBS = new Set(["then", "also", "now", "next", "will", "finally", "can", "again", "just"]);

const URGED = [
  ["make", "sure", "to"],
  ["be", "sure", "to"],
  ["remember", "to"],
  ["don't", "forget", "to"],
  ["you", "should"],
  ["you", "must"],
  ["let's"],
];
const DEED =
  /^(?:click|press|tap|enter|type|fill|select|choose|tick|untick|uncheck|hover|open|go|navigate|visit|double-click|right-click|scroll|upload|wait)$/;

/** `Make sure to tick "Terms"` → `tick "Terms"`: urged or not, it is done. */
const withoutUrging = (tokens: readonly Token[]): readonly Token[] => {
  const urge = URGED.find((words) => words.every((one, at) => word(tokens[at]) === one));
  return urge && DEED.test(word(tokens[urge.length])) ? tokens.slice(urge.length) : tokens;
};

const LINKS: readonly (readonly string[])[] = [
  ["after", "that"],
  ["after", "this"],
  ["as", "a", "result"],
  ["at", "this", "point"],
  ["in", "the", "end"],
  ["at", "the", "end"],
  ["from", "there"],
  ["once", "there"],
  ["once", "done"],
  ["at", "last"],
];

/** `after that you should see "A"` → `you should see "A"`. */
const withoutLink = (tokens: readonly Token[]): readonly Token[] => {
  if (!/^(?:after|as|at|in|from|once)$/.test(word(tokens[0]))) return tokens;
  const link = LINKS.find((words) => words.every((one, at) => word(tokens[at]) === one));
  return link && tokens.length > link.length + 1 ? tokens.slice(link.length) : tokens;
};

const WAITED =
  /^(?:visible|shown|displayed|hidden|gone|enabled|appears|disappears|opens|closes|open|closed|appeared|vanishes)$/;

/** `once the "Close" button is visible` between others → `wait until the "Close" button is visible`. */
const waitedFor = (tokens: readonly Token[]): readonly Token[] => {
  const isOnce = /^(?:once|when|after)$/.test(word(tokens[0]));
  const isSoon = ["as", "soon", "as"].every((one, at) => word(tokens[at]) === one);
  if ((!isOnce && !isSoon) || !WAITED.test(word(tokens.at(-1)))) return tokens;
  return [spoken("wait"), spoken("until"), ...tokens.slice(isSoon ? 3 : 1)];
};

/** Tries the clause as it is, then without the words that say who acts and when. */
const readVariants = (tokens: readonly Token[], reader: Reader, context: Context): Outcome => {
  let bare = withoutUrging(expanded(withoutTail(tokens)));
  bare = withoutLink(bare);
  while (bare.length > 1 && HARD_CONNECTORS.has(word(bare[0]))) bare = bare.slice(1);
  bare = waitedFor(bare);
  if (SUBJECTS.has(word(bare[0]))) bare = withoutAdverb(bare.slice(1));
  const variants = [bare];
  if (bare.length > 1 && SOFT_CONNECTORS.has(word(bare[0]))) {
    const rest = bare.slice(1);
    variants.push(SUBJECTS.has(word(rest[0])) ? withoutAdverb(rest.slice(1)) : rest);
  }
  const start = /^(?:the|a|an)$/.test(word(bare[0])) ? 1 : 0;
  if (PERSONS.has(word(bare[start]))) variants.push(withoutAdverb(bare.slice(start + 1)));
  for (const variant of [...variants]) {
    const told = inPresent(variant);
    if (told) variants.push(told);
  }
  let softest: Outcome = { kind: "unknown" };
  for (const variant of variants) {
    const outcome = tryForms(withoutPurpose(variant), reader, context);
    if (outcome.kind === "step" || (outcome.kind === "doubt" && outcome.firm)) return outcome;
    if (outcome.kind === "doubt" && softest.kind === "unknown") softest = outcome;
  }
  return softest;
};

const withoutAdverb = (tokens: readonly Token[]): readonly Token[] => {
  const bare = ADVERBS.has(word(tokens[0])) ? tokens.slice(1) : tokens;
  // `I want to wait 2 seconds`
  const isWish = /^(?:wants?|needs?)$/.test(word(bare[0])) && word(bare[1]) === "to";
  return isWish && bare.length > 2 ? bare.slice(2) : bare;
};

const CLAIMING = new Set(
  "verify verifies check checks ensure assert confirm expect validate double-check recheck see observe observes notice ensures confirms asserts expects validates".split(
    " ",
  ),
);

/** `Verify that …`, `make sure …`: how many words only say that a claim follows. */
const claimLead = (tokens: readonly Token[]): number => {
  const [one, two, three] = tokens.slice(0, 3).map(word);
  const isTwo = one === "make" && two === "sure";
  const isSeeing = (one === "should" || one === "can") && two === "see" && three === "that";
  const length = isTwo || isSeeing ? 2 : CLAIMING.has(word(tokens[0])) ? 1 : 0;
  if (length === 0) return 0;
  const joined = length + (/^(?:that|if|whether)$/.test(word(tokens[length])) ? 1 : 0);
  if (SUBJECTS.has(word(tokens[joined]))) return joined + 1;
  const article = /^(?:the|a|an)$/.test(word(tokens[joined])) ? 1 : 0;
  return PERSONS.has(word(tokens[joined + article])) ? joined + article + 1 : joined;
};

const tryForms = (tokens: readonly Token[], reader: Reader, context: Context): Outcome => {
  const lead = claimLead(tokens);
  if (lead > 0 && lead < tokens.length) {
    const claimed = search(claims, tokens.slice(lead), reader);
    if (claimed.kind === "step")
      return { ...claimed, lead: [...tokens.slice(0, lead), ...claimed.lead] };
    if (claimed.kind === "doubt" && claimed.firm) return claimed;
  }
  const place =
    context.mood === "then"
      ? toBeAt
      : context.mood === "given" || context.isFirst
        ? toGoTo
        : unclearPlace;
  return search(place, tokens, reader);
};

const JOINING = new Set(["and", "then"]);

/** A sentence that no `and` divides; null for all others. */
export const readWhole = (tokens: readonly Token[], reader: Reader): Draft | null => {
  const bare = SUBJECTS.has(word(tokens[0])) ? withoutAdverb(tokens.slice(1)) : tokens;
  // Every whole form has an "and" in it.
  if (bare.length > MAX_CLAUSE_WORDS || !bare.some(({ lower }) => JOINING.has(lower))) return null;
  const outcome = search(wholes, bare, reader);
  return outcome.kind === "step" ? outcome.draft : null;
};

const search = (table: FormTable, tokens: readonly Token[], reader: Reader): Outcome => {
  let soft: Outcome = { kind: "unknown" };
  for (const form of formsFor(table, tokens)) {
    const { built, lead } = matchForm(form, tokens, reader.read);
    const [one, other] = built;
    if (!one) continue;
    if (!other && !("doubt" in one)) {
      return { kind: "step", draft: one, lead: tokens.slice(0, lead) };
    }
    if (built.some((some) => !("doubt" in some))) {
      return {
        kind: "doubt",
        message: "It can be read in more than one way: put names and texts in quotes.",
        firm: true,
      };
    }
    if (!("doubt" in one)) continue;
    if (one.firm) return { kind: "doubt", message: one.doubt, firm: true };
    if (soft.kind === "unknown") soft = { kind: "doubt", message: one.doubt, firm: false };
  }
  return soft;
};
