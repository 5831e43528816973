import type { Line } from "./line.ts";

type Role = "number" | "action" | "data" | "expected" | "ignored" | "result";

/** What the columns of a table hold, in their order. */
export type Columns = readonly Role[];

const RESULT = "results?|outcomes?|behaviou?rs?|outputs?|responses?";
const ROLES: readonly (readonly [Role, RegExp])[] = [
  [
    "number",
    /^(?:|#|s#|no\.?|nr\.?|n°|id|s\.? ?no\.?|sl\.? ?no\.?|sr\.? ?no\.?|(?:test )?step (?:#|no\.?|nr\.?|number|id)|test case(?: (?:id|no\.?))?|tc(?: id)?)$/,
  ],
  [
    "action",
    /^(?:(?:test )?steps?|(?:user )?actions?|(?:test )?step (?:description|action|details)s?|descriptions?|what to do|do|instructions?|procedure|when|action taken|step to (?:perform|execute))$/,
  ],
  ["data", /^(?:(?:test |input )?data|inputs?|input data|test inputs?|values?)$/],
  [
    "expected",
    new RegExp(
      `^(?:(?:the )?expected(?: (?:${RESULT}))?|exp\\.?(?: (?:${RESULT}))?|expectations?|what should happen|should|then|verification|check)$`,
    ),
  ],
  [
    "ignored",
    new RegExp(
      `^(?:actual(?: (?:${RESULT}))?|status|pass ?/ ?fail|p/f|pass|fail|verdict|comments?|remarks?|notes?|tester|tested by|executed by|date|priority|screenshots?|evidence|(?:defect|bug)(?: (?:id|no\\.?))?|ok\\??|done\\??)$`,
    ),
  ],
  ["result", /^results?$/],
];

const roleOf = (cell: string): Role | null => {
  const said = cell.replaceAll(/[*_]/g, "").trim().toLowerCase();
  return ROLES.find(([, pattern]) => pattern.test(said))?.[0] ?? null;
};

/** What the columns hold by the names that stand above them; null when these are no such names. */
export const columnsOf = (cells: readonly string[]): Columns | null => {
  if (cells.length < 2 || cells.length > 10) return null;
  const roles = cells.map(roleOf);
  if (!roles.every((role) => role !== null)) return null;
  const isTold = roles.includes("expected");
  const actions = roles.filter((role) => role === "action").length;
  let isNumbered = roles.includes("number");
  const columns = roles.map((role): Role => {
    // `Result` beside what is expected is what happened.
    if (role === "result") return isTold ? "ignored" : "expected";
    // `Step | Action`: the first of them counts.
    if (role === "action" && actions > 1 && !isNumbered) {
      isNumbered = true;
      return "number";
    }
    return role;
  });
  const isUsed = columns.filter((role) => role === "action").length === 1;
  return isUsed && columns.filter((role) => role === "expected").length < 2 ? columns : null;
};

/** By what a text in quotes ends, by what it begins with. */
const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "`": "`",
  "“": "”",
  "„": "“",
  "«": "»",
};

/** Where a text in quotes ends that begins at a place; the place itself when nothing ends it. */
const quotedTo = (text: string, at: number): number => {
  const closing = QUOTES[text[at] ?? ""];
  if (closing === undefined) return at;
  // Within a word it is an apostrophe.
  const isSingle = closing === "'";
  if (isSingle && at > 0 && !/[\s([{|]/.test(text[at - 1] ?? "")) return at;
  for (let end = at + 1; end < text.length; end++) {
    const char = text[end];
    // `\"` stands for a quote in a text, and in `e"…"` so does any mark behind a backslash.
    if (char === "\\" && (text[end + 1] === closing || text[at - 1] === "e")) end++;
    else if (char === closing && (!isSingle || /^(?:$|[\s.,;:!?)|\]}])/.test(text[end + 1] ?? "")))
      return end;
  }
  return at;
};

/** Cuts a row at a mark, but not within a text in quotes. */
const cut = (text: string, mark: string): readonly string[] => {
  const cells: string[] = [];
  let from = 0;
  let open = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === mark) {
      cells.push(text.slice(from, at).trim());
      from = at + 1;
    } else if (char in QUOTES && !open.includes(char)) {
      const end = quotedTo(text, at);
      // What nothing ends is looked for but once; an apostrophe is looked at again.
      if (end === at && (char !== "'" || /\s/.test(text[at - 1] ?? " "))) open += char;
      at = end;
    }
  }
  cells.push(text.slice(from).trim());
  return cells;
};

/** A cell of a file of values: in quotes, of which those within are doubled. */
const unquotedCell = (cell: string): string =>
  /^".*"$/.test(cell) && (cell.includes('""') || !/^"[^"]*"$/.test(cell))
    ? cell.slice(1, -1).replaceAll('""', '"')
    : cell;

const csvCells = (text: string, mark: string): readonly string[] => {
  const cells: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at <= text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted;
    if (at < text.length && (text[at] !== mark || isQuoted)) continue;
    cells.push(unquotedCell(text.slice(from, at).trim()));
    from = at + 1;
  }
  return cells;
};

/** The cells of a row: between bars, or divided by tabs; null for a line without them. */
export const cellsOf = (text: string): readonly string[] | null => {
  if (text.startsWith("|") && text.endsWith("|") && text.length > 2) {
    return cut(text.slice(1, -1), "|");
  }
  const mark = text.includes("\t") ? "\t" : text.includes(" | ") ? "|" : null;
  if (mark === null) return null;
  const cells = cut(text, mark);
  // Within quotes it divides nothing.
  if (cells.length === 1) return null;
  return mark === "|" ? cells : cells.filter((cell, at) => at > 0 || cell !== "");
};

