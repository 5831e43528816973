import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EventLog } from "../../../src/platform/eventLog/port.ts";
import { newId } from "../../../src/platform/ids.ts";
import { billingHistory, type HistoryRange } from "../../../src/projections/billing/history.ts";
import { planMarks } from "../../../src/projections/billing/marks.ts";
import { billingProjection } from "../../../src/projections/billing/projection.ts";
import { type ProjectionKit, startProjectionKit } from "../../support/projectionKit.ts";

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
const plans = ["free", "starter", "team", "business"] as const;
const nobody = { boundsOf: async () => [], reachedAt: async () => new Map() };

describe("plan history with marks", () => {
  let kit: ProjectionKit;
  beforeAll(async () => {
    kit = await startProjectionKit();
  });
  afterAll(() => kit.stop());

  /** Appends grants. Every tenth is recorded late. */
  const grant = (organizationId: string, from: number, count: number) =>
    kit.log.append(
      `plan-${organizationId}`,
      Array.from({ length: count }, (_, index) => {
        const nth = from + index;
        const id = newId();
        const plan = plans[nth % plans.length];
        return {
          id,
          type: "PlanGranted",
          // The shape of older events without `until`: the stored data are hashed, not the decoded ones.
          data: { plan, changeId: id, reason: "because" },
          metadata: {
            $correlationId: id,
            $causationId: id,
            actor: { type: "system", id: "test" },
            organization_id: organizationId,
            occurred_at: at(nth % 10 === 0 ? Math.max(0, nth - 200) : nth),
            recorded_at: at(nth),
            schema_version: 1,
          },
        };
      }),
      "any",
    );

  it("equals the full history from a few events", async () => {
    const organizationId = newId();
    const { positions } = await kit.start([billingProjection]);
    const caughtUp = async (position: bigint) =>
      expect(await positions.waitFor(["billing"], position, 60_000)).toBe(true);
    for (const [from, count] of [
      [0, 1],
      [1, 300],
      [301, 83],
      [384, 1_000],
    ] as const) {
      await caughtUp((await grant(organizationId, from, count)).position);
    }
    await grant(organizationId, 1_384, 40);

    let reads = 0;
    const counting: Pick<EventLog, "readStream"> = {
      async *readStream(stream, options) {
        for await (const event of kit.log.readStream(stream, options)) {
          reads += 1;
          yield event;
        }
      },
    };
    const { historyOf } = billingHistory(counting, planMarks(kit.db));
    const byTheLog = billingHistory(kit.log, nobody);
    const all: HistoryRange = { asOf: null, knownAt: null, from: null, to: null, limit: null };
    for (const range of [
      { ...all, asOf: at(1_201), limit: 20 },
      { ...all, limit: 20 },
      { ...all, from: at(700), to: at(720), limit: 5 },
    ]) {
      reads = 0;
      expect(await historyOf(organizationId, range)).toEqual(
        await byTheLog.historyOf(organizationId, range),
      );
      expect(reads).toBeLessThan(1_000);
    }
    for (const range of [all, { ...all, asOf: at(900), knownAt: at(1_000) }]) {
      expect(await historyOf(organizationId, range)).toEqual(
        await byTheLog.historyOf(organizationId, range),
      );
    }
  });
});
