import type { Token } from "../english/words.ts";
import { findKind, kinds } from "./kinds.ts";
import { ARTICLES, kindAtEnd, ordinalOf } from "./targetParts.ts";
import { VARIABLE } from "./values.ts";

/** Words that never stand in a name without making one wonder whether the name has ended before them. */
const TROUBLE = new Set(
  [
    "and or then but if when unless until because should must not after before while so also that which",
    "who where is are isn't aren't was be has have contains contain twice thrice times any every each either",
    "neither anymore longer except instead without",
  ]
    .join(" ")
    .split(" "),
);
const LEADING_TROUBLE = new Set("all both some no another other none nothing".split(" "));
const UNCOUNTED = new Set("exactly only several multiple many few".split(" "));
/** What they begin with. */
const COMPARING = new Set("at more less fewer up no exactly".split(" "));
const COMPARED =
  /^(?:at (?:least|most)|more than|less than|fewer than|up to|no more|exactly \w+)$/i;
const ABSENCE = /^(?:no|none|nothing|some)$/;
/** Marks of other notations: emphasis, placeholders, table cells. */
const ODD = /[*<>|[\]{}\\=]|^[-_+~.]{2,}$|!$|\?$/;
const NUMBER = /^\d[\d.]*$/;
const ZERO = 48;
const NINE = 57;
const TIME_UNIT = /^(?:ms|millis\w*|s|secs?|seconds?|mins?|minutes?)$/;
const PRONOUNS = new Set(
  "it them this that these those all both none each there here everything something anything nothing one ones anywhere somewhere everywhere elsewhere him her me us".split(
    " ",
  ),
);
const MAX_NAME_WORDS = 8;
/** What is said of a name with more words than names have. */
export const TOO_LONG = "A name this long needs quotes around it.";

/** What buttons begin with that say what they do: `Connect a domain`, `Report a problem`. */
const CAPTION =
  /^(?:Add|Create|Connect|Invite|Start|Book|Choose|Select|Get|Find|Open|Upload|Import|Export|View|See|Submit|Send|Request|Schedule|Join|Make|Write|Leave|Share|Set|Change|Update|Edit|Reset|Forgot|Manage|Report|Ask|Take|Try|Use|Verify|Place|Track|Apply|Buy|Rent|Order|Generate|Register|Download|Install|Build|Save|Copy|Post|Browse|Enter|Give|Contact|Log|Record|Become|Remove|Delete)$/;

const HAPPENS =
  /^(?:appears?|opens?|closes|reloads?|loads?|pops?|shows?|displays?|disappears?|changes|comes|starts|gets|will|can|you|i|we|it)$/;

/** Whether an article belongs to what a button says of itself: its second word, and but a few more behind. */
const isCaption = (tokens: readonly Token[], at: number): boolean =>
  at === 1 &&
  tokens.length < 6 &&
  tokens[1]?.lower !== "the" &&
  CAPTION.test(tokens[0]?.text ?? "") &&
  // `Click Save a dialog appears`
  !tokens.some(({ lower }) => HAPPENS.test(lower));

/** Why words that nothing quotes may be something else than a name; null when they are one. */
export const doubtOf = (tokens: readonly Token[]): string | null => {
  let strange: Token | undefined;
  let trouble: Token | undefined;
  let hasFigure = false;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (!token) break;
    const { kind, text, lower } = token;
    if (kind !== "word") return "It is not clear where the name starts and ends.";
    if (ODD.test(text.includes("${") ? text.replaceAll(VARIABLE, "") : text)) strange ??= token;
    const isWithin = at > 0 && tokens.length > 2 && ARTICLES.has(lower) && !isCaption(tokens, at);
    if (isWithin || TROUBLE.has(lower)) trouble ??= token;
    const code = text.charCodeAt(0);
    if (code >= ZERO && code <= NINE) hasFigure = true;
  }
  if (strange) return `It is not clear what "${strange.text}" stands for.`;
  const last = tokens.at(-1);
  if (
    last?.lower === "again" &&
    !/^(?:try|start|play|do|begin)$/.test(tokens.at(-2)?.lower ?? "")
  ) {
    return `It is not clear whether "again" belongs to the name.`;
  }
  if (trouble) return `It is not clear whether "${trouble.text}" belongs to the name.`;
  // `Timeline's first item`: which of them is whose?
  const isOwned = tokens.some(
    (token, at) =>
      token.lower.endsWith("'s") && tokens[at + 1] && ordinalOf(tokens[at + 1] as Token) !== null,
  );
  if (isOwned && kindAtEnd(tokens) !== null) return "It is not clear whose it is.";
  const [first, second] = tokens;
  if (!first) return null;
  if (second && first.text === "now") return `It is not clear whether "now" belongs to the name.`;
  if (second && first.text === "same") return `It is not clear what "same" stands for.`;
  const beforeLast = tokens.at(-2);
  if (beforeLast?.lower === "row" && NUMBER.test(last?.text ?? "")) {
    return `It is not clear whether "${beforeLast.text} ${last?.text}" is a name: say "the first row".`;
  }
  if (!second && PRONOUNS.has(first.lower)) {
    return `It is not clear what "${first.text}" stands for.`;
  }
  if (
    (second && UNCOUNTED.has(first.lower) && first.text === first.lower) ||
    (COMPARING.has(first.lower) && COMPARED.test(`${first.lower} ${second?.lower}`))
  ) {
    return "It is not clear whether they are counted.";
  }
  const leading = second ? findKind(first.lower) : null;
  const isKind = leading && (!kinds[leading].loose || leading === "text");
  if (isKind && !kindAtEnd(tokens)) {
    return `It is not clear whether "${first?.text}" is a kind of thing or part of the name.`;
  }
  const isPlural = tokens.at(-1)?.lower.endsWith("s") === true && kindAtEnd(tokens) !== null;
  // "the All link" is called All; "all links" and "No errors" are called nothing.
  const isTitle = first.text !== first.lower && !isPlural && !ABSENCE.test(first.lower);
  if (second && LEADING_TROUBLE.has(first.lower) && !isTitle) {
    return `It is not clear what "${first.text}" stands for.`;
  }
  if (!second && ordinalOf(first) && first.text === first.lower)
    return `The ${first.text} of what?`;
  if (hasFigure && isPlural && tokens.some(({ text }) => NUMBER.test(text))) {
    return "It is not clear whether they are counted.";
  }
  if (
    hasFigure &&
    tokens.some(({ text }, at) => NUMBER.test(text) && TIME_UNIT.test(tokens[at + 1]?.lower ?? ""))
  ) {
    return "A time is not part of a name.";
  }
  return tokens.length > MAX_NAME_WORDS ? TOO_LONG : null;
};
