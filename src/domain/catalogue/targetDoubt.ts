import type { Token } from "../english/words.ts";
import { findKind, kinds } from "./kinds.ts";
import { ARTICLES, kindAtEnd, ordinalOf } from "./targetParts.ts";
import { VARIABLE } from "./values.ts";

/** Words that rarely occur in names: the name may have ended before them. */
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
/** First words of comparisons. */
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
/** The doubt about a name of more than `MAX_NAME_WORDS` words. */
export const TOO_LONG = "A name this long needs quotes around it.";

/** First words of button captions with an article: `Connect a domain`, `Report a problem`. */
const CAPTION =
  /^(?:Add|Create|Connect|Invite|Start|Book|Choose|Select|Get|Find|Open|Upload|Import|Export|View|See|Submit|Send|Request|Schedule|Join|Make|Write|Leave|Share|Set|Change|Update|Edit|Reset|Forgot|Manage|Report|Ask|Take|Try|Use|Verify|Place|Track|Apply|Buy|Rent|Order|Generate|Register|Download|Install|Build|Save|Copy|Post|Browse|Enter|Give|Contact|Log|Record|Become|Remove|Delete)$/;

const HAPPENS =
  /^(?:appears?|opens?|closes|reloads?|loads?|pops?|shows?|displays?|disappears?|changes|comes|starts|gets|will|can|you|i|we|it)$/;

/** Whether an article belongs to the caption of a button: it is the second of at most five words. */
const isCaption = (tokens: readonly Token[], at: number): boolean =>
  at === 1 &&
  tokens.length < 6 &&
  tokens[1]?.lower !== "the" &&
  CAPTION.test(tokens[0]?.text ?? "") &&
  // `Click Save a dialog appears`
  !tokens.some(({ lower }) => HAPPENS.test(lower));

/** The words of an unquoted name, with the findings of one pass over them. */
type Words = {
  readonly tokens: readonly Token[];
  readonly first: Token;
  readonly second: Token | undefined;
  readonly last: Token;
  /** The first word with a mark of another notation. */
  readonly strange: Token | undefined;
  /** The first word that hardly occurs in names. */
  readonly trouble: Token | undefined;
  readonly hasFigure: boolean;
  readonly endsInKind: boolean;
  /** The last word is a plural kind, such as `links`. */
  readonly isPlural: boolean;
};

/** The reasons why unquoted words may not be a name, in the order of their precedence. Each returns null if it does not apply. */
const DOUBTS: readonly ((words: Words) => string | null)[] = [
  ({ strange }) => (strange ? `It is not clear what "${strange.text}" stands for.` : null),
  ({ tokens, last }) =>
    last.lower === "again" && !/^(?:try|start|play|do|begin)$/.test(tokens.at(-2)?.lower ?? "")
      ? `It is not clear whether "again" belongs to the name.`
      : null,
  ({ trouble }) =>
    trouble ? `It is not clear whether "${trouble.text}" belongs to the name.` : null,
  // `Timeline's first item`: the first item of the timeline, or an item called "Timeline's first".
  ({ tokens, endsInKind }) =>
    endsInKind && tokens.some((token, at) => isOwner(token, tokens[at + 1]))
      ? "It is not clear whose it is."
      : null,
  ({ first, second }) =>
    second && first.text === "now" ? `It is not clear whether "now" belongs to the name.` : null,
  ({ first, second }) =>
    second && first.text === "same" ? `It is not clear what "same" stands for.` : null,
  ({ tokens, last }) => {
    const row = tokens.at(-2);
    return row?.lower === "row" && NUMBER.test(last.text)
      ? `It is not clear whether "${row.text} ${last.text}" is a name: say "the first row".`
      : null;
  },
  ({ first, second }) =>
    !second && PRONOUNS.has(first.lower)
      ? `It is not clear what "${first.text}" stands for.`
      : null,
  ({ first, second }) =>
    (second && UNCOUNTED.has(first.lower) && first.text === first.lower) ||
    (COMPARING.has(first.lower) && COMPARED.test(`${first.lower} ${second?.lower}`))
      ? COUNTED
      : null,
  ({ first, second, endsInKind }) => {
    const leading = second ? findKind(first.lower) : null;
    return leading && (!kinds[leading].loose || leading === "text") && !endsInKind
      ? `It is not clear whether "${first.text}" is a kind of thing or part of the name.`
      : null;
  },
  ({ first, second, isPlural }) => {
    // "the All link" is called All; "all links" and "No errors" have no name.
    const isTitle = first.text !== first.lower && !isPlural && !ABSENCE.test(first.lower);
    return second && LEADING_TROUBLE.has(first.lower) && !isTitle
      ? `It is not clear what "${first.text}" stands for.`
      : null;
  },
  ({ first, second }) =>
    !second && ordinalOf(first) && first.text === first.lower ? `The ${first.text} of what?` : null,
  ({ tokens, hasFigure, isPlural }) =>
    hasFigure && isPlural && tokens.some(({ text }) => NUMBER.test(text)) ? COUNTED : null,
  ({ tokens, hasFigure }) =>
    hasFigure && tokens.some((token, at) => isDuration(token, tokens[at + 1]))
      ? "A time is not part of a name."
      : null,
  ({ tokens }) => (tokens.length > MAX_NAME_WORDS ? TOO_LONG : null),
];

const COUNTED = "It is not clear whether they are counted.";

const isOwner = ({ lower }: Token, next: Token | undefined): boolean =>
  lower.endsWith("'s") && next !== undefined && ordinalOf(next) !== null;

const isDuration = ({ text }: Token, next: Token | undefined): boolean =>
  NUMBER.test(text) && TIME_UNIT.test(next?.lower ?? "");

/** The reason why unquoted words may be something else than a name; null if there is none. */
export const doubtOf = (tokens: readonly Token[]): string | null => {
  if (tokens.length === 0) return null;
  const words = wordsOf(tokens);
  if (!words) return "It is not clear where the name starts and ends.";
  for (const doubt of DOUBTS) {
    const reason = doubt(words);
    if (reason !== null) return reason;
  }
  return null;
};

/** Null if the tokens are not only words. */
const wordsOf = (tokens: readonly Token[]): Words | null => {
  let strange: Token | undefined;
  let trouble: Token | undefined;
  let hasFigure = false;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (!token) break;
    const { kind, text, lower } = token;
    if (kind !== "word") return null;
    if (ODD.test(text.includes("${") ? text.replaceAll(VARIABLE, "") : text)) strange ??= token;
    const isWithin = at > 0 && tokens.length > 2 && ARTICLES.has(lower) && !isCaption(tokens, at);
    if (isWithin || TROUBLE.has(lower)) trouble ??= token;
    const code = text.charCodeAt(0);
    if (code >= ZERO && code <= NINE) hasFigure = true;
  }
  const [first, second] = tokens;
  const last = tokens.at(-1);
  if (!first || !last) return null;
  const endsInKind = kindAtEnd(tokens) !== null;
  const isPlural = endsInKind && last.lower.endsWith("s");
  return { tokens, first, second, last, strange, trouble, hasFigure, endsInKind, isPlural };
};
