import type pg from "pg";
import type { StoredEvent } from "../records.ts";

/**
 * Inserts events in one statement. All payloads are one bytea parameter that the statement cuts into
 * pieces: `pg` would send an array of bytea as text in hexadecimal digits.
 */
export const insertEvents = async (
  client: pg.Client,
  events: readonly StoredEvent[],
): Promise<void> => {
  const payloads: Uint8Array[] = [];
  const starts: number[] = [];
  let at = 1;
  for (const { data, metadata } of events) {
    payloads.push(data, metadata);
    starts.push(at);
    at += data.length + metadata.length;
  }
  await client.query({
    name: "append",
    text: `INSERT INTO eventstore.events
             (position, stream, revision, id, type, is_json, created, data, metadata)
           SELECT position, stream, revision, id, type, is_json, created,
                  substring($8::bytea FROM start FOR data_size),
                  substring($8::bytea FROM start + data_size FOR metadata_size)
           FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::uuid[], $5::text[],
                       $6::boolean[], $7::bigint[], $9::int[], $10::int[], $11::int[])
             AS e(position, stream, revision, id, type, is_json, created,
                  start, data_size, metadata_size)`,
    values: [
      events.map((event) => event.position),
      events.map((event) => event.stream),
      events.map((event) => event.revision),
      events.map((event) => event.id),
      events.map((event) => event.type),
      events.map((event) => event.isJson),
      events.map((event) => event.created),
      Buffer.concat(payloads),
      starts,
      events.map((event) => event.data.length),
      events.map((event) => event.metadata.length),
    ],
  });
};
