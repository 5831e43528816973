import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createTail } from "../../../../src/eventstore/read/tail.ts";
import type { StoredEvent } from "../../../../src/eventstore/records.ts";

const stored = (position: number, bytes = 0): StoredEvent => ({
  id: "",
  type: "T",
  isJson: true,
  data: new Uint8Array(bytes),
  metadata: new Uint8Array(),
  position,
  stream: "s",
  revision: position - 1,
  created: "0",
});

const from = (first: number, count: number): StoredEvent[] =>
  Array.from({ length: count }, (_, i) => stored(first + i));

const never = new AbortController().signal;

describe("the tail of the log", () => {
  test("gives a subscriber exactly the events after its position", () => {
    const tail = createTail();
    tail.reset(10);
    tail.push(from(11, 5));
    expect(tail.head()).toBe(15);
    expect(tail.after(10, 100)?.map((e) => e.position)).toEqual([11, 12, 13, 14, 15]);
    expect(tail.after(13, 1)?.map((e) => e.position)).toEqual([14]);
    expect(tail.after(15, 100)).toEqual([]);
    expect(tail.after(9, 100)).toBeNull();
  });

  test("throws on a gap", () => {
    const tail = createTail();
    tail.push(from(1, 3));
    expect(() => tail.push(from(5, 1))).toThrow("does not follow");
    expect(() => tail.push(from(3, 1))).toThrow("does not follow");
  });

  test("drops the oldest events beyond its size and reports that", () => {
    const tail = createTail();
    for (let i = 0; i < 20; i += 1) tail.push(from(1 + i * 1_000, 1_000));
    expect(tail.after(0, 10)).toBeNull();
    expect(tail.after(19_990, 100)).toHaveLength(10);
    expect(tail.after(16_000, 10)?.[0]?.position).toBe(16_001);
  });

  test("holds fewer large events", () => {
    const tail = createTail();
    for (let i = 1; i <= 60; i += 1) tail.push([stored(i, 1_000_000)]);
    expect(tail.after(0, 10)).toBeNull();
    expect(tail.after(59, 10)).toHaveLength(1);
  });

  test("wakes a waiting reader on new events, on a restart and on its end", async () => {
    const tail = createTail();
    const pushed = tail.waitPast(0, never);
    tail.push(from(1, 1));
    await pushed;
    await tail.waitPast(0, never);
    const restarted = tail.waitPast(1, never);
    tail.reset(7);
    await restarted;
    const leaving = new AbortController();
    const left = tail.waitPast(7, leaving.signal);
    leaving.abort();
    await left;
  });

  test("gives each position once and in order for any interleaving", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 30 }))), (steps) => {
        const tail = createTail();
        let cursor = 0;
        let next = 1;
        const seen: number[] = [];
        for (const [count, limit] of steps) {
          tail.push(from(next, count));
          next += count;
          for (const event of tail.after(cursor, limit) ?? []) seen.push(event.position);
          cursor = seen.at(-1) ?? 0;
        }
        expect(seen).toEqual(seen.map((_, i) => i + 1));
      }),
    );
  });
});
