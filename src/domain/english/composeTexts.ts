import { word } from "./phrases.ts";
import { kindLengthAt } from "./thingWords.ts";
import type { Token } from "./words.ts";

const FIGURE = /^[^\p{L}\s]*\d[\d.,:/%-]*(?:%|[^\p{L}\d\s])?$/u;

const UNIT =
  /^(?:days?|hours?|minutes?|weeks?|months?|years?|nights?|points?|items?|pcs|kg|km|eur|usd|gbp|chf|pln|zł|€|\$|£|%|₹|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|january|february|march|april|june|july|august|september|october|november|december|am|pm|credits?|euros?|dollars?|pounds?)$/;

/** `12 days`, `1 250,00 zł`, `24 Dec 2026`: a figure with what belongs to it, up to the end of the clause. */
const amountAt = (
  tokens: readonly Token[],
  from: number,
): { readonly value: string; readonly to: number; readonly isFigure: boolean } | null => {
  const said = tokens.slice(from);
  if (said.length < 2 || said.length > 4) return null;
  const isAmount = said.every(
    (token) => token.kind === "word" && (FIGURE.test(token.text) || UNIT.test(token.lower)),
  );
  if (!isAmount || !said.some((token) => FIGURE.test(token.text))) return null;
  return { value: said.map(({ text }) => text).join(" "), to: tokens.length, isFigure: true };
};

/** The text that is claimed: quoted, a variable or a figure. */
export const claimedTextAt = (
  tokens: readonly Token[],
  at: number,
): { readonly value: string; readonly to: number; readonly isFigure: boolean } | null => {
  let from = at;
  if (
    /^(?:the|a)$/.test(word(tokens[from])) &&
    /^(?:text|value|words|message|phrase|number|label|amount|date)$/.test(word(tokens[from + 1]))
  )
    from += 2;
  const token = tokens[from];
  if (token?.kind === "quoted" || token?.kind === "literal") {
    return kindLengthAt(tokens, from + 1) > 0
      ? null
      : { value: token.text, to: from + 1, isFigure: false };
  }
  if (token?.kind !== "word") return null;
  const whole = amountAt(tokens, from);
  if (whole) return whole;
  const isFigure = FIGURE.test(token.text);
  return isFigure || /^\$\{[\w.]+\}$/.test(token.text)
    ? { value: token.text, to: from + 1, isFigure }
    : null;
};
