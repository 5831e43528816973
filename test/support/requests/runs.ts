import type { Organization } from "../organization/organization.ts";
import { ofExecution, type Recipe } from "./recipe.ts";

const reportForm = (projectId: string): FormData => {
  const form = new FormData();
  const xml = `<testsuite name="shop"><testcase classname="cart" name="adds" time="0.1"/></testsuite>`;
  form.set("file", new Blob([xml], { type: "application/xml" }), "report.xml");
  form.set("project_id", projectId);
  return form;
};
const requestedRun = ({ testId }: Pick<Organization, "testId">) => ({ test_ids: [testId] });
const ofRun: Recipe = { valid: ({ runId }) => ({ params: { id: runId } }) };
const queued: Recipe = {
  valid: (own) => ({ body: requestedRun(own) }),
  naming: (stranger) => ({ body: requestedRun(stranger) }),
};

export const runsRequests: Readonly<Record<string, Recipe>> = {
  queueRuns: queued,
  cancelRun: ofRun,
  cancelExecution: { valid: ({ executionId }) => ({ params: { id: executionId } }) },
  rerunRun: {
    valid: async ({ fresh }) => ({
      params: { id: await fresh.failedRunId() },
      body: { failed_only: true },
    }),
  },
  listRuns: {},
  readRunReport: { valid: ({ runId }) => ({ params: { run_id: runId } }) },
  readRunPage: { valid: ({ runId }) => ({ params: { run_id: runId } }) },
  readTestSetReport: {
    valid: async ({ fresh, testSetId }) => ({
      params: { test_set_id: testSetId },
      query: { run_id: await fresh.runOfSet() },
    }),
  },
  readTestReport: { valid: ({ testId }) => ({ params: { test_id: testId } }) },
  importResults: {
    valid: ({ projectId }) => ({ body: reportForm(projectId) }),
    naming: ({ projectId }) => ({ body: reportForm(projectId) }),
  },
  readDashboard: {
    valid: ({ projectId }) => ({ query: { project_id: projectId, days: "7" } }),
    naming: ({ projectId }) => ({ query: { project_id: projectId } }),
  },
  readRun: ofRun,
  listRunExecutions: ofRun,
  listRunEvents: ofRun,
  listExecutions: {},
  listArtifacts: { valid: ({ executionId }) => ({ params: { id: executionId } }) },
  readArtifact: {
    valid: ({ executionId }) => ({ params: { id: executionId, name: "console.json" } }),
  },
  readExecution: { valid: ({ executionId }) => ({ params: { id: executionId } }) },
  readRunnerStatus: {},
  readRunJUnit: { valid: ({ runId }) => ({ params: { run_id: runId } }) },
  listScreenshots: ofExecution,
  readScreenshot: {
    valid: ({ executionId }) => ({
      params: { execution_id: executionId, browser: "chromium", step_number: "1" },
    }),
  },
  queueCloudRun: queued,
  readCloudRun: ofRun,
};
