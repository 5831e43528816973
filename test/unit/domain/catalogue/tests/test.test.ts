import { describe, expect, it } from "vitest";
import type { Step } from "../../../../../src/domain/catalogue/step.ts";
import type { TestEvent } from "../../../../../src/domain/catalogue/tests/events.ts";
import { testDecider } from "../../../../../src/domain/catalogue/tests/test.ts";
import { scenario } from "../../../../support/scenario.ts";

const testId = "0190c4f0-0000-7000-8000-000000000001";
const organizationId = "0190c4f0-0000-7000-8000-00000000000a";
const elsewhere = "0190c4f0-0000-7000-8000-00000000000b";
const projectId = "0190c4f0-0000-7000-8000-00000000000c";

const step = (number: number, action: string, target = "", value = ""): Step => ({
  id: `0190c4f0-0000-7000-8000-1000000000${String(number).padStart(2, "0")}`,
  action,
  target,
  value,
  description: "",
  optional: false,
  disabled: false,
});
const open = step(1, "navigate", "", "/");
const click = step(2, "click", "Save");
/** The same as `open`, as it comes in anew. */
const openAnew = step(11, "navigate", "", "/");
const clickAnew = step(12, "click", "Save");

const createdData = {
  testId,
  organizationId,
  projectId: null,
  folderId: null,
  name: "Saves",
  text: "Open /",
  language: "en",
  platform: "web",
  steps: [open],
};
const created: TestEvent = { type: "TestCreated", data: createdData };
const renamed: TestEvent = { type: "TestRenamed", data: { testId, name: "Saves it" } };
const moved: TestEvent = { type: "TestMoved", data: { testId, projectId, folderId: null } };
const replaced: TestEvent = {
  type: "TestStepsReplaced",
  data: { testId, text: "", steps: [open, click] },
};
const at = "2026-03-02T09:15:00.000Z";
const deleted: TestEvent = { type: "TestDeleted", data: { testId, deletedAt: at } };

const on = { testId, organizationId, expectedVersions: null };
const change = { type: "change", ...on } as const;
const remove = { type: "delete", at, ...on } as const;
const test = scenario(testDecider);

describe("a test", () => {
  it("records the file of a test, and a push after an edit elsewhere", () => {
    const source = "tests/saves.yaml";
    const push = { ...change, source, content: { text: "Open /", steps: [openAnew] } };
    const ofFile: TestEvent = { type: "TestSourceSet", data: { testId, source } };
    const edited: TestEvent = { ...replaced };
    const pushed: TestEvent = {
      type: "TestStepsReplaced",
      data: { testId, text: "Open /", steps: [open], pushed: true },
    };
    test.given([created]).when(push).then([ofFile]);
    test.given([created, ofFile]).when(push).thenNothing();
    test.given([created, ofFile, edited]).when(push).then([pushed]);
    test.given([created, ofFile, edited, pushed]).when(push).thenNothing();
    // Somebody typed the content of the file: the push says that it is the file's.
    const typed: TestEvent = {
      type: "TestStepsReplaced",
      data: { testId, text: "Open /", steps: [open] },
    };
    test.given([created, ofFile, edited, typed]).when(push).then([ofFile]);
  });

  it("is created once", () => {
    test
      .given([])
      .when({ type: "create", ...createdData })
      .then([created]);
    test
      .given([created])
      .when({ type: "create", ...createdData })
      .thenNothing();
  });

  it("is renamed and moved once", () => {
    const both = { ...change, name: "Saves it", projectId };
    test.given([created]).when(both).then([renamed, moved]);
    test.given([created, renamed, moved]).when(both).thenNothing();
  });

  it("records nothing for an empty change", () => {
    test.given([created]).when(change).thenNothing();
  });

  it("keeps the ids of remaining steps if steps are replaced", () => {
    const content = { text: "", steps: [openAnew, click] };
    test
      .given([created])
      .when({ ...change, content })
      .then([replaced]);
  });

  it("keeps its text if it gets the same steps", () => {
    const same = { ...change, content: { text: "", steps: [openAnew] } };
    test.given([created]).when(same).thenNothing();
    const again = { ...change, content: { text: "", steps: [openAnew, clickAnew] } };
    test.given([created, replaced]).when(again).thenNothing();
  });

  it("records new text for the same steps", () => {
    const content = { text: "Go to /", steps: [openAnew] };
    test
      .given([created])
      .when({ ...change, content })
      .then([{ type: "TestStepsReplaced", data: { testId, text: "Go to /", steps: [open] } }]);
  });

  it("is deleted once", () => {
    test.given([created]).when(remove).then([deleted]);
    test.given([created, deleted]).when(remove).thenNothing();
  });

  it("is unknown before its creation and after its deletion", () => {
    test.given([]).when(change).thenRefused("test.unknown");
    test.given([]).when(remove).thenRefused("test.unknown");
    test.given([created, deleted]).when(change).thenRefused("test.unknown");
  });

  it("refuses another organisation", () => {
    for (const command of [change, remove]) {
      const foreign = { ...command, organizationId: elsewhere };
      test.given([created]).when(foreign).thenRefused("test.foreign");
    }
  });

  it("refuses a change at another version than the expected one", () => {
    const stale = { ...change, name: "Other", expectedVersions: [1] };
    const refusal = test.given([created, renamed]).when(stale).thenRefused("test.stale");
    expect(refusal.message).toContain("version 2");
    test
      .given([created, renamed])
      .when({ ...stale, expectedVersions: [2] })
      .then([{ type: "TestRenamed", data: { testId, name: "Other" } }]);
  });
});