/** The cells of a row below names of columns that the same mark divides. */
export const cellsLike = (text: string, mark: string): readonly string[] | null =>
  mark === "|" ? cellsOf(text) : csvCells(text, mark);

/** `Step,Action,Expected`: by what the cells of a head without bars are divided; null when they are no head. */
export const headMark = (text: string): string | null => {
  if (text.length > 150 || !/action|step/i.test(text) || /["'.!?/]/.test(text)) return null;
  return [",", ";"].find((mark) => columnsOf(csvCells(text, mark)) !== null) ?? null;
};

const RULE = /^:?-{2,}:?$/;

const MOODS = [null, "then"] as const;

/** `| 1 | Click "Save" | "Saved" is visible |`, of which nothing is known but its place; null for any other line. */
export const rowOf = (text: string): Line | null => {
  if (!text.startsWith("|") || !text.endsWith("|") || text.length < 3) return null;
  const cells = cut(text.slice(1, -1), "|");
  if (cells.every((cell) => RULE.test(cell) || (cell !== "" && roleOf(cell) !== null))) {
    return { kind: "nothing" };
  }
  const told = /^\d{1,3}\.?$/.test(cells[0] ?? "") ? cells.slice(1) : cells;
  if (told.length > 2 || (told[0] ?? "") === "") {
    return { kind: "unclear", message: "Write a row as | action | expected result |." };
  }
  return {
    kind: "row",
    cells: told.flatMap((cell, at) =>
      cell === "" ? [] : [{ text: cell, mood: MOODS[at] ?? null }],
    ),
  };
};

const EMPTY = /^(?:|-+|–|—|n\/?a|none|nil|\.)$/i;

/** A row below names of columns; null when it does not fit under them. */
export const rowBelow = (columns: Columns, cells: readonly string[]): Line | null => {
  if (cells.every((cell) => RULE.test(cell))) return { kind: "nothing" };
  if (cells.length > columns.length || cells.length < 2) return null;
  const said = (role: Role): string => {
    const cell = cells[columns.indexOf(role)] ?? "";
    return EMPTY.test(cell) ? "" : cell;
  };
  const [action, data, expected] = [said("action"), said("data"), said("expected")];
  const done = data === "" ? action : withData(action, data);
  if (done === null || (action === "" && expected === "")) {
    return { kind: "unclear", message: "Write the test data into what is done with it." };
  }
  const parts = [
    ...(done === ""
      ? []
      : done.split(/\n|<br ?\/?>/i).map((text) => ({ text: text.trim(), mood: null }))),
    ...expected
      .split(/<br ?\/?>/i)
      .filter((text) => text.trim() !== "")
      .map((text) => ({ text: text.trim().replace(/^[-•*]\s+/, ""), mood: "then" as const })),
  ];
  return { kind: "row", cells: parts };
};

const NAME = "(?:the |an? |your )?(?:valid )?([\\p{L}][\\p{L}\\d'/ -]{0,40}?)";
const TYPED = new RegExp(
  `^(?:enter|type|input|provide|key in|write|fill(?: in| out)?) ${NAME}( field| box| input)?\\.?$`,
  "iu",
);
const CHOSEN = new RegExp(
  `^(?:select|choose|pick) ${NAME}( dropdown| drop-down| list)?\\.?$`,
  "iu",
);
const GOING = /^(?:go|navigate|browse|open|visit|launch)\b[^"]*$/i;
const PLACED =
  /\b(?:in|into|on|with|from|and|then|all|each|following|details|credentials|form|data)\b/i;
const PAIR = /^([\p{L}][\p{L}\d' -]{0,40})\s?[:=]\s*(?!\/\/)(\S.*)$/u;

const inQuotes = (text: string): string => (/^".*"$/.test(text) ? text : `"${text}"`);

/** `Enter the city` with `Oslo` beside it; null when it is not certain what is done with it. */
const withData = (action: string, data: string): string | null => {
  if (action.includes(data)) return action;
  if (data.slice(1, -1).includes('"')) return null;
  const typed = TYPED.exec(action);
  const pairs = data.split(/\s*(?:[,;]|<br ?\/?>)\s*/i).map((part) => PAIR.exec(part));
  if (pairs.every((pair) => pair !== null)) {
    if (!/^(?:enter|type|input|provide|fill|complete)\b[^"]*$/i.test(action)) return null;
    const names = pairs.map((pair) => pair?.[1]?.trim() ?? "");
    const only = typed?.[1]?.toLowerCase();
    if (only !== undefined && !PLACED.test(only) && !names.some((n) => n.toLowerCase() === only)) {
      return null;
    }
    return pairs
      .map((pair, at) => `Fill "${names[at]}" with ${inQuotes(pair?.[2] ?? "")}`)
      .join("\n");
  }
  if (typed && !PLACED.test(typed[1] ?? "")) {
    return `Fill ${typed[2] ? `the "${typed[1]}"${typed[2]}` : `"${typed[1]}"`} with ${inQuotes(data)}`;
  }
  const chosen = CHOSEN.exec(action);
  if (chosen && !PLACED.test(chosen[1] ?? "")) {
    return `Select ${inQuotes(data)} from the "${chosen[1]}"${chosen[2] ? " dropdown" : ""}`;
  }
  return GOING.test(action) && /^(?:https?:\/\/|\/)\S+$/.test(data) ? `Open ${data}` : null;
};
