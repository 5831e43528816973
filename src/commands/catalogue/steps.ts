import type { Step, StepInput } from "../../domain/catalogue/step.ts";
import type { HealingCommand } from "../../domain/catalogue/tests/healing.ts";
import type { ActiveTest } from "../../domain/catalogue/tests/state.ts";
import { type CommandContext, idFor } from "../kernel/context.ts";
import type { Receipt } from "../kernel/receipt.ts";
import type { Expected, Written } from "./changes.ts";
import { onTest, type TestDeps, writeTest } from "./writeTest.ts";

/** Inserts a step at `position`, which counts from 1, or appends it. Throws `test.badPosition`, `test.tooManySteps`, `test.tooLarge`. */
const addStep = (
  deps: TestDeps,
  context: CommandContext,
  testId: string,
  step: StepInput,
  position: number | null,
  expectedVersions: Expected,
): Promise<Written<ActiveTest>> =>
  writeTest(deps, context, {
    type: "addStep",
    ...onTest(context, testId, expectedVersions),
    step: { ...step, id: idFor(context, "step") },
    position,
  });

/** Throws `test.unknownStep`, `test.tooLarge`. */
const changeStep = (
  deps: TestDeps,
  context: CommandContext,
  testId: string,
  step: Step,
  expectedVersions: Expected,
): Promise<Written<ActiveTest>> =>
  writeTest(deps, context, {
    type: "changeStep",
    ...onTest(context, testId, expectedVersions),
    step,
  });

const removeStep = async (
  deps: TestDeps,
  context: CommandContext,
  testId: string,
  stepId: string,
  expectedVersions: Expected,
): Promise<Receipt> => {
  const command = { type: "removeStep", stepId } as const;
  const on = onTest(context, testId, expectedVersions);
  return (await writeTest(deps, context, { ...command, ...on })).receipt;
};

/** Throws `test.orderMismatch` unless `stepIds` contains every step exactly once. */
const reorderSteps = (
  deps: TestDeps,
  context: CommandContext,
  testId: string,
  stepIds: readonly string[],
  expectedVersions: Expected,
): Promise<Written<ActiveTest>> =>
  writeTest(deps, context, {
    type: "reorderSteps",
    ...onTest(context, testId, expectedVersions),
    stepIds,
  });

/** Throws `healing.decided`, `healing.outdated`, `test.unknownStep`. */
const decideHealing = (
  deps: TestDeps,
  context: CommandContext,
  testId: string,
  healing: HealingCommand,
): Promise<Written<ActiveTest>> =>
  writeTest(deps, context, { ...healing, ...onTest(context, testId, null) });

/** Commands on single steps of a test. */
export const stepCommands = (deps: TestDeps) => ({
  addStep: addStep.bind(null, deps),
  changeStep: changeStep.bind(null, deps),
  removeStep: removeStep.bind(null, deps),
  reorderSteps: reorderSteps.bind(null, deps),
  decideHealing: decideHealing.bind(null, deps),
});
