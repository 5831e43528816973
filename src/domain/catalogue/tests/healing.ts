import { DomainError } from "../../kernel/errors.ts";
import type { TestEvent } from "./events.ts";
import type { ActiveTest } from "./state.ts";

/** Accepts or rejects a healing, which replaced the step's target `before` with `target` during an execution. */
export type HealingCommand = {
  readonly type: "acceptHealing" | "rejectHealing";
  readonly healingId: string;
  readonly stepId: string;
  readonly before: string;
  readonly target: string;
};

/**
 * Throws `healing.decided` if the opposite was decided, `test.unknownStep`, `healing.outdated` if the step's target
 * has changed since the execution.
 */
export const decideHealing = (
  { type, healingId, stepId, before, target }: HealingCommand,
  testId: string,
  test: ActiveTest,
): readonly TestEvent[] => {
  const wanted = type === "acceptHealing" ? "HealingAccepted" : "HealingRejected";
  const decided = test.decided?.[healingId];
  if (decided === wanted) return [];
  if (decided !== undefined) {
    const word = decided === "HealingAccepted" ? "accepted" : "rejected";
    throw new DomainError("healing.decided", `The healing was already ${word}.`);
  }
  if (wanted === "HealingRejected") {
    return [{ type: wanted, data: { testId, healingId, stepId, target } }];
  }
  const step = test.steps.find(({ id }) => id === stepId);
  if (!step) {
    throw new DomainError("test.unknownStep", "The test no longer has this step.");
  }
  if (step.target !== before && step.target !== target) {
    throw new DomainError(
      "healing.outdated",
      "The step's target has changed since the execution, so the healing no longer applies.",
    );
  }
  return [{ type: wanted, data: { testId, healingId, stepId, before, target } }];
};
