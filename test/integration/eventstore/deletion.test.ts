import { BACKWARDS, END, EventStoreDBClient, jsonEvent } from "@eventstore/db-client";
import pg from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { stablePort } from "../../../src/embeddedPostgres/stablePort.ts";
import { startEmbeddedEventStore } from "../../../src/eventstore/server.ts";
import { newId } from "../../../src/platform/ids.ts";
import { createTestDatabase } from "../../support/postgres.ts";
import { runScript } from "./support.ts";

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

const newDatabase = async (): Promise<string> => {
  const database = await createTestDatabase();
  cleanUp.push(() => database.drop());
  return database.url;
};

const start = async (databaseUrl: string) => {
  const server = await startEmbeddedEventStore({ databaseUrl });
  const client = EventStoreDBClient.connectionString(server.url);
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (stopped) return;
    stopped = true;
    // A read that ended with an error may keep the client from closing.
    await Promise.race([client.dispose(), new Promise((resolve) => setTimeout(resolve, 1_000))]);
    await server.stop();
  };
  cleanUp.push(stop);
  return { client, stop };
};

const events = (...data: number[]) => data.map((n) => jsonEvent({ type: "Counted", data: { n } }));

const revisionsOf = async (client: EventStoreDBClient, stream: string): Promise<number[]> => {
  const revisions: number[] = [];
  for await (const { event } of client.readStream(stream)) revisions.push(Number(event?.revision));
  return revisions;
};

const query = async (databaseUrl: string, text: string, values: unknown[] = []) => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await client.query(text, values);
  } finally {
    await client.end();
  }
};

describe("deletions after a restart", () => {
  test("are kept, and deleted streams accept appends as before", async () => {
    const databaseUrl = await newDatabase();
    const first = await start(databaseUrl);
    for (const stream of ["soft", "hard", "short"]) {
      await first.client.appendToStream(stream, events(0, 1, 2));
    }
    await first.client.deleteStream("soft");
    await first.client.tombstoneStream("hard");
    await first.client.setStreamMetadata("short", { maxCount: 1, colour: "red" });
    await first.stop();

    const { client } = await start(databaseUrl);
    await expect(revisionsOf(client, "soft")).rejects.toMatchObject({ type: "stream-not-found" });
    await expect(revisionsOf(client, "hard")).rejects.toMatchObject({ type: "stream-deleted" });
    expect(await revisionsOf(client, "short")).toEqual([2]);
    await expect(client.appendToStream("hard", events(3))).rejects.toMatchObject({
      type: "stream-deleted",
    });
    await expect(client.setStreamMetadata("hard", { maxCount: 2 })).rejects.toMatchObject({
      type: "stream-deleted",
    });
    const { nextExpectedRevision } = await client.appendToStream("soft", events(3, 4), {
      expectedRevision: "no_stream",
    });
    expect(nextExpectedRevision).toBe(4n);
    expect(await revisionsOf(client, "soft")).toEqual([3, 4]);
    await client.setStreamMetadata("short", { maxCount: 2 });
    expect(await revisionsOf(client, "short")).toEqual([1, 2]);
  });
});

describe("many writes in one transaction", () => {
  test("see earlier deletions and reopened streams", async () => {
    const { client } = await start(await newDatabase());
    await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const stream = `mixed-${i}`;
        await client.appendToStream(stream, events(0, 1));
        const [deleted, , tombstoned] = await Promise.allSettled([
          client.deleteStream(stream),
          client.appendToStream(stream, events(2)),
          i % 2 === 0 ? client.tombstoneStream(stream) : Promise.resolve(),
          client.appendToStream(stream, events(3)),
          client.setStreamMetadata(stream, { colour: "blue" }),
        ]);
        expect(deleted.status === "fulfilled" || tombstoned.status === "fulfilled").toBe(true);
        if (i % 2 === 0) {
          await expect(revisionsOf(client, stream)).rejects.toMatchObject({
            type: "stream-deleted",
          });
        } else {
          const revisions = await revisionsOf(client, stream);
          expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
          expect(revisions.at(-1)).toBe(3);
        }
      }),
    );
    const positions: bigint[] = [];
    for await (const { event } of client.readAll()) positions.push(event?.position.commit ?? 0n);
    expect(positions).toEqual(positions.map((_, i) => BigInt(i + 1)));
  });
});

