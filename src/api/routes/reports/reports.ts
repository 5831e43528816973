import { z } from "zod";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { binary, id } from "../../schemas.ts";
import type { Services } from "../../services.ts";
import { owned } from "../kernel/ownership.ts";

import { executionDetailExample, runDetailExample } from "../runs/examples.ts";
import { executionBody } from "../runs/executionBody.ts";
import { buildRunReport, changesSince, flakinessOver } from "./build.ts";
import { reportPage } from "./page.ts";
import { picturesFor } from "./pictures.ts";
import { runReport, testReport, testSetReport } from "./shapes.ts";
import { stepsOfTests } from "./steps.ts";

const HISTORY = 50;

const reading = { tag: "Reports", method: "GET", permission: "results:read" } as const;
const ofRun = z.object({ run_id: id });
const chosen = z.object({ run_id: id.optional() });
const runReportExample = {
  run: runDetailExample,
  problems: [],
  quarantined: [],
  trend: [
    {
      run_id: runDetailExample.id,
      status: "passed" as const,
      finished_at: "2026-03-01T10:11:14.345Z",
      passed: 1,
      not_passed: 0,
    },
  ],
};

const readRunReport = defineOperation({
  ...reading,
  id: "readRunReport",
  path: "/reports/runs/{run_id}",
  summary: "Read a run's report: failures, changes since they last passed, and the trend",
  auth: "download",
  params: ofRun,
  responses: { 200: runReport },
  example: { response: runReportExample },
  handler: async ({ params, principal, services }) => {
    const run = owned(await services.runs.queries.findRun(params.run_id), principal, "run");
    return { status: 200, body: await buildRunReport(services, run) };
  },
});

const readRunPage = defineOperation({
  ...reading,
  id: "readRunPage",
  path: "/reports/runs/{run_id}/html",
  summary: "Read a run's report as a self-contained page",
  auth: "download",
  params: ofRun,
  responses: { 200: binary("text/html", "The page") },
  handler: async ({ params, principal, services }) => {
    const run = owned(await services.runs.queries.findRun(params.run_id), principal, "run");
    const report = await buildRunReport(services, run);
    const tests = await stepsOfTests(services, run.tests);
    const pictures = await picturesFor(services.blobs, [...tests.values()]);
    const body = reportPage(report, { tests, pictures, base: services.config.publicUrl ?? "" });
    return {
      status: 200,
      body,
      headers: {
        "content-type": "text/html; charset=utf-8",
        "content-disposition": `inline; filename="run-${run.id}.html"`,
        // Only inline styles and embedded pictures.
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
      },
    };
  },
});

const readTestSetReport = defineOperation({
  ...reading,
  id: "readTestSetReport",
  path: "/reports/test-sets/{test_set_id}",
  summary: "Read the report of a test set's run, by default the last one",
  auth: "download",
  params: z.object({ test_set_id: id }),
  query: chosen,
  responses: { 200: testSetReport },
  example: {
    response: {
      test_set: { id: "019a5a6e-3f05-7000-8000-5a1de1f0a009", name: "Every night" },
      ...runReportExample,
    },
  },
  handler: async ({ params, query, principal, services }) => {
    const found = await services.catalogue.queries.findTestSet(params.test_set_id);
    const set = owned(found, principal, "test set");
    const runId = query.run_id ?? (await services.reports.queries.lastRunOfSet(set.id));
    if (runId === null) throw new ApiError(404, "This test set has not been run yet.");
    const run = owned(await services.runs.queries.findRun(runId), principal, "run");
    if (run.test_set_id !== set.id) throw new ApiError(404, "The run is not one of this test set.");
    const { id: setId, name } = set;
    const report = await buildRunReport(services, run);
    return { status: 200, body: { test_set: { id: setId, name }, ...report } };
  },
});

/** A test of the catalogue, or one known only from imported results. Throws ApiError 404, 403. */
const testOf = async (
  services: Services,
  testId: string,
  principal: { readonly organizationId: string },
): Promise<z.output<typeof testReport>["test"]> => {
  const found = await services.catalogue.queries.findTest(testId);
  if (found === null) {
    const other = await services.resultImports.queries.findImportedTest(testId);
    const { id: otherId, name, suite, class_name, tool_project } = owned(other, principal, "test");
    const external = { suite, class_name, name, project: tool_project };
    return { id: otherId, name, version: 1, source: "import", external };
  }
  const { id: ownId, name, version } = owned(found, principal, "test");
  return { id: ownId, name, version, source: "own", external: null };
};

const quarantineOf = async (services: Services, testId: string) => {
  const now = services.clock().toISOString();
  const found = await services.quarantine.queries.findQuarantine(testId, now);
  return found && { until: found.until, reason: found.reason, started_at: found.started_at };
};

const readTestReport = defineOperation({
  ...reading,
  id: "readTestReport",
  path: "/reports/tests/{test_id}",
  summary: "Read a test's report: last execution, history and flakiness",
  auth: "download",
  params: z.object({ test_id: id }),
  query: chosen,
  responses: { 200: testReport },
  example: {
    response: {
      test: {
        id: executionDetailExample.test_id,
        name: "Opens",
        version: 1,
        source: "own",
        external: null,
      },
      execution: executionDetailExample,
      changes: null,
      quarantine: null,
      totals: { executions: 1, passed: 1, flaky: 0, failed: 0, errored: 0, cancelled: 0 },
      flakiness: [
        { days: 1, executions: 1, signs: 0, score: 0, since: null },
        { days: 7, executions: 1, signs: 0, score: 0, since: null },
        { days: 30, executions: 1, signs: 0, score: 0, since: null },
      ],
      history: [
        {
          execution_id: executionDetailExample.id,
          run_id: executionDetailExample.run_id,
          test_version: 1,
          status: "passed",
          duration_ms: 120,
          finished_at: "2026-03-01T10:11:14.345Z",
        },
      ],
    },
  },
  handler: async ({ params, query, principal, services }) => {
    const test = await testOf(services, params.test_id, principal);
    const { queries } = services.reports;
    const executionId = await queries.executionOf(test.id, query.run_id ?? null);
    if (query.run_id !== undefined && executionId === null) {
      throw new ApiError(404, "The run has no execution of this test.");
    }
    const execution = executionId && (await services.runs.queries.findExecution(executionId));
    const [now] = executionId ? await queries.executionsById([executionId]) : [];
    const history = await queries.lastExecutions(test.id, HISTORY);
    const count = (status: string) => history.filter((one) => one.status === status).length;
    return {
      status: 200,
      body: {
        test,
        execution: execution ? await executionBody(services, execution) : null,
        changes: now && now.status !== "passed" ? await changesSince(services, test.id, now) : null,
        quarantine: await quarantineOf(services, test.id),
        totals: {
          executions: history.length,
          passed: count("passed"),
          flaky: count("flaky"),
          failed: count("failed"),
          errored: count("errored"),
          cancelled: count("cancelled"),
        },
        flakiness: await flakinessOver(services, test.id, services.clock()),
        history: history.map((one) => ({
          execution_id: one.id,
          run_id: one.run_id,
          test_version: one.test_version,
          status: one.status,
          duration_ms: one.duration_ms,
          finished_at: one.finished_at,
        })),
      },
    };
  },
});

export const reportOperations: readonly Operation[] = [
  readRunReport,
  readRunPage,
  readTestSetReport,
  readTestReport,
];
