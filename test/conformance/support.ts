import { randomUUID } from "node:crypto";
import {
  type AppendToStreamOptions,
  binaryEvent,
  EventStoreDBClient,
  type JSONType,
  jsonEvent,
  StreamNotFoundError,
} from "@eventstore/db-client";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import { startEmbeddedEventStore } from "../../src/eventstore/server.ts";
import { createTestDatabase } from "../support/postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The connection string of the server of foreignServer.ts, if the test project uses it. */
    eventStoreUrl?: string;
  }
}

/** The server under test: the embedded event store, or the server at EVENTSTORE_URL. */
export type ServerUnderTest = {
  readonly url: string;
  readonly client: EventStoreDBClient;
  /** Opens another connection, with additional settings of the connection string. */
  connect(settings?: string): EventStoreDBClient;
  /** Records a subscription. It is closed after the test. */
  watch(subscription: Subscription): Watched;
};

/** Starts the server under test before the tests of a file and stops it after them. Its members are available in hooks and tests. */
export const useServer = (): ServerUnderTest => {
  let started: Awaited<ReturnType<typeof startServer>> | null = null;
  const server = () => started ?? expect.fail("The server under test has not started");
  const { watch, release } = createWatch();
  beforeAll(async () => {
    started = await startServer();
  });
  afterEach(release);
  afterAll(() => started?.stop());
  return {
    get url() {
      return server().url;
    },
    get client() {
      return server().client;
    },
    connect: (settings) => server().connect(settings),
    watch,
  };
};

const startServer = async () => {
  const named = process.env.EVENTSTORE_URL ?? inject("eventStoreUrl");
  const { url, stop } = named ? { url: named, stop: async () => {} } : await startEmbedded();
  const clients = new Set<EventStoreDBClient>();
  const connect = (settings?: string): EventStoreDBClient => {
    // Clients with equal settings share a connection: each one gets another timeout.
    const own = `keepAliveTimeout=${10_000 + clients.size}`;
    const separator = url.includes("?") ? "&" : "?";
    const client = EventStoreDBClient.connectionString(
      [`${url}${separator}${own}`, ...(settings ? [settings] : [])].join("&"),
    );
    clients.add(client);
    return client;
  };
  return {
    url,
    client: connect(),
    connect,
    stop: async () => {
      await Promise.all([...clients].map(dispose));
      await stop();
    },
  };
};

/** Disposes of a client, for at most 2 s: an abandoned read may keep it open forever. */
const dispose = (client: EventStoreDBClient): Promise<void> =>
  Promise.race([client.dispose(), new Promise<void>((resolve) => setTimeout(resolve, 2_000))]);

const startEmbedded = async (): Promise<{ url: string; stop(): Promise<void> }> => {
  const database = await createTestDatabase();
  const server = await startEmbeddedEventStore({ databaseUrl: database.url });
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      await database.drop();
    },
  };
};

/** A unique stream name: the server may be shared and contain other streams. */
export const newStream = (): string => `conformance-${randomUUID()}`;

/** An event with any JSON as data (the client's type allows objects and arrays only). */
export const event = (data: unknown, type = "ConformanceChecked") =>
  jsonEvent({ id: randomUUID(), type, data: data as JSONType });

/** Events with the integers of a range as data, both ends included. */
export const eventsOf = (from: number, to: number) => numbers(from, to).map((n) => event(n));

/** A link event to an event. */
export const linkTo = (stream: string, revision: number) =>
  binaryEvent({ id: randomUUID(), type: "$>", data: Buffer.from(`${revision}@${stream}`) });

/** The integers of a range, both ends included, ascending or descending. */
export const numbers = (from: number, to: number): number[] =>
  from <= to
    ? Array.from({ length: to - from + 1 }, (_, i) => from + i)
    : Array.from({ length: from - to + 1 }, (_, i) => from - i);

/** The error of a call. Fails the test if the call succeeds. */
export const errorOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (value) => expect.fail(`The call should fail but returned ${String(value)}`),
    (error: unknown) => error,
  );

/**
 * The two RPCs with which the client appends: BatchAppend if the server supports it, and Append if the call
 * has credentials (which an insecure connection does not send).
 */
export const APPEND_METHODS: readonly { method: string; options: AppendToStreamOptions }[] = [
  { method: "BatchAppend", options: {} },
  { method: "Append", options: { credentials: { username: "admin", password: "changeit" } } },
];

export type ReadOptions = NonNullable<Parameters<EventStoreDBClient["readStream"]>[1]>;

