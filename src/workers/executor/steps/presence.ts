import { parseCount } from "../../../domain/catalogue/values.ts";
import { lookAtWhole } from "../arriving.ts";
import { StepError } from "../errors.ts";
import { findAny } from "../locators.ts";
import { lookAt } from "../look.ts";
import { notFound } from "../notFound.ts";
import { ERROR_PAGE, isErrorPage } from "../nothingToLookAt.ts";
import type { PerformStep, StepContext } from "./context.ts";
import { inWords, lookUntil, quoted } from "./polling.ts";

/** Something that the target names is visible. More than one is as good: they are all what was asked for. */
export const assertVisible: PerformStep = async (context) => {
  await findAny(context, context.timeouts.assertionMs);
};

/** Nothing that the target names is visible. */
export const assertHidden: PerformStep = (context) => hidden(context, context.timeouts.assertionMs);

/** Waits until nothing that the target names is visible; throws StepError with what still is. */
export const hidden = async (context: StepContext, timeoutMs: number): Promise<void> => {
  const { view, step } = context;
  const still = await lookUntil(context, timeoutMs, async () => {
    const { seen, isWhole } = await lookAtWhole(view, () => lookAt(view, step.target, "claim", true));
    const isThere = seen.kind === "some" || seen.isUnclear;
    return isThere || !isWhole ? { ok: false, actual: seen } : { ok: true };
  });
  if (!still) return;
  const { actual } = still;
  if (actual.kind === "none") {
    if (actual.isUnclear) throw cannotTell(context, actual.reason ?? "");
    return judgedAsItIs(context);
  }
  const { text, count } = actual;
  if (actual.box) context.sawAt(actual.box);
  context.foundBy(text);
  throw new StepError(
    `Expected not to see ${context.step.target}, but ${count === 1 ? "it is" : `${count} such elements are`} visible (${text}), still after ${inWords(timeoutMs)}.`,
    text,
  );
};

/** So many visible elements match the target, all found in one and the same way. */
export const assertCount: PerformStep = async (context) => {
  const wanted = parseCount(context.step.value);
  if (wanted === null) throw new StepError(`${quoted(context.step.value)} is not a whole number.`);
  const { view, step } = context;
  const limit = context.timeouts.assertionMs;
  let unclear: string | null = null;
  const wrong = await lookUntil(context, limit, async () => {
    const { seen, isWhole } = await lookAtWhole(view, () => lookAt(view, step.target, "claim", true));
    unclear = seen.kind === "none" && seen.isUnclear ? (seen.reason ?? "") : null;
    if (seen.kind === "some") {
      context.foundBy(seen.text);
      for (const note of seen.notes) context.noted(note);
    }
    const count = seen.kind === "some" ? seen.count : 0;
    const isSo = count === wanted && unclear === null;
    return isSo && isWhole ? { ok: true } : { ok: false, actual: count };
  });
  if (!wrong) return;
  if (unclear !== null) throw cannotTell(context, unclear);
  if (wrong.actual === wanted) return judgedAsItIs(context);
  const counted = `Expected ${wanted} ${context.step.target}, but there ${wrong.actual === 1 ? "is" : "are"} ${wrong.actual} (waited ${inWords(limit)}).`;
  throw new StepError(wrong.actual === 0 ? `${counted} ${await notFound(context)}` : counted);
};

/** A page that goes on arriving for as long is judged by what there is of it; where there is none, nothing is said. */
const judgedAsItIs = ({ view, step }: StepContext): void => {
  if (!isErrorPage(view)) return;
  throw new StepError(`Cannot tell what there is of ${step.target}. ${ERROR_PAGE}`);
};

const cannotTell = ({ step }: StepContext, reason: string): StepError =>
  new StepError(
    `Cannot tell what there is of ${step.target}: ${reason}. Say which of them: first, last, 2nd, …`,
  );
