import { isListed, withoutBullets } from "./bullets.ts";
import { followingOf } from "./following.ts";
import { unfolded } from "./gherkinBlocks.ts";
import { headingOf, isAddressing } from "./headings.ts";
import { baseOf } from "./inflections.ts";
import type { Line } from "./line.ts";
import { gherkinInLine, isAbout, listedInLine, MAX_LINE_LENGTH, readLine } from "./lines.ts";
import { isBlank, MARK, marksOf } from "./marks.ts";
import { withOutcome } from "./outcomes.ts";
import { filledWith, isVaguePair, pairsAmong } from "./pairs.ts";
import { isSurrounding } from "./surroundings.ts";
import { type Columns, cellsLike, cellsOf, columnsOf, headMark, rowBelow } from "./tables.ts";
import { isTitle } from "./titles.ts";
import { unwrapped } from "./wraps.ts";

/** A line of a text, or a part of one that is a line of its own. */
export type Entry = {
  /** Counted from 0. */
  readonly index: number;
  readonly raw: string;
  /** What kind of line it is; null when it is too long to be read. */
  readonly line: Line | null;
  /** The sentence that it stands for where it is a field of a form, and what belongs into it. */
  readonly pair: string | null;
};

/** `Name: random string`, `Status: new` above fields: not the text that is typed, or nobody knows whether it is. */
const VAGUE: Line = { kind: "unclear", message: "Say the text itself: fill … with …, in quotes." };
const isPlainLine = (raw: string): boolean => raw.length < 80 && !isListed(raw);

/** The head of a mail, which is no form. */
const SENT = /^(?:from|sent)\s?:\s/i;
const MAIL = /^(?:from|to|cc|bcc|sent|date|subject|reply-to)\s?:\s/i;

/** Where all is done that stands in a list below: `In the "Billing" section:`. */
type Place = { readonly said: string; readonly indent: number };

