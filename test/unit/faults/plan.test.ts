import { describe, expect, it } from "vitest";
import { links, mayRepeatMail, planRound, victims, wordsOf } from "../../faults/plan.ts";

const subjectOf = (fault: ReturnType<typeof planRound>["faults"][number]) =>
  "victim" in fault ? fault.victim : fault.link;

describe("plan of a round of faults", () => {
  it("depends only on the seed", () => {
    expect(planRound(4_711)).toEqual(planRound(4_711));
    expect(planRound(4_711)).not.toEqual(planRound(4_711 + victims.length + links.length));
  });

  it("kills each part and cuts each wire within few consecutive seeds", () => {
    const all = [...victims, ...links];
    const first = all.map((_, n) => planRound(1_000 + n).faults[0]);
    expect(new Set(first.map((fault) => fault && subjectOf(fault)))).toEqual(new Set(all));
  });

  it("targets each thing at most once per round, with limits, and covers every kind of cut", () => {
    const rounds = Array.from({ length: 500 }, (_, seed) => planRound(seed));
    const faults = rounds.flatMap((round) => round.faults);
    for (const round of rounds) {
      const subjects = round.faults.map(subjectOf);
      expect(new Set(subjects).size).toBe(subjects.length);
    }
    expect(Math.max(...faults.map(({ atMs }) => atMs))).toBeLessThanOrEqual(4_000);
    const cuts = faults.flatMap((fault) => ("link" in fault ? [fault] : []));
    expect(Math.max(...cuts.map(({ forMs }) => forMs))).toBeLessThanOrEqual(3_000);
    expect(new Set(cuts.map(({ how }) => how)).size).toBe(5);
    expect(rounds.some(({ rebuilds }) => rebuilds)).toBe(true);
  });

  it("describes each fault and whether it may repeat a mail", () => {
    const killed = { victim: "database", atMs: 1_250 } as const;
    const cut = { link: "service~bus", how: "late", atMs: 20, forMs: 300 } as const;
    expect([killed, cut].map(wordsOf)).toEqual([
      "database killed at 1.25 s",
      "service~bus late at 0.02 s for 0.30 s",
    ]);
    const round = { seed: 1, rebuilds: false };
    expect(mayRepeatMail({ ...round, faults: [cut] })).toBe(false);
    expect(mayRepeatMail({ ...round, faults: [cut, killed] })).toBe(true);
  });
});
