import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type UsageCommand,
  type UsageEvent,
  usageDecider,
} from "../../../../src/domain/usage/usage.ts";
import { usageUnder } from "../../../../src/domain/usage/whatIf.ts";

const id = (n: number): string => `019a0000-0000-7000-8000-${String(n).padStart(12, "0")}`;

/** Simulates a month under a limit with the decider. */
const live = (
  asks: readonly { readonly units: number; readonly gives: boolean }[],
  limit: number,
) => {
  let state = usageDecider.initial;
  const events: { event: UsageEvent; at: string }[] = [];
  for (const [nth, { units, gives }] of asks.entries()) {
    const at = new Date(Date.UTC(2026, 0, 1, 0, nth)).toISOString();
    const run = (command: UsageCommand) => {
      for (const event of usageDecider.decide(command, state)) {
        state = usageDecider.evolve(state, event);
        events.push({ event, at });
      }
    };
    run({
      type: "reserve",
      runs: [{ runId: id(nth), units }],
      by: { type: "user", id: "somebody" },
      limit,
      planEventId: null,
      refusal: { refusalId: id(10_000 + nth), minute: at.slice(0, 16), resetsAt: at, count: 1 },
    });
    if (gives) run({ type: "release", runId: id(nth), executionId: null, reason: "Cancelled." });
  }
  return { state, events };
};

describe("a month under another limit", () => {
  it("matches the log under its own limit and a simulation under another one", () => {
    const asks = fc.array(
      fc.record({ units: fc.integer({ min: 1, max: 9 }), gives: fc.boolean() }),
      {
        maxLength: 30,
      },
    );
    const limit = fc.integer({ min: 0, max: 60 });
    fc.assert(
      fc.property(asks, limit, limit, (asked, own, other) => {
        const month = live(asked, own);
        const refused = month.events.filter(({ event }) => event.type === "RunsRefused");
        const same = usageUnder(month.events, own);
        expect(same).toMatchObject({
          held: month.state.used + month.state.reserved,
          refusedRequests: refused.length,
          allowedInstead: 0,
          firstRefusedAt: refused[0]?.at ?? null,
        });
        // Only reserved units are released.
        const kept = month.events.flatMap(({ event }) =>
          event.type === "ReservationReleased" ? [event.data.runId] : [],
        );
        const again = asked.map(({ units }, nth) => ({ units, gives: kept.includes(id(nth)) }));
        const then = live(again, other);
        expect(usageUnder(month.events, other)).toMatchObject({
          asked: asked.reduce((sum, { units }) => sum + units, 0),
          held: then.state.used + then.state.reserved,
          refusedRequests: then.events.filter(({ event }) => event.type === "RunsRefused").length,
        });
      }),
    );
  });
});
