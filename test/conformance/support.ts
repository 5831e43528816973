import { randomUUID } from "node:crypto";
import {
  type AppendToStreamOptions,
  binaryEvent,
  EventStoreDBClient,
  type JSONType,
  jsonEvent,
  StreamNotFoundError,
} from "@eventstore/db-client";
import { expect, inject } from "vitest";
import { startEmbeddedEventStore } from "../../src/eventstore/server.ts";
import { createTestDatabase } from "../support/postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A server that the test run has started in a process of its own, if it has: see foreignServer.ts. */
    eventStoreUrl?: string;
  }
}

/** The server that the suite is held against: the embedded one, or the one at EVENTSTORE_URL. */
export type ServerUnderTest = {
  readonly url: string;
  readonly client: EventStoreDBClient;
  /** One more connection to the same server, with further settings of a connection string. */
  connect(settings?: string): EventStoreDBClient;
  stop(): Promise<void>;
};

/** Starts the embedded log on a database of its own, or connects to the server that was named. */
export const startServerUnderTest = async (): Promise<ServerUnderTest> => {
  const named = process.env.EVENTSTORE_URL ?? inject("eventStoreUrl");
  const { url, stop } = named ? { url: named, stop: async () => {} } : await startEmbedded();
  const clients = new Set<EventStoreDBClient>();
  const connect = (settings?: string): EventStoreDBClient => {
    // Clients of the same settings share a connection: each gets a setting that no other has.
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
      await Promise.all([...clients].map(letGo));
      await stop();
    },
  };
};

/** A read that was left before its end may keep the client from closing for ever: it is not waited for. */
const letGo = (client: EventStoreDBClient): Promise<void> =>
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

/** A stream that no other test knows: the server may be shared, and hold what was there before. */
export const newStream = (): string => `conformance-${randomUUID()}`;

/** An event with this data, any JSON (the client's type knows objects and lists alone). */
export const event = (data: unknown, type = "ConformanceChecked") =>
  jsonEvent({ id: randomUUID(), type, data: data as JSONType });

/** Events whose data are these numbers, both ends included. */
export const eventsOf = (from: number, to: number) => numbers(from, to).map((n) => event(n));

/** A link to an event, as projections write it. */
export const linkTo = (stream: string, revision: number) =>
  binaryEvent({ id: randomUUID(), type: "$>", data: Buffer.from(`${revision}@${stream}`) });

/** Whole numbers from the first to the last, both included, upwards or downwards. */
export const numbers = (from: number, to: number): number[] =>
  from <= to
    ? Array.from({ length: to - from + 1 }, (_, i) => from + i)
    : Array.from({ length: from - to + 1 }, (_, i) => from - i);

/** What an error's place is given as when there is none: the call was meant to fail. */
export const errorOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (value) => expect.fail(`The call was meant to fail, and gave ${String(value)}`),
    (error: unknown) => error,
  );

/**
 * The two ways in which the client appends: BatchAppend where the server has it, and Append as soon as
 * credentials are given with the call (an insecure connection does not send them).
 */
export const WAYS: readonly { way: string; options: AppendToStreamOptions }[] = [
  { way: "BatchAppend", options: {} },
  { way: "Append", options: { credentials: { username: "admin", password: "changeit" } } },
];

export type ReadOptions = NonNullable<Parameters<EventStoreDBClient["readStream"]>[1]>;

/** All that a read of a stream gives, in its order. */
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

/** The revisions that a read of a stream gives, in its order. */
export const revisionsOf = async (
  client: EventStoreDBClient,
  stream: string,
  options: ReadOptions = {},
): Promise<number[]> =>
  (await readAllOf(client, stream, options)).map((stored) => Number(stored.revision));

/** The revisions that are readable, none where there is no stream. */
export const readableOf = (client: EventStoreDBClient, stream: string): Promise<number[]> =>
  revisionsOf(client, stream).catch((error: unknown) => {
    if (error instanceof StreamNotFoundError) return [];
    throw error;
  });

/** The position of an append or a delete; every server that the client speaks to gives one. */
export const positionOf = ({ position }: { position?: Position }): Position => {
  if (!position) throw new Error("The server gave no position");
  return position;
};

type Position = { commit: bigint; prepare: bigint };

/**
 * What $all holds of these streams from one position to another, both included. A server may show an
 * event in $all a moment after it has acknowledged it.
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

/** What a subscription has said so far, and a way to wait for more of it. */
export type Watched = {
  readonly resolved: readonly Resolved[];
  /** The events of these streams, or all. */
  of(...streams: string[]): Stored[];
  /** Names of what came, in order: "confirmation", "event", "caughtUp", "error". */
  readonly signs: readonly string[];
  readonly errors: readonly unknown[];
  /** Resolves when the condition holds; rejects with the subscription's error, unless that is waited for. */
  until(condition: () => boolean): Promise<void>;
  unsubscribe(): Promise<void>;
};

/** Watches subscriptions, and lets go of all of them at once. */
export const createWatch = () => {
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

/** Appends one event at a time, each with its number as data. */
export const appendEach = async (
  client: EventStoreDBClient,
  stream: string,
  from: number,
  to: number,
): Promise<void> => {
  for (const n of numbers(from, to)) await client.appendToStream(stream, event(n));
};
