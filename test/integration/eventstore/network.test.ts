import { EventStoreDBClient, START, UnavailableError } from "@eventstore/db-client";
import { afterEach, describe, expect, test } from "vitest";
import { startEmbeddedEventStore } from "../../../src/eventstore/server.ts";
import { connectEventLog } from "../../../src/platform/eventLog/client.ts";
import { LogUnavailableError } from "../../../src/platform/eventLog/errors.ts";
import type { RecordedEvent } from "../../../src/platform/eventLog/port.ts";
import { createTestDatabase } from "../../support/postgres.ts";
import { startProxy, type WireProxy } from "./proxy.ts";
import { appendSurely, collect, newEvent } from "./support.ts";

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

/** A log, and a wire to it that is in the test's hands. */
const startBehindProxy = async (keepAlive?: { intervalMs: number; timeoutMs: number }) => {
  const database = await createTestDatabase();
  cleanUp.push(() => database.drop());
  const server = await startEmbeddedEventStore({
    databaseUrl: database.url,
    ...(keepAlive ? { keepAlive } : {}),
  });
  cleanUp.push(() => server.stop());
  const proxy = await startProxy(server.url);
  cleanUp.push(() => proxy.stop());
  return { server, proxy };
};

const connect = (url: string, options: { appendTimeoutMs?: number } = {}) => {
  const log = connectEventLog(url, options);
  cleanUp.push(() => log.close());
  return log;
};

/** Asks after a silent peer within two seconds, where the client's usual ten are too long for a test. */
const watchful = (url: string): string => `${url}&keepAliveInterval=1000&keepAliveTimeout=1000`;

