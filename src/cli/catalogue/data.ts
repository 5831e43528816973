import { randomUUID } from "node:crypto";
import {
  dataOfPlain,
  plainData,
  sameData,
  type TestData,
} from "../../domain/catalogue/testData.ts";
import type { Service } from "../service.ts";
import type { Terminal } from "../terminal.ts";

/** The data rows of a test. Throws ServiceError. */
export const readData = async (
  service: Service,
  id: string,
  signal: AbortSignal,
): Promise<TestData> => {
  const { columns, rows } = await service.ask(
    (client, ended) =>
      client.GET("/api/v1/tests/{id}/data", { params: { path: { id } }, signal: ended }),
    { signal },
  );
  return dataOfPlain({ columns, rows });
};

/** Replaces the data rows of a test. `version`: the expected version, null: any. Throws ServiceError. */
export const writeData = (
  service: Service,
  id: string,
  version: number | null,
  data: TestData,
  signal: AbortSignal,
): Promise<{ readonly version: number }> =>
  service.ask(
    (client, ended) =>
      client.PUT("/api/v1/tests/{id}/data", {
        params: {
          path: { id },
          query: { pushed: "true" },
          header: {
            "Idempotency-Key": randomUUID(),
            ...(version !== null && { "If-Match": `"${version}"` }),
          },
        },
        body: plainData(data),
        signal: ended,
      }),
    { signal },
  );

/** A difference in the data rows, as JSON lines. */
type DataDifference = {
  readonly before: TestData;
  readonly after: TestData;
  readonly removed: readonly string[];
  readonly added: readonly string[];
};

/** The difference between the rows of the service and of a file; null if there is none or the file has no `data`. */
export const dataDifference = (before: TestData, after: TestData | null): DataDifference | null => {
  if (after === null || sameData(before, after)) return null;
  const [old, fresh] = [linesOf(before), linesOf(after)];
  return { before, after, removed: missingIn(fresh, old), added: missingIn(old, fresh) };
};

const linesOf = (data: TestData): readonly string[] =>
  plainData(data).rows.map((row) => JSON.stringify(row));

/** The lines that are missing in `others`, with their multiplicity. */
const missingIn = (others: readonly string[], lines: readonly string[]): readonly string[] => {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
};

const MAX_SHOWN = 20;

/** Writes a line for each removed and each added row. */
export const sayDataDifference = (
  terminal: Terminal,
  { before, after, removed, added }: DataDifference,
): void => {
  const { paint } = terminal;
  for (const line of removed.slice(0, MAX_SHOWN)) terminal.say(paint.red(`    - row  ${line}`));
  for (const line of added.slice(0, MAX_SHOWN)) terminal.say(paint.green(`    + row  ${line}`));
  const more = Math.max(0, removed.length - MAX_SHOWN) + Math.max(0, added.length - MAX_SHOWN);
  if (more > 0) terminal.say(paint.dim(`         and ${more} more`));
  const what =
    removed.length + added.length === 0
      ? "only the order differs"
      : `${rowsOf(before)} → ${rowsOf(after)}`;
  terminal.say(`    Rows of data: ${what}`);
};

const rowsOf = ({ rows }: TestData): string => (rows.length === 0 ? "none" : `${rows.length}`);
