import { END, START } from "@eventstore/db-client";
import { describe, expect, test } from "vitest";
import {
  appendEach,
  event,
  eventsOf,
  newStream,
  numbers,
  positionOf,
  useServer,
} from "./support.ts";

const server = useServer();

describe("a subscription to a stream", () => {
  test("confirms, delivers history, reports that it has caught up and continues live", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, eventsOf(0, 4));
    const seen = server.watch(server.client.subscribeToStream(stream));
    await seen.until(() => seen.signs.includes("caughtUp"));
    expect(seen.signs).toEqual(["confirmation", ...numbers(0, 4).map(() => "event"), "caughtUp"]);
    await appendEach(server.client, newStream(), 0, 3);
    await appendEach(server.client, stream, 5, 9);
    await seen.until(() => seen.of().length >= 10);
    expect(seen.of().map((e) => e.data)).toEqual(numbers(0, 9));
    expect(seen.of().map((e) => Number(e.revision))).toEqual(numbers(0, 9));
    expect(new Set(seen.of().map((e) => e.streamId))).toEqual(new Set([stream]));
  });

  test("delivers the same events as a read", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, { ...event({ a: [1] }), metadata: { by: "me" } });
    const seen = server.watch(server.client.subscribeToStream(stream));
    await seen.until(() => seen.of().length >= 1);
    await server.client.appendToStream(stream, { ...event({ a: [2] }), metadata: { by: "you" } });
    await seen.until(() => seen.of().length >= 2);
    const read = [];
    for await (const { event: stored } of server.client.readStream(stream)) read.push(stored);
    expect(seen.of()).toEqual(read);
  });

  test("waits for a stream that does not exist yet", async () => {
    const stream = newStream();
    const seen = server.watch(server.client.subscribeToStream(stream));
    await seen.until(() => seen.signs.includes("confirmation"));
    await appendEach(server.client, stream, 0, 2);
    await seen.until(() => seen.of().length >= 3);
    expect(seen.of().map((e) => e.data)).toEqual([0, 1, 2]);
  });

  test("waits from the end for a stream that does not exist yet", async () => {
    const stream = newStream();
    const seen = server.watch(server.client.subscribeToStream(stream, { fromRevision: END }));
    await seen.until(() => seen.signs.includes("confirmation"));
    await appendEach(server.client, stream, 0, 2);
    await seen.until(() => seen.of().length >= 3);
    expect(seen.of().map((e) => e.data)).toEqual([0, 1, 2]);
  });

  test.each([
    { from: START, expected: numbers(0, 6) },
    { from: 0n, expected: numbers(1, 6) },
    { from: 3n, expected: [4, 5, 6] },
    { from: 5n, expected: [6] },
  ] as const)("from $from resumes after it", async ({ from, expected }) => {
    const stream = newStream();
    await server.client.appendToStream(stream, eventsOf(0, 5));
    const seen = server.watch(server.client.subscribeToStream(stream, { fromRevision: from }));
    await server.client.appendToStream(stream, event(6));
    await seen.until(() => seen.of().length >= expected.length);
    expect(seen.of().map((e) => e.data)).toEqual(expected);
  });

  test("from the end delivers only new events", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, eventsOf(0, 5));
    const seen = server.watch(server.client.subscribeToStream(stream, { fromRevision: END }));
    await seen.until(() => seen.signs.includes("confirmation"));
    await appendEach(server.client, stream, 6, 8);
    await seen.until(() => seen.of().length >= 3);
    expect(seen.of().map((e) => e.data)).toEqual([6, 7, 8]);
  });

  test("delivers a history of many pages", async () => {
    const stream = newStream();
    for (const page of numbers(0, 2)) {
      await server.client.appendToStream(stream, eventsOf(page * 500, page * 500 + 499));
    }
    const seen = server.watch(server.client.subscribeToStream(stream));
    await seen.until(() => seen.of().length >= 1_500);
    expect(seen.of().map((e) => e.data)).toEqual(numbers(0, 1_499));
  });

  test("that starts during writes delivers each event once in order", async () => {
    const [stream, beside] = [newStream(), newStream()];
    const total = 400;
    let written = 0;
    const writing = (async () => {
      while (written < total) {
        await Promise.all(
          numbers(1, 20).map((n) =>
            n % 4 === 0
              ? server.client.appendToStream(beside, event(n))
              : server.client.appendToStream(stream, event(written++)),
          ),
        );
      }
      return written;
    })();
    const subscriptions = [];
    for (const _ of numbers(1, 5)) {
      const from = written;
      subscriptions.push(server.watch(server.client.subscribeToStream(stream)));
      while (written < Math.min(total, from + 60)) await new Promise((r) => setImmediate(r));
    }
    const count = await writing;
    for (const seen of subscriptions) {
      await seen.until(() => seen.of().length >= count);
      expect(seen.of().map((e) => Number(e.revision))).toEqual(numbers(0, count - 1));
    }
  });

  test("ends when its loop is left", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, eventsOf(0, 8));
    const taken: unknown[] = [];
    for await (const { event: stored } of server.client.subscribeToStream(stream)) {
      taken.push(stored?.data);
      if (taken.length === 5) break;
    }
    expect(taken).toEqual([0, 1, 2, 3, 4]);
    await server.client.appendToStream(stream, event(9));
  });
});