/** Follows a log as a projector does, and collects the events. */
const follow = (log: ReturnType<typeof connectEventLog>) => {
  const seen: RecordedEvent[] = [];
  let following = true;
  let interruptions = 0;
  const loop = (async () => {
    while (following) {
      try {
        for await (const event of log.subscribeAll({ after: seen.at(-1)?.position ?? null })) {
          seen.push(event);
          if (!following) return;
        }
      } catch (error) {
        if (!(error instanceof LogUnavailableError)) throw error;
        interruptions += 1;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  })();
  return {
    seen,
    interruptions: () => interruptions,
    stop: async () => {
      following = false;
      await log.close();
      await loop;
    },
  };
};

/** Twelve callers who each repeat every append until it is acknowledged. */
const load = (log: ReturnType<typeof connectEventLog>) => {
  const acknowledged = new Map<string, string>();
  let writing = true;
  const writers = Array.from({ length: 12 }, async (_, w) => {
    for (let n = 0; writing; n += 1) {
      const event = newEvent({ w, n });
      await appendSurely(log, `writer-${w}`, event, n === 0 ? "no_stream" : BigInt(n - 1));
      acknowledged.set(event.id, `writer-${w} ${n}`);
    }
  });
  return {
    acknowledged,
    grow: async (by: number): Promise<void> => {
      const before = acknowledged.size;
      await expect.poll(() => acknowledged.size, { timeout: 60_000 }).toBeGreaterThan(before + by);
    },
    stop: async () => {
      writing = false;
      await Promise.all(writers);
    },
  };
};

/** Compares the log with the acknowledged appends, and the events of a follower with the log. */
const expectNothingLost = async (
  url: string,
  { acknowledged }: ReturnType<typeof load>,
  { seen }: ReturnType<typeof follow>,
): Promise<void> => {
  const all = await collect(connect(url).readAll({ after: null }));
  expect(all.map((e) => e.position)).toEqual(all.map((_, i) => BigInt(i + 1)));
  expect(new Map(all.map((e) => [e.id, `${e.stream} ${e.revision}`]))).toEqual(acknowledged);
  expect(all).toHaveLength(acknowledged.size);
  await expect.poll(() => seen.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(all.length);
  expect(seen.map((e) => e.id)).toEqual(all.map((e) => e.id));
};

describe("a faulty connection between client and server that", () => {
  const faults: readonly (readonly [string, (proxy: WireProxy) => Promise<void>])[] = [
    [
      "is cut and mended",
      async (proxy) => {
        proxy.cut();
        await new Promise((resolve) => setTimeout(resolve, 100));
        proxy.restore();
      },
    ],
    [
      "loses the answers and is then cut",
      async (proxy) => {
        const sent = proxy.sent();
        proxy.loseAnswers();
        await expect.poll(() => proxy.sent(), { timeout: 60_000 }).toBeGreaterThan(sent);
        proxy.cut();
        proxy.restore();
      },
    ],
    [
      "freezes for a moment",
      async (proxy) => {
        proxy.freeze();
        await new Promise((resolve) => setTimeout(resolve, 300));
        proxy.thaw();
      },
    ],
    [
      "is slow for a while",
      async (proxy) => {
        proxy.delay(60);
        await new Promise((resolve) => setTimeout(resolve, 500));
        proxy.delay(0);
      },
    ],
    [
      "is slow, and cut with all that is under way",
      async (proxy) => {
        proxy.delay(40);
        await new Promise((resolve) => setTimeout(resolve, 200));
        proxy.cut();
        proxy.delay(0);
        proxy.restore();
      },
    ],
  ];

  test.each(faults)(
    "%s repeatedly under load loses and repeats nothing",
    async (_, fault) => {
      const { server, proxy } = await startBehindProxy();
      const writing = load(connect(proxy.url));
      const following = follow(connect(proxy.url));
      for (let round = 0; round < 4; round += 1) {
        await writing.grow(60);
        await fault(proxy);
      }
      await writing.grow(60);
      await writing.stop();
      await expectNothingLost(server.url, writing, following);
      await following.stop();
    },
    180_000,
  );
});

describe("a silent peer", () => {
  test("is detected by a subscription, which then resumes", async () => {
    const { server, proxy } = await startBehindProxy();
    const direct = connect(server.url);
    const following = follow(connect(watchful(proxy.url)));
    await direct.append("a-1", [newEvent(0)], "no_stream");
    await expect.poll(() => following.seen.length).toBe(1);
    proxy.freeze();
    await direct.append("a-1", [newEvent(1)], 0n);
    // Without keep-alive it would wait for ever.
    await expect.poll(following.interruptions, { timeout: 60_000 }).toBeGreaterThan(0);
    expect(following.seen).toHaveLength(1);
    proxy.thaw();
    await expect.poll(() => following.seen.length, { timeout: 60_000 }).toBe(2);
    await following.stop();
    expect(following.seen.map((e) => e.data)).toEqual([0, 1]);
  });

  test("ends a subscription of the EventStoreDB client as unavailable", async () => {
    const { server, proxy } = await startBehindProxy();
    const client = EventStoreDBClient.connectionString(watchful(proxy.url));
    await connect(server.url).append("a-1", [newEvent(0)], "no_stream");
    const errors: unknown[] = [];
    let count = 0;
    const subscription = client.subscribeToAll({ fromPosition: START });
    subscription.on("data", () => {
      count += 1;
    });
    subscription.on("error", (error) => errors.push(error));
    await expect.poll(() => count).toBe(1);
    proxy.freeze();
    await expect.poll(() => errors.length, { timeout: 60_000 }).toBeGreaterThan(0);
    expect(errors[0]).toBeInstanceOf(UnavailableError);
    proxy.thaw();
    subscription.destroy();
  });

  test("makes an append's outcome unknown, which a repeat resolves", async () => {
    const { server, proxy } = await startBehindProxy();
    const log = connect(watchful(proxy.url), { appendTimeoutMs: 60_000 });
    await log.append("a-1", [newEvent(0)], "no_stream");
    const event = newEvent(1);
    proxy.freeze();
    // Long before its own deadline.
    await expect(log.append("a-1", [event], 0n)).rejects.toThrow();
    proxy.thaw();
    await appendSurely(log, "a-1", event, 0n);
    const stored = await collect(connect(server.url).readStream("a-1"));
    expect(stored.map((e) => e.data)).toEqual([0, 1]);
  });

  test("is detected by the server, which closes its connections", async () => {
    const { server, proxy } = await startBehindProxy({ intervalMs: 500, timeoutMs: 2_000 });
    const following = follow(connect(proxy.url));
    await connect(server.url).append("a-1", [newEvent(0)], "no_stream");
    await expect.poll(() => following.seen.length).toBe(1);
    expect(proxy.held()).toBeGreaterThan(0);
    proxy.freeze();
    await expect.poll(() => proxy.held(), { timeout: 60_000 }).toBe(0);
    proxy.thaw();
    // The subscriber hears of it now, and comes again.
    await connect(server.url).append("a-1", [newEvent(1)], 0n);
    await expect.poll(() => following.seen.length, { timeout: 60_000 }).toBe(2);
    await following.stop();
  });

  test("is not assumed dead while it answers pings", async () => {
    const { server, proxy } = await startBehindProxy({ intervalMs: 300, timeoutMs: 20_000 });
    const following = follow(connect(`${proxy.url}&keepAliveInterval=300&keepAliveTimeout=20000`));
    const direct = connect(server.url);
    await direct.append("a-1", [newEvent(0)], "no_stream");
    await expect.poll(() => following.seen.length).toBe(1);
    // Many times as long as the interval: pings go to and fro, and nothing else.
    const sent = proxy.sent();
    await expect.poll(() => proxy.sent() - sent, { timeout: 60_000 }).toBeGreaterThan(17 * 6);
    await direct.append("a-1", [newEvent(1)], 0n);
    await expect.poll(() => following.seen.length).toBe(2);
    expect(following.interruptions()).toBe(0);
    await following.stop();
  });
});
