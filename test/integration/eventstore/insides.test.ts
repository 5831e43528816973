import { Writable } from "node:stream";
import type { EventData } from "@eventstore/db-client";
import { Channel } from "@grpc/grpc-js";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type EmbeddedEventStore,
  startEmbeddedEventStore,
} from "../../../src/eventstore/server.ts";
import { disposeClient } from "../../../src/platform/eventLog/dispose.ts";
import { encodeEvents } from "../../../src/platform/eventLog/encode.ts";
import { openClient } from "../../../src/platform/eventLog/openClient.ts";
import { newId } from "../../../src/platform/ids.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

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

test("the installed client has the internals that encoding and backpressure rely on", async () => {
  const client = openClient(server.url);
  // encode.ts: it reads an event's content type twice, to tell the server and to know how to encode the data.
  const data = { text: "漢字 😀 \u0000", list: [1, null, { deep: true }] };
  const metadata = { who: "Zoë" };
  const events = [1, 2].map(() => ({ id: newId(), type: "T", data, metadata: metadata as never }));
  const encoded = encodeEvents(events) as readonly EventData[];
  await client.appendToStream("insides", [...encoded]);
  // The second way, of a server that has no batches, or with credentials.
  const [single] = encodeEvents([{ ...events[0], id: newId() } as (typeof events)[number]]);
  const credentials = { username: "someone", password: "something" };
  await client.appendToStream("insides", single as EventData, { credentials });
  const stored: object[] = [];
  for await (const { event } of client.readStream("insides")) if (event) stored.push(event);
  const one = { type: "T", isJson: true, data, metadata };
  expect(stored).toMatchObject([one, one, one]);

  const inside = client as unknown as {
    disposableStreams: unknown;
    getChannel(): Promise<unknown>;
  };

  // room.ts: the one call that it appends through.
  expect(inside.disposableStreams).toBeInstanceOf(Set);
  expect([...(inside.disposableStreams as Set<unknown>)]).toEqual([expect.any(Writable)]);
  // dispose.ts: its channel.
  expect(await inside.getChannel()).toBeInstanceOf(Channel);
  await disposeClient(client);
});