describe("a subscription to $all", () => {
  test("that starts during writes delivers each event once in order", async () => {
    const stream = newStream();
    const start = positionOf(await server.client.appendToStream(newStream(), event("start")));
    const total = 600;
    let written = 0;
    const writing = (async () => {
      while (written < total) {
        await Promise.all(
          numbers(1, 20).map(() => server.client.appendToStream(stream, event(written++))),
        );
      }
    })();
    const subscriptions = [];
    for (const _ of numbers(1, 5)) {
      const from = written;
      subscriptions.push(server.watch(server.client.subscribeToAll({ fromPosition: start })));
      while (written < Math.min(total, from + 60)) await new Promise((r) => setImmediate(r));
    }
    await writing;
    for (const seen of subscriptions) {
      await seen.until(() => seen.of(stream).length >= total);
      expect(seen.of(stream).map((e) => Number(e.revision))).toEqual(numbers(0, total - 1));
      const positions = seen.of().map((e) => e.position?.commit ?? 0n);
      expect(positions.every((p, i) => i === 0 || p > (positions[i - 1] ?? p))).toBe(true);
    }
  });

  test("from the start delivers the same events as a read", async () => {
    await server.client.appendToStream(newStream(), eventsOf(0, 9));
    const seen = server.watch(server.client.subscribeToAll());
    // As much of a shared log as tells the order.
    await seen.until(() => seen.signs.includes("caughtUp") || seen.resolved.length >= 500);
    const given = seen.of().slice(0, 500);
    const read = [];
    for await (const { event: stored } of server.client.readAll({ maxCount: given.length })) {
      read.push(stored?.id);
    }
    expect(given.map((e) => e.id)).toEqual(read);
    expect(given.length).toBeGreaterThanOrEqual(10);
  });

  test("delivers events of many streams in append order", async () => {
    const streams = numbers(1, 4).map(() => newStream());
    const start = positionOf(await server.client.appendToStream(newStream(), event("start")));
    const seen = server.watch(server.client.subscribeToAll({ fromPosition: start }));
    for (const n of numbers(0, 39)) {
      await server.client.appendToStream(streams[(n * 7) % 4] ?? "", event(n));
    }
    await seen.until(() => seen.of(...streams).length >= 40);
    expect(seen.of(...streams).map((e) => e.data)).toEqual(numbers(0, 39));
  });

  test("delivers the events of one append contiguously", async () => {
    const streams = numbers(1, 4).map(() => newStream());
    const start = positionOf(await server.client.appendToStream(newStream(), event("start")));
    await Promise.all(
      numbers(0, 39).map((n) =>
        server.client.appendToStream(
          streams[n % 4] ?? "",
          numbers(0, 4).map((i) => event({ n, i })),
        ),
      ),
    );
    const seen = server.watch(server.client.subscribeToAll({ fromPosition: start }));
    await seen.until(() => seen.of(...streams).length >= 200);
    const data = seen.of(...streams).map((e) => e.data as { n: number; i: number });
    for (const at of numbers(0, 39)) {
      const together = data.slice(at * 5, at * 5 + 5);
      expect(together).toEqual(numbers(0, 4).map((i) => ({ n: together[0]?.n, i })));
    }
  });

  test("from a position resumes after it", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, eventsOf(0, 2));
    const at = positionOf(await server.client.appendToStream(stream, event(3)));
    const seen = server.watch(server.client.subscribeToAll({ fromPosition: at }));
    await appendEach(server.client, stream, 4, 6);
    await seen.until(() => seen.of(stream).length >= 3);
    expect(seen.of(stream).map((e) => e.data)).toEqual([4, 5, 6]);
  });

  test("can be resumed after any delivered event", async () => {
    const stream = newStream();
    const start = positionOf(await server.client.appendToStream(stream, event(0)));
    await server.client.appendToStream(stream, eventsOf(1, 4));
    const first = server.watch(server.client.subscribeToAll({ fromPosition: start }));
    await first.until(() => first.of(stream).length >= 4);
    for (const given of first.of(stream)) {
      const resumed = server.watch(
        server.client.subscribeToAll({ fromPosition: positionOf(given) }),
      );
      const last = event("last");
      await server.client.appendToStream(newStream(), last);
      await resumed.until(() => resumed.of().some((e) => e.id === last.id));
      expect(resumed.of(stream).map((e) => e.data)).toEqual(
        numbers(1, 4).filter((n) => n > Number(given.data)),
      );
    }
  });

  test("from the end delivers only new events", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, eventsOf(0, 2));
    const seen = server.watch(server.client.subscribeToAll({ fromPosition: END }));
    await seen.until(() => seen.signs.includes("confirmation"));
    await appendEach(server.client, stream, 3, 5);
    await seen.until(() => seen.of(stream).length >= 3);
    expect(seen.of(stream).map((e) => e.data)).toEqual([3, 4, 5]);
  });

  test("confirms first and reports after the history that it has caught up", async () => {
    const stream = newStream();
    const start = positionOf(await server.client.appendToStream(stream, event("start")));
    await server.client.appendToStream(stream, eventsOf(0, 9));
    const seen = server.watch(server.client.subscribeToAll({ fromPosition: start }));
    await seen.until(() => seen.signs.includes("caughtUp"));
    expect(seen.signs[0]).toBe("confirmation");
    expect(seen.signs.filter((sign) => sign === "confirmation")).toHaveLength(1);
    const before = seen.signs.slice(0, seen.signs.indexOf("caughtUp"));
    expect(before.filter((sign) => sign === "event").length).toBeGreaterThanOrEqual(10);
  });

  test("delivers large events live", async () => {
    const stream = newStream();
    const seen = server.watch(server.client.subscribeToAll({ fromPosition: END }));
    await seen.until(() => seen.signs.includes("confirmation"));
    const text = "z".repeat(500_000);
    for (const n of numbers(0, 4)) await server.client.appendToStream(stream, event(`${n}${text}`));
    await seen.until(() => seen.of(stream).length >= 5);
    expect(seen.of(stream).map((e) => e.data)).toEqual(numbers(0, 4).map((n) => `${n}${text}`));
  });
});

