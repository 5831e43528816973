import { assertNever } from "../../kernel/errors.ts";
import type { Step } from "../step.ts";
import { noData, type TestData } from "../testData.ts";
import type { StepEvent, TestEvent } from "./events.ts";

export type Test =
  | { readonly status: "none" }
  /** `was` is the test that an undeletion restores. `was.version` includes the deletion. */
  | { readonly status: "deleted"; readonly deletedAt: string | null; readonly was: ActiveTest }
  | ActiveTest;

export type ActiveTest = {
  readonly status: "active";
  readonly organizationId: string;
  readonly projectId: string | null;
  readonly folderId: string | null;
  readonly name: string;
  readonly language: string;
  readonly platform: string;
  readonly text: string;
  readonly steps: readonly Step[];
  readonly data: TestData;
  /** The path of the test's file; null: none. */
  readonly source: string | null;
  /** Whether the content is that of the last push of the file. */
  readonly isPushed: boolean;
  /** Decisions about healed elements, by healing id. */
  readonly decided?: Readonly<Record<string, "HealingAccepted" | "HealingRejected">>;
  /** The stream's revision plus one. Runs pin it; `ETag` and `If-Match` contain it. */
  readonly version: number;
};

export const evolve = (test: Test, event: TestEvent): Test => {
  if (event.type === "TestCreated") {
    const { testId: _, data = noData, source = null, ...rest } = event.data;
    return { status: "active", ...rest, data, source, isPushed: source !== null, version: 1 };
  }
  if (test.status === "none") return test;
  if (test.status === "deleted") {
    if (event.type !== "TestUndeleted") return test;
    return { ...test.was, version: test.was.version + 1 };
  }
  const version = test.version + 1;
  if (event.type === "TestDeleted") {
    // Its path is free for another test.
    const was = { ...test, source: null, isPushed: false, version };
    return { status: "deleted", deletedAt: event.data.deletedAt, was };
  }
  return { ...test, ...changeOf(test, event), isPushed: isPushedAfter(test, event), version };
};

type Change = Exclude<TestEvent, { type: "TestCreated" | "TestDeleted" }>;

/** Whether the content is that of the last push: names and places do not matter. */
export const isPushedAfter = (
  { isPushed }: Pick<ActiveTest, "isPushed">,
  event: Change,
): boolean => {
  switch (event.type) {
    case "TestRenamed":
    case "TestMoved":
    case "HealingRejected":
    case "TestUndeleted":
      return isPushed;
    case "TestSourceSet":
      return event.data.source !== null;
    case "TestStepsReplaced":
      return event.data.pushed === true;
    case "TestDataReplaced":
      // The rows of a file follow its steps: a push of rows alone keeps what was edited elsewhere.
      return event.data.pushed === true && isPushed;
    default:
      return false;
  }
};

const changeOf = (test: ActiveTest, event: Change): Partial<ActiveTest> => {
  switch (event.type) {
    case "TestRenamed":
      return { name: event.data.name };
    case "TestMoved":
      return { projectId: event.data.projectId, folderId: event.data.folderId };
    case "TestStepsReplaced":
      return { text: event.data.text, steps: event.data.steps };
    case "TestSourceSet":
      return { source: event.data.source };
    case "TestRevertedTo": {
      const { name, text, steps, data = test.data } = event.data;
      return { name, text, steps, data };
    }
    case "TestDataReplaced":
      return { data: event.data.data };
    case "TestStepAdded":
    case "TestStepChanged":
    case "TestStepRemoved":
    case "TestStepsReordered":
      return { text: "", steps: stepsAfter(test.steps, event) };
    case "HealingAccepted":
      return { text: "", steps: stepsAfter(test.steps, event), ...withDecision(test, event) };
    case "HealingRejected":
      return withDecision(test, event);
    case "TestUndeleted":
      return {};
    default:
      return assertNever(event);
  }
};

const withDecision = (
  { decided = {} }: ActiveTest,
  { type, data }: Extract<TestEvent, { type: "HealingAccepted" | "HealingRejected" }>,
): Pick<ActiveTest, "decided"> => ({ decided: { ...decided, [data.healingId]: type } });

/** Applies a step event to a list of steps. */
export const stepsAfter = (steps: readonly Step[], event: StepEvent): readonly Step[] => {
  switch (event.type) {
    case "TestStepAdded":
      return steps.toSpliced(event.data.position - 1, 0, event.data.step);
    case "TestStepChanged":
      return steps.map((step) => (step.id === event.data.step.id ? event.data.step : step));
    case "HealingAccepted": {
      const { stepId, target } = event.data;
      return steps.map((step) => (step.id === stepId ? { ...step, target } : step));
    }
    case "TestStepRemoved":
      return steps.filter(({ id }) => id !== event.data.stepId);
    case "TestStepsReordered": {
      const byId = new Map(steps.map((step) => [step.id, step]));
      return event.data.stepIds.flatMap((id) => byId.get(id) ?? []);
    }
    default:
      return assertNever(event);
  }
};
