import { assertNever, DomainError } from "../../kernel/errors.ts";
import { MAX_STEPS, type Step, stepSchema } from "../step.ts";
import type { StepEvent } from "./events.ts";

/** Positions count from 1; null appends the step. */
export type StepsCommand =
  | { readonly type: "addStep"; readonly step: Step; readonly position: number | null }
  | { readonly type: "changeStep"; readonly step: Step }
  | { readonly type: "removeStep"; readonly stepId: string }
  | { readonly type: "reorderSteps"; readonly stepIds: readonly string[] };

/** Maximum JSON size of all steps: a copy or reversion stores them, with the text, in one event of 1 MiB. */
const MAX_BYTES = 900 * 1024;

/** Throws `test.unknownStep`, `test.tooManySteps`, `test.tooLarge`, `test.badPosition`, `test.orderMismatch`. */
export const decideSteps = (
  command: StepsCommand,
  testId: string,
  steps: readonly Step[],
): readonly StepEvent[] => {
  switch (command.type) {
    case "addStep": {
      const { step } = command;
      if (steps.some(({ id }) => id === step.id)) return [];
      if (steps.length >= MAX_STEPS) {
        throw new DomainError("test.tooManySteps", `A test has at most ${MAX_STEPS} steps.`);
      }
      const position = command.position ?? steps.length + 1;
      if (position > steps.length + 1) {
        throw new DomainError(
          "test.badPosition",
          `position: must be from 1 to ${steps.length + 1}.`,
        );
      }
      mustFit([...steps, step]);
      return [{ type: "TestStepAdded", data: { testId, step, position } }];
    }
    case "changeStep": {
      const { step } = command;
      const current = steps.find(({ id }) => id === step.id);
      if (!current) {
        throw new DomainError("test.unknownStep", `The test has no step ${step.id}.`);
      }
      if (sameStep(step, current)) return [];
      mustFit(steps.map((one) => (one.id === step.id ? step : one)));
      return [{ type: "TestStepChanged", data: { testId, step } }];
    }
    case "removeStep": {
      const { stepId } = command;
      if (!steps.some(({ id }) => id === stepId)) return [];
      return [{ type: "TestStepRemoved", data: { testId, stepId } }];
    }
    case "reorderSteps": {
      const stepIds = [...command.stepIds];
      const named = new Set(stepIds);
      const isAll =
        stepIds.length === steps.length &&
        named.size === stepIds.length &&
        steps.every(({ id }) => named.has(id));
      if (!isAll) {
        throw new DomainError(
          "test.orderMismatch",
          "step_ids: must contain the id of every step exactly once. Read the test again.",
        );
      }
      if (steps.every(({ id }, index) => id === stepIds[index])) return [];
      return [{ type: "TestStepsReordered", data: { testId, stepIds } }];
    }
    default:
      return assertNever(command);
  }
};

const mustFit = (steps: readonly Step[]): void => {
  if (new TextEncoder().encode(JSON.stringify(steps)).length <= MAX_BYTES) return;
  throw new DomainError(
    "test.tooLarge",
    "The steps of a test take at most 900 KiB. Split the test.",
  );
};

/** Compares every field, including ids. */
export const sameSteps = (one: readonly Step[], other: readonly Step[]): boolean =>
  one.length === other.length && one.every((step, index) => sameStep(step, other[index]));

const sameStep = (one: Step, other: Step | undefined): boolean =>
  other !== undefined &&
  (Object.keys(stepSchema.shape) as (keyof Step)[]).every((key) => one[key] === other[key]);
