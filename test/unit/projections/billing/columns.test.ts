import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { intervals } from "../../../../src/domain/billing/calendar.ts";
import { planCodes } from "../../../../src/domain/billing/catalog.ts";
import { entriesOf, persistentMap } from "../../../../src/domain/billing/persistentMap.ts";
import { planDecider } from "../../../../src/domain/billing/plan.ts";
import type { Bounds } from "../../../../src/domain/billing/planMarks.ts";
import {
  type ChangeRequest,
  type CurrentPlan,
  changeStatuses,
  currentPlan,
} from "../../../../src/domain/billing/planState.ts";
import {
  keyOfEvent,
  providerNames,
  type Standing,
  type Subscription,
} from "../../../../src/domain/billing/subscription.ts";
import {
  changeColumns,
  changeOfColumns,
  columnsOfChange,
} from "../../../../src/projections/billing/changeColumns.ts";
import { planColumnNames } from "../../../../src/projections/billing/planColumns.ts";
import { providerColumns } from "../../../../src/projections/billing/providerColumns.ts";
import {
  columnsOfMarking,
  columnsOfState,
  markingColumnNames,
  markingOfColumns,
  planStateColumnNames,
  stateOfColumns,
} from "../../../../src/projections/billing/tables.ts";

const id = fc.uuid();
const instant = fc.nat(4_000_000_000_000).map((ms) => new Date(ms).toISOString());
const plan = fc.constantFrom(...planCodes);
const provider = fc.constantFrom(...providerNames);
const eventId = fc.stringMatching(/^[\w-]{1,20}$/);
const terms = fc.record({ plan, interval: fc.option(fc.constantFrom(...intervals)) });
const period = fc.record({ start: instant, end: instant });
const register = <Value>(value: fc.Arbitrary<Value>) =>
  fc.option(fc.record({ value, at: instant, eventId }));

const change: fc.Arbitrary<ChangeRequest> = fc.record({
  id,
  status: fc.constantFrom(...changeStatuses),
  from: terms,
  to: terms,
  timing: fc.constantFrom("now", "period_end"),
  dueCents: fc.nat(),
  lines: fc.array(fc.record({ what: fc.constantFrom("credit", "charge"), cents: fc.integer() })),
  effectiveAt: instant,
  expiresAt: instant,
});

const standing: fc.Arbitrary<Standing> = fc.oneof(
  fc.constant({ kind: "active" } as const),
  fc.record({ kind: fc.constant("cancelled"), endsAt: fc.option(instant), at: instant }),
  fc.record({ kind: fc.constant("revoked"), at: instant }),
);

const subscription: fc.Arbitrary<Subscription> = fc.record({
  id: fc.string(),
  provider,
  terms: register(terms),
  period: register(period),
  standing,
});

const attention = fc.record({ provider, providerEventId: eventId, reason: fc.string() });

/** Any state, without the parts that rows omit: finished changes, checkouts and merged facts. */
const state: fc.Arbitrary<CurrentPlan> = fc
  .record({
    plan,
    setBy: fc.option(id),
    own: fc.record({
      terms,
      period: fc.option(period),
      subscriptionId: fc.option(fc.string()),
      setBy: fc.option(id),
    }),
    grant: fc.option(fc.record({ plan, until: fc.option(instant), setBy: id })),
    endsAt: fc.option(instant),
    open: fc.option(change),
    subscriptions: fc.array(subscription),
    attention: fc.array(attention),
    attended: fc.array(fc.tuple(provider, eventId)),
  })
  .map((parts) => ({
    ...parts,
    status: "active",
    changes: persistentMap(parts.open ? [[parts.open.id, parts.open]] : []),
    checkouts: new Map(),
    subscriptions: new Map(parts.subscriptions.map((one) => [one.id, one])),
    facts: persistentMap(),
    attention: new Map(
      parts.attention.map((one) => [keyOfEvent(one.provider, one.providerEventId), one]),
    ),
    attended: persistentMap(
      parts.attended.map(([from, event]) => [keyOfEvent(from, event), true] as const),
    ),
  }));

/** Replaces persistent maps by plain ones, which compare by value. */
const comparable = (current: CurrentPlan) => ({
  ...current,
  changes: new Map(entriesOf(current.changes)),
  facts: new Map(entriesOf(current.facts)),
  attended: new Map(entriesOf(current.attended)),
});

/** A row as the database returns it. */
const stored = <Row>(row: Row): Row => JSON.parse(JSON.stringify(row));

describe("columns of the billing read model", () => {
  it("restore the state that they were made from", () => {
    fc.assert(
      fc.property(state, (before) => {
        const after = stateOfColumns(stored(columnsOfState(before)));
        expect(comparable(after)).toEqual(comparable(before));
      }),
    );
  });

  it("are the same after the state was restored from them", () => {
    fc.assert(
      fc.property(state, (before) => {
        const row = columnsOfState(before);
        expect(columnsOfState(stateOfColumns(stored(row)))).toEqual(row);
      }),
    );
  });

  it("do not change when the state gains fields", () => {
    fc.assert(
      fc.property(state, change, (before, asked) => {
        const extended = {
          ...before,
          added: "state",
          own: { ...before.own, added: "own", terms: { ...before.own.terms, added: "terms" } },
          open: { ...asked, added: "change", lines: [{ what: "charge", cents: 1, added: "line" }] },
          subscriptions: new Map(
            [...before.subscriptions].map(([key, one]) => [key, { ...one, added: "subscription" }]),
          ),
          attention: new Map(
            [...before.attention].map(([key, one]) => [key, { ...one, added: "attention" }]),
          ),
        } as unknown as CurrentPlan;
        const row = columnsOfState(extended);
        expect(JSON.stringify(row)).not.toContain('"added"');
        expect(Object.keys(row).sort()).toEqual([...planStateColumnNames].sort());
      }),
    );
  });

  it("have a fixed shape, whatever the state", () => {
    fc.assert(
      fc.property(state, (before) => {
        const { subscriptions, attention: raised, attended, ...row } = columnsOfState(before);
        expect(Object.keys(row).sort()).toEqual([...planColumnNames].sort());
        providerColumns.parse({ subscriptions, attention: raised, attended });
        changeColumns.nullable().parse(row.open_change);
      }),
    );
    const initial = columnsOfState(currentPlan(planDecider.initial));
    expect(Object.keys(initial).sort()).toEqual([...planStateColumnNames].sort());
  });

  it("restore a change request", () => {
    fc.assert(
      fc.property(change, (before) => {
        expect(changeOfColumns(stored(columnsOfChange(before)))).toEqual(before);
      }),
    );
  });

  it("restore the position of a history", () => {
    const bounds: fc.Arbitrary<Bounds> = fc.record({
      occurredFrom: instant,
      occurredTo: instant,
      recordedFrom: instant,
      recordedTo: instant,
    });
    const marking = fc.record({
      sequence: fc.nat(),
      hash: fc.option(fc.string()),
      bounds: fc.option(bounds),
    });
    fc.assert(
      fc.property(marking, (before) => {
        const row = columnsOfMarking(before);
        expect(Object.keys(row).sort()).toEqual([...markingColumnNames].sort());
        expect(markingOfColumns(stored(row))).toEqual(before);
      }),
    );
  });

  it("refuse JSON of another shape", () => {
    const row = columnsOfState(currentPlan(planDecider.initial));
    expect(() => stateOfColumns({ ...row, attended: [1] as unknown as string[] })).toThrow();
    const open = { id: "a" } as unknown as typeof row.open_change;
    expect(() => stateOfColumns({ ...row, open_change: open })).toThrow();
  });
});
