import type { ReadReq } from "@eventstore/db-client/generated/streams_pb.js";
import { invalidArgument } from "../failures.ts";
import type { StoredEvent } from "../records.ts";
import type { AllPage } from "./allPages.ts";
import { type Pattern, readPattern, tooSlow, toPostgres } from "./pattern.ts";
import type { SqlFilter } from "./queries.ts";

/** EventStoreDB's default search window. */
const DEFAULT_WINDOW = 32;

/** A server-side filter of `$all`. */
export type Filter = {
  /**
   * Returns the events that match. `preselected`: the events already passed the filter's `sql`.
   * Throws INVALID_ARGUMENT if a regular expression takes too long.
   */
  select(events: readonly StoredEvent[], preselected: boolean): readonly StoredEvent[];
  /** null if the database might give another answer than JavaScript. */
  readonly sql: SqlFilter | null;
  /** The number of scanned events, matching or not, between two checkpoints. */
  readonly checkpointEvery: number;
};

/** SQLSTATE: the regular expression is too complex for PostgreSQL. */
const TOO_COMPLEX = "2201B";
/** SQLSTATE: the statement reached its time limit. */
const TIMED_OUT = "57014";

/**
 * Reads a page of the matching events. The database filters if the filter has `sql` and PostgreSQL
 * accepts the expression; otherwise this process filters. Throws INVALID_ARGUMENT if that takes too long.
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

/** Decodes a filter: prefixes or a regular expression, on the event type or the stream name. Throws INVALID_ARGUMENT. */
export const readFilter = (options: ReadReq.Options.FilterOptions): Filter => {
  const onStream = options.getStreamIdentifier();
  const expression = onStream ?? options.getEventType();
  if (!expression) throw invalidArgument("The filter needs a stream name or an event type");
  const column = onStream ? "stream" : "type";
  const window = options.hasMax() ? options.getMax() : DEFAULT_WINDOW;
  const checkpointEvery = window * Math.max(1, options.getCheckpointintervalmultiplier());
  if (checkpointEvery <= 0) throw invalidArgument("The filter's search window must be above zero");
  const source = expression.getRegex();
  return {
    ...(source === ""
      ? prefixFilter(column, expression.getPrefixList())
      : patternFilter(column, readPattern(source), source)),
    checkpointEvery,
  };
};

type Column = "stream" | "type";

const prefixFilter = (
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
 * PostgreSQL evaluates the pattern on printable ASCII only. Other names pass its condition and are evaluated
 * here: PostgreSQL and JavaScript differ in what `.`, `\w` and `\d` match outside of ASCII.
 */
const patternFilter = (
  column: Column,
  pattern: Pattern,
  source: string,
): Pick<Filter, "select" | "sql"> => {
  const translated = toPostgres(source);
  return {
    select: (events, preselected) => {
      const undecided = preselected
        ? events.filter((event) => !PRINTABLE.test(event[column]))
        : events;
      if (undecided.length === 0) return events;
      const matching = pattern.matching(undecided.map((event) => event[column]));
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
