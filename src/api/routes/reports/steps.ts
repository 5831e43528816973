import type { ComparisonRow } from "../../../projections/baselines/queries.ts";
import type {
  AttemptResult,
  BrowserResult,
  ExecutionDetail,
  Screenshot,
} from "../../../projections/runs/executions/queries.ts";
import type { RunTest } from "../../../projections/runs/queries.ts";
import type { Services } from "../../services.ts";
import { visualBody } from "../baselines/shapes.ts";
import { hasPictures, missingAt } from "../baselines/withVisuals.ts";
import { whyNotKept } from "../runs/access.ts";

/** A picture of a step, with its blob key and API path. */
export type StepPicture = {
  readonly what: "page" | "difference";
  readonly key: string;
  readonly path: string;
};

export type ShownStep = Pick<
  BrowserResult["steps"][number],
  | ("number" | "description" | "status" | "duration_ms" | "error" | "reason" | "healed_target")
  | ("notes" | "evidence" | "page_problems")
> & {
  /** The result of the picture comparison, null if none was made. */
  readonly compared: string | null;
  /** Why its picture was lost, null if it was not. */
  readonly missing: string | null;
  readonly pictures: readonly StepPicture[];
};

/** A test of a run with its steps. */
export type ShownTest = {
  readonly test: RunTest;
  /** Why there are no pictures, null if they are kept. */
  readonly notKept: string | null;
  /** Whether its steps were omitted to limit the page size. */
  readonly isCutOff: boolean;
  readonly attempts: readonly (Omit<AttemptResult, "browsers"> & {
    readonly browsers: readonly (Omit<BrowserResult, "steps"> & {
      readonly steps: readonly ShownStep[];
    })[];
  })[];
};

/** The maximum number of steps on a page, over all tests, attempts and browsers. */
const MAX_STEPS = 20_000;
const AT_ONCE = 4;

/** Whether a test passed. Failed tests take precedence if the page has no room for all. */
export const isPassed = ({ status }: Pick<RunTest, "status">): boolean =>
  status === "passed" || status === "flaky";

/** The steps of every attempt of a run's tests, by execution id. */
export const stepsOfTests = async (
  services: Services,
  tests: readonly RunTest[],
): Promise<ReadonlyMap<string, ShownTest>> => {
  // In the run's order, independent of the order of reads.
  const shown = new Map(tests.map((test) => [test.execution_id, plain(test, false)]));
  const inTurn = [
    ...tests.filter((test) => !isPassed(test)),
    ...tests.filter((test) => isPassed(test)),
  ];
  let room = MAX_STEPS;
  const next = async (): Promise<void> => {
    for (let test = inTurn.shift(); test; test = inTurn.shift()) {
      const count = test.steps_total * Math.max(1, test.attempts.length);
      if (count === 0) continue;
      if (count > room) {
        shown.set(test.execution_id, plain(test, true));
        continue;
      }
      room -= count;
      const execution = await services.runs.queries.findExecution(test.execution_id);
      if (execution) {
        shown.set(test.execution_id, await withPictures(services, test, execution));
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return shown;
};

const plain = (test: RunTest, isCutOff: boolean): ShownTest => ({
  test,
  notKept: null,
  isCutOff,
  attempts: test.attempts.map((attempt) => ({ ...attempt, browsers: [] })),
});

const withPictures = async (
  services: Services,
  test: RunTest,
  execution: ExecutionDetail,
): Promise<ShownTest> => {
  const { id } = execution;
  const notKept = (await whyNotKept(services, execution))?.message ?? null;
  const shots = notKept === null ? await services.runs.queries.screenshotsOf(id) : [];
  const lost = await services.runs.queries.lostScreenshotsOf(id);
  const comparisons = hasPictures(execution)
    ? await services.baselines.queries.comparisonsOfExecution(id)
    : [];
  const attempts = execution.attempts.map((attempt) => ({
    ...attempt,
    browsers: attempt.browsers.map((browser) => ({
      ...browser,
      steps: browser.steps.map((step): ShownStep => {
        const { number, status, duration_ms, error, action, target, value } = step;
        const { reason, healed_target, notes, evidence, page_problems } = step;
        const shot = shots.find(
          (one) =>
            one.attempt === attempt.number &&
            one.browser === browser.browser &&
            one.step_number === number,
        );
        const compared = comparisons.find(
          (one) =>
            one.attempt === attempt.number &&
            one.browser === browser.browser &&
            one.number === number,
        );
        return {
          number,
          status,
          duration_ms,
          error,
          reason: step.is_gap ? reason : null,
          ...{ healed_target, notes, evidence, page_problems },
          description: step.description || `${action} ${target} ${value}`.trim(),
          compared: compared ? inWords(compared) : null,
          missing: missingAt(lost, attempt.number, browser.browser, number),
          pictures: picturesOf(
            shot && step.screenshot_url ? { shot, path: step.screenshot_url } : null,
            notKept === null ? compared : undefined,
          ),
        };
      }),
    })),
  }));
  return { test, notKept, isCutOff: false, attempts };
};

const picturesOf = (
  page: { readonly shot: Screenshot; readonly path: string } | null,
  compared: ComparisonRow | undefined,
): readonly StepPicture[] => {
  const path = compared && visualBody(compared).diff_url;
  return [
    ...(page ? [{ what: "page" as const, key: page.shot.blob_key, path: page.path }] : []),
    ...(compared?.diffKey && path
      ? [{ what: "difference" as const, key: compared.diffKey, path }]
      : []),
  ];
};

const inWords = ({ outcome, pixels, ratio, sizeDiffers, allowed }: ComparisonRow): string => {
  if (outcome === "proposed") return "There was no baseline: the picture is proposed as one.";
  if (sizeDiffers) return "The picture has another size than the baseline.";
  const far = `${pixels} pixels (${(ratio * 100).toFixed(2)} %) differ from the baseline; ${allowed} may.`;
  return outcome === "same" ? `As the baseline: ${far}` : `Not as the baseline: ${far}`;
};
