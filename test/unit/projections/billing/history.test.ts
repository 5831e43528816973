import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planDecider } from "../../../../src/domain/billing/plan.ts";
import { historyStart, nextLine, type PlanLine } from "../../../../src/domain/billing/planLines.ts";
import { countLine, type Mark, noMarking } from "../../../../src/domain/billing/planMarks.ts";
import { currentPlan } from "../../../../src/domain/billing/planState.ts";
import type { EventLog, RecordedEvent } from "../../../../src/platform/eventLog/port.ts";
import { billingHistory } from "../../../../src/projections/billing/history.ts";
import type { PlanMarks } from "../../../../src/projections/billing/marks.ts";

const id = (n: number): string => `019a0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
const plans = ["free", "starter", "team", "business"] as const;

/** A log of one growing stream. `reads` counts the events read. */
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

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** All lines of a history. */
const linesOf = (events: readonly RecordedEvent[]): readonly PlanLine[] => {
  let reached = historyStart;
  return events.map((event) => {
    const next = nextLine(reached, event, digest);
    reached = next.reached;
    return next.line;
  });
};

/** The marks of a read model. `lost`: marks are missing when they are read. */
const marksOf = (events: () => readonly RecordedEvent[], lost = false): PlanMarks => {
  const made = (): Mark[] => {
    let state = planDecider.initial;
    let marking = noMarking;
    const all: Mark[] = [];
    for (const event of events()) {
      const { type, data } = event;
      state = planDecider.evolve(state, planDecider.codec.decode({ type, data, schemaVersion: 1 }));
      const counted = countLine(marking, event, state, digest);
      marking = counted.marking;
      if (counted.mark) all.push(counted.mark);
    }
    return all;
  };
  return {
    boundsOf: async () => made().map(({ bounds }) => bounds),
    reachedAt: async (_, sequences) =>
      new Map(
        made()
          .filter(({ reached }) => !lost && sequences.includes(reached.sequence))
          .map(({ reached }) => [reached.sequence, reached]),
      ),
  };
};

/** A granted or bought plan with its times of occurrence and recording. */
const happened = (nth: number, occurred: number, plan: number): RecordedEvent => ({
  id: id(nth),
  stream: `plan-${id(0)}`,
  revision: BigInt(nth),
  position: BigInt(nth),
  ...eventOf(nth, plans[plan % 4] ?? "free", at(occurred)),
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

const eventOf = (nth: number, plan: (typeof plans)[number], occurredAt: string) => {
  const terms = { plan, interval: null };
  const period = { start: at(0), end: at(90) };
  // A request stays open until the next event, also across a mark.
  const changeId = id(nth - (nth % 3));
  const fact = {
    ...{ provider: "provider-a", eventId: `evt_${nth}`, subscriptionId: `sub_${nth % 2}` },
    ...{ occurredAt, terms, period, standing: { kind: "active" } },
  };
  if (nth % 3 === 2)
    return {
      type: "PlanGranted",
      data: { changeId: id(nth), plan, reason: "because", until: null },
    };
  if (nth % 3 === 0) {
    const asked = { changeId, from: { plan: "free", interval: null }, to: terms, timing: "now" };
    const when = { effectiveAt: occurredAt, expiresAt: at(1_000) };
    return { type: "PlanChangeCreated", data: { ...asked, ...when, dueCents: 0, lines: [] } };
  }
  const applied = { setBy: id(nth), changeId, to: terms, period, fact, endsGrant: nth % 2 === 1 };
  return { type: "PlanChangeApplied", data: { ...applied, subscriptionId: fact.subscriptionId } };
};

describe("plan history read from marks", () => {
  it("equals a fold of all seen events for any bitemporal bounds", async () => {
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
        fc.record({ behind: fc.nat(300), lost: fc.boolean() }),
        async (grants, questions, { behind, lost }) => {
          const all = grants.map(({ late, plan }, nth) =>
            happened(nth, Math.max(0, nth - late), plan),
          );
          const there = all.slice(0, Math.ceil(all.length / 2));
          const { log } = logOf(there);
          const marked = () => there.slice(0, Math.max(0, there.length - behind));
          const history = billingHistory(log, marksOf(marked, lost));
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
            expect(told.planAt.plan).toBe(currentPlan(state).plan);
            const asked = linesOf(there).filter(
              ({ id: one, metadata: { occurred_at } }) =>
                seen.some((event) => event.id === one) &&
                (range.from === null || occurred_at >= range.from) &&
                (range.to === null || occurred_at < range.to),
            );
            const newest = limit === null ? asked : asked.slice(-limit);
            expect(told.lines).toEqual(newest);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it("reads only the requested lines of a long history", async () => {
    const events = Array.from({ length: 5_000 }, (_, nth) => happened(nth, nth, nth));
    const { log, counted } = logOf(events);
    const range = { asOf: at(4_000), knownAt: null, from: null, to: null, limit: 3 };
    const told = await billingHistory(
      log,
      marksOf(() => events),
    ).historyOf(id(0), range);
    expect(told.lines).toEqual(linesOf(events).slice(3_998, 4_001));
    expect(counted.reads).toBeLessThan(600);
  });
});
