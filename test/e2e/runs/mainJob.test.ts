import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DemoSite, serveDemoSite } from "../../../src/cli/operator/demo/site.ts";
import { type Account, call, eventually, makeKey, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";

/** The main job, from outside: a person writes a test in plain English, a key queues it, a browser runs it. */
describe("a test in plain English", () => {
  let service: TestService;
  let site: DemoSite;
  let ann: Account;
  let key: string;

  beforeAll(async () => {
    [service, site] = await Promise.all([startTestService(), serveDemoSite()]);
    ann = await signUp(service.url);
    key = (await makeKey(service.url, ann, "ci")).key;
  });
  afterAll(async () => {
    await service.stop();
    await site.close();
  });

  const createTest = async (text: string) => {
    const reply = await call(service.url, "POST", "/api/v1/tests", {
      bearer: ann.accessToken,
      body: { name: "Todos", text },
    });
    expect(reply.status).toBe(201);
    return reply.body;
  };
  const queue = async (testId: string) => {
    const reply = await call(service.url, "POST", "/api/v1/cli/cloud-runs", {
      bearer: key,
      body: { test_ids: [testId], base_url: site.url },
    });
    expect(reply.status).toBe(202);
    return reply.body as { run_ids: string[]; executions: { id: string; test_id: string }[] };
  };
  const ended = (runId: string) =>
    eventually(
      async () =>
        (await call(service.url, "GET", `/api/v1/cli/cloud-runs/${runId}`, { bearer: key })).body,
      (run) => run.finished_at !== null,
      60_000,
    );

  it("passes in a browser when it is queued with an API key", async () => {
    const test = await createTest(
      [
        "Go to /todo",
        'Type "Buy milk" into "What needs to be done?" and press Enter',
        'I should see "Buy milk"',
      ].join("\n"),
    );
    expect(test.warnings).toEqual([]);
    const { run_ids, executions } = await queue(test.id);
    const run = await ended(run_ids[0] ?? "");
    expect(run).toMatchObject({ status: "passed", triggered_by: "api:ci" });
    const execution = await call(service.url, "GET", `/api/v1/executions/${executions[0]?.id}`, {
      bearer: ann.accessToken,
    });
    const [browser] = execution.body.browsers;
    expect(browser.steps.map((step: { status: string }) => step.status)).toEqual([
      "passed",
      "passed",
      "passed",
      "passed",
    ]);
    const shot = await call(service.url, "GET", browser.steps[3].screenshot_url, { bearer: key });
    expect(shot.headers.get("content-type")).toBe("image/jpeg");
    expect(shot.body.subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
  });

  it("fails at an impossible step with the found elements in the error, and skips the rest", async () => {
    const test = await createTest(
      ["Go to /", 'I should see "No such thing"', 'Press "Enter"'].join("\n"),
    );
    const { run_ids, executions } = await queue(test.id);
    const run = await ended(run_ids[0] ?? "");
    expect(run.status).toBe("failed");
    expect(run.totals).toMatchObject({ passed: 0, failed: 1, flaky: 0, errored: 0, cancelled: 0 });
    expect(run.tests[0].error).toContain("No such thing");
    const execution = await call(service.url, "GET", `/api/v1/executions/${executions[0]?.id}`, {
      bearer: ann.accessToken,
    });
    const statuses = execution.body.browsers[0].steps.map(
      (step: { status: string }) => step.status,
    );
    expect(statuses).toEqual(["passed", "failed", "skipped"]);
  });
});
