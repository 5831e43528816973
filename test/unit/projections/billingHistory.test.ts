import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { heldBy, planDecider } from "../../../src/domain/billing/plan.ts";
import type { EventLog, RecordedEvent } from "../../../src/platform/eventLog/port.ts";
import { billingHistory } from "../../../src/projections/billingHistory.ts";

const id = (n: number): string => `019a0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
const plans = ["free", "starter", "team", "business"] as const;

/** A log of one stream, which may grow. `reads` says how many events were asked of it. */
const logOf = (events: RecordedEvent[]) => {
  const counted = { reads: 0 };
  const log: Pick<EventLog, "readStream"> = {
    async *readStream(_, { from = 0n, limit = events.length } = {}) {
      for (const event of events.slice(Number(from), Number(from) + limit)) {
        counted.reads += 1;
        yield event;
      }
    },
  };
  return { log, counted };
};

/** A grant, which happened and was written down when it says. */
const granted = (nth: number, occurred: number, plan: number): RecordedEvent => ({
  id: id(nth),
  stream: `plan-${id(0)}`,
  revision: BigInt(nth),
  position: BigInt(nth),
  type: "PlanGranted",
  data: { changeId: id(nth), plan: plans[plan % 4], reason: "because", until: null },
  metadata: {
    $correlationId: id(1),
    $causationId: id(1),
    actor: { type: "system", id: "test" },
    organization_id: id(0),
    occurred_at: at(occurred),
    recorded_at: at(nth),
    schema_version: 1,
  },
});

describe("the history of a plan, by its index", () => {
  it("given facts that came late, when any time is asked for, then it is what a fold of all that was seen says", async () => {
    const grant = fc.record({ late: fc.nat(400), plan: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(grant, { minLength: 1, maxLength: 700 }),
        fc.array(
          fc.record({
            asOf: fc.option(fc.nat(720)),
            knownAt: fc.option(fc.nat(720)),
            from: fc.option(fc.nat(720)),
            to: fc.option(fc.nat(720)),
            limit: fc.option(fc.integer({ min: 1, max: 5 })),
            grows: fc.boolean(),
          }),
          { minLength: 1, maxLength: 4 },
        ),
        async (grants, questions) => {
          const all = grants.map(({ late, plan }, nth) =>
            granted(nth, Math.max(0, nth - late), plan),
          );
          const there = all.slice(0, Math.ceil(all.length / 2));
          const { log } = logOf(there);
          const history = billingHistory(log);
          for (const { grows, limit, ...times } of questions) {
            if (grows) there.push(...all.slice(there.length));
            const range = Object.fromEntries(
              Object.entries(times).map(([name, minute]) => [
                name,
                minute === null ? null : at(minute),
              ]),
            ) as Record<"asOf" | "knownAt" | "from" | "to", string | null>;
            const told = await history.historyOf(id(0), { ...range, limit });
            const seen = there.filter(
              ({ metadata }) =>
                (range.asOf === null || metadata.occurred_at <= range.asOf) &&
                (range.knownAt === null || metadata.recorded_at <= range.knownAt),
            );
            const state = seen.reduce(
              (before, { type, data }) =>
                planDecider.evolve(
                  before,
                  planDecider.codec.decode({ type, data, schemaVersion: 1 }),
                ),
              planDecider.initial,
            );
            expect(told.planAt.plan).toBe(heldBy(state).plan);
            const asked = seen.filter(
              ({ metadata: { occurred_at } }) =>
                (range.from === null || occurred_at >= range.from) &&
                (range.to === null || occurred_at < range.to),
            );
            const newest = limit === null ? asked : asked.slice(-limit);
            expect(told.lines.map((line) => line.id)).toEqual(newest.map((event) => event.id));
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it("given a long history that was asked for before, then a question reads the lines that it is about, and no others", async () => {
    const { log, counted } = logOf(
      Array.from({ length: 5_000 }, (_, nth) => granted(nth, nth, nth)),
    );
    const history = billingHistory(log);
    const ask = (asOf: number) =>
      history.historyOf(id(0), { asOf: at(asOf), knownAt: null, from: null, to: null, limit: 3 });
    const first = await ask(4_000);
    const before = counted.reads;
    expect(await ask(4_000)).toEqual(first);
    expect(first.lines.map(({ sequence }) => sequence)).toEqual([3_999, 4_000, 4_001]);
    expect(first.planAt.plan).toBe("free");
    expect(counted.reads - before).toBeLessThan(600);
  });
});
