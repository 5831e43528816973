import type { Fingerprint } from "../../../domain/healing/fingerprint.ts";
import { NotFoundError } from "../errors.ts";
import { type Found, findOne, type Purpose } from "../locators.ts";
import type { StepContext } from "../steps/context.ts";
import { heal, takeFingerprint } from "./heal.ts";

/** An element to act on. `fingerprint` is how it is now, where it is time to keep that once the step has passed. */
export type Subject = Found & { readonly fingerprint: Fingerprint | null };

/**
 * Finds the element that the step's target names. When there is none any more, goes on with the one that is
 * enough like what the step had when it last passed, and says so; where the organisation wants it, and never
 * for what is asserted. Throws StepError as `findOne` does, with why nothing else was taken.
 */
export const findOrHeal = async (context: StepContext, purpose: Purpose): Promise<Subject> => {
  const { healing } = context;
  try {
    const found = await findOne(context, purpose, context.timeouts.actionMs);
    const isDue = healing !== null && (await healing.isDue());
    return { ...found, fingerprint: isDue ? await takeFingerprint(found.locator) : null };
  } catch (error) {
    if (!(error instanceof NotFoundError) || healing === null) throw error;
    return { ...(await healed(context, purpose, error)), fingerprint: null };
  }
};

const healed = async (
  context: StepContext,
  purpose: Purpose,
  missing: NotFoundError,
): Promise<Found> => {
  const { healing, step, view } = context;
  const was = (await healing?.known()) ?? null;
  if (!healing || was === null) throw missing;
  if (!(await healing.isAllowed())) throw missing;
  const found = await heal(view, purpose, was, await healing.rejected());
  if (typeof found === "string") {
    throw new NotFoundError(`${missing.message} Not healed: ${found}.`);
  }
  const { locator, target, score, runnerUp, changes } = found;
  context.healed({
    target: step.target,
    healedTarget: target,
    score,
    runnerUp,
    changes: changes.map((change) => ({ ...change })),
  });
  const text = `${target} (healed: ${step.target} is not there any more)`;
  context.foundBy(text);
  return { locator, text };
};
