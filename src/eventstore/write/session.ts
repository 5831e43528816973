import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { createSchema, readHead, WRITER_LOCK } from "../schema.ts";

/*
 * Every query of the engine can use an index. New tables have no statistics, and a plan that was made for
 * an empty table would scan a full one until autovacuum runs; so other plans are disabled.
 *
 * The backend of a vanished client holds the writer's lock until TCP notices: with these keep-alives
 * after about ten seconds, not two hours.
 */
const SETTINGS = [
  "enable_seqscan=off",
  "enable_hashjoin=off",
  "enable_mergejoin=off",
  "jit=off",
  "tcp_keepalives_idle=5",
  "tcp_keepalives_interval=2",
  "tcp_keepalives_count=3",
];

const LOCK_POLL_MS = 50;

/** The settings of every connection of the engine. */
export const connectionConfig = (databaseUrl: string): pg.ClientConfig => ({
  connectionString: databaseUrl,
  options: SETTINGS.map((setting) => `-c ${setting}`).join(" "),
  keepAlive: true,
  keepAliveInitialDelayMillis: 5_000,
  connectionTimeoutMillis: 5_000,
  application_name: "runledger event log",
});

/** A connection that holds the writer's lock. */
export type WriterSession = {
  readonly client: pg.Client;
  /** The last position of the log when the lock was taken, 0 if it is empty. */
  readonly head: number;
  lost(): boolean;
  close(): Promise<void>;
};

/**
 * Connects, takes the writer's lock, creates the schema if missing and reads the head. The lock belongs to
 * the database session: it becomes free only after the previous writer's backend has ended, and with it
 * its last commit. Rejects if the lock is held for longer than `lockTimeoutMs` or the database is unavailable.
 */
export const openWriterSession = async (deps: {
  databaseUrl: string;
  lockTimeoutMs: number;
  signal: AbortSignal;
  /** Called at most once, if the connection breaks. */
  onLost: (error: unknown) => void;
}): Promise<WriterSession> => {
  const client = new pg.Client(connectionConfig(deps.databaseUrl));
  let lost = false;
  let closing = false;
  const lose = (error: unknown): void => {
    if (lost || closing) return;
    lost = true;
    if (ready) deps.onLost(error);
  };
  let ready = false;
  client.on("error", lose);
  client.on("end", () => lose(new Error("The database connection has ended")));
  const close = async (): Promise<void> => {
    closing = true;
    // A dead server does not answer the termination message.
    await Promise.race([
      client.end().catch(() => undefined),
      delay(2_000, undefined, { ref: false }),
    ]);
  };
  try {
    await client.connect();
    await takeLock(client, deps.lockTimeoutMs, deps.signal);
    await createSchema(client);
    // Acknowledged events must be on disk, whatever the default of the database is.
    await client.query("SET synchronous_commit = on");
    // The writer has few statements with one plan each, and planning takes longer than execution.
    await client.query("SET plan_cache_mode = force_generic_plan");
    const head = await readHead(client);
    ready = true;
    return { client, head, lost: () => lost, close };
  } catch (error) {
    await close();
    throw error;
  }
};

const takeLock = async (
  client: pg.Client,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> => {
  const giveUpAt = performance.now() + timeoutMs;
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>(
      "SELECT pg_try_advisory_lock($1, $2) AS locked",
      [...WRITER_LOCK],
    );
    if (rows[0]?.locked) return;
    if (performance.now() >= giveUpAt) {
      throw new Error(
        "Another process is writing this event log: stop it, or use another database",
      );
    }
    await delay(LOCK_POLL_MS, undefined, { signal });
  }
};
