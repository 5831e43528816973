import { callsIn } from "../../domain/catalogue/calls.ts";
import type { Step, StepInput } from "../../domain/catalogue/step.ts";
import type { ActiveTest } from "../../domain/catalogue/tests/state.ts";
import { type TestCommand, testDecider } from "../../domain/catalogue/tests/test.ts";
import type { Clock } from "../../platform/clock.ts";
import type { CommandLoop } from "../kernel/commandLoop.ts";
import { type CommandContext, idFor } from "../kernel/context.ts";
import { checkCalls, type FindCallable } from "./calls.ts";
import { type Expected, organizationOf, type Written, write } from "./changes.ts";
import { withoutDeletedPlace } from "./places.ts";

export type TestDeps = {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly findCallable: FindCallable;
};

/** Executes a command on a test. Throws as `checkCalls` does if the test would call itself. */
export const writeTest = async (
  deps: TestDeps,
  context: CommandContext,
  command: TestCommand,
): Promise<Written<ActiveTest>> => {
  await checkCallsAfter(deps, context, command);
  const written: Written<ActiveTest> = await write(
    deps.loop,
    testDecider,
    command.testId,
    command,
    context,
  );
  const { state } = written;
  if (state.status !== "active") return written;
  return { ...written, state: await withoutDeletedPlace(deps.loop, state) };
};

/** Two concurrent changes can still create a cycle. Queueing a run of such a test fails. */
const checkCallsAfter = async (
  deps: TestDeps,
  context: CommandContext,
  command: TestCommand,
): Promise<void> => {
  if (context.again || !addsCalls(command)) return;
  const { state } = await deps.loop.load(testDecider, command.testId);
  const after = testDecider.decide(command, state).reduce(testDecider.evolve, state);
  if (after.status !== "active") return;
  const { organizationId, version, name, projectId, steps } = after;
  const test = { testId: command.testId, version, name, projectId, steps };
  await checkCalls(deps.findCallable, organizationId, test);
};

const addsCalls = (command: TestCommand): boolean => {
  switch (command.type) {
    case "create":
    case "revert":
      return callsIn(command.steps).length > 0;
    case "change":
      return callsIn(command.content?.steps ?? []).length > 0;
    case "addStep":
    case "changeStep":
      return callsIn([command.step]).length > 0;
    default:
      return false;
  }
};

/** The fields that every command on an existing test has. */
export const onTest = (context: CommandContext, testId: string, expectedVersions: Expected) => ({
  testId,
  organizationId: organizationOf(context),
  expectedVersions,
});

/** Adds ids that are the same when the request is repeated. */
export const withStepIds = (context: CommandContext, steps: readonly StepInput[]): Step[] =>
  steps.map(({ action, target, value, description, optional, disabled }, index) => ({
    id: idFor(context, `step ${index}`),
    action,
    target,
    value,
    description,
    optional,
    disabled,
  }));
