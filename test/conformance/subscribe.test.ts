import {
  END,
  type EventStoreDBClient,
  eventTypeFilter,
  type JSONType,
  jsonEvent,
  START,
  streamNameFilter,
} from "@eventstore/db-client";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { event, newStream, type ServerUnderTest, startServerUnderTest } from "./support.ts";

let server: ServerUnderTest;
let client: EventStoreDBClient;
const open: { unsubscribe(): Promise<void>; destroy(): unknown }[] = [];

beforeAll(async () => {
  server = await startServerUnderTest();
  client = server.client;
});
afterEach(async () => {
  for (const subscription of open.splice(0)) {
    await subscription.unsubscribe();
    subscription.destroy();
  }
});
afterAll(() => server.stop());

type Stored = { streamId: string; revision: bigint; data: unknown; type: string };
type Subscription = {
  on(name: string, listener: (...args: never[]) => void): unknown;
  unsubscribe(): Promise<void>;
  destroy(): unknown;
};

/** Collects what a subscription says, in order, and waits for conditions on it. */
const collect = (subscription: Subscription) => {
  open.push(subscription);
  const events: Stored[] = [];
  const signs: string[] = [];
  const errors: unknown[] = [];
  let check: () => void = () => {};
  subscription.on("data", ((resolved: { event?: Stored }) => {
    if (resolved.event) {
      events.push(resolved.event);
      signs.push("event");
    }
    check();
  }) as never);
  for (const name of ["confirmation", "caughtUp"]) {
    subscription.on(name, (() => {
      signs.push(name);
      check();
    }) as never);
  }
  subscription.on("error", ((error: unknown) => {
    errors.push(error);
    check();
  }) as never);
  return {
    events,
    signs,
    until: (condition: () => boolean): Promise<void> =>
      new Promise((resolve, reject) => {
        check = () => {
          if (errors.length > 0) reject(errors[0]);
          else if (condition()) resolve();
        };
        check();
      }),
  };
};

const append = async (stream: string, from: number, to: number): Promise<void> => {
  for (let i = from; i <= to; i += 1) await client.appendToStream(stream, event(i));
};

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe("a subscription to a stream", () => {
  test("confirms, gives the history, says that it has caught up, and goes on live", async () => {
    const stream = newStream();
    await append(stream, 0, 4);
    const seen = collect(client.subscribeToStream(stream));
    await seen.until(() => seen.signs.includes("caughtUp") && seen.events.length >= 5);
    expect(seen.signs.indexOf("confirmation")).toBe(0);
    await append(newStream(), 0, 3);
    await append(stream, 5, 9);
    await seen.until(() => seen.events.length >= 10);
    expect(seen.events.map((e) => e.data)).toEqual(numbers(0, 9));
    expect(seen.events.map((e) => Number(e.revision))).toEqual(numbers(0, 9));
  });

  test("to a stream that does not exist yet waits for it", async () => {
    const stream = newStream();
    const seen = collect(client.subscribeToStream(stream));
    await seen.until(() => seen.signs.includes("caughtUp"));
    await append(stream, 0, 2);
    await seen.until(() => seen.events.length >= 3);
    expect(seen.events.map((e) => e.data)).toEqual([0, 1, 2]);
  });

  test("from a revision resumes after it", async () => {
    const stream = newStream();
    await append(stream, 0, 5);
    const seen = collect(client.subscribeToStream(stream, { fromRevision: 3n }));
    await append(stream, 6, 6);
    await seen.until(() => seen.events.length >= 3);
    expect(seen.events.map((e) => e.data)).toEqual([4, 5, 6]);
  });

  test("from the end gives only what is new", async () => {
    const stream = newStream();
    await append(stream, 0, 5);
    const seen = collect(client.subscribeToStream(stream, { fromRevision: END }));
    await seen.until(() => seen.signs.includes("caughtUp"));
    await append(stream, 6, 8);
    await seen.until(() => seen.events.length >= 3);
    expect(seen.events.map((e) => e.data)).toEqual([6, 7, 8]);
  });
});

