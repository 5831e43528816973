import { randomUUID } from "node:crypto";
import {
  type AppendToStreamOptions,
  EventStoreDBClient,
  type JSONType,
  jsonEvent,
} from "@eventstore/db-client";
import { startEmbeddedEventStore } from "../../src/platform/embedded/eventstore/server.ts";
import { createTestDatabase } from "../support/postgres.ts";

/** The server that the suite is held against: the embedded one, or the one at EVENTSTORE_URL. */
export type ServerUnderTest = {
  readonly url: string;
  readonly client: EventStoreDBClient;
  stop(): Promise<void>;
};

/** Starts the embedded log on a database of its own, or connects to EVENTSTORE_URL. */
export const startServerUnderTest = async (): Promise<ServerUnderTest> => {
  const external = process.env.EVENTSTORE_URL;
  if (external) {
    const client = EventStoreDBClient.connectionString(external);
    return { url: external, client, stop: () => client.dispose() };
  }
  const database = await createTestDatabase();
  const server = await startEmbeddedEventStore({ databaseUrl: database.url });
  const client = EventStoreDBClient.connectionString(server.url);
  return {
    url: server.url,
    client,
    stop: async () => {
      await client.dispose();
      await server.stop();
      await database.drop();
    },
  };
};

/** A stream that no other test knows: the server may be shared, and hold what was there before. */
export const newStream = (): string => `conformance-${randomUUID()}`;

/** An event with this data, any JSON (the client's type knows objects and lists alone). */
export const event = (data: unknown) =>
  jsonEvent({ id: randomUUID(), type: "ConformanceChecked", data: data as JSONType });

/**
 * The two ways in which the client appends: BatchAppend where the server has it, and Append as soon as
 * credentials are given with the call (an insecure connection does not send them).
 */
export const WAYS: readonly { way: string; options: AppendToStreamOptions }[] = [
  { way: "BatchAppend", options: {} },
  { way: "Append", options: { credentials: { username: "admin", password: "changeit" } } },
];

/** All of a stream's events in order. */
export const readAllOf = async (client: EventStoreDBClient, stream: string) => {
  const events = [];
  for await (const resolved of client.readStream(stream)) {
    if (resolved.event) events.push(resolved.event);
  }
  return events;
};
