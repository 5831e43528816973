import { DomainError } from "../kernel/errors.ts";
import type { ActiveTest, TestEvent } from "./test.ts";

/** What somebody decides about an element that an execution went on with: it found it under `before`, and names it `target`. */
export type HealingCommand = {
  readonly type: "acceptHealing" | "rejectHealing";
  readonly healingId: string;
  readonly stepId: string;
  readonly before: string;
  readonly target: string;
};

/** Throws `healing.decided` when the contrary was decided, `test.unknownStep`, `healing.outdated` when the step was changed since. */
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
    throw new DomainError("healing.decided", `It was ${word} already.`);
  }
  if (wanted === "HealingRejected") {
    return [{ type: wanted, data: { testId, healingId, stepId, target } }];
  }
  const step = test.steps.find(({ id }) => id === stepId);
  if (!step)
    throw new DomainError("test.unknownStep", "The test does not have this step any more.");
  if (step.target !== before && step.target !== target) {
    throw new DomainError(
      "healing.outdated",
      "The step names another element by now: what was found belongs to what it said before.",
    );
  }
  return [{ type: wanted, data: { testId, healingId, stepId, before, target } }];
};
