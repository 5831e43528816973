import { Writable } from "node:stream";
import { jsonEvent } from "@eventstore/db-client";
import { Channel } from "@grpc/grpc-js";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type EmbeddedEventStore,
  startEmbeddedEventStore,
} from "../../../../src/platform/embedded/eventstore/server.ts";
import { disposeOf } from "../../../../src/platform/eventLog/dispose.ts";
import { openClient } from "../../../../src/platform/eventLog/openClient.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/postgres.ts";

let database: TestDatabase;
let server: EmbeddedEventStore;

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startEmbeddedEventStore({ databaseUrl: database.url });
});
afterAll(async () => {
  await server.stop();
  await database.drop();
});

test("given the client of this release, when it has appended, then what is known of its inside is still so", async () => {
  const client = openClient(server.url);
  await client.appendToStream("insides", jsonEvent({ type: "T", data: {} }));

  const inside = client as unknown as {
    disposableStreams: unknown;
    getChannel(): Promise<unknown>;
  };

  // room.ts: the one call that it appends through.
  expect(inside.disposableStreams).toBeInstanceOf(Set);
  expect([...(inside.disposableStreams as Set<unknown>)]).toEqual([expect.any(Writable)]);
  // dispose.ts: its channel.
  expect(await inside.getChannel()).toBeInstanceOf(Channel);
  await disposeOf(client);
});
