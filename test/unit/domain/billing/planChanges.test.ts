import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Interval, intervals } from "../../../../src/domain/billing/calendar.ts";
import { planCodes } from "../../../../src/domain/billing/catalog.ts";
import { entriesOf } from "../../../../src/domain/billing/persistentMap.ts";
import { type PlanCommand, planDecider } from "../../../../src/domain/billing/plan.ts";
import type { EventIds, PlanEvent } from "../../../../src/domain/billing/planEvents.ts";
import {
  currentPlan,
  isOpen,
  type OrganizationPlan,
} from "../../../../src/domain/billing/planState.ts";
import { nextDue } from "../../../../src/domain/billing/planTicks.ts";
import type { Terms } from "../../../../src/domain/billing/proration.ts";
import { DomainError } from "../../../../src/domain/kernel/errors.ts";
import { scenario } from "../../../support/scenario.ts";

const uuid = (n: number): string => `019a0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const ids: EventIds = [uuid(11), uuid(12), uuid(13)];
const at = "2026-04-16T00:00:00.000Z";
const period = { start: "2026-04-01T00:00:00.000Z", end: "2026-05-01T00:00:00.000Z" };
const free: Terms = { plan: "free", interval: null };
const starter: Terms = { plan: "starter", interval: "month" };
const team: Terms = { plan: "team", interval: "month" };

const started: PlanEvent = { type: "PlanStarted", data: { changeId: uuid(1), plan: "free" } };
const onTeam: PlanEvent = {
  type: "PlanChangeApplied",
  data: {
    setBy: uuid(2),
    changeId: null,
    to: team,
    period,
    subscriptionId: null,
    fact: null,
    endsGrant: false,
  },
};
const request = (to: Terms): PlanCommand => ({ type: "requestChange", changeId: uuid(5), to, at });
const created = (from: Terms, to: Terms, more: object): PlanEvent =>
  ({
    type: "PlanChangeCreated",
    data: { changeId: uuid(5), from, to, expiresAt: "2026-04-17T00:00:00.000Z", ...more },
  }) as PlanEvent;
const upgrade = created(free, team, {
  timing: "now",
  dueCents: 9900,
  lines: [{ what: "charge", cents: 9900 }],
  effectiveAt: at,
});
const downgrade = created(team, starter, {
  timing: "period_end",
  dueCents: 0,
  lines: [],
  effectiveAt: period.end,
});
const confirm: PlanCommand = {
  type: "confirmChange",
  changeId: uuid(5),
  payment: "dev",
  at,
  ids,
};
const confirmed: PlanEvent = { type: "PlanChangeConfirmed", data: { changeId: uuid(5) } };
const plan = scenario(planDecider);

describe("plan changes", () => {
  it("opens a priced request for a larger plan, once", () => {
    plan.given([started]).when(request(team)).then([upgrade]);
    plan.given([started, upgrade]).when(request(team)).thenNothing();
  });

  it("refuses a second request while one is open", () => {
    const other = { ...request(starter), changeId: uuid(6) } as PlanCommand;
    plan.given([started, upgrade]).when(other).thenRefused("plan.changeOpen");
    plan.given([onTeam]).when(request(team)).thenRefused("plan.alreadyInForce");
  });

  it("applies a confirmed upgrade without a payment provider, once", () => {
    const applied: PlanEvent = {
      type: "PlanChangeApplied",
      data: {
        setBy: uuid(12),
        changeId: uuid(5),
        to: team,
        period: { start: at, end: "2026-05-16T00:00:00.000Z" },
        subscriptionId: null,
        fact: null,
        endsGrant: true,
      },
    };
    plan.given([started, upgrade]).when(confirm).then([confirmed, applied]);
    plan.given([started, upgrade, confirmed, applied]).when(confirm).thenNothing();
    const apply: PlanCommand = { ...confirm, type: "applyChange" };
    plan.given([started, upgrade, confirmed, applied]).when(apply).thenNothing();
  });

  it("applies an upgrade only after its payment", () => {
    const paying: PlanCommand = { ...confirm, payment: "provider-b" };
    plan.given([started, upgrade]).when(paying).then([confirmed]);
    const apply: PlanCommand = { ...paying, type: "applyChange" };
    plan.given([started, upgrade, confirmed]).when(apply).thenRefused("plan.waitingForPayment");
  });

  it("schedules a downgrade for the end of the paid period", () => {
    plan.given([onTeam]).when(request(starter)).then([downgrade]);
    const scheduled: PlanEvent = {
      type: "PlanChangeScheduled",
      data: { changeId: uuid(5), to: starter, effectiveAt: period.end },
    };
    const history = [onTeam, downgrade, confirmed, scheduled];
    plan.given([onTeam, downgrade]).when(confirm).then([confirmed, scheduled]);
    plan.given(history).when({ type: "passTime", at, ids }).thenNothing();
    const [due] = planDecider.decide(
      { type: "passTime", at: "2026-05-02T00:00:00.000Z", ids },
      history.reduce(planDecider.evolve, planDecider.initial),
    );
    expect(due).toMatchObject({ type: "PlanChangeApplied", data: { to: starter } });
    plan
      .given(history)
      .when({ type: "withdrawScheduled" })
      .then([{ type: "PlanChangeCancelled", data: { changeId: uuid(5) } }]);
  });

  it("expires an unconfirmed request after a day", () => {
    const later: PlanCommand = { type: "passTime", at: "2026-04-17T00:00:00.000Z", ids };
    const expired: PlanEvent = { type: "PlanChangeExpired", data: { changeId: uuid(5) } };
    plan.given([started, upgrade]).when(later).then([expired]);
    plan.given([started, upgrade, expired]).when(confirm).thenRefused("plan.changeFinished");
  });

  it("fails a scheduled change if its subscription is cancelled or refunded", () => {
    const subscriptionId = "sub_1";
    const told = (standing: object, occurredAt: string): PlanCommand =>
      ({
        type: "takeFact",
        fact: {
          ...{ provider: "provider-a", subscriptionId, eventId: `evt_${occurredAt}`, occurredAt },
          ...{ terms: null, period: null, standing },
        },
        ...{ changeId: null, adjustment: null, at, ids },
      }) as PlanCommand;
    const bought = told({ kind: "active" }, "2026-04-01T00:00:00.000Z");
    const paid = {
      ...bought,
      fact: { ...(bought as never as { fact: object }).fact, terms: team, period },
    };
    const cancelledAt = "2026-04-20T00:00:00.000Z";
    const ends = [
      told({ kind: "cancelled", endsAt: period.end, at: cancelledAt }, cancelledAt),
      told({ kind: "cancelled", endsAt: "2026-05-03T00:00:00.000Z", at: cancelledAt }, cancelledAt),
      told({ kind: "revoked", at: cancelledAt }, cancelledAt),
    ];
    const later = "2026-05-04T00:00:00.000Z";
    const apply: PlanCommand = {
      ...confirm,
      type: "applyChange",
      payment: "provider-a",
      at: later,
    };
    for (const [to, wait] of [
      [starter, { ...confirm, payment: "provider-a" }],
      [
        { plan: "business", interval: "month" },
        { type: "scheduleChange", changeId: uuid(5), at },
      ],
    ] as const) {
      for (const end of ends) {
        const run = (state: OrganizationPlan, command: PlanCommand) =>
          planDecider.decide(command, state).reduce(planDecider.evolve, state);
        const before = [paid as PlanCommand, request(to), wait as PlanCommand, end];
        const state = before.reduce(run, planDecider.initial);
        expect(() => planDecider.decide(apply, state)).toThrow(DomainError);
        const over = run(state, { type: "passTime", at: later, ids });
        expect(currentPlan(over)).toMatchObject({ plan: "free", open: null, own: { terms: free } });
      }
    }
  });

  it("restores the own plan when a grant ends", () => {
    const grant: PlanCommand = {
      type: "grant",
      changeId: uuid(7),
      plan: "business",
      until: "2026-04-20T00:00:00.000Z",
      reason: "a trial",
    };
    const granted = [onTeam, ...planDecider.decide(grant, { status: "none" })];
    expect(currentPlan(granted.reduce(planDecider.evolve, planDecider.initial)).plan).toBe(
      "business",
    );
    const [over] = planDecider.decide(
      { type: "passTime", at: "2026-04-20T00:00:00.000Z", ids },
      granted.reduce(planDecider.evolve, planDecider.initial),
    );
    const state = [...granted, ...(over ? [over] : [])].reduce(
      planDecider.evolve,
      planDecider.initial,
    );
    expect(currentPlan(state)).toMatchObject({ plan: "team", grant: null });
  });
});

describe("plan invariants", () => {
  const terms: fc.Arbitrary<Terms> = fc.oneof(
    fc.constant(free),
    fc.record({
      plan: fc.constantFrom(...planCodes.filter((code) => code !== "free")),
      interval: fc.constantFrom<Interval>(...intervals),
    }),
  );
  const move = fc.oneof(
    fc.record({ do: fc.constant("request" as const), to: terms }),
    fc.record({ do: fc.constantFrom("confirm", "schedule", "apply", "cancel", "withdraw") }),
    fc.record({ do: fc.constant("wait" as const), days: fc.integer({ min: 0, max: 40 }) }),
  );

  it("keep at most one open request, repeat commands idempotently and record all due events", () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
        let state: OrganizationPlan = planDecider.initial;
        let now = Date.parse("2026-01-31T12:00:00.000Z");
        let made = 100;
        const next = (): string => uuid(++made);
        let changeId = next();
        const attempt = (command: PlanCommand): void => {
          let events: readonly PlanEvent[];
          try {
            events = planDecider.decide(command, state);
          } catch (error) {
            if (!(error instanceof DomainError)) throw error;
            return;
          }
          state = events.reduce(planDecider.evolve, state);
          expect(planDecider.decide(command, state)).toEqual([]);
        };
        for (const one of moves) {
          const instant = new Date(now).toISOString();
          const fresh: EventIds = [next(), next()];
          if (one.do === "request" && "to" in one) {
            changeId = next();
            attempt({ type: "requestChange", changeId, to: one.to, at: instant });
          } else if (one.do === "confirm") {
            attempt({ type: "confirmChange", changeId, payment: "dev", at: instant, ids: fresh });
          } else if (one.do === "schedule") {
            attempt({ type: "scheduleChange", changeId, at: instant });
          } else if (one.do === "apply") {
            attempt({ type: "applyChange", changeId, payment: "dev", at: instant, ids: fresh });
          } else if (one.do === "cancel") attempt({ type: "cancelChange", changeId });
          else if (one.do === "withdraw") attempt({ type: "withdrawScheduled" });
          else if ("days" in one) now += one.days * 86_400_000;
          const then = new Date(now).toISOString();
          const many = Array.from({ length: 16 }, next) as unknown as EventIds;
          attempt({ type: "passTime", at: then, ids: many });
          const current = currentPlan(state);
          const due = nextDue(current);
          expect(due === null || due > then).toBe(true);
          expect(
            [...entriesOf(current.changes)].flatMap(([, change]) =>
              isOpen(change) ? [change] : [],
            ),
          ).toEqual(current.open ? [current.open] : []);
          expect(current.plan === "free").toBe(current.own.period === null);
          if (current.own.period) expect(current.own.period.end > then).toBe(true);
        }
      }),
    );
  });
});
