import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Step } from "../../../../../src/domain/catalogue/step.ts";
import { noData } from "../../../../../src/domain/catalogue/testData.ts";
import type { TestEvent } from "../../../../../src/domain/catalogue/tests/events.ts";
import type { Test } from "../../../../../src/domain/catalogue/tests/state.ts";
import { type TestCommand, testDecider } from "../../../../../src/domain/catalogue/tests/test.ts";
import { DomainError } from "../../../../../src/domain/kernel/errors.ts";
import { scenario } from "../../../../support/scenario.ts";

const uuid = (n: number): string => `019a0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const [testId, organizationId, projectId, folderId] = [uuid(1), uuid(2), uuid(3), uuid(4)];
const step = (n: number, value = ""): Step => ({
  id: uuid(n),
  action: "click",
  target: `Button ${n}`,
  value,
  description: "",
  optional: false,
  disabled: false,
});
const [a, b, c] = [step(11), step(12), step(13)];
const created: TestEvent = {
  type: "TestCreated",
  data: {
    testId,
    organizationId,
    projectId,
    folderId,
    name: "Clicks",
    text: "Click A, then B",
    language: "en",
    platform: "web",
    steps: [a, b],
  },
};
const at = "2026-03-02T09:15:00.000Z";
const deleted: TestEvent = { type: "TestDeleted", data: { testId, deletedAt: at } };
const undeleted: TestEvent = { type: "TestUndeleted", data: { testId } };
const on = { testId, organizationId, expectedVersions: null };
const test = scenario(testDecider);
const stateOf = (events: readonly TestEvent[]): Test =>
  events.reduce(testDecider.evolve, testDecider.initial);

describe("single steps", () => {
  it("adds a step at its position and removes the text of the test", () => {
    const add = { type: "addStep", step: c, position: 2, ...on } as const;
    const added: TestEvent = { type: "TestStepAdded", data: { testId, step: c, position: 2 } };
    test.given([created]).when(add).then([added]);
    test.given([created, added]).when(add).thenNothing();
    expect(stateOf([created, added])).toMatchObject({ steps: [a, c, b], text: "", version: 2 });
    test
      .given([created])
      .when({ ...add, position: null })
      .then([{ type: "TestStepAdded", data: { testId, step: c, position: 3 } }]);
    test
      .given([created])
      .when({ ...add, position: 4 })
      .thenRefused("test.badPosition");
  });

  it("records a changed, removed or moved step once", () => {
    const other = { ...a, value: "x" };
    const change = { type: "changeStep", step: other, ...on } as const;
    const changed: TestEvent = { type: "TestStepChanged", data: { testId, step: other } };
    test.given([created]).when(change).then([changed]);
    test.given([created, changed]).when(change).thenNothing();
    test
      .given([created])
      .when({ ...change, step: c })
      .thenRefused("test.unknownStep");

    const remove = { type: "removeStep", stepId: a.id, ...on } as const;
    const removed: TestEvent = { type: "TestStepRemoved", data: { testId, stepId: a.id } };
    test.given([created]).when(remove).then([removed]);
    test.given([created, removed]).when(remove).thenNothing();

    const stepIds = [b.id, a.id];
    const order = { type: "reorderSteps", stepIds, ...on } as const;
    const ordered: TestEvent = { type: "TestStepsReordered", data: { testId, stepIds } };
    test.given([created]).when(order).then([ordered]);
    test.given([created, ordered]).when(order).thenNothing();
    for (const bad of [[a.id], [a.id, a.id], [a.id, c.id]]) {
      test
        .given([created])
        .when({ ...order, stepIds: bad })
        .thenRefused("test.orderMismatch");
    }
  });

  it("refuses a step beyond 500 steps or 900 KiB", () => {
    const many = Array.from({ length: 500 }, (_, n) => step(100 + n));
    const full: TestEvent = { ...created, data: { ...created.data, steps: many } } as TestEvent;
    const add = { type: "addStep", step: c, position: null, ...on } as const;
    test.given([full]).when(add).thenRefused("test.tooManySteps");
    const long = Array.from({ length: 112 }, (_, n) => step(100 + n, "x".repeat(8_000)));
    const big: TestEvent = { ...created, data: { ...created.data, steps: long } } as TestEvent;
    test
      .given([big])
      .when({ ...add, step: step(13, "x".repeat(8_192)) })
      .then([expect.anything()]);
    test
      .given([
        { ...big, data: { ...big.data, steps: [...long, ...long.slice(0, 4)] } } as TestEvent,
      ])
      .when({ ...add, step: step(13, "x".repeat(8_192)) })
      .thenRefused("test.tooLarge");
  });
});

describe("undeleting a test", () => {
  const undelete = { type: "undelete", at: "2026-04-01T09:15:00.000Z", ...on } as const;

  it("restores the test within 30 days, once", () => {
    test.given([created, deleted]).when(undelete).then([undeleted]);
    test.given([created, deleted, undeleted]).when(undelete).thenNothing();
    const was = stateOf([created]);
    expect(stateOf([created, deleted, undeleted])).toEqual({ ...was, version: 3 });
  });

  it("is refused after 30 days, to another organisation and for an unknown test", () => {
    const later = { ...undelete, at: "2026-04-01T09:15:00.001Z" };
    test.given([created, deleted]).when(later).thenRefused("test.goneForGood");
    const foreign = { ...undelete, organizationId: uuid(9) };
    test.given([created, deleted]).when(foreign).thenRefused("test.foreign");
    test.given([]).when(undelete).thenRefused("test.unknown");
  });

  it("accepts a deletion that was stored without its time", () => {
    const stored = { type: "TestDeleted", data: { testId }, schemaVersion: 1 };
    const old = testDecider.codec.decode(stored);
    test.given([created, old]).when(undelete).then([undeleted]);
  });
});

describe("the folder of a test", () => {
  it("is absent in events of releases without folders", () => {
    const { folderId: _, ...data } = created.data as Record<string, unknown>;
    const old = testDecider.codec.decode({ type: "TestCreated", data, schemaVersion: 1 });
    expect(old.data).toMatchObject({ projectId, folderId: null });
  });

  it("is left if the test moves to another project", () => {
    const moved = (place: object) => [
      { type: "TestMoved", data: { testId, projectId, folderId, ...place } } as TestEvent,
    ];
    const change = { type: "change", ...on } as const;
    const elsewhere = { projectId: uuid(5) };
    test
      .given([created])
      .when({ ...change, ...elsewhere })
      .then(moved({ ...elsewhere, folderId: null }));
    test
      .given([created])
      .when({ ...change, projectId })
      .thenNothing();
    test
      .given([created])
      .when({ ...change, folderId: null })
      .then(moved({ folderId: null }));
    test
      .given([created])
      .when({ ...change, ...elsewhere, folderId: uuid(6) })
      .then(moved({ ...elsewhere, folderId: uuid(6) }));
  });
});

describe("reverting a test", () => {
  it("records the older version in full, once", () => {
    const replaced: TestEvent = {
      type: "TestStepsReplaced",
      data: { testId, text: "", steps: [c] },
    };
    const { name, text, steps } = created.data;
    const data = noData;
    const revert = { type: "revert", version: 1, name, text, steps, data, ...on } as const;
    const reverted: TestEvent = {
      type: "TestRevertedTo",
      data: { testId, version: 1, name, text, steps, data },
    };
    test.given([created, replaced]).when(revert).then([reverted]);
    test.given([created, replaced, reverted]).when(revert).thenNothing();
    test.given([created]).when(revert).thenNothing();
    test
      .given([created])
      .when({ ...revert, version: 2 })
      .thenRefused("test.unknownVersion");
  });
});

describe("rows of data", () => {
  const data = { columns: ["user"], rows: [["ada"], ["bob"]] };
  const replace = { type: "replaceData", data, ...on } as const;
  const replaced: TestEvent = { type: "TestDataReplaced", data: { testId, data } };

  it("create a new version, once", () => {
    test.given([created]).when(replace).then([replaced]);
    test.given([created, replaced]).when(replace).thenNothing();
    expect(stateOf([created, replaced])).toMatchObject({
      data,
      version: 2,
      text: "Click A, then B",
    });
    test
      .given([created, replaced])
      .when({ ...replace, expectedVersions: [1] })
      .thenRefused("test.stale");
  });

  it("are removed by a revert to a version without rows", () => {
    const { name, text, steps } = created.data;
    const was = { name, text, steps, data: noData };
    test
      .given([created, replaced])
      .when({ type: "revert", version: 1, ...was, ...on })
      .then([{ type: "TestRevertedTo", data: { testId, version: 1, ...was } }]);
  });

  it("are copied with a duplicated test", () => {
    const copy: TestEvent = { type: "TestCreated", data: { ...created.data, data } };
    expect(stateOf([copy])).toMatchObject({ data });
  });
});

describe("a test under any commands", () => {
  it("counts events as versions, has unique step ids and ignores repeats", () => {
    const id = fc.integer({ min: 11, max: 15 });
    const command: fc.Arbitrary<TestCommand> = fc.oneof(
      fc.tuple(id, fc.option(fc.integer({ min: 1, max: 4 }))).map(([n, position]) => ({
        type: "addStep" as const,
        step: step(n),
        position,
        ...on,
      })),
      fc.tuple(id, fc.constantFrom("", "x")).map(([n, value]) => ({
        type: "changeStep" as const,
        step: step(n, value),
        ...on,
      })),
      id.map((n) => ({ type: "removeStep" as const, stepId: uuid(n), ...on })),
      fc.constant({ type: "delete" as const, at, ...on }),
      fc.constant({ type: "undelete" as const, at, ...on }),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
        let state: Test = stateOf([created]);
        let count = 1;
        for (const one of commands) {
          try {
            const events = testDecider.decide(one, state);
            count += events.length;
            state = events.reduce(testDecider.evolve, state);
            expect(testDecider.decide(one, state)).toEqual([]);
          } catch (error) {
            if (!(error instanceof DomainError)) throw error;
          }
          const current = state.status === "deleted" ? state.was : state;
          if (current.status !== "active") continue;
          expect(current.version).toBe(count);
          const ids = current.steps.map(({ id: stepId }) => stepId);
          expect(new Set(ids).size).toBe(ids.length);
        }
      }),
    );
  });
});
