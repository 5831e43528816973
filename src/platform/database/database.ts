import { setTimeout as delay } from "node:timers/promises";
import { Kysely, PostgresDialect, type PostgresPool, sql } from "kysely";
import pg from "pg";
import { addressOf } from "../credentials.ts";
import { type PartHealth, PartUnavailableError, untrackedParts } from "../partHealth.ts";
import { settingError } from "../settingFailure.ts";
import { isConnectionRefused, isUnavailable } from "./failures.ts";
import { clientWithTimeout, PREPARED } from "./statementTimeout.ts";
import { columnTypes } from "./types.ts";

export { isSchemaMismatch, isTransient } from "./failures.ts";

/** Each context declares its own tables and takes a database as `Kysely<ItsTables>`. */
// biome-ignore lint/suspicious/noExplicitAny: only Kysely<any> is assignable to Kysely<T> for every T.
export type AnySchema = any;

export type Db<Tables> = Kysely<Tables>;

/** The prefix of statements that are prepared: see {@link PREPARED}. */
export const prepared = sql.raw(PREPARED);

export type Database = {
  /** For requests: statements fail after 4 s. */
  readonly db: Kysely<AnySchema>;
  /** For long operations (migrations, rebuilds) on the same pool: statements fail after 60 s. */
  readonly patient: Kysely<AnySchema>;
  /** For COPY, LISTEN and advisory locks: statements are limited by the server only. */
  readonly pool: pg.Pool;
  /** Rejects if the database is unavailable. */
  ping(): Promise<void>;
  close(): Promise<void>;
};

/** The time limit of a connection, retries during a restart included. Callers get an error within 5 s. */
const CONNECT_MS = 2_500;
/** The time limits of a statement, the wait for its connection included. */
const ANSWER_MS = 4_000;
const PATIENT_MS = 60_000;
/** The server-side limit, for statements whose client has gone. */
const STATEMENT_MS = PATIENT_MS + 5_000;
/**
 * The time after which an idle transaction is ended and its locks are released: a leader that is frozen or
 * disconnected must not block its successor.
 */
const IDLE_IN_TRANSACTION_MS = 3_000;
/** The TCP keep-alive of both sides. */
const KEEP_ALIVE_SECONDS = 5;

const SERVER_SETTINGS = [
  "timezone=UTC",
  `idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_MS}`,
  `statement_timeout=${STATEMENT_MS}`,
  `tcp_keepalives_idle=${KEEP_ALIVE_SECONDS}`,
  "tcp_keepalives_interval=2",
  "tcp_keepalives_count=3",
];

/**
 * Opens a connection pool. It connects with the first query. Connecting is retried for a moment while the
 * database restarts; a query fails if its connection breaks or its time limit passes.
 */
export const openDatabase = (
  url: string,
  options: { max?: number; parts?: PartHealth } = {},
): Database => {
  const parts = options.parts ?? untrackedParts;
  const connections = openPool(url, options.max ?? 10);
  const handle = (answerMs: number) =>
    new Kysely<AnySchema>({
      dialect: new PostgresDialect({ pool: timedPool(connections, parts, answerMs) }),
    });
  const db = handle(ANSWER_MS);
  const patient = handle(PATIENT_MS);
  return {
    db,
    patient,
    pool: connections.pool,
    ping: async () => {
      await sql`select 1`.execute(db);
    },
    close: async () => {
      await Promise.all([db.destroy(), patient.destroy()]);
      // Kysely ends the pool only if it was used.
      await connections.end();
    },
  };
};

/** A pool whose connections can be discarded together. */
type Connections = {
  readonly pool: pg.Pool;
  connect(): Promise<pg.PoolClient>;
  /** Discards all connections made before now: a network failure that one of them noticed affects all of them. */
  discard(): void;
  end(): Promise<void>;
};

const openPool = (url: string, max: number): Connections => {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    types: columnTypes,
    application_name: "runledger",
    options: SERVER_SETTINGS.map((setting) => `-c ${setting}`).join(" "),
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_SECONDS * 1_000,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: 30_000,
  });
  // Errors of idle connections would end the process without a listener.
  pool.on("error", () => undefined);
  const connectedAt = new WeakMap<object, number>();
  pool.on("connect", (client) => {
    connectedAt.set(client, performance.now());
    client.on("error", () => undefined);
  });
  let discardBefore = Number.NEGATIVE_INFINITY;
  let closing: Promise<void> | null = null;
  const connect = async (): Promise<pg.PoolClient> => {
    const deadline = performance.now() + CONNECT_MS;
    for (;;) {
      try {
        const client = await pool.connect();
        if ((connectedAt.get(client) ?? 0) >= discardBefore) return client;
        client.release(true);
      } catch (error) {
        if (closing) throw error;
        // For example a changed password or an expired certificate.
        if (!isUnavailable(error)) {
          const cause = settingError("DATABASE_URL", addressOf(url), error);
          throw new PartUnavailableError("database", "refuses the service", cause);
        }
        if (performance.now() > deadline || !isConnectionRefused(error)) throw error;
        await delay(100);
      }
    }
  };
  return {
    pool,
    connect,
    discard: () => {
      discardBefore = performance.now();
    },
    end: () => {
      closing ??= pool.end();
      return closing;
    },
  };
};

/** The pool as Kysely sees it: every statement has a time limit, the wait for its connection included. */
const timedPool = (
  { connect, discard, end }: Connections,
  parts: PartHealth,
  answerMs: number,
): PostgresPool => ({
  connect: async () => {
    const requestedAt = performance.now();
    const client = await parts.call("database", connect);
    return clientWithTimeout(client, { answerMs, requestedAt, parts, onTimeout: discard });
  },
  end,
});
