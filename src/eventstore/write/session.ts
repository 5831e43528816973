import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { createSchema, readHead, WRITER_LOCK } from "../schema.ts";

/*
 * Every query of the engine is answered by an index. Fresh tables have no statistics, and a plan made
 * for an empty table would scan a full one until autovacuum comes by; so scans are priced out.
 *
 * A backend whose client vanished without a goodbye holds the writer's lock until TCP notices: the
 * keep-alives make that some ten seconds, not two hours.
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

/** Settings of every connection that the engine opens. */
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
  /** The last position in the log when the lock was taken, 0 when it is empty. */
  readonly head: number;
  lost(): boolean;
  close(): Promise<void>;
};

/**
 * Connects, takes the writer's lock, creates what is missing and reads the head. The lock is the
 * session's: it is free again only when the former writer's backend has ended, and with it whatever it
 * was committing. Rejects when the lock is still held after `lockTimeoutMs`, or the database is away.
 */
export const openWriterSession = async (deps: {
  databaseUrl: string;
  lockTimeoutMs: number;
  signal: AbortSignal;
  /** Called at most once, when the connection breaks. */
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
    // A server that is gone does not answer a goodbye.
    await Promise.race([
      client.end().catch(() => undefined),
      delay(2_000, undefined, { ref: false }),
    ]);
  };
  try {
    await client.connect();
    await takeLock(client, deps.lockTimeoutMs, deps.signal);
    await createSchema(client);
    // What is acknowledged is on disk, whatever the database's own default is.
    await client.query("SET synchronous_commit = on");
    // The writer's few statements have one plan each, which takes longer to make than to follow.
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
        "Another process is writing this event log: stop it, or give this one a database of its own",
      );
    }
    await delay(LOCK_POLL_MS, undefined, { signal });
  }
};
