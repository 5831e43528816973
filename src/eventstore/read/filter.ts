import type { ReadReq } from "@eventstore/db-client/generated/streams_pb.js";
import { invalidArgument } from "../failures.ts";
import { type Pattern, readPattern, tooSlow, toPostgres } from "./pattern.ts";
import type { AllPage } from "./reader.ts";
import type { StoredEvent } from "../records.ts";

/** EventStoreDB's search window where the caller names none. */
const DEFAULT_WINDOW = 32;

/** A filter as a condition on rows, for a database that then sends less. */
export type SqlFilter = {
  /** The same for conditions of the same text. */
  readonly name: string;
  /** `parameter` stands for the value, "$5" say. */
  condition(parameter: string): string;
  readonly value: string | readonly string[];
};

/** A server-side filter of `$all`. */
export type Filter = {
  /**
   * Those events that match. `preselected`: they passed the filter's `sql`. Throws INVALID_ARGUMENT
   * when a regular expression takes too long.
   */
  select(events: readonly StoredEvent[], preselected: boolean): readonly StoredEvent[];
  /** null when the database cannot be trusted to give the same answer. */
  readonly sql: SqlFilter | null;
  /** A checkpoint is sent after so many events have been considered, whether they match or not. */
  readonly checkpointEvery: number;
};

/** Postgres refuses to make such an expression: it would be too large. */
const TOO_COMPLEX = "2201B";
/** Postgres gave up on a query for its time. */
const TIMED_OUT = "57014";

/**
 * A page of the events that match. The database leaves out the others where it can; where it turns out
 * not to take the expression, all are read and judged here. Throws INVALID_ARGUMENT when that takes too long.
 */
export const selectPage = async (
  filter: Filter | null,
  read: (sql: SqlFilter | null) => Promise<AllPage>,
): Promise<AllPage> => {
  if (!filter) return read(null);
  if (filter.sql) {
    try {
      const { events, considered } = await read(filter.sql);
      return { events: filter.select(events, true), considered };
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (code === TIMED_OUT) throw tooSlow();
      if (code !== TOO_COMPLEX) throw error;
    }
  }
  const { events, considered } = await read(null);
  return { events: filter.select(events, false), considered };
};

/** Reads a filter: prefixes or a regular expression, on the event's type or its stream's name. Throws INVALID_ARGUMENT. */
export const readFilter = (options: ReadReq.Options.FilterOptions): Filter => {
  const onStream = options.getStreamIdentifier();
  const expression = onStream ?? options.getEventType();
  if (!expression) throw invalidArgument("The filter says neither stream name nor event type");
  const column = onStream ? "stream" : "type";
  const window = options.hasMax() ? options.getMax() : DEFAULT_WINDOW;
  const checkpointEvery = window * Math.max(1, options.getCheckpointintervalmultiplier());
  if (checkpointEvery <= 0) throw invalidArgument("The filter's search window must be above zero");
  const source = expression.getRegex();
  return {
    ...(source === ""
      ? ofPrefixes(column, expression.getPrefixList())
      : ofPattern(column, readPattern(source), source)),
    checkpointEvery,
  };
};

type Column = "stream" | "type";

const ofPrefixes = (
  column: Column,
  prefixes: readonly string[],
): Pick<Filter, "select" | "sql"> => ({
  select: (events, preselected) =>
    preselected
      ? events
      : events.filter((event) => prefixes.some((prefix) => event[column].startsWith(prefix))),
  sql: prefixes.some((prefix) => prefix.includes("\0"))
    ? null
    : {
        name: `${column} prefixes`,
        condition: (parameter) => `${column} ^@ ANY(${parameter}::text[])`,
        value: prefixes,
      },
});

/**
 * Postgres judges the names that are printable ASCII; of those that are not, it lets all pass, and they are
 * judged here: that is where it and JavaScript take "character", "any" and "word" to mean different things.
 */
const ofPattern = (
  column: Column,
  pattern: Pattern,
  source: string,
): Pick<Filter, "select" | "sql"> => {
  const translated = toPostgres(source);
  return {
    select: (events, preselected) => {
      const open = preselected ? events.filter((event) => !PRINTABLE.test(event[column])) : events;
      if (open.length === 0) return events;
      const matching = pattern.matching(open.map((event) => event[column]));
      return events.filter(
        (event) => (preselected && PRINTABLE.test(event[column])) || matching.has(event[column]),
      );
    },
    sql:
      translated === null
        ? null
        : {
            name: `${column} pattern`,
            condition: (parameter) =>
              `(${column} ~ ${parameter}::text OR ${column} ~ '[^ -~]' OR ${column} = '')`,
            value: translated,
          },
  };
};

const PRINTABLE = /^[ -~]+$/;
