import { type Baselines, baselineDecider } from "../../domain/baselines/baseline.ts";
import { visualBaselines } from "../../domain/billing/entitlements.ts";
import { planDecider } from "../../domain/billing/plan.ts";
import { planInForce } from "../../domain/billing/planState.ts";
import { testDecider } from "../../domain/catalogue/tests/test.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { BlobStore } from "../../platform/blobs/port.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import type { Comparer } from "../../platform/pictures/comparer.ts";
import { organizationOf, type Written } from "../catalogue/changes.ts";
import type { CommandLoop } from "../kernel/commandLoop.ts";
import type { CommandContext } from "../kernel/context.ts";
import { receiptOf } from "../kernel/receipt.ts";

export type BaselineDeps = {
  readonly loop: CommandLoop;
  readonly log: Pick<EventLog, "readStream">;
  readonly blobs: BlobStore;
  readonly comparer: Pick<Comparer, "compare">;
};

/** Why the organisation's plan does not include visual baselines; null if it does. */
export const planRefusal = async (
  { loop }: BaselineDeps,
  organizationId: string,
): Promise<string | null> => {
  const { state } = await loop.load(planDecider, organizationId);
  return visualBaselines(planInForce(state).plan).reason;
};

/** Throws `baseline.notInPlan`. */
export const mustBeInPlan = async (deps: BaselineDeps, organizationId: string): Promise<void> => {
  const refusal = await planRefusal(deps, organizationId);
  if (refusal !== null) throw new DomainError("baseline.notInPlan", refusal);
};

/** Throws `test.unknown`, `test.foreign`. */
export const mustOwnTest = async (
  { loop }: BaselineDeps,
  context: CommandContext,
  testId: string,
): Promise<void> => {
  const { state } = await loop.load(testDecider, testId);
  if (state.status !== "active") {
    throw new DomainError("test.unknown", `There is no test ${testId}.`);
  }
  if (state.organizationId !== organizationOf(context)) {
    throw new DomainError("test.foreign", "The test belongs to another organisation.");
  }
};

export const writeBaselines = async (
  { loop }: BaselineDeps,
  context: CommandContext,
  command: Parameters<typeof baselineDecider.decide>[0],
): Promise<Written<Baselines>> => {
  const { testId } = command;
  const written = await loop.execute(baselineDecider, testId, command, context);
  return { id: testId, state: written.state, at: written.at, receipt: receiptOf(written) };
};
