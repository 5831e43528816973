import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Append } from "../../../src/eventstore/records.ts";
import { createConflictQueue } from "../../../src/eventstore/write/conflictQueue.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const append = (revision: number | "any" = 0, stream = "s"): Append => ({
  stream,
  expected: revision === "any" ? { kind: "any" } : { kind: "revision", revision },
  events: [
    {
      id: randomUUID(),
      type: "T",
      isJson: true,
      data: new Uint8Array(),
      metadata: new Uint8Array(),
    },
  ],
});

/** A conflict queue and the names of the answered callers, in order. */
const given = () => {
  const answered: string[] = [];
  const wake = vi.fn();
  const queue = createConflictQueue(wake);
  const hold = (name: string, one: Append, deadline?: number) =>
    queue.hold(one, deadline, () => answered.push(name));
  return { ...queue, hold, answered, wake };
};

describe("conflicting appends to one stream", () => {
  test("answers the first conflict at once and reserves the stream for its caller", () => {
    const { hold, mustWait, answered } = given();
    const first = append();
    hold("first", first);
    expect(answered).toEqual(["first"]);
    expect(mustWait(append(1))).toBe(true);
    expect(mustWait({ ...first, expected: { kind: "revision", revision: 7 } })).toBe(false);
    expect(mustWait(append(1))).toBe(false);
  });

  test("answers the next conflict after the previous caller has written", () => {
    const { hold, mustWait, recordWrite, answered } = given();
    const [a, b, c] = [append(), append(), append()];
    hold("a", a);
    hold("b", b);
    hold("c", c);
    expect(answered).toEqual(["a"]);
    expect(mustWait(a)).toBe(false);
    recordWrite(a);
    vi.advanceTimersByTime(4);
    expect(answered).toEqual(["a", "b"]);
    expect(mustWait(b)).toBe(false);
    recordWrite(b);
    vi.advanceTimersByTime(4);
    expect(answered).toEqual(["a", "b", "c"]);
  });

  test("gives the next caller its turn after eight writes in a row", () => {
    const { hold, mustWait, recordWrite, answered } = given();
    const [a, b] = [append(), append()];
    hold("a", a);
    hold("b", b);
    mustWait(a);
    for (let n = 0; n < 7; n += 1) recordWrite(append(n));
    expect(answered).toEqual(["a"]);
    recordWrite(append(7));
    expect(answered).toEqual(["a", "b"]);
  });

  test("stops reserving the stream after two missed reservations and answers all callers soon", () => {
    const { hold, mustWait, answered, wake } = given();
    for (const name of ["a", "b", "c", "d"]) hold(name, append());
    vi.advanceTimersByTime(29);
    expect(mustWait(append(1))).toBe(true);
    vi.advanceTimersByTime(100);
    expect(answered).toEqual(["a", "b", "c", "d"]);
    expect(wake).toHaveBeenCalledTimes(2);
    expect(mustWait(append(1))).toBe(false);
  });

  test("extends the reservation after a caller returns too late", () => {
    const { hold, mustWait, recordWrite } = given();
    const [a, b, c] = [append(), append(), append()];
    hold("a", a);
    hold("b", b);
    hold("c", c);
    vi.advanceTimersByTime(40);
    expect(mustWait(b)).toBe(false);
    expect(mustWait(a)).toBe(false);
    recordWrite(b);
    // Without the extension, the reservation for c would end after 30 ms.
    vi.advanceTimersByTime(50);
    expect(mustWait(a)).toBe(true);
  });

  test("answers a caller with a near deadline out of order", () => {
    const { hold, mustWait, recordWrite, answered } = given();
    const [a, b, c] = [append(), append(), append()];
    hold("a", a);
    hold("b", b);
    hold("c", c, Date.now() + 50);
    mustWait(a);
    recordWrite(a);
    vi.advanceTimersByTime(4);
    expect(answered).toEqual(["a", "b", "c"]);
  });

  test("never holds appends to other streams, without a revision or without events", () => {
    const { hold, mustWait, answered } = given();
    hold("a", append());
    expect(mustWait(append("any"))).toBe(false);
    expect(mustWait(append(1, "another"))).toBe(false);
    hold("any", append("any"));
    const nothing: Append = { ...append(), events: [] };
    expect(mustWait(nothing)).toBe(true);
    hold("nothing", nothing);
    expect(answered).toEqual(["a", "any", "nothing"]);
  });

  test("lets a deletion pass while the stream is not reserved", () => {
    const { hold, mustWait } = given();
    const one = append();
    hold("one", one);
    expect(mustWait(one)).toBe(false);
    expect(mustWait({ ...append(1), events: [], deletion: "soft" })).toBe(false);
  });

  test("answers all callers when the log stops", () => {
    const { hold, answered, releaseAll } = given();
    for (const name of ["a", "b", "c"]) hold(name, append());
    releaseAll();
    expect(answered).toEqual(["a", "b", "c"]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
