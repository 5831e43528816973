import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Append } from "../../../src/eventstore/records.ts";
import { createTurnstile } from "../../../src/eventstore/write/conflictQueue.ts";

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

/** A turnstile, and the names of those who were told that they were refused, in their order. */
const given = () => {
  const told: string[] = [];
  const wake = vi.fn();
  const turnstile = createTurnstile(wake);
  const refuse = (name: string, one: Append, deadline?: number) =>
    turnstile.refuse(one, deadline, () => told.push(name));
  return { ...turnstile, refuse, told, wake };
};

describe("appends to one stream at a revision", () => {
  test("given one that was refused, then it is told at once, and the stream is kept for it for a moment", () => {
    const { refuse, bars, told } = given();
    const first = append();
    refuse("first", first);
    expect(told).toEqual(["first"]);
    expect(bars(append(1))).toBe(true);
    expect(bars({ ...first, expected: { kind: "revision", revision: 7 } })).toBe(false);
    expect(bars(append(1))).toBe(false);
  });

  test("given several that were refused, then each is told when the one before it has written", () => {
    const { refuse, bars, wrote, told } = given();
    const [a, b, c] = [append(), append(), append()];
    refuse("a", a);
    refuse("b", b);
    refuse("c", c);
    expect(told).toEqual(["a"]);
    expect(bars(a)).toBe(false);
    wrote(a);
    vi.advanceTimersByTime(4);
    expect(told).toEqual(["a", "b"]);
    expect(bars(b)).toBe(false);
    wrote(b);
    vi.advanceTimersByTime(4);
    expect(told).toEqual(["a", "b", "c"]);
  });

  test("given a writer that goes on at once, then it writes eight times before the next has its turn", () => {
    const { refuse, bars, wrote, told } = given();
    const [a, b] = [append(), append()];
    refuse("a", a);
    refuse("b", b);
    bars(a);
    for (let n = 0; n < 7; n += 1) wrote(append(n));
    expect(told).toEqual(["a"]);
    wrote(append(7));
    expect(told).toEqual(["a", "b"]);
  });

  test("given those who do not come back, then the stream is kept for two of them, and all are told soon", () => {
    const { refuse, bars, told, wake } = given();
    for (const name of ["a", "b", "c", "d"]) refuse(name, append());
    vi.advanceTimersByTime(29);
    expect(bars(append(1))).toBe(true);
    vi.advanceTimersByTime(100);
    expect(told).toEqual(["a", "b", "c", "d"]);
    expect(wake).toHaveBeenCalledTimes(2);
    expect(bars(append(1))).toBe(false);
  });

  test("given one that comes back too late, then the stream is kept for longer", () => {
    const { refuse, bars, wrote } = given();
    const [a, b, c] = [append(), append(), append()];
    refuse("a", a);
    refuse("b", b);
    refuse("c", c);
    vi.advanceTimersByTime(40);
    expect(bars(b)).toBe(false);
    expect(bars(a)).toBe(false);
    wrote(b);
    // For b it would have been kept for 30 ms, and so it would for c.
    vi.advanceTimersByTime(50);
    expect(bars(a)).toBe(true);
  });

  test("given a caller whose deadline is near, then it is told with the next, whoever is before it", () => {
    const { refuse, bars, wrote, told } = given();
    const [a, b, c] = [append(), append(), append()];
    refuse("a", a);
    refuse("b", b);
    refuse("c", c, Date.now() + 50);
    bars(a);
    wrote(a);
    vi.advanceTimersByTime(4);
    expect(told).toEqual(["a", "b", "c"]);
  });

  test("given another stream, or an append without a revision or an event, then its refusal does not wait", () => {
    const { refuse, bars, told } = given();
    refuse("a", append());
    expect(bars(append("any"))).toBe(false);
    expect(bars(append(1, "another"))).toBe(false);
    refuse("any", append("any"));
    const nothing: Append = { ...append(), events: [] };
    expect(bars(nothing)).toBe(true);
    refuse("nothing", nothing);
    expect(told).toEqual(["a", "any", "nothing"]);
  });

  test("given that the stream is kept for nobody, then a deletion at a revision goes on", () => {
    const { refuse, bars } = given();
    const one = append();
    refuse("one", one);
    expect(bars(one)).toBe(false);
    expect(bars({ ...append(1), events: [], deletion: "soft" })).toBe(false);
  });

  test("given that the log stops, then all are told", () => {
    const { refuse, told, flush } = given();
    for (const name of ["a", "b", "c"]) refuse(name, append());
    flush();
    expect(told).toEqual(["a", "b", "c"]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
