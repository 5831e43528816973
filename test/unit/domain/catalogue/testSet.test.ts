import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  MAX_ITEMS,
  type TestSet,
  type TestSetCommand,
  type TestSetEvent,
  testSetDecider,
} from "../../../../src/domain/catalogue/testSet.ts";
import { DomainError } from "../../../../src/domain/kernel/errors.ts";
import { scenario } from "../../../support/scenario.ts";

const uuid = (n: number): string => `019a0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const [a, b, c] = [uuid(11), uuid(12), uuid(13)];
const testSetId = uuid(1);
const organizationId = uuid(2);
const on = { testSetId, organizationId, expectedVersions: null };
const data = { testSetId, organizationId, projectId: null, name: "Smoke", testIds: [a, b] };
const created: TestSetEvent = { type: "TestSetCreated", data };
const set = scenario(testSetDecider);

describe("a test set", () => {
  it("keeps a test that is named twice once", () => {
    set
      .given([])
      .when({ type: "create", ...data, testIds: [a, b, a] })
      .then([created]);
    set
      .given([created])
      .when({ type: "create", ...data })
      .thenNothing();
  });

  it("records additions, removals and a new order once", () => {
    const added: TestSetEvent = { type: "TestSetItemsAdded", data: { testSetId, testIds: [c] } };
    set
      .given([created])
      .when({ type: "addItems", testIds: [a, c, c], ...on })
      .then([added]);
    set
      .given([created, added])
      .when({ type: "addItems", testIds: [a, c], ...on })
      .thenNothing();
    const removed: TestSetEvent = { type: "TestSetItemRemoved", data: { testSetId, testId: a } };
    set
      .given([created])
      .when({ type: "removeItem", testId: a, ...on })
      .then([removed]);
    set
      .given([created, removed])
      .when({ type: "removeItem", testId: a, ...on })
      .thenNothing();
    const ordered: TestSetEvent = {
      type: "TestSetItemsReordered",
      data: { testSetId, testIds: [b, a] },
    };
    set
      .given([created])
      .when({ type: "reorder", testIds: [b, a], ...on })
      .then([ordered]);
    set
      .given([created, ordered])
      .when({ type: "reorder", testIds: [b, a], ...on })
      .thenNothing();
    for (const testIds of [[a], [a, a], [a, c], [a, b, c]]) {
      set
        .given([created])
        .when({ type: "reorder", testIds, ...on })
        .thenRefused("testSet.orderMismatch");
    }
  });

  it("refuses a change by another organisation, at an old version or after its deletion", () => {
    const rename = { type: "rename", name: "Other", ...on } as const;
    set
      .given([created])
      .when({ ...rename, organizationId: uuid(9) })
      .thenRefused("testSet.foreign");
    set
      .given([created])
      .when({ ...rename, expectedVersions: [2] })
      .thenRefused("testSet.stale");
    const deleted: TestSetEvent = { type: "TestSetDeleted", data: { testSetId } };
    set
      .given([created])
      .when({ type: "delete", ...on })
      .then([deleted]);
    set
      .given([created, deleted])
      .when({ type: "delete", ...on })
      .thenNothing();
    set.given([created, deleted]).when(rename).thenRefused("testSet.unknown");
  });

  it("refuses a test beyond the limit", () => {
    const testIds = Array.from({ length: MAX_ITEMS }, (_, index) => uuid(1000 + index));
    const full: TestSetEvent = { type: "TestSetCreated", data: { ...data, testIds } };
    set
      .given([full])
      .when({ type: "addItems", testIds: [a], ...on })
      .thenRefused("testSet.tooManyTests");
  });

  it("contains each test once and ignores repeated commands, under any commands", () => {
    const id = fc.integer({ min: 1, max: 6 }).map(uuid);
    const ids = fc.array(id, { maxLength: 6 });
    const command: fc.Arbitrary<TestSetCommand> = fc.oneof(
      ids.map((testIds) => ({ type: "addItems" as const, testIds, ...on })),
      ids.map((testIds) => ({ type: "reorder" as const, testIds, ...on })),
      id.map((testId) => ({ type: "removeItem" as const, testId, ...on })),
    );
    fc.assert(
      fc.property(fc.array(command), (commands) => {
        let state: TestSet = testSetDecider.evolve(testSetDecider.initial, created);
        for (const one of commands) {
          try {
            state = testSetDecider.decide(one, state).reduce(testSetDecider.evolve, state);
            expect(testSetDecider.decide(one, state)).toEqual([]);
          } catch (error) {
            if (!(error instanceof DomainError)) throw error;
          }
          const items = state.status === "active" ? state.testIds : [];
          expect(new Set(items).size).toBe(items.length);
        }
      }),
    );
  });
});