describe("subscriptions", () => {
  test("deliver nothing after their end, which does not affect others", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, event(0));
    const [left, stays] = [
      server.watch(server.client.subscribeToStream(stream)),
      server.watch(server.client.subscribeToStream(stream)),
    ];
    await left.until(() => left.of().length === 1);
    await left.unsubscribe();
    await appendEach(server.client, stream, 1, 5);
    await stays.until(() => stays.of().length === 6);
    expect(left.of().map((e) => e.data)).toEqual([0]);
    expect(left.errors).toEqual([]);
  });

  test("can be ended before they are confirmed", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, event(0));
    const seen = server.watch(server.client.subscribeToStream(stream));
    await seen.unsubscribe();
    await server.client.appendToStream(stream, event(1));
    expect(seen.errors).toEqual([]);
  });

  test("each deliver every event of a shared stream", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, eventsOf(0, 9));
    const many = numbers(1, 50).map(() => server.watch(server.client.subscribeToStream(stream)));
    await appendEach(server.client, stream, 10, 19);
    for (const seen of many) {
      await seen.until(() => seen.of().length >= 20);
      expect(seen.of().map((e) => e.data)).toEqual(numbers(0, 19));
    }
  });

  test("each deliver only the events of their own stream", async () => {
    const streams = numbers(1, 30).map(() => newStream());
    const many = streams.map((stream) => server.watch(server.client.subscribeToStream(stream)));
    await Promise.all(
      streams.flatMap((stream, i) =>
        numbers(0, 4).map((n) => server.client.appendToStream(stream, event(`${i}-${n}`))),
      ),
    );
    for (const [i, seen] of many.entries()) {
      await seen.until(() => seen.of().length >= 5);
      expect(seen.of().map((e) => e.streamId)).toEqual(numbers(0, 4).map(() => streams[i]));
      expect(new Set(seen.of().map((e) => e.data))).toEqual(
        new Set(numbers(0, 4).map((n) => `${i}-${n}`)),
      );
    }
  });

  test("that are slow deliver everything and do not delay others", async () => {
    const stream = newStream();
    const start = positionOf(await server.client.appendToStream(stream, event("start")));
    const slow = server.client.subscribeToAll({ fromPosition: start });
    const fast = server.watch(server.client.subscribeToAll({ fromPosition: start }));
    const text = "x".repeat(10_000);
    for (const page of numbers(0, 5)) {
      await server.client.appendToStream(
        stream,
        numbers(page * 50, page * 50 + 49).map((n) => event({ n, text })),
      );
    }
    await fast.until(() => fast.of(stream).length >= 300);
    const taken: unknown[] = [];
    for await (const { event: stored } of slow) {
      if (stored?.streamId === stream) taken.push((stored.data as { n: number }).n);
      if (taken.length === 300) break;
    }
    expect(taken).toEqual(numbers(0, 299));
  });
});
