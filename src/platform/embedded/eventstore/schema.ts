import type { ClientBase } from "pg";

/**
 * The key of the session advisory lock that makes one process the only writer of a database:
 * "esdb" and "log1" in ASCII.
 */
export const WRITER_LOCK: readonly [number, number] = [0x65736462, 0x6c6f6731];

/*
 * Payloads are bytea: jsonb would refuse `\u0000` and reorder keys, and a log gives back the bytes it
 * was given. The primary key is the fence of last resort: two writers can never both take a position.
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

/** Creates what is missing. Call it while holding the writer's lock: two at once would collide. */
export const createSchema = async (client: ClientBase): Promise<void> => {
  await client.query(DEFINITIONS);
};
