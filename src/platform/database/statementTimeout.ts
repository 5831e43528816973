import type { PostgresPoolClient, PostgresQueryResult } from "kysely";
import type pg from "pg";
import { type PartHealth, PartUnavailableError } from "../partHealth.ts";

/**
 * A pooled connection whose statements have a time limit. After a timeout the connection is destroyed: a late
 * response would be taken for that of the next statement.
 */
export const clientWithTimeout = (
  client: pg.PoolClient,
  options: {
    /** The time limit of a statement; for the first one it starts when the connection was requested. */
    readonly answerMs: number;
    /** When the connection was requested, by performance.now(). */
    readonly requestedAt: number;
    readonly parts: PartHealth;
    readonly onTimeout: () => void;
  },
): PostgresPoolClient => {
  const { answerMs, parts } = options;
  let timeout: PartUnavailableError | null = null;
  let since = options.requestedAt;

  const ask = (text: string, values: readonly unknown[]): Promise<pg.QueryResult> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => {
          timeout = new PartUnavailableError("database", "does not answer");
          options.onTimeout();
          destroyConnection(client);
          reject(timeout);
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
    if (timeout) return Promise.reject(timeout);
    return parts.call("database", () => ask(text, values)) as Promise<
      pg.QueryResult & PostgresQueryResult<Row>
    >;
  };

  return {
    // Kysely's streams would need a cursor, which is not configured.
    query: query as PostgresPoolClient["query"],
    release: () => client.release(timeout ?? undefined),
  };
};

/**
 * The prefix of statements that are prepared once per connection: frequent statements with few distinct texts,
 * whose best plan does not depend on the size of the tables (inserts and look-ups by key).
 */
export const PREPARED = "/* again and again */";

const queryOf = (text: string, values: readonly unknown[]): pg.QueryConfig =>
  text.startsWith(PREPARED)
    ? { name: nameOf(text), text, values: [...values] }
    : { text, values: [...values] };

/** The names of prepared statements by text, equal on all connections. */
const names = new Map<string, string>();

const nameOf = (text: string): string => {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `again_${names.size}`;
  names.set(text, name);
  return name;
};

/** Destroys a connection without the termination message, which a hanging server would not answer. */
export const destroyConnection = (client: pg.ClientBase): void => {
  (
    client as unknown as { connection: { stream: { destroy(): void } } }
  ).connection.stream.destroy();
};
