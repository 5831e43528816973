import type { RecordedEvent } from "../../platform/eventLog/port.ts";

const MAX_LENGTH = 500;
/** Shorter values are kept: they occur in messages by chance and reveal nothing. */
const MIN_REDACTED_LENGTH = 3;

/**
 * Redacts the error of a parked event: values of the event are removed, because steps may contain passwords. Of a
 * database error, only the code and the names of table, column and constraint are kept, because its message quotes
 * values.
 */
export const redactError = (error: unknown, event: Pick<RecordedEvent, "data">): string => {
  const text = databaseError(error) ?? (error instanceof Error ? error.message : String(error));
  return withoutValues(text, event.data).slice(0, MAX_LENGTH);
};

const databaseError = (error: unknown): string | null => {
  if (!(error instanceof Error)) return null;
  const { code, severity, table, column, constraint } = error as Error & Record<string, unknown>;
  if (typeof code !== "string" || typeof severity !== "string") return null;
  const parts = Object.entries({ table, column, constraint })
    .filter(([, name]) => typeof name === "string")
    .map(([what, name]) => ` ${what} ${name}`);
  return `The database refused it: SQLSTATE ${code}${parts.join(",")}`;
};

const withoutValues = (text: string, data: unknown): string => {
  const values = [...valuesOf(data)]
    .filter((value) => value.length >= MIN_REDACTED_LENGTH)
    .sort((one, other) => other.length - one.length);
  return values.reduce((left, value) => left.replaceAll(value, "[value]"), text);
};

function* valuesOf(data: unknown): Generator<string> {
  if (typeof data === "string" || typeof data === "number") {
    yield String(data);
    return;
  }
  if (typeof data !== "object" || data === null) return;
  for (const value of Object.values(data)) yield* valuesOf(value);
}