describe("a data folder of the previous release", () => {
  test("is opened unchanged, including stored metadata and links", async () => {
    const databaseUrl = await newDatabase();
    await query(databaseUrl, SCHEMA_BEFORE);
    let position = 0;
    const insert = async (stream: string, revision: number, type: string, data: string) => {
      position += 1;
      await query(
        databaseUrl,
        `INSERT INTO eventstore.events VALUES ($1, $2, $3, $4, $5, true, $6, $7, '')`,
        [position, stream, revision, newId(), type, `${Date.now()}0000`, Buffer.from(data)],
      );
    };
    for (let n = 0; n < 5; n += 1) await insert("old", n, "Counted", JSON.stringify({ n }));
    await insert("$$old", 0, "$metadata", '{"$maxCount":2}');
    await insert("links", 0, "$>", "4@old");
    await insert("links", 1, "$>", "1@old");

    const { client } = await start(databaseUrl);
    expect(await revisionsOf(client, "old")).toEqual([3, 4]);
    const led: unknown[] = [];
    for await (const { event } of client.readStream("links", { resolveLinkTos: true })) {
      led.push(event?.data ?? null);
    }
    expect(led).toEqual([{ n: 4 }, null]);
    const { nextExpectedRevision } = await client.appendToStream("old", events(5), {
      expectedRevision: 4n,
    });
    expect(nextExpectedRevision).toBe(5n);
    await client.deleteStream("old");
    await client.appendToStream("old", events(6));
    expect(await revisionsOf(client, "old")).toEqual([6]);
    expect((await client.getStreamMetadata("old")).metadata).toEqual({ truncateBefore: 6 });
  });
});

describe("a server killed during deletions and appends", () => {
  test("keeps each write completely or not at all, and loses no acknowledged one", async () => {
    const databaseUrl = await newDatabase();
    const port = await stablePort();
    const startServer = async () => {
      const server = runScript("serverProcess.ts", [databaseUrl, String(port)]);
      cleanUp.push(async () => {
        server.child.kill("SIGKILL");
        await server.exited;
      });
      await server.line("ready");
      return server;
    };
    let server = await startServer();
    for (let round = 0; round < 3; round += 1) {
      const client = EventStoreDBClient.connectionString(`esdb://127.0.0.1:${port}?tls=false`);
      const done: string[] = [];
      let writing = true;
      const writers = Array.from({ length: 8 }, async (_, w) => {
        const stream = `killed-${round}-${w}`;
        const steps = [
          () => client.appendToStream(stream, events(0, 1, 2)),
          () => client.deleteStream(stream),
          () => client.appendToStream(stream, events(3, 4)),
          () => client.setStreamMetadata(stream, { maxCount: 1 }),
          () => client.tombstoneStream(stream),
        ];
        for (let n = 0; writing; n += 1) {
          const step = steps[n % steps.length];
          if (!step || (n > 0 && n % steps.length === 0)) return;
          try {
            await step();
            done.push(`${stream}/${n}`);
            await new Promise((resolve) => setTimeout(resolve, 5 * w));
          } catch {
            return;
          }
        }
      });
      await expect.poll(() => done.length, { timeout: 60_000 }).toBeGreaterThan(8 + 5 * round);
      server.child.kill("SIGKILL");
      await server.exited;
      writing = false;
      await Promise.all(writers);
      server = await startServer();

      const { rows } = await query(
        databaseUrl,
        "SELECT stream, array_agg(type || ':' || revision ORDER BY position) AS held FROM eventstore.events GROUP BY stream",
      );
      const held = new Map(rows.map((row) => [row.stream as string, row.held as string[]]));
      for (let w = 0; w < 8; w += 1) {
        const stream = `killed-${round}-${w}`;
        const own = held.get(stream) ?? [];
        const about = held.get(`$$${stream}`) ?? [];
        // An append of three events is atomic, together with the metadata that shows the stream again.
        const tombstone = own.at(-1)?.startsWith("$streamDeleted") ? 1 : 0;
        const counted = own.length - tombstone;
        expect([0, 3, 5]).toContain(counted);
        if (counted === 5) expect(about.length).toBeGreaterThanOrEqual(2);
        if (counted === 3) expect(about.length).toBeLessThanOrEqual(1);
        const steps = done.filter((step) => step.startsWith(`${stream}/`)).length;
        const written = [0, 3, 4, 7, 8, 9][steps] ?? 9;
        expect(own.length + about.length).toBeGreaterThanOrEqual(written);
      }
      void client.dispose();
    }
    const { rows } = await query(
      databaseUrl,
      "SELECT count(*)::int AS n, max(position)::int AS last FROM eventstore.events",
    );
    expect(rows[0].n).toBe(rows[0].last);
  }, 120_000);
});

test("returns the largest revision for a tombstone in $all", async () => {
  const { client } = await start(await newDatabase());
  await client.appendToStream("ended", events(0));
  await client.tombstoneStream("ended");
  for await (const { event } of client.readAll({
    direction: BACKWARDS,
    fromPosition: END,
    maxCount: 1,
  })) {
    expect(event).toMatchObject({
      streamId: "ended",
      type: "$streamDeleted",
      revision: 2n ** 63n - 1n,
    });
  }
});

/** The tables as the release before made them. */
const SCHEMA_BEFORE = `
CREATE SCHEMA eventstore;
CREATE TABLE eventstore.events (
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
CREATE UNIQUE INDEX events_stream_revision ON eventstore.events (stream, revision);
CREATE INDEX events_id ON eventstore.events (id);
`;
