import type { RecordedEvent } from "../../platform/eventLog/port.ts";

const MAX_LENGTH = 500;
/** Shorter values than this say nothing of anybody, and stand in every message by chance. */
const TELLING_LENGTH = 3;

/**
 * What is kept of an error for whoever looks at a parked event: nothing that the event holds (steps
 * hold passwords that people type), so values are taken out. Of the database's errors only what names
 * its own parts is kept, for its messages quote what they were given.
 */
export const redactError = (error: unknown, event: Pick<RecordedEvent, "data">): string => {
  const text = ofDatabase(error) ?? (error instanceof Error ? error.message : String(error));
  return withoutValues(text, event.data).slice(0, MAX_LENGTH);
};

const ofDatabase = (error: unknown): string | null => {
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
    .filter((value) => value.length >= TELLING_LENGTH)
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
