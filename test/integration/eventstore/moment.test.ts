import { type EventStoreDBClient, jsonEvent } from "@eventstore/db-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type EmbeddedEventStore,
  startEmbeddedEventStore,
} from "../../../src/eventstore/server.ts";
import { openClient } from "../../../src/platform/eventLog/openClient.ts";
import { newId } from "../../../src/platform/ids.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";
import { size } from "../../support/thorough.ts";

/* A read that needs several pages shows a stream as it was at one moment, whatever is written meanwhile. */

let database: TestDatabase;
let server: EmbeddedEventStore;
let client: EventStoreDBClient;

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startEmbeddedEventStore({ databaseUrl: database.url });
  client = openClient(server.url);
});
afterAll(async () => {
  await client.dispose();
  await server.stop();
  await database.drop();
});

const ROUNDS = size("MOMENT_ROUNDS", 20, 100);

const write = (stream: string, count: number): Promise<unknown> =>
  client.appendToStream(
    stream,
    Array.from({ length: count }, () => jsonEvent({ type: "Counted", data: {} })),
  );

/** Reads while it is written to, so often that pages and writes fall between each other. */
const readWhile = async (
  change: (n: number) => Promise<unknown>,
  read: () => Promise<readonly number[] | "missing">,
): Promise<(readonly number[] | "missing")[]> => {
  let reading = true;
  const changes = (async () => {
    for (let n = 0; reading; n += 1) await change(n);
  })();
  const seen: (readonly number[] | "missing")[] = [];
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      seen.push(...(await Promise.all([read(), read(), read(), read()])));
    }
  } finally {
    reading = false;
    await changes;
  }
  return seen;
};

const revisionsOf = async (
  stream: string,
  maxCount: number,
): Promise<readonly number[] | "missing"> => {
  const revisions: number[] = [];
  try {
    for await (const { event } of client.readStream(stream, { maxCount })) {
      revisions.push(Number(event?.revision));
    }
  } catch (error) {
    if ((error as { type?: string }).type === "stream-not-found") return "missing";
    throw error;
  }
  return revisions;
};

test("a read of a stream with $maxCount 1 during appends is never empty", async () => {
  const stream = `last-${newId()}`;
  await write(stream, 20);
  await client.setStreamMetadata(stream, { maxCount: 1 });
  const seen = await readWhile(
    () => write(stream, 1),
    () => revisionsOf(stream, 3),
  );
  expect(seen.filter((revisions) => revisions.length !== 1)).toEqual([]);
});

test("a read of a stream sees either its old or its new metadata", async () => {
  const stream = `both-${newId()}`;
  await write(stream, 2_500);
  const rule = (n: number) => (n % 2 === 0 ? { truncateBefore: 2_400 } : { truncateBefore: 0 });
  const seen = await readWhile(
    (n) => client.setStreamMetadata(stream, rule(n)),
    () => revisionsOf(stream, 2_450),
  );
  const lengths = new Set(seen.map((revisions) => revisions.length));
  expect([...lengths].sort((a, b) => a - b)).toEqual([100, 2_450]);
});

test("a read of a deleted and reopened stream sees it as missing or with its events", async () => {
  const stream = `gone-${newId()}`;
  await write(stream, 20);
  await client.setStreamMetadata(stream, { truncateBefore: 19 });
  const seen = await readWhile(
    (n) => (n % 2 === 0 ? client.deleteStream(stream) : write(stream, 1)),
    () => revisionsOf(stream, 3),
  );
  expect(seen.filter((revisions) => revisions !== "missing" && revisions.length === 0)).toEqual([]);
  expect(seen.filter((revisions) => revisions !== "missing").length).toBeGreaterThan(0);
});
