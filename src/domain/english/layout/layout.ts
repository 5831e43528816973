import type { Mood } from "../engine/types.ts";
import * as forms from "./forms.ts";

/** One instruction of a text: its line, its words without bullet and keyword, and the keyword's mood. */
export type Entry =
  | {
      readonly kind: "instruction";
      /** Counted from 0. */
      readonly line: number;
      readonly raw: string;
      readonly text: string;
      readonly mood: Mood | null;
    }
  /** A line that is not read, with the reason. */
  | {
      readonly kind: "asked";
      readonly line: number;
      readonly raw: string;
      readonly message: string;
    }
  /** `Fill in the form:`, above a list of fields. */
  | {
      readonly kind: "pair";
      readonly line: number;
      readonly raw: string;
      readonly name: string;
      readonly value: string;
      readonly isQuoted: boolean;
    };

const ACTUAL = "This tells what happened, which is no part of the test: say what should happen.";

type Context = {
  mood: Mood | null;
  /** The section of a bug report whose lines are not read. */
  isActual: boolean;
  isStory: boolean;
  scenarios: number;
  /** Columns of a table of steps: the mood of each, or null for a column that is not read. */
  columns: readonly (Mood | "do" | null)[] | null;
  /** The column of the texts of the steps; -1 if there is none. */
  dataColumn: number;
  /** Below `Fill in the following:` a row or an entry is a field and its text. */
  isForm: boolean;
  hasSteps: boolean;
  /** The first line that only tells of the test. */
  about: string | null;
};

/** Cuts a text into instructions, with null for a line without one. Linear in its length; never looks into a sentence. */
export function* entriesOf(text: string): Generator<Entry | null> {
  const lines = text.split(/\r\n|[\n\r\u0085\u2028\u2029]/);
  const context: Context = {
    mood: null,
    isActual: false,
    isStory: false,
    scenarios: 0,
    columns: null,
    dataColumn: -1,
    isForm: false,
    hasSteps: false,
    about: null,
  };
  for (let line = 0; line < lines.length; line++) {
    const raw = lines[line] ?? "";
    yield null;
    for (const part of partsOf(raw)) {
      for (const entry of entryOf(context, part, line, lines[line + 1] ?? "")) {
        if (entry.kind !== "asked") context.hasSteps = true;
        yield entry;
      }
    }
  }
  if (context.about !== null && !context.hasSteps) {
    yield asked(0, context.about, "There is no instruction in this text.");
  }
}

