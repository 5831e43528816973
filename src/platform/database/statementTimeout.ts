import type { PostgresPoolClient, PostgresQueryResult } from "kysely";
import type pg from "pg";
import { type PartHealth, PartUnavailableError } from "../partHealth.ts";

/**
 * A pooled connection on which no statement is waited for without end. One that stays silent is broken
 * off and never used again: its answer, should it come, would be taken for the next statement's.
 */
export const clientWithTimeout = (
  client: pg.PoolClient,
  options: {
    /** How long a statement may take; the first one's time began when its connection was asked for. */
    readonly answerMs: number;
    /** When the connection was asked for, on the clock of `performance`. */
    readonly asked: number;
    readonly parts: PartHealth;
    readonly onSilence: () => void;
  },
): PostgresPoolClient => {
  const { answerMs, parts } = options;
  let silence: PartUnavailableError | null = null;
  let since = options.asked;

  const ask = (text: string, values: readonly unknown[]): Promise<pg.QueryResult> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => {
          silence = new PartUnavailableError("database", "does not answer");
          options.onSilence();
          destroyConnection(client);
          reject(silence);
        },
        Math.max(1, answerMs - (performance.now() - since)),
      );
      const settled = (): void => {
        clearTimeout(timer);
        since = performance.now();
      };
      client.query(queryOf(text, values)).then(
        (result) => {
          settled();
          resolve(result);
        },
        (error: unknown) => {
          settled();
          reject(error);
        },
      );
    });

  const query = <Row>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<Row>> => {
    if (silence) return Promise.reject(silence);
    return parts.call("database", () => ask(text, values)) as Promise<
      pg.QueryResult & PostgresQueryResult<Row>
    >;
  };

  return {
    // Kysely's streams ask for a cursor instead of a text: nobody has given it one.
    query: query as PostgresPoolClient["query"],
    release: () => client.release(silence ?? undefined),
  };
};

/**
 * What a statement begins with that is read and planned once for each connection, and known by its name from then
 * on: one that is asked for many times a second, has one of few texts, and whose best plan is the same however much
 * is in its tables (an insert, or what finds its rows by their keys alone).
 */
export const PREPARED = "/* again and again */";

const queryOf = (text: string, values: readonly unknown[]): pg.QueryConfig =>
  text.startsWith(PREPARED)
    ? { name: nameOf(text), text, values: [...values] }
    : { text, values: [...values] };

/** The names of prepared statements, by their texts: the same on every connection. */
const names = new Map<string, string>();

const nameOf = (text: string): string => {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `again_${names.size}`;
  names.set(text, name);
  return name;
};

/** Breaks a connection off without a goodbye, which a server that is silent would not answer. */
export const destroyConnection = (client: pg.ClientBase): void => {
  (
    client as unknown as { connection: { stream: { destroy(): void } } }
  ).connection.stream.destroy();
};
