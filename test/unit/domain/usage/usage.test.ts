import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fold } from "../../../../src/domain/kernel/decider.ts";
import { periodOf, resetOf } from "../../../../src/domain/usage/period.ts";
import type { Principal } from "../../../../src/domain/usage/spender.ts";
import {
  refusalOf,
  type UsageCommand,
  type UsageEvent,
  usageDecider,
} from "../../../../src/domain/usage/usage.ts";
import { scenario } from "../../../support/scenario.ts";

const idOf = (n: number) => `019a0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const ci: Principal = { type: "api_key", id: idOf(900), name: "ci" };
const ada: Principal = { type: "user", id: idOf(901) };
const planEventId = idOf(999);
const resetsAt = "2025-12-01T00:00:00.000Z";

type Reserve = Extract<UsageCommand, { type: "reserve" }>;
const reserve = (
  runs: readonly (readonly [run: number, units: number])[],
  options: { by?: Principal; limit?: number; refusal?: number; minute?: string } = {},
): Reserve => ({
  type: "reserve",
  runs: runs.map(([run, units]) => ({ runId: idOf(run), units })),
  by: options.by ?? ci,
  limit: options.limit ?? 10,
  planEventId,
  refusal: {
    refusalId: idOf(options.refusal ?? 800),
    minute: options.minute ?? "2025-11-21T10:00",
    resetsAt,
    count: 1,
  },
});
const use = (run: number, execution: number): UsageCommand => ({
  type: "use",
  runId: idOf(run),
  executionId: idOf(execution),
});
const release = (run: number, execution: number | null): UsageCommand => ({
  type: "release",
  runId: idOf(run),
  executionId: execution === null ? null : idOf(execution),
  reason: "never started",
});
const reserved = (
  runs: readonly (readonly [number, number])[],
  totals: { used: number; reserved: number },
  by = ci,
): UsageEvent => ({
  type: "RunsReserved",
  data: {
    runs: runs.map(([run, units]) => ({ runId: idOf(run), units })),
    by,
    limit: 10,
    planEventId,
    ...totals,
  },
});
const used = (
  run: number,
  execution: number,
  totals: { used: number; reserved: number },
): UsageEvent => ({
  type: "ReservationUsed",
  data: { runId: idOf(run), executionId: idOf(execution), ...totals },
});
const released = (
  run: number,
  execution: number | null,
  units: number,
  totals: { used: number; reserved: number },
): UsageEvent => ({
  type: "ReservationReleased",
  data: {
    runId: idOf(run),
    executionId: execution === null ? null : idOf(execution),
    units,
    reason: "never started",
    ...totals,
  },
});

const usage = scenario(usageDecider);

describe("reserving runs", () => {
  it("reserves a request that fits, once", () => {
    const event = reserved(
      [
        [1, 4],
        [2, 6],
      ],
      { used: 0, reserved: 10 },
    );
    const command = reserve([
      [1, 4],
      [2, 6],
    ]);
    usage.given([]).when(command).then([event]);
    usage.given([event]).when(command).thenNothing();
  });

  it("reserves nothing if only a part fits, and records a receipt", () => {
    const history = [
      reserved([[1, 5]], { used: 0, reserved: 5 }, ada),
      reserved([[2, 2]], { used: 0, reserved: 7 }),
      used(1, 11, { used: 1, reserved: 6 }),
    ];
    const command = reserve([
      [3, 1],
      [4, 3],
    ]);
    usage
      .given(history)
      .when(command)
      .then([
        {
          type: "RunsRefused",
          data: {
            refusalId: idOf(800),
            rule: "monthlyRuns",
            by: ci,
            requested: 4,
            limit: 10,
            used: 1,
            reserved: 6,
            usedBy: [
              { by: ada, units: 5 },
              { by: ci, units: 2 },
            ],
            planEventId,
            resetsAt,
            minute: "2025-11-21T10:00",
            count: 1,
          },
        },
      ]);
  });

  it("records one receipt per principal and minute", () => {
    const full = reserved([[1, 10]], { used: 0, reserved: 10 });
    const [refused] = usageDecider.decide(reserve([[2, 1]]), fold(usageDecider, [full]));
    if (!refused) throw new Error("it was not refused");
    const history = [full, refused];
    const again = reserve([[3, 1]], { refusal: 801 });
    usage.given(history).when(again).thenNothing();
    const receipt = refusalOf(again, { state: fold(usageDecider, history), events: [] });
    expect(receipt?.refusalId).toBe(idOf(800));

    const state = fold(usageDecider, history);
    const later = reserve([[3, 1]], { refusal: 802, minute: "2025-11-21T10:01" });
    const other = reserve([[3, 1]], { refusal: 803, by: ada });
    for (const command of [later, other]) {
      const [event] = usageDecider.decide(command, state);
      expect(event?.data).toMatchObject({ refusalId: command.refusal.refusalId });
    }
  });

  it("refuses every request while usage exceeds the plan", () => {
    const history = [reserved([[1, 10]], { used: 0, reserved: 10 })];
    const [event] = usageDecider.decide(
      reserve([[2, 1]], { limit: 5 }),
      fold(usageDecider, history),
    );
    expect(event?.type).toBe("RunsRefused");
  });
});

describe("using and releasing units", () => {
  const open = reserved([[1, 2]], { used: 0, reserved: 2 });
  const ofFirst = { runId: idOf(1), executionId: idOf(11) };

  it("uses the unit of a claimed execution, once", () => {
    const event = used(1, 11, { used: 1, reserved: 1 });
    usage.given([open]).when(use(1, 11)).then([event]);
    usage.given([open, event]).when(use(1, 11)).thenNothing();
    usage.given([open, event]).when(release(1, 11)).thenNothing();
  });

  it("releases the unit of an unclaimed execution, once", () => {
    const event = released(1, 11, 1, { used: 0, reserved: 1 });
    usage.given([open]).when(release(1, 11)).then([event]);
    usage.given([open, event]).when(release(1, 11)).thenNothing();
    usage.given([open, event]).when(use(1, 11)).thenNothing();
  });

  it("releases the rest of a run that was not queued, once", () => {
    const first = used(1, 11, { used: 1, reserved: 1 });
    const rest = released(1, null, 1, { used: 1, reserved: 0 });
    usage.given([open, first]).when(release(1, null)).then([rest]);
    usage.given([open, first, rest]).when(release(1, null)).thenNothing();
    usage.given([open, first, rest]).when(use(1, 12)).thenNothing();
  });

  it("refunds a used unit to its principal, once", () => {
    const first = used(1, 11, { used: 1, reserved: 1 });
    const second = used(1, 12, { used: 2, reserved: 0 });
    const refund = { ...ofFirst, type: "refund", by: ci, reason: "Lost." } as const;
    const refunded = (totals: { used: number; reserved: number }): UsageEvent => ({
      type: "UnitRefunded",
      data: { ...ofFirst, by: ci, reason: "Lost.", ...totals },
    });
    const early = refunded({ used: 0, reserved: 1 });
    const late = refunded({ used: 1, reserved: 0 });
    usage.given([open]).when(refund).thenNothing();
    usage.given([open, first]).when(refund).then([early]);
    usage.given([open, first, second]).when(refund).then([late]);
    usage.given([open, first, early, second]).when(refund).thenNothing();
    usage.given([open, first, second, late]).when(refund).thenNothing();
    const { spenders } = fold(usageDecider, [open, first, second, late]);
    expect([...spenders.values()]).toEqual([{ by: ci, units: 1 }]);
  });

  it("records nothing for a run without a reservation", () => {
    usage.given([]).when(use(1, 11)).thenNothing();
    usage.given([]).when(release(1, null)).thenNothing();
  });
});

describe("limit under interleaved requests", () => {
  const runs = fc.integer({ min: 1, max: 6 });
  const command = fc.oneof(
    fc.record({
      type: fc.constant("reserve" as const),
      run: runs,
      units: fc.integer({ min: 1, max: 5 }),
    }),
    fc.record({
      type: fc.constant("use" as const),
      run: runs,
      execution: fc.integer({ min: 1, max: 5 }),
    }),
    fc.record({
      type: fc.constant("release" as const),
      run: runs,
      execution: fc.option(fc.integer({ min: 1, max: 5 })),
    }),
  );

  it("is never exceeded, and every unit is settled once", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 12 }),
        fc.array(command, { maxLength: 80 }),
        (limit, all) => {
          let state = usageDecider.initial;
          let serial = 0;
          let nextRun = 100;
          const sizes = new Map<number, { id: number; units: number }>();
          let [reservedUnits, usedUnits] = [0, 0];
          for (const one of all) {
            let run = sizes.get(one.run);
            let asked: UsageCommand;
            if (one.type === "reserve") {
              nextRun += 100;
              run = { id: nextRun, units: one.units };
              serial += 1;
              asked = reserve([[run.id, run.units]], {
                limit,
                refusal: 10_000 + serial,
                minute: String(serial),
              });
            } else {
              if (!run) continue;
              const execution =
                one.execution === null ? null : run.id + 1 + (one.execution % run.units);
              asked = one.type === "use" ? use(run.id, execution ?? 0) : release(run.id, execution);
            }
            const events = usageDecider.decide(asked, state);
            state = events.reduce(usageDecider.evolve, state);
            // A repeated request records nothing.
            const again = usageDecider.decide(asked, state);
            if (events[0]?.type !== "RunsReserved" || state.open.has(idOf(run?.id ?? 0))) {
              expect(again).toEqual([]);
            }
            for (const event of events) {
              if (event.type === "RunsReserved") {
                reservedUnits += event.data.runs[0]?.units ?? 0;
                if (run) sizes.set(one.run, run);
              }
              if (event.type === "ReservationUsed") {
                reservedUnits -= 1;
                usedUnits += 1;
              }
              if (event.type === "ReservationReleased") reservedUnits -= event.data.units;
              expect(event.data).toMatchObject({ used: usedUnits, reserved: reservedUnits });
            }
            expect(usedUnits + reservedUnits).toBeLessThanOrEqual(limit);
            expect(Math.min(usedUnits, reservedUnits)).toBeGreaterThanOrEqual(0);
            expect(state).toMatchObject({ used: usedUnits, reserved: reservedUnits });
            const spent = [...state.spenders.values()].reduce((sum, { units }) => sum + units, 0);
            expect(spent).toBe(usedUnits + reservedUnits);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("months", () => {
  it("are UTC months", () => {
    expect(periodOf("2025-11-30T23:59:59.999Z")).toBe("202511");
    expect(resetOf("202511")).toBe("2025-12-01T00:00:00.000Z");
    expect(resetOf("202512")).toBe("2026-01-01T00:00:00.000Z");
  });
});
