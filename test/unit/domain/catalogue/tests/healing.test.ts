import { describe, expect, it } from "vitest";
import type { Test } from "../../../../../src/domain/catalogue/tests/state.ts";
import { type TestCommand, testDecider } from "../../../../../src/domain/catalogue/tests/test.ts";

const id = (n: number): string => `00000000-0000-4000-8000-00000000000${n}`;
const [testId, organizationId, stepId, healingId] = [id(1), id(2), id(3), id(4)];
const created: TestCommand = {
  type: "create",
  testId,
  organizationId,
  projectId: null,
  folderId: null,
  name: "keeps a note",
  language: "en",
  platform: "web",
  text: 'Click "#save"',
  steps: [
    {
      ...{ id: stepId, action: "click", target: "#save", value: "" },
      ...{ description: "", optional: false, disabled: false },
    },
  ],
};
const on = { testId, organizationId, expectedVersions: null };
const found = { healingId, stepId, before: "#save", target: '"Save" button' };
const accept: TestCommand = { type: "acceptHealing", ...on, ...found };
const reject: TestCommand = { type: "rejectHealing", ...on, ...found };

const { decide, evolve, initial } = testDecider;
const given = (...commands: TestCommand[]): Test =>
  commands.reduce((state, command) => decide(command, state).reduce(evolve, state), initial);

describe("decisions about a healing", () => {
  it("accept the new locator in a new version of the test, once", () => {
    const state = given(created, accept);
    expect(state).toMatchObject({ version: 2, text: "", steps: [{ target: '"Save" button' }] });
    expect(decide(accept, state)).toEqual([]);
  });

  it("reject the new locator and keep the steps, once", () => {
    const state = given(created, reject);
    expect(state).toMatchObject({ version: 2, steps: [{ target: "#save" }] });
    expect(decide(reject, state)).toEqual([]);
  });

  it("refuse the opposite decision", () => {
    expect(() => decide(reject, given(created, accept))).toThrow("already accepted");
    expect(() => decide(accept, given(created, reject))).toThrow("already rejected");
  });

  it("refuse acceptance if the step was changed or removed since", () => {
    const changed: TestCommand = {
      type: "changeStep",
      ...on,
      step: {
        ...{ id: stepId, action: "click", target: "#other", value: "" },
        ...{ description: "", optional: false, disabled: false },
      },
    };
    expect(() => decide(accept, given(created, changed))).toThrow(
      "target has changed since the execution",
    );
    const removed: TestCommand = { type: "removeStep", ...on, stepId };
    expect(() => decide(accept, given(created, removed))).toThrow("no longer has this step");
  });
});
