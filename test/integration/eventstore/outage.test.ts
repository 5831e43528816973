import { afterEach, describe, expect, test } from "vitest";
import { stablePort } from "../../../src/embeddedPostgres/stablePort.ts";
import { startEmbeddedEventStore } from "../../../src/eventstore/server.ts";
import { connectEventLog } from "../../../src/platform/eventLog/client.ts";
import {
  AppendOutcomeUnknownError,
  LogUnavailableError,
} from "../../../src/platform/eventLog/errors.ts";
import { createTestDatabase } from "../../support/postgres.ts";
import { startProxy } from "./proxy.ts";
import { appendSurely, collect, newEvent } from "./support.ts";

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

/** A log whose wire to Postgres is in the test's hands. */
const startOnProxy = async (options: { appendTimeoutMs?: number } = {}) => {
  const database = await createTestDatabase();
  cleanUp.push(() => database.drop());
  const proxy = await startProxy(database.url);
  cleanUp.push(() => proxy.stop());
  const server = await startEmbeddedEventStore({ databaseUrl: proxy.url });
  cleanUp.push(() => server.stop());
  const log = connectEventLog(server.url, options);
  cleanUp.push(() => log.close());
  return { proxy, log, server, database };
};

describe("an outage of Postgres", () => {
  test("fails appends and reads, which work again afterwards", async () => {
    const { proxy, log } = await startOnProxy();
    await log.append("a-1", [newEvent(0)], "no_stream");
    proxy.cut();
    await expect
      .poll(() => log.append("a-1", [newEvent(1)], 0n).catch((e: unknown) => e))
      .toBeInstanceOf(LogUnavailableError);
    await expect(collect(log.readStream("a-1"))).rejects.toBeInstanceOf(LogUnavailableError);
    await expect(log.head()).rejects.toBeInstanceOf(LogUnavailableError);
    proxy.restore();
    await appendSurely(log, "a-1", newEvent(1), 0n);
    expect((await collect(log.readStream("a-1"))).map((e) => e.data)).toEqual([0, 1]);
    expect(await log.head()).toBe(2n);
  });

  test("lets a live subscription continue without a gap or repeat", async () => {
    const { proxy, log } = await startOnProxy();
    const seen: unknown[] = [];
    const subscription = log.subscribeAll({ after: null });
    const loop = (async () => {
      for await (const event of subscription) seen.push(event.data);
    })();
    await log.append("a-1", [newEvent(0)], "no_stream");
    await expect.poll(() => seen).toEqual([0]);
    proxy.cut();
    await expect
      .poll(() => log.append("a-1", [newEvent("lost")], 0n).catch((e: unknown) => e))
      .toBeInstanceOf(LogUnavailableError);
    proxy.restore();
    for (let i = 1; i < 5; i += 1) await appendSurely(log, "a-1", newEvent(i), BigInt(i - 1));
    await expect.poll(() => seen, { timeout: 60_000 }).toEqual([0, 1, 2, 3, 4]);
    await subscription.close();
    await loop;
  });

  test("makes the outcome of an unanswered commit unknown, which a repeat resolves", async () => {
    const { proxy, log } = await startOnProxy({ appendTimeoutMs: 30_000 });
    await log.append("a-1", [newEvent(0)], "no_stream");
    const event = newEvent(1);
    const sent = proxy.sent();
    proxy.loseAnswers();
    const appending = log.append("a-1", [event], 0n).catch((e: unknown) => e);
    await expect.poll(() => proxy.sent()).toBeGreaterThan(sent);
    proxy.cut();
    expect(await appending).toBeInstanceOf(AppendOutcomeUnknownError);
    proxy.restore();
    await appendSurely(log, "a-1", event, 0n);
    await appendSurely(log, "a-1", newEvent(2), 1n);
    const events = await collect(log.readAll({ after: null }));
    expect(events.map((e) => [e.position, e.data])).toEqual([
      [1n, 0],
      [2n, 1],
      [3n, 2],
    ]);
  });

  test("writes no append that is reported as not written", async () => {
    const { proxy, log } = await startOnProxy({ appendTimeoutMs: 30_000 });
    let unknown = 0;
    for (let round = 0; round < 8; round += 1) {
      const streams = Array.from({ length: 30 }, (_, i) => `thing-${round}-${i}`);
      // The server knows where these streams stand, so that all it asks of the database is to commit.
      await Promise.all(streams.map((s) => appendSurely(log, s, newEvent("first"), "no_stream")));
      const sent = proxy.sent();
      proxy.loseAnswers();
      const outcomes = streams.map((stream) =>
        log.append(stream, [newEvent("second")], 0n).then(
          () => "written",
          (error: unknown) => error,
        ),
      );
      await expect.poll(() => proxy.sent()).toBeGreaterThan(sent);
      proxy.cut();
      const settled = await Promise.all(outcomes);
      proxy.restore();
      await appendSurely(log, `round-${round}`, newEvent(round), "no_stream");
      for (const [i, outcome] of settled.entries()) {
        expect(outcome).not.toBe("written");
        if (outcome instanceof AppendOutcomeUnknownError) unknown += 1;
        else {
          expect(outcome).toBeInstanceOf(LogUnavailableError);
          expect(await collect(log.readStream(streams[i] ?? ""))).toHaveLength(1);
        }
      }
    }
    expect(unknown).toBeGreaterThan(0);
  });

  test("under repeated load loses and repeats no acknowledged event and leaves no gap in positions", async () => {
    const { proxy, log } = await startOnProxy();
    const acknowledged = new Map<string, number>();
    let writing = true;
    const writers = Array.from({ length: 20 }, async (_, w) => {
      for (let n = 0; writing; n += 1) {
        const event = newEvent({ w, n });
        await appendSurely(log, `writer-${w}`, event, n === 0 ? "no_stream" : BigInt(n - 1));
        acknowledged.set(event.id, n);
      }
    });
    for (let round = 0; round < 6; round += 1) {
      const size = acknowledged.size;
      await expect.poll(() => acknowledged.size, { timeout: 60_000 }).toBeGreaterThan(size + 60);
      if (round % 2 === 0) proxy.loseAnswers();
      proxy.cut();
      proxy.restore();
    }
    writing = false;
    await Promise.all(writers);
    const events = await collect(log.readAll({ after: null }));
    expect(events.map((e) => e.position)).toEqual(events.map((_, i) => BigInt(i + 1)));
    expect(new Set(events.map((e) => e.id)).size).toBe(events.length);
    for (const [id, n] of acknowledged) {
      expect(events.find((e) => e.id === id)?.revision).toBe(BigInt(n));
    }
  });

  test("without an answer makes appends time out with an unknown outcome", async () => {
    const { proxy, log } = await startOnProxy({ appendTimeoutMs: 500 });
    const event = newEvent(0);
    proxy.loseAnswers();
    await expect(log.append("a-1", [event], "no_stream")).rejects.toBeInstanceOf(
      AppendOutcomeUnknownError,
    );
    proxy.cut();
    proxy.restore();
    await appendSurely(log, "a-1", event, "no_stream");
    expect(await collect(log.readStream("a-1"))).toHaveLength(1);
  });
});

