import { setTimeout as delay } from "node:timers/promises";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { columnTypes } from "./types.ts";

/** Every slice names its own tables: a database handed to it is taken as `Kysely<ItsTables>`. */
// biome-ignore lint/suspicious/noExplicitAny: Kysely<any> alone can be passed as Kysely<T> for every T.
export type AnySchema = any;

/** A handle to pass on, for those who build no queries themselves. */
export type Db<Tables> = Kysely<Tables>;

export type Database = {
  readonly db: Kysely<AnySchema>;
  /** For what the query builder cannot say: COPY, LISTEN, advisory locks. */
  readonly pool: pg.Pool;
  close(): Promise<void>;
};

/** How long a query waits for a database that restarts before it fails. */
const CONNECT_PATIENCE_MS = 10_000;
/**
 * A transaction whose process says nothing for so long is ended, and what it locked is free: a leader
 * that stands still (a machine that sleeps, a network that is cut) must not hold up who takes over.
 */
const IDLE_IN_TRANSACTION_MS = 4_000;

/**
 * Opens a pool to a PostgreSQL database. Nothing is connected before the first query.
 * A database that is starting or restarting is waited for, up to 10 s: nothing was sent yet, so that is safe;
 * a query that was under way when the connection broke fails.
 */
export const openDatabase = (url: string, options: { max?: number } = {}): Database => {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 10,
    types: columnTypes,
    application_name: "runledger",
    options: `-c timezone=UTC -c idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_MS}`,
    keepAlive: true,
    connectionTimeoutMillis: 30_000,
    idleTimeoutMillis: 30_000,
  });
  // Without a listener a connection that breaks, idle or between two queries, would end the process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => {
    client.on("error", () => undefined);
  });

  let closing: Promise<void> | null = null;
  const connect = async (): Promise<pg.PoolClient> => {
    const deadline = Date.now() + CONNECT_PATIENCE_MS;
    for (;;) {
      try {
        return await pool.connect();
      } catch (error) {
        if (closing || Date.now() > deadline || !isAbsent(error)) throw error;
        await delay(100);
      }
    }
  };
  const end = (): Promise<void> => {
    closing ??= pool.end();
    return closing;
  };
  const db = new Kysely<AnySchema>({ dialect: new PostgresDialect({ pool: { connect, end } }) });
  return {
    db,
    pool,
    close: async () => {
      await db.destroy();
      // Kysely ends the pool only when it was used through it.
      await end();
    },
  };
};

/** Refused, starting up, shutting down, or cut while connecting. */
const ABSENT = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "57P01", "57P02", "57P03"]);

/** Whether a connection could not be made because the database is not there just now. */
const isAbsent = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === "string") return ABSENT.has(code);
  return /Connection terminated/.test(error.message);
};

/**
 * Whether an error is the database's trouble of the moment and not of what was asked: it went away, is
 * full or overloaded, or a transaction must be run again. SQLSTATE classes 08 connection, 40 rollback,
 * 53 resources, 57P shutdown, and 25P03, a transaction that stood still.
 * What was under way may have been done.
 */
export const isPassing = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === "string" && PASSING_CODE.test(code)) return true;
  return PASSING_MESSAGE.test(error.message);
};

const PASSING_CODE = /^(08|40|53|57P|25P03|ECONN|EPIPE|ETIMEDOUT)/;
const PASSING_MESSAGE =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered/;
