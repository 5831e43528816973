import { isListed } from "./bullets.ts";
import type { Line } from "./line.ts";
import { doneToEach } from "./listed.ts";
import { filledWith, isVaguePair } from "./pairs.ts";
import { cellsOf } from "./tables.ts";
import { quote } from "./words.ts";

/** An instruction whose fields and texts, or whose claims, follow in a table or a list. */
export type Following = {
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
  /** The instruction that a line stands for, empty for the table's head; null when what follows is over. */
  next(line: Line, raw: string): string | null;
  /** Whether anything has followed. */
  isUsed(): boolean;
};

const INTRODUCTION =
  /^(?:(?:i|we|you|they|(?:the )?user) )?(?:fills?|enters?|completes?|types?|inputs?|provides?|populates?)(?: (?:in|out))?(?: (?:the|this) (?:form|fields|details|page|data))?(?: with)?(?: in)? the following(?: [a-z]{1,20}){0,3} ?[:.]?$/i;
/** `Fill out the form:`: with a colon it says that something follows. */
const FORM =
  /^(?:(?:i|we|you|they|(?:the |an? )?[a-z-]{3,20}) )?(?:fills?|enters?|completes?|inputs?|provides?|populates?)(?: (?:in|out))? (?:the|this|these) (?:[a-z-]{1,20} ){0,3}(?:form|fields|details|data|values|information)(?: (?:with|as follows|like this|below|using))*(?: (?:the |these |this |valid |following |test |correct |required )*(?:data|values|details|information|info|inputs?|credentials))? ?:$/i;
/** `Enter:`, `Set the filters:` */
const BARE =
  /^(?:(?:then|and|now),? )?(?:(?:i|we|you|they|(?:the |an? )?[a-z-]{3,20}) )?(?:fills?(?: in| out)?|enters?|input|provide|complete|set|set (?:the |these |all )?(?:fields|filters|values)|enter (?:valid |login |your |correct |user |card |payment |contact |shipping |billing |personal |account )*(?:details|credentials|data|information|info|values)) ?:$/i;
/** `Verify the following are visible:`, `I should see these:` */
const SEEN =
  /^(?:(?:i|we|you|they|(?:the )?user) )?(?:(?:verify|check|ensure|confirm|assert|make sure)(?: that)? (?:all )?(?:of )?(?:the following|these)(?: [a-z]{1,20}){0,2} (?:are|is|should be) (?:all )?(?:visible|displayed|shown|present)|(?:(?:should|can) )?(?:see|sees|find)(?: (?:all )?(?:of )?(?:the following|these)(?: [a-z]{1,20}){0,3})?|(?:the following|these)(?: [a-z]{1,20}){0,2} (?:should be|are|must be|should all be) (?:all )?(?:visible|displayed|shown|present|there)|the (?:page|screen) (?:should )?(?:shows?|displays?|contains?) (?:the following|these)(?: [a-z]{1,20}){0,3}) ?:$/i;
/** `You should not see any of these:` */
const NOT_SEEN =
  /^(?:(?:i|we|you|they|(?:the )?user) )?(?:(?:(?:verify|check|ensure|confirm|assert|make sure)(?: that)? )?(?:none of |all )?(?:the following|these)(?: [a-z]{1,20}){0,2} (?:are|is|should|must) (?:all )?(?:not (?:be )?)?(?:hidden|gone|visible|displayed|shown|present)(?: (?:for|to) (?:an? |the )?[a-z]{2,15}(?: [a-z]{2,15})?)?|(?:should not|shouldn't|must not|cannot|can't|do not|don't) see(?: (?:any of )?(?:the following|these)(?: [a-z]{1,20}){0,3})?) ?:$/i;
const HEAD =
  /^(?:fields?|field names?|labels?|names?|inputs?|elements?|keys?|values?|texts?|data)$/i;
/** `First name: Ann`, `City = "Bern"`, in a list or alone in its line. */
const PAIR = /^([\p{L}\d"][^:=|]{0,60}?)\s*(?::|=|->|→)\s+(\S.{0,500})$/u;
const CLAIMING = /\b(?:is|are|should|must|has|have|shows|contains)\b/i;

/** The cells of a row of three or more: a head, and what belongs below it. */
const wideRow = (raw: string): readonly string[] | null => {
  const text = raw.trim();
  const cells = text.startsWith("|") ? cellsOf(text) : null;
  return cells && cells.length > 2 && cells.every((cell) => cell !== "") ? cells : null;
};

const filledAll = (names: readonly string[], values: readonly string[]): string =>
  names.map((name, at) => filledWith(name, values[at] ?? "")).join(", then ");

/** `Fill in the following:` and what follows it; null for any other instruction. */
export const followingOf = (text: string, index: number): Following | null => {
  // Only one of them may end without a colon.
  if (text.length > 100 || !(text.endsWith(":") || INTRODUCTION.test(text))) return null;
  const isForm = INTRODUCTION.test(text) || FORM.test(text) || BARE.test(text);
  const isHidden =
    !isForm && NOT_SEEN.test(text) && /\bnot\b|n't\b|\bnone\b|\bhidden\b|\bgone\b/i.test(text);
  const isSeen = !isForm && (isHidden || SEEN.test(text));
  const each = isForm || isSeen ? null : doneToEach(text);
  if (!isForm && !isSeen && !each) return null;
  let rows = 0;
  let head: readonly string[] | null = null;
  return {
    line: index + 1,
    text,
    isUsed: () => rows > 0,
    next: (line, raw) => {
      if (each) {
        const cell = line.kind === "row" && line.cells.length === 1 ? line.cells[0]?.text : null;
        const entry = line.kind === "instruction" && isListed(raw) ? line.text : cell;
        const said = entry ? each(entry) : null;
        if (said !== null) rows++;
        return said;
      }
      if (isSeen) {
        const cell = line.kind === "row" && line.cells.length === 1 ? line.cells[0]?.text : null;
        if (cell) {
          rows++;
          return `I should ${isHidden ? "not " : ""}see ${named(cell)}`;
        }
        if (line.kind !== "instruction" || !isListed(raw)) return null;
        rows++;
        if (isHidden) return `I should not see ${named(line.text)}`;
        return CLAIMING.test(line.text) ? line.text : `I should see ${named(line.text)}`;
      }
      const wide = rows === 0 || head !== null ? wideRow(raw) : null;
      if (wide && head === null) {
        head = wide;
        return "";
      }
      if (wide && head && rows === 0 && wide.length === head.length) {
        rows++;
        return filledAll(head, wide);
      }
      if (head) return null;
      const pair = pairOf(line);
      if (!pair) return null;
      const [name, value] = pair;
      rows++;
      if (rows === 1 && line.kind === "row" && HEAD.test(name) && HEAD.test(value)) return "";
      return filledWith(name, value);
    },
  };
};

/** What is named in a list: in quotes, or a few words that can be nothing but a name. */
const named = (text: string): string =>
  /^[\p{L}\d][\p{L}\d &'-]{0,60}$/u.test(text) ? quote(text) : text;

const pairOf = (line: Line): readonly [string, string] | null => {
  if (line.kind === "row" && line.cells.length === 2) {
    const [name = "", value = ""] = line.cells.map((cell) => cell.text);
    return [name, value];
  }
  if (line.kind !== "instruction" || line.isExpected) return null;
  const pair = isVaguePair(line.text) ? null : PAIR.exec(line.text);
  return pair ? [pair[1] ?? "", pair[2] ?? ""] : null;
};
