import { parseCount } from "../../../domain/catalogue/values.ts";
import { StepError } from "../errors.ts";
import { frameWith } from "../framed.ts";
import { findAny, keepSeen } from "../locators.ts";
import type { Seen } from "../look.ts";
import { notFound } from "../notFound.ts";
import { ERROR_PAGE, isErrorPage } from "../nothingToLookAt.ts";
import type { PerformStep, StepContext } from "./context.ts";
import { inWords, lookUntil, quoted } from "./polling.ts";
import { untilAtRest } from "./rest.ts";

/** Something that the target names is visible. More than one is as good: they are all what was asked for. */
export const assertVisible: PerformStep = async (context) => {
  await findAny(context, context.timeouts.assertionMs);
};

/** Nothing that the target names is visible. */
export const assertHidden: PerformStep = (context) => hidden(context, context.timeouts.assertionMs);

/** Waits until nothing that the target names is visible; throws StepError with what still is. */
export const hidden = async (context: StepContext, timeoutMs: number): Promise<void> => {
  const still = await untilAtRest(context, timeoutMs, isAbsent);
  if (!still) return absentInFrames(context, timeoutMs);
  const { seen: actual, isRestless } = still;
  if (isRestless) return judgedAsItIs(context);
  if (actual.kind === "none") throw cannotTell(context, actual.reason ?? "");
  const { text, count } = actual;
  if (actual.box) context.sawAt(actual.box);
  context.foundBy(text);
  throw new StepError(
    `Expected not to see ${context.step.target}, but ${count === 1 ? "it is" : `${count} such elements are`} visible (${text}), still after ${inWords(timeoutMs)}.`,
    text,
  );
};

/** A frame is a part of the page for a person who looks at it. */
const absentInFrames = async (context: StepContext, timeoutMs: number): Promise<void> => {
  const { view, step } = context;
  const wrong = await lookUntil(context, timeoutMs, async () => {
    const frame = await frameWith(view, step.target);
    return frame === null ? { ok: true } : { ok: false, actual: frame };
  });
  if (!wrong) return;
  throw new StepError(
    `Expected not to see ${step.target}, but it is visible in the frame ${quoted(wrong.actual)}.`,
  );
};

/** Nothing is there, and there is no doubt where it would be. */
const isAbsent = (seen: Seen): boolean => seen.kind === "none" && !seen.isUnclear;

/** So many visible elements match the target, all found in one and the same way. */
export const assertCount: PerformStep = async (context) => {
  const wanted = parseCount(context.step.value);
  if (wanted === null) throw new StepError(`${quoted(context.step.value)} is not a whole number.`);
  const limit = context.timeouts.assertionMs;
  const wrong = await untilAtRest(context, limit, (seen) => {
    if (seen.kind === "some") keepSeen(context, seen);
    return countOf(seen) === wanted;
  });
  if (!wrong) return wanted === 0 ? absentInFrames(context, limit) : undefined;
  const { seen, isRestless } = wrong;
  if (isRestless) return judgedAsItIs(context);
  const count = countOf(seen);
  if (count === null) throw cannotTell(context, seen.kind === "none" ? (seen.reason ?? "") : "");
  const counted = `Expected ${wanted} ${context.step.target}, but there ${count === 1 ? "is" : "are"} ${count} (waited ${inWords(limit)}).`;
  throw new StepError(count === 0 ? `${counted} ${await notFound(context)}` : counted);
};

/** Null if the place of the target is not there, or could be several things. */
const countOf = (seen: Seen): number | null =>
  seen.kind === "some" ? seen.count : seen.isUnclear ? null : 0;

/** A page that goes on arriving for as long is judged by what there is of it; where there is none, nothing is said. */
const judgedAsItIs = ({ view, step, noted }: StepContext): void => {
  if (!isErrorPage(view)) {
    noted("the page did not come to rest: it was judged as it was");
    return;
  }
  throw new StepError(`Cannot tell what there is of ${step.target}. ${ERROR_PAGE}`);
};

const cannotTell = ({ step }: StepContext, reason: string): StepError => {
  const advice = reason.startsWith("there are ") ? " Say which of them: first, last, 2nd, …" : "";
  return new StepError(`Cannot tell what there is of ${step.target}: ${reason}.${advice}`);
};