const PLACE =
  /^\W*((?:in|within|inside|under) (?:the )?(?:"[^"]{1,60}" [a-z]+(?: [a-z]+)?|[a-z]+(?: [a-z]+)? "[^"]{1,60}"|"[^"]{1,60}"))\s?:$/i;

const placeOf = (raw: string, next: string): Place | null => {
  const said =
    raw.length < 120 && raw.includes('"') ? PLACE.exec(withoutBullets(raw.trim()))?.[1] : undefined;
  return said !== undefined && isListed(next) ? { said, indent: indentOf(next) } : null;
};

const indentOf = (raw: string): number => raw.length - raw.trimStart().length;

const placedLine = (place: Place | null, raw: string, pair: string | null): Line | null => {
  if (place === null || !isListed(raw) || indentOf(raw) < place.indent) return null;
  const said = pair ?? withoutBullets(raw.trim());
  const text = /^[A-Z][a-z]+ /.test(said) ? said.charAt(0).toLowerCase() + said.slice(1) : said;
  return { kind: "instruction", text: `${place.said}, ${text}`, mood: null };
};

const NOTHING: Line = { kind: "nothing" };
const CLAIMS: Line = { kind: "section", mood: "then", isActual: false };

/** How many lines are looked at together, and of how many letters: read one kind of work after the other it is faster. */
const MAX_AHEAD = 32;
const MAX_AHEAD_LENGTH = 4_000;

/** The lines of a text, cut where one holds several, and joined where a sentence is broken. */
export function* entriesOf(text: string): Generator<Entry> {
  const lines = unwrapped(unfolded(text.split(/\r\n|[\n\r\u0085\u2028\u2029]/)));
  const marks = lines.map(marksOf);
  const tables = rowReader(lines, marks);
  const pairs = pairsAmong(lines, marks);
  let before = "";
  let place: Place | null = null;
  let isMail = false;
  let isFilled = false;
  let ahead: Entry[] = [];
  let length = 0;
  for (let index = 0; index < lines.length; index++) {
    const raw = lines[index] ?? "";
    const said = marks[index] ?? 0;
    const isEmpty = isBlank(raw, said);
    const pair = pairs(index);
    const row = tables(index);
    const isPlace = (said & MARK.colon) !== 0 && (said & MARK.quote) !== 0;
    const found = isPlace ? placeOf(raw, lines[index + 1] ?? "") : null;
    const there: Line | null = found
      ? NOTHING
      : (placedLine(place, raw, pair) ?? buttonBelow(raw, isFilled));
    isFilled = pair !== null || (isFilled && isEmpty);
    if (found) place = found;
    else if (there === null && !isEmpty) place = null;
    isMail = isMail ? MAIL.test(raw) : before === "" && SENT.test(raw);
    const isAbove = pair === null && pairs(index + 1) !== null;
    const isVague =
      isMail ||
      ((said & (MARK.colon | MARK.equals)) !== 0 && isVaguePair(raw)) ||
      (isAbove && isPlainLine(raw) && isAbout(raw));
    const line =
      row ??
      there ??
      (isEmpty || !isSurrounding(lines, index) ? null : NOTHING) ??
      (isVague ? VAGUE : aroundOf(lines, index, said, before));
    const parts = line ? null : partsOf(raw, said);
    for (const part of parts ?? [raw]) {
      const isLong = part.length > MAX_LINE_LENGTH && part.trim().length > MAX_LINE_LENGTH;
      ahead.push({
        index,
        raw: part,
        line: isLong ? null : (line ?? readLine(part)),
        pair: parts || line ? null : pair,
      });
    }
    if (!isEmpty) before = raw;
    length += raw.length;
    if (ahead.length >= MAX_AHEAD || length >= MAX_AHEAD_LENGTH) {
      yield* ahead;
      ahead = [];
      length = 0;
    }
  }
  yield* ahead;
}

/** One of these stands behind what says that something is expected. */
const LABELLING = MARK.colon | MARK.equals | MARK.arrow | MARK.dash;

const partsOf = (raw: string, marks: number): readonly string[] | null => {
  const listed = ((marks & MARK.figure) === 0 ? null : listedInLine(raw)) ?? gherkinInLine(raw);
  if (!listed && (marks & LABELLING) === 0) return null;
  const parts = (listed ?? [raw]).flatMap((part) => withOutcome(part) ?? [part]);
  return parts.length > 1 ? parts : null;
};

/** What a line is by the lines around it: a heading, a greeting; null for all others. */
const aroundOf = (
  lines: readonly string[],
  index: number,
  marks: number,
  before: string,
): Line | null => {
  const raw = lines[index] ?? "";
  if (raw.length > 130 || isBlank(raw, marks)) return null;
  if ((marks & MARK.quote) === 0) {
    if (isAddressing(raw, before)) return NOTHING;
    const isForm = (marks & MARK.colon) === 0;
    const form = isForm ? formAbove(raw, lines[index + 1] ?? "", index) : null;
    if (form) return form;
  }
  const isColon = (marks & MARK.colon) !== 0 && /:[*_\s]*$/.test(raw);
  if (!isColon && before !== "") return null;
  let at = index + 1;
  while (at < lines.length && (lines[at] ?? "").trim() === "" && at < index + 5) at++;
  const heading = headingOf(raw, lines[at] ?? "", before === "");
  if (!heading) return isColon && isTitle(lines, index) ? titled(readLine(raw)) : null;
  const line = readLine(raw);
  if (line.kind !== "instruction" || line.mood !== null || followingOf(line.text, index))
    return null;
  if (heading.kind === "size") {
    return { kind: "instruction", text: `Set the viewport to ${heading.size}`, mood: null };
  }
  return heading.kind === "claims" ? CLAIMS : NOTHING;
};

const titled = (line: Line): Line =>
  line.kind === "instruction" ? { ...line, isTitle: true } : line;

const BUTTON = /^\W{0,3}\[(\p{Lu}[^\][="]{1,40})\]$/u;

/** `[Sign in]` below the fields of a form: what is pressed when they are filled in. */
const buttonBelow = (raw: string, isFilled: boolean): Line | null => {
  const name = isFilled && raw.includes("[") ? BUTTON.exec(raw.trim())?.[1] : undefined;
  return name === undefined ? null : { kind: "instruction", text: `click "${name}"`, mood: null };
};

/** `Fill in the form`, without a colon or quotes, above a list of fields that belongs to it; null for any other line. */
const formAbove = (raw: string, next: string, index: number): Line | null => {
  if (!/^\W*\w*\W*(?:fill|enter|complete|provide)\b/i.test(raw)) return null;
  if (!isListed(next) || !/^[^:=]{1,60}(?::|=)\s/.test(withoutBullets(next.trim()))) return null;
  const line = readLine(`${raw.replace(/[.\s]+$/, "")}:`);
  return line.kind === "instruction" && followingOf(line.text, index) ? line : null;
};

/** Says of each line, in their order, what kind of line it is where it is a row of a table; null for all others. */
const rowReader = (
  lines: readonly string[],
  marks: readonly number[],
): ((index: number) => Line | null) => {
  let columns: Columns | null = null;
  let mark = "|";
  let isForm = false;
  return (index) => {
    if (columns === null && ((marks[index] ?? 0) & (MARK.bar | MARK.comma)) === 0) {
      isForm = false;
      return null;
    }
    const text = (lines[index] ?? "").trim();
    const divided = cellsOf(text) ? "|" : headMark(text);
    if (divided === null) isForm = false;
    if (columns === null && divided === null) return null;
    const isRow = columns !== null && (mark === "|" ? divided === "|" : text.includes(mark));
    if (!isRow) columns = null;
    const head = divided === null ? null : columnsOf(cellsLike(text, divided) ?? []);
    if (head) {
      columns = head;
      mark = divided ?? "|";
      return NOTHING;
    }
    if (columns) return rowBelow(columns, cellsLike(text, mark) ?? []);
    if (isFormHead(text, lines[index - 1] ?? "")) {
      isForm = true;
      return NOTHING;
    }
    if (!isForm) return rowAlone(text);
    const [name = "", value = "", ...more] = cellsOf(text) ?? [];
    if (/^:?-{2,}/.test(name)) return NOTHING;
    isForm = name !== "" && value !== "" && more.length === 0;
    return isForm ? { kind: "instruction", text: filledWith(name, value), mood: null } : null;
  };
};

const FIELDS = /^(?:fields?|field names?|labels?|inputs?|form fields?)$/i;
const VALUES = /^(?:values?|data|inputs?|texts?|test data|entries)$/i;

/** `| Field | Value |`, above which nothing says what the table is for. */
const isFormHead = (text: string, before: string): boolean => {
  const [name = "", value = "", ...more] = cellsOf(text) ?? [];
  return more.length === 0 && FIELDS.test(name) && VALUES.test(value) && !/:\s*$/.test(before);
};

/** `Click "A" | "B" is shown`: what is done and what is expected, without names of columns; null for any other line. */
const rowAlone = (text: string): Line | null => {
  if (text.startsWith("|") || /\btitle\b(?![^|]*")/i.test(text)) return null;
  const cells = cellsOf(text) ?? [];
  const told = /^(?:\(?\d{1,3}[.):]?|[-*•])$/.test(cells[0] ?? "") ? cells.slice(1) : cells;
  const [action = "", expected = ""] = told;
  if (told.length > 2 || action === "") return null;
  const first = withoutBullets(action).split(/\s/)[0] ?? "";
  if (told.length === 2 && baseOf(first.toLowerCase()) === null) return null;
  const cellsSaid = [{ text: withoutBullets(action), mood: null }];
  if (told.length === 1) return isListed(action) ? null : { kind: "row", cells: cellsSaid };
  return expected === ""
    ? { kind: "row", cells: cellsSaid }
    : { kind: "row", cells: [...cellsSaid, { text: expected, mood: "then" }] };
};
