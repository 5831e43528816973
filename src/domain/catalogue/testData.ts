import { z } from "zod";

/** A table of data: its test runs once for each row, `${column}` standing for the row's value. */
export const testDataSchema = z.object({
  columns: z.array(z.string()),
  /** As many values in each as there are columns. */
  rows: z.array(z.array(z.string())),
});

export type TestData = z.output<typeof testDataSchema>;

/** Most tests have none: they run once. */
export const noData: TestData = { columns: [], rows: [] };

/** Limits: a run has 1,000 tests at most, and each row is one. */
export const MAX_ROWS = 1_000;
export const MAX_COLUMNS = 50;
/** All of it, as JSON: with 900 KiB of steps it must fit into one event of 1 MiB when a test is copied or reverted. */
export const MAX_DATA_BYTES = 64 * 1024;

/** How often a test runs with its data: once without any. */
export const unitsOf = (rowCount: number): number => Math.max(1, rowCount);

/** The variables of a row, by column. */
export const rowVariables = (data: TestData, index: number): Readonly<Record<string, string>> => {
  const row = data.rows[index] ?? [];
  return Object.fromEntries(data.columns.map((column, at) => [column, row[at] ?? ""]));
};

/** Whether two tables say the same. */
export const sameData = (one: TestData, other: TestData): boolean =>
  sameTexts(one.columns, other.columns) &&
  one.rows.length === other.rows.length &&
  one.rows.every((row, index) => sameTexts(row, other.rows[index] ?? []));

const sameTexts = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((text, index) => text === other[index]);
