import type { ClientBase } from "pg";

/** The key of the session advisory lock of the writer: "esdb" and "log1" in ASCII. */
export const WRITER_LOCK: readonly [number, number] = [0x65736462, 0x6c6f6731];

/*
 * Payloads are bytea, so that a read returns the bytes that were appended: jsonb rejects `\u0000` and
 * reorders keys. The primary key is the last fence: two writers can never both take a position.
 * `created` counts ticks of 100 ns since the Unix epoch, as the protocol does.
 */
const DEFINITIONS = `
CREATE SCHEMA IF NOT EXISTS eventstore;
CREATE TABLE IF NOT EXISTS eventstore.events (
  position bigint PRIMARY KEY,
  stream text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  id uuid NOT NULL,
  type text COLLATE "C" NOT NULL,
  is_json boolean NOT NULL,
  created bigint NOT NULL,
  data bytea NOT NULL,
  metadata bytea NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS events_stream_revision ON eventstore.events (stream, revision);
CREATE INDEX IF NOT EXISTS events_id ON eventstore.events (id);
`;

/** Creates the schema if it is missing. The caller must hold the writer's lock: concurrent calls would collide. */
export const createSchema = async (client: ClientBase): Promise<void> => {
  await client.query(DEFINITIONS);
};

/** The last position of the log, 0 if it is empty. The schema must exist. */
export const readHead = async (client: ClientBase): Promise<number> => {
  const { rows } = await client.query<{ head: string | null }>(
    "SELECT max(position)::text AS head FROM eventstore.events",
  );
  return Number(rows[0]?.head ?? 0);
};

/** The number of events in the log of a database, 0 if it has no log. */
export const countEvents = async (client: Pick<ClientBase, "query">): Promise<number> => {
  const { rows: found } = await client.query("SELECT to_regclass('eventstore.events') AS events");
  if (found[0]?.events === null) return 0;
  const { rows } = await client.query<{ count: string }>(
    "SELECT count(*)::text AS count FROM eventstore.events",
  );
  return Number(rows[0]?.count ?? 0);
};

/** Drops the log of a database with all its events. No process may have it open. */
export const dropSchema = async (client: Pick<ClientBase, "query">): Promise<void> => {
  await client.query("DROP SCHEMA IF EXISTS eventstore CASCADE");
};