describe("an outage of the log server", () => {
  test("is reported to callers, and the same client continues with the next server", async () => {
    const database = await createTestDatabase();
    cleanUp.push(() => database.drop());
    const port = await stablePort();
    const first = await startEmbeddedEventStore({ databaseUrl: database.url, port });
    const log = connectEventLog(first.url);
    cleanUp.push(() => log.close());
    await log.append("a-1", [newEvent(0)], "no_stream");
    const loop = collect(log.subscribeAll({ after: null }));
    const ended = expect(loop).rejects.toBeInstanceOf(LogUnavailableError);
    await first.stop();
    await ended;
    await expect(log.append("a-1", [newEvent(1)], 0n)).rejects.toBeInstanceOf(LogUnavailableError);
    await expect(collect(log.readStream("a-1"))).rejects.toBeInstanceOf(LogUnavailableError);
    await expect(collect(log.subscribeAll({ after: null }))).rejects.toBeInstanceOf(
      LogUnavailableError,
    );

    const second = await startEmbeddedEventStore({ databaseUrl: database.url, port });
    cleanUp.push(() => second.stop());
    await appendSurely(log, "a-1", newEvent(1), 0n);
    expect((await collect(log.readStream("a-1"))).map((e) => e.data)).toEqual([0, 1]);
  });

  test("fails only the appends of the broken connection", async () => {
    const database = await createTestDatabase();
    cleanUp.push(() => database.drop());
    const server = await startEmbeddedEventStore({ databaseUrl: database.url });
    cleanUp.push(() => server.stop());
    const wire = await startProxy(server.url);
    cleanUp.push(() => wire.stop());
    const log = connectEventLog(wire.url);
    cleanUp.push(() => log.close());
    const acknowledged = new Set<string>();
    let writing = true;
    const writers = Array.from({ length: 150 }, async (_, w) => {
      // Large enough that the wire is never done with them all.
      const filling = "x".repeat(20_000);
      for (let n = 0; writing; n += 1) {
        const event = newEvent({ w, n, filling });
        await appendSurely(log, `writer-${w}`, event, n === 0 ? "no_stream" : BigInt(n - 1));
        acknowledged.add(event.id);
      }
    });
    for (let round = 0; round < 5; round += 1) {
      const size = acknowledged.size;
      await expect.poll(() => acknowledged.size, { timeout: 60_000 }).toBeGreaterThan(size + 150);
      wire.cut();
      wire.restore();
    }
    writing = false;
    await Promise.all(writers);
    const events = await collect(log.readAll({ after: null }));
    expect(new Set(events.map((e) => e.id))).toEqual(acknowledged);
    expect(events.length).toBe(acknowledged.size);
  }, 120_000);

  test("announced on an idle connection with GOAWAY fails no later call", async () => {
    const { proxy, log } = await startOnProxy();
    await log.append("a-1", [newEvent(0)], "no_stream");
    for (let round = 0; round < 3; round += 1) {
      proxy.sayGoodbye();
      const read = () => collect(log.readStream("a-1")).catch((error: unknown) => error);
      await expect.poll(read).toMatchObject([{ data: 0 }]);
    }
  });

  test("refuses a second server on the same database with the reason", async () => {
    const { database, log } = await startOnProxy();
    await expect(
      startEmbeddedEventStore({ databaseUrl: database.url, lockTimeoutMs: 200 }),
    ).rejects.toThrow("Another process is writing this event log");
    await log.append("a-1", [newEvent(0)], "no_stream");
  });

  test("prevents a start if the database is unreachable", async () => {
    const port = await stablePort();
    await expect(
      startEmbeddedEventStore({ databaseUrl: `postgres://nobody@127.0.0.1:${port}/none` }),
    ).rejects.toThrow("ECONNREFUSED");
  });
});
