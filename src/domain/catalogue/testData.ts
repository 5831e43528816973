import { z } from "zod";
import { MAX_FIELD_BYTES } from "./step.ts";

/** A table of data. The test runs once for each row with the variables `${column}`. */
export const testDataSchema = z.object({
  columns: z.array(z.string()),
  /** Each row has one value per column. */
  rows: z.array(z.array(z.string())),
});

export type TestData = z.output<typeof testDataSchema>;

export const noData: TestData = { columns: [], rows: [] };

/** Each row counts as one of the at most 1,000 tests of a run. */
export const MAX_ROWS = 1_000;
export const MAX_COLUMNS = 50;
/** Maximum JSON size: with 900 KiB of steps it must fit into one event of 1 MiB when a test is copied or reverted. */
export const MAX_DATA_BYTES = 64 * 1024;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** Name in `${name}`. */
export const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, "must be letters, digits and _, and begin with a letter");

const value = z
  .string("must be a text")
  .refine((text) => bytesOf(text) <= MAX_FIELD_BYTES, "is longer than 8 KiB")
  .refine((text) => !/\0|\p{Surrogate}/u.test(text), "has a character that cannot be kept");

/** Rows as objects. An absent column is empty. */
export const plainDataSchema = z
  .strictObject({
    columns: z
      .array(variableName)
      .max(MAX_COLUMNS, `at most ${MAX_COLUMNS}`)
      .refine((all) => new Set(all).size === all.length, "must name each column once")
      .refine(
        (all) => !all.includes("secret"),
        "secret is a reserved name: it refers to the secrets of an environment",
      )
      // JSON and YAML readers may drop this key.
      .refine((all) => !all.includes("__proto__"), "__proto__ is no name of a column"),
    rows: z
      .array(z.record(z.string(), value, "must give its values by column, such as {city: Paris}"))
      .max(MAX_ROWS, `at most ${MAX_ROWS}`),
  })
  .superRefine(({ columns, rows }, check) => {
    if (rows.length > 0 && columns.length === 0) {
      check.addIssue({ code: "custom", path: ["columns"], message: "must name a column at least" });
    }
    for (const [index, row] of rows.entries()) {
      const unknown = Object.keys(row).find((name) => !columns.includes(name));
      if (unknown === undefined) continue;
      const message = `has no column ${JSON.stringify(unknown.slice(0, 64))}`;
      return check.addIssue({ code: "custom", path: ["rows", index], message });
    }
    if (bytesOf(JSON.stringify({ columns, rows })) > MAX_DATA_BYTES) {
      const message = `take ${MAX_DATA_BYTES / 1024} KiB together at most`;
      check.addIssue({ code: "custom", path: ["rows"], message });
    }
  });

/** Converts rows of objects to a table. Without rows there are no columns. */
export const dataOfPlain = ({ columns, rows }: z.output<typeof plainDataSchema>): TestData =>
  rows.length === 0
    ? noData
    : {
        columns,
        rows: rows.map((row) =>
          columns.map((column) => (Object.hasOwn(row, column) ? (row[column] ?? "") : "")),
        ),
      };

/** Converts a table to rows of objects. */
export const plainData = ({ columns, rows }: TestData): z.output<typeof plainDataSchema> => ({
  columns: [...columns],
  rows: rows.map((row) =>
    Object.fromEntries(columns.map((column, index) => [column, row[index] ?? ""])),
  ),
});

/** Number of executions: one per row, or one if there are none. */
export const unitsOf = (rowCount: number): number => Math.max(1, rowCount);

/** Variables of a row. */
export const rowVariables = (data: TestData, index: number): Readonly<Record<string, string>> => {
  const row = data.rows[index] ?? [];
  return Object.fromEntries(data.columns.map((column, at) => [column, row[at] ?? ""]));
};

export const sameData = (one: TestData, other: TestData): boolean =>
  sameTexts(one.columns, other.columns) &&
  one.rows.length === other.rows.length &&
  one.rows.every((row, index) => sameTexts(row, other.rows[index] ?? []));

const sameTexts = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((text, index) => text === other[index]);
