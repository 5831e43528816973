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

/** Every slice names its own tables: a database handed to it is taken as `Kysely<ItsTables>`. */
// biome-ignore lint/suspicious/noExplicitAny: Kysely<any> alone can be passed as Kysely<T> for every T.
export type AnySchema = any;

/** A handle to pass on, for those who build no queries themselves. */
export type Db<Tables> = Kysely<Tables>;

/** Begins a statement that is prepared: {@link PREPARED} says which should be. */
export const prepared = sql.raw(PREPARED);

export type Database = {
  /** For everything that somebody waits for: a statement that is not answered in 4 s fails. */
  readonly db: Kysely<AnySchema>;
  /** On the same pool, for work that may take long (migrations, rebuilds): a statement may take a minute. */
  readonly patient: Kysely<AnySchema>;
  /** For what the query builder cannot say: COPY, LISTEN, advisory locks. Nothing bounds its statements but the server. */
  readonly pool: pg.Pool;
  /** Rejects when the database cannot be reached. */
  ping(): Promise<void>;
  close(): Promise<void>;
};

/**
 * How long a connection is waited for, a database that restarts included. With the statement behind it
 * this stays below the 5 s in which a caller hears that the database is away.
 */
const CONNECT_MS = 2_500;
/** How long a statement may go unanswered, the wait for its connection included. */
const ANSWER_MS = 4_000;
const PATIENT_MS = 60_000;
/** The server gives up a statement whose asker has long gone. */
const STATEMENT_MS = PATIENT_MS + 5_000;
/**
 * A transaction whose process says nothing for so long is ended, and what it locked is free: a leader
 * that stands still (a machine that sleeps, a network that is cut) must not hold up who takes over.
 */
const IDLE_IN_TRANSACTION_MS = 3_000;
/** A silent connection is asked after so long whether its other end is still there; here and at the server. */
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
 * Opens a pool to a PostgreSQL database. Nothing is connected before the first query.
 * A database that is starting or restarting is waited for a moment: nothing was sent yet, so that is safe;
 * a query that was under way when the connection broke fails, and so does one that is not answered in time.
 */
export const openDatabase = (
  url: string,
  options: { max?: number; parts?: PartHealth } = {},
): Database => {
  const parts = options.parts ?? untrackedParts;
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 10,
    types: columnTypes,
    application_name: "runledger",
    options: SERVER_SETTINGS.map((setting) => `-c ${setting}`).join(" "),
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_SECONDS * 1_000,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: 30_000,
  });
  // Without a listener a connection that breaks, idle or between two queries, would end the process.
  pool.on("error", () => undefined);
  const bornAt = new WeakMap<object, number>();
  pool.on("connect", (client) => {
    bornAt.set(client, performance.now());
    client.on("error", () => undefined);
  });
  /** A connection that fell silent condemns those made before it: a network that was cut has cut them all. */
  let condemnedBefore = Number.NEGATIVE_INFINITY;
  const condemn = (): void => {
    condemnedBefore = performance.now();
  };

  let closing: Promise<void> | null = null;
  const connect = async (): Promise<pg.PoolClient> => {
    const deadline = performance.now() + CONNECT_MS;
    for (;;) {
      try {
        const client = await pool.connect();
        if ((bornAt.get(client) ?? 0) >= condemnedBefore) return client;
        client.release(true);
      } catch (error) {
        if (closing) throw error;
        // A password that was changed, a certificate that has run out: away, until somebody mends it.
        if (!isUnavailable(error)) {
          const cause = settingError("DATABASE_URL", addressOf(url), error);
          throw new PartUnavailableError("database", "refuses the service", cause);
        }
        if (performance.now() > deadline || !isConnectionRefused(error)) throw error;
        await delay(100);
      }
    }
  };
  const end = (): Promise<void> => {
    closing ??= pool.end();
    return closing;
  };
  const poolOf = (answerMs: number): PostgresPool => ({
    connect: async () => {
      const asked = performance.now();
      const client = await parts.call("database", connect);
      return clientWithTimeout(client, { answerMs, asked, parts, onSilence: condemn });
    },
    end,
  });
  const handle = (answerMs: number) =>
    new Kysely<AnySchema>({ dialect: new PostgresDialect({ pool: poolOf(answerMs) }) });
  const db = handle(ANSWER_MS);
  const patient = handle(PATIENT_MS);
  return {
    db,
    patient,
    pool,
    ping: async () => {
      await sql`select 1`.execute(db);
    },
    close: async () => {
      await Promise.all([db.destroy(), patient.destroy()]);
      // Kysely ends the pool only when it was used through it.
      await end();
    },
  };
};