/** The events of a read, in order. */
export const readAllOf = async (
  client: EventStoreDBClient,
  stream: string,
  options: ReadOptions = {},
) => {
  const events = [];
  for await (const resolved of client.readStream(stream, options)) {
    if (resolved.event) events.push(resolved.event);
  }
  return events;
};

/** The revisions of a read, in order. */
export const revisionsOf = async (
  client: EventStoreDBClient,
  stream: string,
  options: ReadOptions = {},
): Promise<number[]> =>
  (await readAllOf(client, stream, options)).map((stored) => Number(stored.revision));

/** The readable revisions; none if the stream does not exist. */
export const readableOf = (client: EventStoreDBClient, stream: string): Promise<number[]> =>
  revisionsOf(client, stream).catch((error: unknown) => {
    if (error instanceof StreamNotFoundError) return [];
    throw error;
  });

/** The position of an append or a deletion. Throws if there is none. */
export const positionOf = ({ position }: { position?: Position }): Position => {
  if (!position) throw new Error("The server gave no position");
  return position;
};

type Position = { commit: bigint; prepare: bigint };

/**
 * The events of some streams in $all between two positions, both included. A server may show an event in
 * $all a moment after it has acknowledged it.
 */
export const ofAllBetween = async (
  client: EventStoreDBClient,
  from: Position,
  to: Position,
  streams: readonly string[],
  options: { resolveLinkTos?: boolean } = {},
): Promise<Resolved[]> => {
  for (;;) {
    const found: Resolved[] = [];
    for await (const resolved of client.readAll({ ...options, fromPosition: from })) {
      const record = resolved.link ?? resolved.event;
      if (record && streams.includes(record.streamId)) found.push(resolved);
      if ((record?.position.commit ?? -1n) >= to.commit) return found;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

type Stored = {
  id: string;
  streamId: string;
  revision: bigint;
  data: unknown;
  type: string;
  isJson: boolean;
  position?: Position;
};
type Resolved = { event?: Stored; link?: Stored; commitPosition?: bigint };
type Subscription = {
  on(name: string, listener: (...args: never[]) => void): unknown;
  unsubscribe(): Promise<void>;
  destroy(): unknown;
};

/** A recorded subscription. */
export type Watched = {
  readonly resolved: readonly Resolved[];
  /** The events of the given streams, or of all. */
  of(...streams: string[]): Stored[];
  /** The received signals in order: "confirmation", "event", "caughtUp", "error". */
  readonly signs: readonly string[];
  readonly errors: readonly unknown[];
  /** Resolves when the condition holds. Rejects with the subscription's error, unless the condition holds then. */
  until(condition: () => boolean): Promise<void>;
  unsubscribe(): Promise<void>;
};

const createWatch = () => {
  const open = new Set<Subscription>();
  const watch = (subscription: Subscription): Watched => {
    open.add(subscription);
    const resolved: Resolved[] = [];
    const signs: string[] = [];
    const errors: unknown[] = [];
    const waiting = new Set<() => void>();
    const note = (sign: string): void => {
      signs.push(sign);
      for (const check of waiting) check();
    };
    subscription.on("data", ((item: Resolved) => {
      resolved.push(item);
      note("event");
    }) as never);
    for (const name of ["confirmation", "caughtUp"]) {
      subscription.on(name, (() => note(name)) as never);
    }
    subscription.on("error", ((error: unknown) => {
      errors.push(error);
      note("error");
    }) as never);
    return {
      resolved,
      signs,
      errors,
      of: (...streams) =>
        resolved.flatMap((item) => {
          const stored = item.event;
          return stored && (streams.length === 0 || streams.includes(stored.streamId))
            ? [stored]
            : [];
        }),
      until: (condition) =>
        new Promise((resolve, reject) => {
          const check = (): void => {
            if (condition()) resolve();
            else if (errors.length > 0) reject(errors[0]);
            else return;
            waiting.delete(check);
          };
          waiting.add(check);
          check();
        }),
      unsubscribe: async () => {
        open.delete(subscription);
        await subscription.unsubscribe();
      },
    };
  };
  const release = async (): Promise<void> => {
    for (const subscription of open) {
      open.delete(subscription);
      await subscription.unsubscribe();
      subscription.destroy();
    }
  };
  return { watch, release };
};

/** Appends the integers of a range as events, one append each. */
export const appendEach = async (
  client: EventStoreDBClient,
  stream: string,
  from: number,
  to: number,
): Promise<void> => {
  for (const n of numbers(from, to)) await client.appendToStream(stream, event(n));
};
