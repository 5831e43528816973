import { binaryEvent, EventStoreDBClient, jsonEvent } from "@eventstore/db-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WrongRevisionError } from "../../../src/platform/eventLog/errors.ts";
import { newId } from "../../../src/platform/ids.ts";
import { startTestLog, type TestLog } from "../../support/log.ts";
import { collect, newEvent, takeUntil } from "./support.ts";

let running: TestLog;
beforeAll(async () => {
  running = await startTestLog();
});
afterAll(() => running.stop());

const newStream = (): string => `thing-${newId()}`;

describe("event log port", () => {
  test("returns an event as appended, with its position and revision", async () => {
    const { log } = running;
    const stream = newStream();
    const event = newEvent({ text: "é\u0000😀", list: [1, null] });
    const appended = await log.append(stream, [event], "no_stream");
    expect(appended.revision).toBe(0n);
    expect(await collect(log.readStream(stream))).toEqual([
      { ...event, stream, revision: 0n, position: appended.position },
    ]);
    expect(await log.head()).toBe(appended.position);
  });

  test("appends the data as of the call, whatever happens to the object afterwards", async () => {
    const { log } = running;
    const stream = newStream();
    const data = { state: "before" };
    const appending = log.append(stream, [newEvent(data)], "no_stream");
    data.state = "after";
    await appending;
    expect((await collect(log.readStream(stream)))[0]?.data).toEqual({ state: "before" });
  });

  test("reports a wrong expected revision", async () => {
    const { log } = running;
    const stream = newStream();
    await log.append(stream, [newEvent(1)], "no_stream");
    for (const expected of ["no_stream", 1n, 7n] as const) {
      const error = await log.append(stream, [newEvent(2)], expected).catch((e: unknown) => e);
      expect(error).toBeInstanceOf(WrongRevisionError);
      expect(error).toMatchObject({ stream });
    }
    expect((await log.append(stream, [newEvent(2)], "any")).revision).toBe(1n);
  });

  test("returns the same result for a repeated append", async () => {
    const { log } = running;
    const stream = newStream();
    const events = [newEvent(1), newEvent(2)];
    const first = await log.append(stream, events, "no_stream");
    await log.append(stream, [newEvent(3)], 1n);
    expect(await log.append(stream, events, "no_stream")).toEqual(first);
    expect(await collect(log.readStream(stream))).toHaveLength(3);
  });

  test.each([
    [
      "a circle",
      () => {
        const circle: Record<string, unknown> = {};
        circle.self = circle;
        return circle;
      },
    ],
    ["a bigint", () => ({ n: 1n })],
    ["undefined", () => undefined],
    ["a function", () => () => 1],
  ])("refuses %s at once with the event's name", async (_name, make) => {
    const { log } = running;
    const stream = newStream();
    await expect(log.append(stream, [newEvent(make())], "any")).rejects.toThrow(
      "The data of ThingHappened is not JSON",
    );
    expect(await collect(log.readStream(stream))).toEqual([]);
  });

  test("refuses an empty or too large append without affecting others", async () => {
    const { log } = running;
    const stream = newStream();
    const [large, empty, fine] = await Promise.allSettled([
      log.append(stream, [newEvent("x".repeat(20_000_000))], "any"),
      log.append(stream, [], "any"),
      log.append(stream, [newEvent(1)], "any"),
    ]);
    expect(large).toMatchObject({ status: "rejected" });
    expect(empty).toMatchObject({ status: "rejected" });
    expect(fine.status).toBe("fulfilled");
  });

  test("reads parts of streams in both directions, and a missing stream as empty", async () => {
    const { log } = running;
    const stream = newStream();
    await log.append(
      stream,
      [0, 1, 2, 3, 4].map((n) => newEvent(n)),
      "no_stream",
    );
    const data = async (events: ReturnType<typeof log.readStream>) =>
      (await collect(events)).map((e) => e.data);
    expect(await data(log.readStream(stream))).toEqual([0, 1, 2, 3, 4]);
    expect(await data(log.readStream(stream, { from: 2n }))).toEqual([2, 3, 4]);
    expect(await data(log.readStream(stream, { from: 1n, limit: 2 }))).toEqual([1, 2]);
    expect(await data(log.readStream(stream, { from: 9n }))).toEqual([]);
    expect(await data(log.readStream(stream, { limit: 0 }))).toEqual([]);
    expect(await data(log.readStreamBackwards(stream))).toEqual([4, 3, 2, 1, 0]);
    expect(await data(log.readStreamBackwards(stream, { limit: 2 }))).toEqual([4, 3]);
    expect(await data(log.readStream(newStream()))).toEqual([]);
    expect(await data(log.readStreamBackwards(newStream()))).toEqual([]);
  });

  test("reads a limited number of events of $all after a position", async () => {
    const { log } = running;
    const before = await log.head();
    const stream = newStream();
    await log.append(
      stream,
      [1, 2, 3, 4, 5].map((n) => newEvent(n)),
      "no_stream",
    );
    const all = await collect(log.readAll({ after: before }));
    expect(all.map((e) => e.data)).toEqual([1, 2, 3, 4, 5]);
    const middle = all[1]?.position ?? null;
    expect((await collect(log.readAll({ after: middle, limit: 2 }))).map((e) => e.data)).toEqual([
      3, 4,
    ]);
    expect(await collect(log.readAll({ after: all[4]?.position ?? null, limit: 2 }))).toEqual([]);
    expect((await collect(log.readAll({ after: null, limit: 1 })))[0]?.position).toBe(1n);
  });

  test("omits system events from $all, its head and subscriptions", async () => {
    const { log, logUrl } = running;
    const other = EventStoreDBClient.connectionString(logUrl);
    const before = await log.head();
    const stream = newStream();
    await log.append(stream, [newEvent("first")], "no_stream");
    await other.appendToStream("$server", jsonEvent({ type: "Stats", data: {} }));
    await other.appendToStream(newStream(), jsonEvent({ type: "$link", data: {} }));
    const { position } = await log.append(stream, [newEvent("second")], 0n);
    for (let i = 0; i < 5; i += 1) {
      await other.appendToStream("$server", binaryEvent({ type: "Stats", data: Uint8Array.of(1) }));
    }
    await other.dispose();
    const data = (events: { data: unknown }[]) => events.map((e) => e.data);
    expect(data(await collect(log.readAll({ after: before })))).toEqual(["first", "second"]);
    expect(data(await collect(log.readAll({ after: before, limit: 2 })))).toEqual([
      "first",
      "second",
    ]);
    expect(await log.head()).toBe(position);
    const live = takeUntil(log.subscribeAll({ after: before }), (taken) => taken.length === 2);
    expect(data(await live)).toEqual(["first", "second"]);
  });

  test("delivers history and live events once, until the subscription is closed", async () => {
    const { log } = running;
    const before = await log.head();
    const stream = newStream();
    await log.append(stream, [newEvent(0)], "no_stream");
    const subscription = log.subscribeAll({ after: before });
    const seen: unknown[] = [];
    const loop = (async () => {
      for await (const event of subscription) {
        seen.push(event.data);
        if (seen.length === 50) await subscription.close();
      }
    })();
    for (let i = 1; i < 50; i += 1) await log.append(stream, [newEvent(i)], BigInt(i - 1));
    await loop;
    expect(seen).toEqual(Array.from({ length: 50 }, (_, i) => i));
    await subscription.close();
  });

  test("ends the loop of a subscription that is closed while it waits", async () => {
    const { log } = running;
    const subscription = log.subscribeAll({ after: await log.head() });
    const loop = collect(subscription);
    await subscription.close();
    expect(await loop).toEqual([]);
  });

  test("answers each of more concurrent callers than are admitted", async () => {
    const { log } = running;
    const streams = Array.from({ length: 200 }, newStream);
    const answers = await Promise.all(
      streams.map((s) => log.append(s, [newEvent(s)], "no_stream")),
    );
    expect(new Set(answers.map((a) => a.position)).size).toBe(200);
  });
});
