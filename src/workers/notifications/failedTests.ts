import type { ExecutionQueries } from "../../projections/runs/executions/queries.ts";
import type { RunDetail } from "../../projections/runs/queries.ts";
import type { FailedTest } from "./resultLetter.ts";

const MAX_DESCRIBED = 10;

/** Deep links of the web app (operations.md, "Reports"). */
export const reportUrlOf = (webBase: string, run: RunDetail): string => {
  const [only] = run.tests;
  if (run.test_set_id !== null) {
    return `${webBase}/reports/test-sets/${run.test_set_id}?run=${run.id}`;
  }
  return run.tests.length === 1 && only
    ? `${webBase}/reports/tests/${only.test_id}?run=${run.id}`
    : `${webBase}/runs/${run.id}`;
};

/** The tests of a run that did not pass and are in no quarantine, with the step at which each ended and a picture of it. */
export const failedOf = async (
  executions: Pick<ExecutionQueries, "findExecution" | "screenshotsOf">,
  run: RunDetail,
): Promise<readonly FailedTest[]> => {
  const failed = run.tests.filter(
    ({ status, quarantined }) => !quarantined && (status === "failed" || status === "errored"),
  );
  return Promise.all(
    failed.map(async ({ name, status, error, execution_id }, index) => {
      const plain = { name, status, error, step: null, picture: null };
      if (index >= MAX_DESCRIBED) return plain;
      const execution = await executions.findExecution(execution_id);
      const attempt = execution?.attempts.at(-1)?.number;
      const browser = execution?.browsers.find((one) => one.status !== "passed");
      const step = browser?.steps.find((one) => one.status === "failed");
      if (!browser || !step) return plain;
      const shots = await executions.screenshotsOf(execution_id);
      const shot = shots.find(
        (one) =>
          one.step_number === step.number &&
          one.browser === browser.browser &&
          one.attempt === attempt,
      );
      const said = step.description || `${step.action} ${step.target} ${step.value}`.trim();
      return {
        ...plain,
        error: step.error ?? error,
        step: { number: step.number, description: said },
        picture: shot?.blob_key ?? null,
      };
    }),
  );
};
