import { describe, expect, it } from "vitest";
import { runPairs, shuffled } from "../../../bench/harness/pairs.ts";
import { seededRandom } from "../../../bench/harness/statistics.ts";

/** Plays both sides and notes who was called when. */
const play = async (options: {
  pairs: number;
  warmUps?: number;
  budgetMs?: number;
  tick?: number;
}) => {
  const calls: string[] = [];
  let clock = 0;
  const leg = (name: string) => async () => {
    calls.push(name);
    clock += options.tick ?? 0;
    return calls.length;
  };
  const samples = await runPairs({
    pairs: options.pairs,
    warmUps: options.warmUps ?? 0,
    budgetMs: options.budgetMs ?? 1_000,
    random: seededRandom(3),
    ours: leg("ours"),
    peer: leg("peer"),
    now: () => clock,
  });
  return { calls, samples };
};

describe("runPairs", () => {
  it("given 30 pairs, then each round has ours once and the peer twice, in orders that change", async () => {
    const { calls, samples } = await play({ pairs: 30 });
    expect(calls).toHaveLength(90);
    const rounds = Array.from({ length: 30 }, (_, n) => calls.slice(3 * n, 3 * n + 3));
    for (const round of rounds) expect([...round].sort()).toEqual(["ours", "peer", "peer"]);
    expect(new Set(rounds.map((round) => round.indexOf("ours")))).toEqual(new Set([0, 1, 2]));
    expect(samples.ours).toHaveLength(30);
    expect(samples.peer).toHaveLength(30);
    expect(samples.again).toHaveLength(30);
  });

  it("given warm-ups, then both sides are warmed and nothing of it is kept", async () => {
    const { calls, samples } = await play({ pairs: 1, warmUps: 2 });
    expect(calls.slice(0, 4)).toEqual(["ours", "peer", "ours", "peer"]);
    expect(Math.min(...samples.ours, ...samples.peer, ...samples.again)).toBe(5);
  });

  it("given a time that is over, then no further round begins, and at least three were measured", async () => {
    expect((await play({ pairs: 30, budgetMs: 100, tick: 10 })).samples.ours).toHaveLength(4);
    expect((await play({ pairs: 30, budgetMs: 1, tick: 10 })).samples.ours).toHaveLength(3);
  });
});

describe("shuffled", () => {
  it("given things, then all are there still, in every order over time", () => {
    const random = seededRandom(5);
    const orders = Array.from({ length: 200 }, () => shuffled(["a", "b", "c"], random).join(""));
    expect(new Set(orders).size).toBe(6);
  });
});
