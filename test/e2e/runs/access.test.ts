import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { type Account, call, makeKey, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";

const steps = [
  { action: "navigate", target: "", value: "https://shop.example", description: "the shop" },
];

describe("queueing and reading runs", () => {
  let service: TestService;
  let account: Account;
  let key: string;
  let testId: string;
  let stranger: Account;
  let strangerKey: string;
  beforeAll(async () => {
    service = await startTestService({}, ["api", "projections", "dispatcher"]);
    account = await signUp(service.url);
    key = (await makeKey(service.url, account, "nightly build 1")).key;
    stranger = await signUp(service.url);
    strangerKey = (await makeKey(service.url, stranger)).key;
    const created = await call(service.url, "POST", "/api/v1/cli/tests", {
      bearer: key,
      body: { name: "opens the shop", steps },
    });
    testId = created.body.id;
  });
  afterAll(() => service.stop());

  const queue = (body: unknown, bearer = key) =>
    call(service.url, "POST", "/api/v1/cli/cloud-runs", { bearer, body });
  const get = (path: string, bearer = key) =>
    call(service.url, "GET", `/api/v1${path}`, { bearer });

  it("records the API key as the requester, and the run can be read at once", async () => {
    const queued = await queue({ test_ids: [testId], variables: { user: "ada" } });
    expect(queued.status).toBe(202);
    const [runId] = queued.body.run_ids;
    expect(queued.body).toEqual({
      run_ids: [runId],
      executions: [
        { id: expect.any(String), run_id: runId, test_id: testId, source: null, content: null },
      ],
    });
    const run = await get(`/cli/cloud-runs/${runId}`);
    expect(run.body).toMatchObject({
      id: runId,
      status: "queued",
      triggered_by: "api:nightly build 1",
      started_at: null,
      duration_ms: null,
      totals: { passed: 0, failed: 0, flaky: 0, errored: 0, cancelled: 0, quarantined: 0 },
      tests: [
        {
          test_id: testId,
          name: "opens the shop",
          execution_id: queued.body.executions[0].id,
          status: "queued",
          steps_done: 0,
          steps_total: 1,
          error: null,
          attempts: [],
          browsers: [],
        },
      ],
    });
    expect(run.body).not.toHaveProperty("organizationId");
    expect((await get(`/runs/${runId}`)).body.id).toBe(runId);
    const listed = await get("/runs?triggered_by=api:nightly%20build%201&limit=1");
    expect(listed.body.items[0]).toMatchObject({ id: runId, triggered_by: "api:nightly build 1" });
    const execution = await get(`/executions/${queued.body.executions[0].id}`);
    expect(execution.body).toMatchObject({ run_id: runId, attempts: [], browsers: [] });
    const ofRun = await get(`/runs/${runId}/executions`);
    expect(ofRun.body).toMatchObject({ items: [{ run_id: runId }], next_cursor: null });
    const events = await get(`/runs/${runId}/events?limit=1`);
    expect(events.body.items).toMatchObject([{ sequence: 1, name: "run_queued", run_id: runId }]);
  });

  it("records the address of a person as the requester", async () => {
    const session = { bearer: account.accessToken, organizationId: account.organizationId };
    const project = await call(service.url, "POST", "/api/v1/projects", {
      ...session,
      body: { name: "Shop" },
    });
    const created = await call(service.url, "POST", "/api/v1/tests", {
      ...session,
      body: { name: "in the project", project_id: project.body.id, steps },
    });
    const queued = await call(service.url, "POST", "/api/v1/runner/runs", {
      ...session,
      body: { project_id: project.body.id },
    });
    expect(queued.status).toBe(202);
    expect(queued.body.executions).toMatchObject([{ test_id: created.body.id }]);
    const run = await call(service.url, "GET", `/api/v1/runs/${queued.body.run_ids[0]}`, session);
    expect(run.body.triggered_by).toBe(`user:${account.email}`);
    const onCli = await call(service.url, "POST", "/api/v1/cli/cloud-runs", {
      ...session,
      body: { test_ids: [testId] },
    });
    expect(onCli.status).toBe(401);
  });

  it("answers 422 with the field for an invalid body and 403 for a foreign test or project", async () => {
    const refused = async (body: unknown, status: number, detail: RegExp) => {
      const reply = await queue(body);
      expect([reply.status, reply.body.detail]).toEqual([status, expect.stringMatching(detail)]);
    };
    await refused({}, 422, /test_ids/);
    await refused({ test_ids: [] }, 422, /test_ids/);
    await refused({ test_ids: [newId()] }, 422, /test_ids/);
    await refused({ test_ids: ["nonsense"] }, 422, /test_ids/);
    await refused({ test_ids: Array.from({ length: 1_001 }, newId) }, 422, /1000/);
    await refused({ test_ids: [testId], project_id: newId() }, 422, /name the tests by test_ids/);
    await refused({ project_id: newId() }, 422, /project/);
    await refused({ test_ids: [testId], browsers: ["netscape"] }, 422, /browsers/);
    await refused({ test_ids: [testId], base_url: "file:///etc/passwd" }, 422, /base_url/);
    await refused({ test_ids: [testId], variables: { "a b": "c" } }, 422, /variables/);
    await refused({ test_ids: [testId], target: "moon" }, 422, /target/);
    await refused({ test_ids: [testId], environment: 1 }, 422, /environment/);
    await refused({ test_ids: [testId], retries: 6 }, 422, /retries/);
    const foreign = await queue({ test_ids: [testId] }, strangerKey);
    expect(foreign.status).toBe(403);
  });

  it("answers 403 for foreign ids, 404 for unknown and malformed ids and 401 without a key", async () => {
    const { body } = await queue({ test_ids: [testId] });
    const [runId, executionId] = [body.run_ids[0], body.executions[0].id];
    const paths = (run: string, execution: string) => [
      `/cli/cloud-runs/${run}`,
      `/runs/${run}`,
      `/runs/${run}/executions`,
      `/runs/${run}/events`,
      `/executions/${execution}`,
      `/tests/${execution}/screenshots`,
      `/tests/${execution}/screenshots/chromium/1`,
    ];
    const statuses = (all: readonly string[], bearer?: string) =>
      Promise.all(
        all.map(
          async (path) =>
            (await call(service.url, "GET", `/api/v1${path}`, bearer ? { bearer } : {})).status,
        ),
      );
    const known = paths(runId, executionId);
    expect(new Set(await statuses(known, strangerKey))).toEqual(new Set([403]));
    expect(new Set(await statuses(paths(newId(), newId()), key))).toEqual(new Set([404]));
    expect(new Set(await statuses(paths("nonsense", "nonsense"), key))).toEqual(new Set([404]));
    expect(new Set(await statuses(known))).toEqual(new Set([401]));
    expect((await get(`/tests/${executionId}/screenshots`)).body).toEqual({
      items: [],
      next_cursor: null,
    });
    expect((await get(`/tests/${executionId}/screenshots/chromium/1`)).status).toBe(404);
  });

  it("returns from a long poll when the run changes or the wait is over", async () => {
    const { body } = await queue({ test_ids: [testId] });
    const [runId] = body.run_ids;
    const { body: first } = await get(`/cli/cloud-runs/${runId}?wait=20&since=0`);
    expect(first.sequence).toBeGreaterThan(0);
    const executionId = body.executions[0].id;
    const events = async () => (await get(`/runs/${runId}/events`)).body.items.length;
    while ((await events()) < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    const waiting = get(`/cli/cloud-runs/${runId}?wait=30&since=2`);
    const { loop } = service.core;
    const { executionDecider } = await import("../../../src/domain/runs/executions/execution.ts");
    await loop.execute(
      executionDecider,
      executionId,
      { type: "claim", worker: "test", delivery: 1 },
      {
        actor: { type: "system", id: "test" },
        organizationId: account.organizationId,
        correlationId: newId(),
        causationId: newId(),
      },
    );
    const { body: second } = await waiting;
    expect(second.sequence).toBeGreaterThan(2);
    expect(second.tests[0].status).toBe("claimed");
    const { status } = await get(`/cli/cloud-runs/${runId}?wait=31`);
    expect(status).toBe(422);
  });
});
