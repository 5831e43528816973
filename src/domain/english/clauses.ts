import { isFieldName } from "./fieldNames.ts";
import { isRequest } from "./polite.ts";
import type { Token } from "./words.ts";

export type Sentence = { readonly tokens: readonly Token[]; readonly doubt: string | null };

const isMark = (token: Token | undefined, marks: string): boolean =>
  token?.kind === "mark" && marks.includes(token.text);

const isQuoted = (token: Token | undefined): boolean =>
  token?.kind === "quoted" || token?.kind === "literal";

const isAddress = (token: Token | undefined): boolean =>
  token?.kind === "word" && /^(?:https?:\/\/|\/\w)/i.test(token.text);

/** What a question begins with that only asks whether a claim is so. */
const ASKING = /^(?:is|are|does)$/;

const THANKS = /^(?:thanks|thank you|thanks a lot|thanks in advance|cheers|please)$/;

const ASKED =
  /^(?:visible|shown|displayed|hidden|gone|enabled|disabled|ticked|checked|unticked|unchecked|there)$/;

const LABELS = /^(?:(?:ac|tc|us|req)-?\d{1,4}|by default|initially|at first|should be)$/;

const ABBREVIATION =
  /^(?:\p{L}|mr|mrs|ms|dr|st|no|nr|vs|inc|ltd|jr|sr|approx|dept|fig|e\.g|i\.e|etc)$/u;

/**
 * Cuts the tokens of a line into sentences, at full stops and at `!` and `?` after a quoted text.
 * Where a mark may as well belong to a name the sentence carries a doubt.
 */
export const sentencesOf = (tokens: readonly Token[]): Sentence[] => {
  const sentences: Sentence[] = [];
  let current: Token[] = [];
  let doubt: string | null = null;
  const close = () => {
    if (current.length > 0 || doubt) sentences.push({ tokens: current, doubt });
    current = [];
    doubt = null;
  };
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (!token) break;
    if (token.kind !== "mark") {
      current.push(token);
      continue;
    }
    const previous = tokens[index - 1];
    // `I should see: "Welcome"`, `Navigate to: /login`
    const isSaidNext = isQuoted(tokens[index + 1]) || isAddress(tokens[index + 1]);
    if (isMark(token, ":") && isSaidNext && previous?.kind === "word") {
      const label = tokens.slice(0, index).map(({ lower }) => lower);
      // `AC1: "Reset" is hidden`, `By default: "Public" is ticked`
      if (LABELS.test(label.join(" "))) current.push(token);
      // `Password: "secret"`
      if (isFieldName(label.join(" ").replace(/ field$/, ""))) current.push(token);
      continue;
    }
    if (!isMark(token, ".!?…")) {
      current.push(token);
      continue;
    }
    const isLast = index === tokens.length - 1;
    if (
      token.text === "?" &&
      isLast &&
      (ASKING.test(tokens[0]?.lower ?? "") || isRequest(tokens))
    ) {
      close();
      continue;
    }
    // `"Score" shown? "Retry" hidden?`, `Is "A" enabled? It should be.`
    const isAsked =
      token.text === "?" &&
      (ASKING.test(current[0]?.lower ?? "") || isQuoted(current[0])) &&
      ASKED.test(previous?.lower ?? "");
    if (isAsked) {
      close();
      continue;
    }
    const isUnquoted = !isQuoted(previous);
    const isEllipsis =
      token.text === "…" || isMark(previous, ".") || isMark(tokens[index + 1], ".");
    // `Thanks!`
    if (token.text === "!" && THANKS.test(current.map(({ lower }) => lower).join(" "))) {
      current = [];
      continue;
    }
    if (isUnquoted && (token.text !== "." || isEllipsis)) {
      doubt = `It is not clear whether "${token.text}" belongs to the name: put the name in quotes.`;
      continue;
    }
    if (!isLast && isUnquoted && ABBREVIATION.test(previous?.lower ?? "")) {
      doubt = `It is not clear whether a sentence ends after "${previous?.text}.": put the name in quotes.`;
      continue;
    }
    close();
  }
  close();
  return sentences;
};

const SEPARATORS = new Set(["and", "then", "but", "&", "->", "=>", "→", "»", ">", "nor"]);

/** A dash divides where the name before it has ended for certain. */
const DASHES = new Set(["-", "–", "—"]);

/** What may divide a sentence, besides marks. */
export const JOINTS = new Set([...SEPARATORS, ...DASHES, "by", "followed"]);

export type Clause = {
  readonly tokens: readonly Token[];
  /** What joined it to the one before: "and", "but", ","; empty for the first. */
  readonly joint: string;
};

/** Cuts a sentence at `and`, `then`, `but`, commas and semicolons. Quoted texts are never cut. */
export const clausesOf = (tokens: readonly Token[]): Clause[] => {
  const clauses: Clause[] = [];
  let current: Token[] = [];
  let joint = "";
  let separators: string[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (!token) break;
    if (token.kind !== "mark" && !JOINTS.has(token.lower)) {
      current.push(token);
      continue;
    }
    // `"A" followed by "B"`
    if (at > 0 && token.lower === "by" && tokens[at - 1]?.lower === "followed") continue;
    const isSeparator =
      (token.kind === "word" && SEPARATORS.has(token.lower)) ||
      isMark(token, ",;") ||
      (token.lower === "followed" && tokens[at + 1]?.lower === "by") ||
      (DASHES.has(token.lower) && isQuoted(tokens[at - 1]));
    if (isSeparator) {
      if (current.length > 0) clauses.push({ tokens: current, joint });
      if (current.length > 0) separators = [];
      current = [];
      separators.push(token.lower);
      joint = separators.includes("but") ? "but" : (separators.at(-1) ?? "");
      continue;
    }
    current.push(token);
  }
  // Something was to follow: an empty clause says so.
  clauses.push({ tokens: current, joint });
  return clauses;
};

/** Words that end a name. */
const KIND_OF_CONTROL = /^(?:button|link|field|checkbox|dropdown|heading|dialog|page)$/;

/**
 * Cuts off a comment at the end of a line. Only after a quoted text or a full stop is it certain that the
 * name has ended; `unclear` says that it is not.
 */
export const withoutComment = (
  tokens: readonly Token[],
): { readonly tokens: readonly Token[]; readonly unclear: boolean } => {
  const at = tokens.findIndex(
    ({ kind, text }) => kind === "word" && (text === "//" || text === "#"),
  );
  if (at < 0) return { tokens, unclear: false };
  const previous = tokens[at - 1];
  const isCertain =
    isQuoted(previous) ||
    isMark(previous, ".") ||
    isAddress(previous) ||
    (tokens[at]?.text === "//" && previous?.kind === "word" && /^\p{Lu}/u.test(previous.text)) ||
    (previous?.kind === "word" && KIND_OF_CONTROL.test(previous.lower));
  return { tokens: tokens.slice(0, at), unclear: !isCertain };
};