/** `Click "Save" # applies it`: the words behind a number sign that no quotes hold. */
const withoutComment = (raw: string): string => {
  const text = raw.replace(forms.COMMENT, "");
  const at = text.search(/\s#\s/);
  return at > 0 && text.slice(0, at).split('"').length % 2 === 1 ? text.slice(0, at) : text;
};

/** `1. Open /a 2. Click "B"` and `Click "A" - Expected: "B" is shown`: the instructions of one line. */
const partsOf = (raw: string): readonly string[] => {
  if (raw.length > forms.MAX_LINE_LENGTH || !forms.DIVIDED.test(raw)) return [raw];
  const outcome = forms.OUTCOME.exec(raw);
  const isLabel = /^\W*(?:expected|actual|test)?\W*$/i.test(raw.slice(0, outcome?.index ?? 0));
  if (outcome && !isLabel && raw.slice(0, outcome.index).split('"').length % 2 === 1) {
    const rest = raw.slice(outcome.index).replace(/^[\s\-–—([>=|;.,]+/, "");
    const isBracketed =
      /[([]\s*$/.test(raw.slice(0, outcome.index + 2)) || /^\s*[([]/.test(raw.slice(outcome.index));
    return [raw.slice(0, outcome.index), isBracketed ? rest.replace(/[)\]]\.?\s*$/, "") : rest];
  }
  return [raw];
};

const pairOf = (line: number, raw: string, name: string, said: string): Entry => {
  const quoted = /^"(.*)"$/.exec(said)?.[1];
  return { kind: "pair", line, raw, name, value: quoted ?? said, isQuoted: quoted !== undefined };
};

const asked = (line: number, raw: string, message: string): Entry => ({
  kind: "asked",
  line,
  raw,
  message,
});

const entryOf = (context: Context, raw: string, line: number, next: string): readonly Entry[] => {
  if (raw.length > forms.MAX_LINE_LENGTH)
    return [asked(line, raw, "This line is too long to be read.")];
  const text = withoutComment(raw).trim();
  if (text === "") return [];
  if (isOutside(context, text)) return [];
  const section = sectionOf(text);
  if (section) {
    context.mood = section === "actual" || section === "do" ? null : section;
    context.isActual = section === "actual";
    context.isStory = false;
    context.columns = null;
    return [];
  }
  if (context.isActual) return [asked(line, text, ACTUAL)];
  if (text.startsWith("|") || context.columns) {
    const rows = tableRow(context, text, raw, line);
    if (rows) return rows;
  }
  return instruction(context, text, raw, line, next);
};

/** Comments, titles, tags, rulers, and the story that a feature begins with. */
const isOutside = (context: Context, text: string): boolean => {
  if (forms.IGNORED.some((form) => form.test(text)) && !forms.SELECTOR_CLAIM.test(text))
    return true;
  if (/^feature\s*:/i.test(text)) {
    context.isStory = true;
    return true;
  }
  if (forms.HEADING.test(text)) {
    if (/^scenario/i.test(text)) context.isStory = false;
    if (!/^scenario\s*:/i.test(text)) return true;
    context.scenarios += 1;
    return context.scenarios === 1;
  }
  if (/^as an? [\w -]{2,40},?$/i.test(text)) {
    context.isStory = true;
    return true;
  }
  if (context.isStory && forms.STORY.test(text)) return true;
  if (context.hasSteps || !(forms.ABOUT.test(text) || forms.GREETING.test(text))) return false;
  context.about ??= text;
  return true;
};

const sectionOf = (text: string): Mood | "actual" | "do" | null => {
  if (text.length > 70 || text.includes('"')) return null;
  const title = text
    .replace(/^[#*_>\s]+/, "")
    .replace(/[*_:?\s]+$/, "")
    .toLowerCase();
  if (!/[:*_#]/.test(text) && /^(?:then|given|actions|do|when|test)$/.test(title)) return null;
  const found = forms.SECTIONS.find(([form]) => form.test(title))?.[1] ?? null;
  return found === "actual" && !/[:*_#]/.test(text) ? null : found;
};

const cellsOf = (text: string): readonly string[] =>
  text
    .replace(/^\|+|\|+$/g, "")
    .split(/\|+/)
    .map((cell) => cell.trim());

/** A row of a table: its heading names the columns; below it, each cell is an instruction or ignored. */
const tableRow = (
  context: Context,
  text: string,
  raw: string,
  line: number,
): readonly Entry[] | null => {
  if (!text.startsWith("|")) {
    context.columns = null;
    return null;
  }
  const cells = cellsOf(text);
  if (cells.every((cell) => /^:?-{2,}:?$/.test(cell))) return [];
  const heads = cells.map((cell) => forms.COLUMNS.find(([form]) => form.test(cell))?.[1]);
  if (context.columns === null && heads.some((head) => head === "do" || head === "then")) {
    context.columns = heads.map((head) => head ?? null);
    context.dataColumn = cells.findIndex((cell) => forms.DATA_COLUMN.test(cell));
    return [];
  }
  if (context.columns) {
    return context.columns.flatMap((column, at): readonly Entry[] => {
      const data = cells[context.dataColumn] ?? "";
      const isDone = column === "do" && data !== "" && !forms.NONE.test(data);
      const cell = isDone && cells[at] ? `${cells[at]}: ${data}` : (cells[at] ?? "");
      if (column === null || cell === "" || /^\d+[.)]?$/.test(cell) || /^(?:-|n\/?a)$/i.test(cell))
        return [];
      const mood = column === "do" ? null : column;
      return [{ kind: "instruction", line, raw, text: withoutBullet(cell), mood }];
    });
  }
  const [name = "", value = "", ...more] = cells;
  if (forms.FIELD_HEAD.test(name) && /^(?:values?|texts?|data)$/i.test(value))
    context.isForm = true;
  if (context.isForm && more.length === 0 && name !== "") {
    if (forms.FIELD_HEAD.test(name)) return [];
    return [pairOf(line, raw, name, value)];
  }
  return [
    asked(
      line,
      text,
      "It is not clear what this table is: name its columns Step and Expected result.",
    ),
  ];
};

/** A line without the bullets and numbers that it begins with. */
const withoutBullet = (raw: string): string => {
  let text = raw.trim();
  for (let bullets = 0; bullets < 2; bullets++) {
    const found = forms.BULLET.exec(text);
    if (!found) break;
    text = text.slice(found[0].length);
  }
  return text.replace(/[^\s;,][;,]$/, (end) => end.charAt(0)).replace(/\s+[✅✔☑✓]\uFE0F?$/u, "");
};

const instruction = (
  context: Context,
  text: string,
  raw: string,
  line: number,
  next: string,
): readonly Entry[] => {
  context.columns = null;
  if (/^scenario\s*:/i.test(text)) {
    context.mood = null;
    return [asked(line, text, "One text is one test: put the next scenario in a test of its own.")];
  }
  const isBelow = forms.BULLET.test(next.trim()) || /^\s*\|/.test(next);
  let rest = withoutBullet(text.replace(forms.EMPHASISED, "$2 "));
  if (forms.FOLLOWED.test(rest.replace(forms.KEYWORD, "")) && isBelow) {
    context.isForm = true;
    return [];
  }
  const isListed = rest !== text;
  if (context.isForm) {
    const pair = isListed ? forms.PAIR.exec(rest) : null;
    if (pair) {
      return [pairOf(line, raw, pair[1] ?? "", pair[2] ?? "")];
    }
    context.isForm = false;
  }
  if (isTitle(context, rest, next, isListed)) return [];
  rest = rest.replace(forms.NOTE, "");
  const label = forms.LABELS.find(([form]) => form.test(rest));
  if (label) {
    rest = rest.replace(label[0], "");
    if (label[1] === "actual") return [asked(line, text, ACTUAL)];
    if (forms.NONE.test(rest)) return [];
    const mood = label[1] === "do" ? null : label[1];
    return [{ kind: "instruction", line, raw, text: rest, mood }];
  }
  const keyword = forms.KEYWORD.exec(rest);
  if (keyword) {
    const word = (keyword[1] ?? "").toLowerCase();
    if (word === "given" || word === "when" || word === "then") context.mood = word;
    // `When "A" appears, …`: the sentence needs its conjunction.
    if (word === "when" && rest.includes(","))
      return [{ kind: "instruction", line, raw, text: rest, mood: "when" }];
    rest = rest.slice(keyword[0].length).replace(/^that (?=(?:i|we|you|the) )/i, "");
  } else if (!isListed && context.mood !== "then") {
    context.mood = null;
  }
  return rest === "" ? [] : [{ kind: "instruction", line, raw, text: rest, mood: context.mood }];
};

/** A heading above a list that says what the list is for, and a line that only names the test. */
const isTitle = (context: Context, text: string, next: string, isListed: boolean): boolean => {
  if (forms.NUMBERED_TITLE.test(text)) return true;
  if (isListed || /["'`“]/.test(text)) return false;
  if (forms.ABOUT_WHAT.test(text)) return true;
  const isBelow = forms.BULLET.test(next.trim());
  return isBelow && !context.hasSteps && forms.ABLE.test(text);
};
