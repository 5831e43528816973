import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "playwright";
import type { StepInput } from "../../src/domain/catalogue/step.ts";
import { parseEnglish } from "../../src/domain/english/index.ts";
import type { PooledContext } from "../../src/workers/executor/browserPool.ts";
import { createHiddenFields } from "../../src/workers/executor/hiddenFields.ts";
import { runStep, type StepEnd, type StepRun } from "../../src/workers/executor/runStep.ts";
import { LASTS_MS } from "../../src/workers/executor/runSteps.ts";
import { createSecrets, noSecrets } from "../../src/workers/executor/secrets.ts";
import { createStage } from "../../src/workers/executor/stage.ts";
import type { Effect, Timeouts } from "../../src/workers/executor/steps/context.ts";
import { watchFor } from "../../src/workers/executor/watch.ts";
import type { Case } from "./cases.ts";
import { install, type Mutated } from "./inPage.ts";
import type { Mutator } from "./mutator.ts";

/**
 * How long a step may take that is to fail: one look, because a mutated page shows at once whatever it shows. A claim
 * that needs a page at rest still holds for its moment.
 */
const RED_MS = 0;
/** How long a step may take that is to pass, which only a false alarm uses up. */
const GREEN_MS = 4_000;
/** When what is late appears. */
const LATE_MS = 6_000;

/** What came of a mutant. `skipped`: the mutator does not apply. */
export type Judged = { readonly verdict: "passed" | "failed" | "skipped"; readonly error: string };

export type Desk = {
  /** Runs the step of a case on the page as it is, or as a mutator changes it. */
  judge(one: Case, mutator: Mutator | null, isRed: boolean): Promise<Judged>;
};

/** The steps of a sentence, which the grammar must read without a question. */
export const stepOf = (sentence: string): StepInput => {
  const { steps, warnings } = parseEnglish(sentence);
  const [step] = steps;
  if (!step || steps.length > 1 || warnings.length > 0) {
    throw new Error(`The sentence is not one step: ${sentence}`);
  }
  return step;
};

const timeoutsOf = (ms: number): Timeouts => ({
  actionMs: ms,
  assertionMs: ms,
  navigationMs: 20_000,
});

/** Whether the page leaves an effect as it is, as the end of a test asks. */
const isLasting = async (effect: Effect | null): Promise<boolean> => {
  if (effect === null) return true;
  await delay(LASTS_MS);
  return effect.isStill().catch(() => true);
};

/** Runs steps on a page that is reused: pictures are not taken. */
const performer = (opened: PooledContext, page: Page) => {
  const secrets = createSecrets(noSecrets);
  const watch = watchFor(new AbortController().signal, opened, null);
  const stage = createStage(opened.context, page);
  const nothing = async (): Promise<void> => {};
  return async (
    step: StepInput,
    ms: number,
  ): Promise<StepEnd & { isLasting(): Promise<boolean> }> => {
    let effect: Effect | null = null;
    const run: StepRun = {
      // The pages are static.
      ...{ requestsInFlight: () => 0 },
      input: { networkPolicy: "open" },
      secrets,
      hidden: createHiddenFields(secrets, true),
      variables: {},
      step: { ...step, id: "00000000-0000-4000-8000-000000000000" },
      next: null,
      number: 1,
      stage,
      camera: { shoot: () => {}, shootSoon: () => {}, beforeChange: nothing, settle: nothing },
      timeouts: timeoutsOf(ms),
      watch,
      report: () => {},
      lasts: (one) => {
        effect = one;
      },
    };
    const ended = await runStep(run);
    return { ...ended, isLasting: () => isLasting(effect) };
  };
};

/** Prepares a page on which a fixture or an application is open. */
export const openDesk = async (
  opened: PooledContext,
  page: Page,
  mutators: readonly Mutator[],
): Promise<Desk> => {
  const sources = Object.fromEntries(mutators.map(({ name, apply }) => [name, String(apply)]));
  await page.evaluate(install, sources);
  const perform = performer(opened, page);
  return {
    judge: async (one, mutator, isRed) => {
      const it: Omit<Mutated, "scope"> = {
        ...{ text: one.text, role: one.role ?? null, looks: one.looks, lateMs: LATE_MS },
      };
      const isApplied = await page.evaluate(
        ([name, at, mutated, scope]) =>
          (
            globalThis as unknown as { verdictsMutate: (...all: unknown[]) => boolean }
          ).verdictsMutate(name, at, mutated, scope),
        [mutator?.name ?? null, one.at, it, one.scope ?? null] as const,
      );
      if (!isApplied) return { verdict: "skipped", error: "" };
      const ended = await perform(stepOf(one.sentence), isRed ? RED_MS : GREEN_MS);
      if (ended.kind === "passed") {
        const isSo = !isRed || (await ended.isLasting());
        return { verdict: isSo ? "passed" : "failed", error: isSo ? "" : "The page took it back." };
      }
      return { verdict: "failed", error: "error" in ended ? ended.error : ended.kind };
    },
  };
};