describe("a subscription to $all", () => {
  test("that begins while others write sees every event once, in order", async () => {
    const stream = newStream();
    const total = 600;
    let written = 0;
    const writing = (async () => {
      while (written < total) {
        await Promise.all(
          Array.from({ length: 20 }, () => client.appendToStream(stream, event(written++))),
        );
      }
    })();
    const subscriptions = [];
    for (let i = 0; i < 5; i += 1) {
      const from = written;
      subscriptions.push(collect(client.subscribeToAll({ fromPosition: START })));
      while (written < Math.min(total, from + 60)) await new Promise((r) => setImmediate(r));
    }
    await writing;
    for (const seen of subscriptions) {
      const own = () => seen.events.filter((e) => e.streamId === stream);
      await seen.until(() => own().length >= total);
      expect(own().map((e) => Number(e.revision))).toEqual(numbers(0, total - 1));
    }
  });

  test("from a position resumes after it", async () => {
    const stream = newStream();
    await append(stream, 0, 2);
    const { position } = await client.appendToStream(stream, event(3));
    if (!position) throw new Error("The server gave no position");
    const seen = collect(client.subscribeToAll({ fromPosition: position }));
    await append(stream, 4, 6);
    const own = () => seen.events.filter((e) => e.streamId === stream);
    await seen.until(() => own().length >= 3);
    expect(own().map((e) => e.data)).toEqual([4, 5, 6]);
  });

  test("from the end gives only what is new", async () => {
    const stream = newStream();
    await append(stream, 0, 2);
    const seen = collect(client.subscribeToAll({ fromPosition: END }));
    await seen.until(() => seen.signs.includes("caughtUp"));
    await append(stream, 3, 5);
    const own = () => seen.events.filter((e) => e.streamId === stream);
    await seen.until(() => own().length >= 3);
    expect(own().map((e) => e.data)).toEqual([3, 4, 5]);
  });

  test("large events reach a live subscriber whole", async () => {
    const stream = newStream();
    const seen = collect(client.subscribeToAll({ fromPosition: END }));
    await seen.until(() => seen.signs.includes("caughtUp"));
    for (let i = 0; i < 5; i += 1) await client.appendToStream(stream, event("z".repeat(500_000)));
    await seen.until(() => seen.events.filter((e) => e.streamId === stream).length >= 5);
  });
});

describe("a filtered subscription to $all", () => {
  const typed = (type: string, data: number) =>
    jsonEvent({ type, data: data as unknown as JSONType });

  test.each([
    {
      name: "prefixes",
      filterOf: (mark: string) => eventTypeFilter({ prefixes: [`Red-${mark}`, `Blue-${mark}`] }),
    },
    {
      name: "a regular expression",
      filterOf: (mark: string) => eventTypeFilter({ regex: `^(Red|Blue)-${mark}$` }),
    },
  ])("by event type with $name gives what matches, from history and live", async ({ filterOf }) => {
    const stream = newStream();
    const mark = stream.slice(-12);
    const write = async (from: number): Promise<void> => {
      for (const [i, colour] of ["Red", "Green", "Blue", "Green"].entries()) {
        await client.appendToStream(stream, typed(`${colour}-${mark}`, from + i));
      }
    };
    await write(0);
    const seen = collect(client.subscribeToAll({ filter: filterOf(mark) }));
    await seen.until(() => seen.events.length >= 2);
    await write(4);
    await seen.until(() => seen.events.length >= 4);
    expect(seen.events.map((e) => e.data)).toEqual([0, 2, 4, 6]);
  });

  test("by stream name gives that stream alone", async () => {
    const stream = newStream();
    await append(stream, 0, 2);
    const seen = collect(
      client.subscribeToAll({ filter: streamNameFilter({ prefixes: [stream] }) }),
    );
    await append(newStream(), 0, 2);
    await append(stream, 3, 3);
    await seen.until(() => seen.events.length >= 4);
    expect(seen.events.map((e) => e.data)).toEqual([0, 1, 2, 3]);
  });

  test("tells how far it is, even when nothing matches", async () => {
    const stream = newStream();
    const { position: start } = await client.appendToStream(stream, event("start"));
    if (!start) throw new Error("The server gave no position");
    const checkpoints: bigint[] = [];
    const seen = collect(
      client.subscribeToAll({
        fromPosition: start,
        filter: eventTypeFilter({
          prefixes: ["NothingIsCalledSo"],
          maxSearchWindow: 10,
          checkpointInterval: 2,
          checkpointReached: async (_subscription, position) => {
            checkpoints.push(position.commit);
          },
        }),
      }),
    );
    await append(stream, 1, 70);
    await expect.poll(() => checkpoints.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
    expect(seen.events).toEqual([]);
    const sorted = [...checkpoints].sort((a, b) => (a < b ? -1 : 1));
    expect(checkpoints).toEqual(sorted);
    expect(new Set(checkpoints).size).toBe(checkpoints.length);
    expect(checkpoints[0]).toBeGreaterThan(start.commit);
  });
});
