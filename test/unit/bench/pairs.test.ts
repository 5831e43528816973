import { describe, expect, it } from "vitest";
import { runPairs, shuffled } from "../../../bench/harness/pairs.ts";
import { seededRandom } from "../../../bench/harness/statistics.ts";

/** Records the order of the calls. */
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
  it("measures the service once and the peer twice per round, in random order", async () => {
    const { calls, samples } = await play({ pairs: 30 });
    expect(calls).toHaveLength(90);
    const rounds = Array.from({ length: 30 }, (_, n) => calls.slice(3 * n, 3 * n + 3));
    for (const round of rounds) expect([...round].sort()).toEqual(["ours", "peer", "peer"]);
    expect(new Set(rounds.map((round) => round.indexOf("ours")))).toEqual(new Set([0, 1, 2]));
    expect(samples.ours).toHaveLength(30);
    expect(samples.peer).toHaveLength(30);
    expect(samples.again).toHaveLength(30);
  });

  it("warms up both sides and discards the samples", async () => {
    const { calls, samples } = await play({ pairs: 1, warmUps: 2 });
    expect(calls.slice(0, 4)).toEqual(["ours", "peer", "ours", "peer"]);
    expect(Math.min(...samples.ours, ...samples.peer, ...samples.again)).toBe(5);
  });

  it("starts no round after the time budget, but measures at least three", async () => {
    expect((await play({ pairs: 30, budgetMs: 100, tick: 10 })).samples.ours).toHaveLength(4);
    expect((await play({ pairs: 30, budgetMs: 1, tick: 10 })).samples.ours).toHaveLength(3);
  });
});

describe("shuffled", () => {
  it("returns every item, in every possible order", () => {
    const random = seededRandom(5);
    const orders = Array.from({ length: 200 }, () => shuffled(["a", "b", "c"], random).join(""));
    expect(new Set(orders).size).toBe(6);
  });
});
