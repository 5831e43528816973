import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { executionDetail, runDetail } from "../../../src/api/routes/runs/schemas.ts";
import { call, eventually, makeKey, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";

/** A site whose pages hang, or fail a number of times and then work. */
const startSite = async () => {
  const waiting = new Set<string>();
  let visits = 0;
  const server: Server = createServer((request, response) => {
    const url = request.url ?? "/";
    if (url.startsWith("/hangs")) {
      waiting.add(url);
      response.once("close", () => waiting.delete(url));
      return;
    }
    if (url === "/second-time") visits += 1;
    const works = url !== "/second-time" || visits > 1;
    response.setHeader("content-type", "text/html");
    response.end(works ? "<h1>Works</h1>" : "<h1>Broken</h1>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The pages that a browser waits for now. */
    waiting,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
};

describe("cancelling and repeating runs over HTTP in a browser", () => {
  let service: TestService;
  let site: Awaited<ReturnType<typeof startSite>>;
  let key: string;
  let account: Awaited<ReturnType<typeof signUp>>;
  let pictures: string;
  beforeAll(async () => {
    pictures = await mkdtemp(path.join(tmpdir(), "runledger-pictures-"));
    const settings = { BROWSER_PATH_WEBKIT: "/no/webkit", BLOB_STORE: `file://${pictures}` };
    [service, site] = await Promise.all([startTestService(settings), startSite()]);
    account = await signUp(service.url);
    key = (await makeKey(service.url, account)).key;
    // The wait for missing elements is shorter than by default.
    await setLimits({ step_timeout_seconds: 3 });
  });
  afterAll(async () => {
    await service.stop();
    await site.close();
    await rm(pictures, { recursive: true, force: true });
  });

  const setLimits = (settings: object) =>
    call(service.url, "PUT", `/api/v1/organizations/${account.organizationId}`, {
      bearer: account.accessToken,
      organizationId: account.organizationId,
      body: { settings },
    });
  const get = async (path: string) =>
    (await call(service.url, "GET", `/api/v1${path}`, { bearer: key })).body;
  const post = (path: string, body?: unknown) =>
    call(service.url, "POST", `/api/v1${path}`, { bearer: key, body });
  const testOf = async (name: string, ...steps: string[]) => {
    const made = await post("/tests", { name, text: steps.join("\n") });
    expect([made.status, made.body.warnings]).toEqual([201, []]);
    return made.body.id as string;
  };
  const queue = async (testIds: readonly string[], more: object = {}) => {
    const { status, body } = await post("/runner/runs", {
      test_ids: testIds,
      base_url: site.url,
      ...more,
    });
    expect(status).toBe(202);
    return { runId: body.run_ids[0] as string, executionId: body.executions[0].id as string };
  };
  const endOf = (runId: string) =>
    eventually(
      () => get(`/cli/cloud-runs/${runId}?wait=5`),
      ({ finished_at }) => finished_at !== null,
      60_000,
    );

  it("closes the page of a cancelled run, starts nothing else and reports each test", async () => {
    const hangs = await testOf("hangs", "Go to /hangs");
    const works = await testOf("works", "Go to /");
    const { runId, executionId } = await queue([hangs, works]);
    await eventually(
      async () => site.waiting.size,
      (size) => size === 1,
    );
    const cancelled = await post(`/runner/runs/${runId}/cancel`);
    expect([cancelled.status, cancelled.body]).toEqual([202, { id: runId, status: "running" }]);
    // A page that is open keeps its connection.
    await eventually(
      async () => site.waiting.size,
      (size) => size === 0,
    );
    const run = runDetail.parse(await endOf(runId));
    expect(run).toMatchObject({
      status: "cancelled",
      totals: { passed: 0, failed: 0, flaky: 0, errored: 0, cancelled: 2 },
      tests: [{ status: "cancelled" }, { status: "cancelled", steps_done: 0 }],
    });
    const execution = executionDetail.parse(await get(`/executions/${executionId}`));
    expect(execution).toMatchObject({
      status: "cancelled",
      browsers: [{ status: "cancelled", steps: [{ status: "skipped" }] }],
    });
    const names = (await get(`/runs/${runId}/events`)).items.map(
      ({ name }: { name: string }) => name,
    );
    expect(names.filter((name: string) => name.endsWith("_cancelled"))).toEqual([
      "execution_cancelled",
      "execution_cancelled",
      "run_cancelled",
    ]);
    const usage = await eventually(
      () => get("/usage"),
      ({ reserved }) => reserved === 0,
    );
    expect(usage.used).toBe(1);
    // Once told is enough.
    expect((await post(`/runner/runs/${runId}/cancel`)).body.status).toBe("cancelled");
    expect((await get("/runs?status=cancelled")).items.map(({ id }: { id: string }) => id)).toEqual(
      [runId],
    );
  });

  it("cancels one running test, and refuses to cancel a finished run", async () => {
    const hangs = await testOf("hangs alone", "Go to /hangs-alone");
    const { runId, executionId } = await queue([hangs]);
    await eventually(
      async () => site.waiting.size,
      (size) => size === 1,
    );
    const stopped = await post(`/executions/${executionId}/cancel`);
    expect([stopped.status, stopped.body.run_id]).toEqual([202, runId]);
    expect(await endOf(runId)).toMatchObject({ status: "cancelled" });

    const works = await testOf("ends", "Go to /");
    const ended = await queue([works]);
    await endOf(ended.runId);
    const late = await post(`/runner/runs/${ended.runId}/cancel`);
    expect([late.status, late.body.detail]).toEqual([
      409,
      "It has ended already: there is nothing to cancel.",
    ]);
  });

  it("records a test that passes on retry as flaky with both attempts, and the run as passed", async () => {
    const shy = await testOf("shy", "Go to /second-time", 'Then I should see "Works"');
    const { runId, executionId } = await queue([shy], { retries: 2 });
    const run = await endOf(runId);
    expect(run).toMatchObject({
      status: "passed",
      totals: { passed: 0, flaky: 1 },
      tests: [
        {
          status: "flaky",
          attempts: [
            { number: 1, status: "failed" },
            { number: 2, status: "passed" },
          ],
        },
      ],
    });
    const execution = executionDetail.parse(await get(`/executions/${executionId}`));
    expect(execution.attempts.map(({ browsers }) => browsers[0]?.steps[1]?.status)).toEqual([
      "failed",
      "passed",
    ]);
    expect(execution.browsers).toEqual(execution.attempts[1]?.browsers);
    for (const { number, browsers } of execution.attempts) {
      const url = browsers[0]?.steps[0]?.screenshot_url ?? "";
      expect(url).toContain(`attempt=${number}`);
      expect((await call(service.url, "GET", url, { bearer: key })).status).toBe(200);
    }
  });

  it("repeats only failed tests in a new run that refers to the first and uses quota", async () => {
    const good = await testOf("good", "Go to /");
    const bad = await testOf("bad", "Go to /", 'Then I should see "Nothing of the kind"');
    const { runId } = await queue([good, bad], { variables: { who: "ann" } });
    expect((await post(`/runner/runs/${runId}/rerun`, { failed_only: true })).status).toBe(409);
    await endOf(runId);
    const before = (await get("/usage")).used;
    const again = await post(`/runner/runs/${runId}/rerun`, { failed_only: true });
    expect(again.status).toBe(202);
    expect(again.body.executions.map(({ test_id }: { test_id: string }) => test_id)).toEqual([bad]);
    const [rerunId] = again.body.run_ids;
    expect(await endOf(rerunId)).toMatchObject({ rerun_of: runId, status: "failed" });
    await eventually(
      () => get("/usage"),
      ({ used }) => used === before + 1,
    );

    const all = await post(`/runner/runs/${rerunId}/rerun`, {});
    expect(all.body.executions).toHaveLength(1);
    const { runId: fine } = await queue([good]);
    await endOf(fine);
    const nothing = await post(`/runner/runs/${fine}/rerun`, { failed_only: true });
    expect([nothing.status, nothing.body.detail]).toEqual([
      409,
      "Every test of the run has passed.",
    ]);
  });

  it("ends the test of a missing browser as errored and judges the others", async () => {
    const works = await testOf("in two browsers", "Go to /");
    const { runId, executionId } = await queue([works], { browsers: ["chromium", "webkit"] });
    const unavailable = expect.stringMatching(
      /^unavailable: .*npx playwright install --with-deps webkit/,
    );
    expect(await endOf(runId)).toMatchObject({
      status: "errored",
      tests: [
        {
          status: "errored",
          error: unavailable,
          browsers: [
            { browser: "chromium", status: "passed" },
            { browser: "webkit", status: "errored" },
          ],
        },
      ],
    });
    const execution = executionDetail.parse(await get(`/executions/${executionId}`));
    expect(execution.browsers).toMatchObject([
      { browser: "chromium", browser_version: expect.stringMatching(/^\d/), status: "passed" },
      { browser: "webkit", browser_version: "", status: "errored", error: unavailable },
    ]);
  });

  it("offers trace and HAR for download and explains missing ones", async () => {
    const works = await testOf("recorded", "Go to /");
    const { runId, executionId } = await queue([works], { evidence: ["trace", "har"] });
    await endOf(runId);
    const path = `/executions/${executionId}/artifacts`;
    const { items } = await eventually(
      () => get(path),
      ({ items: found }) => found.length >= 2,
    );
    const named = items.map(({ name, absent }: { name: string; absent: null }) => [name, absent]);
    expect(named).toContainEqual(["network.har", null]);
    expect(named).toContainEqual(["trace.zip", null]);
    for (const { url, content_type, bytes } of items) {
      const file = await call(service.url, "GET", url, { bearer: key });
      expect([file.status, file.headers.get("content-type")]).toEqual([200, content_type]);
      expect(Number(file.headers.get("content-length"))).toBe(bytes);
      expect(file.headers.get("content-disposition")).toMatch(/^attachment; filename="chromium-1-/);
    }
    const none = await call(service.url, "GET", `/api/v1${path}/video.webm`, { bearer: key });
    expect([none.status, none.body.detail]).toEqual([404, "The execution has no video.webm."]);
    const stranger = await signUp(service.url);
    const theirs = await call(service.url, "GET", `/api/v1${path}`, {
      bearer: stranger.accessToken,
      organizationId: stranger.organizationId,
    });
    expect(theirs.status).toBe(403);
  });

  it("keeps the verdict and explains missing screenshots if the store cannot be written", async () => {
    const works = await testOf("pictured", "Go to /", 'Take a screenshot called "start"');
    await endOf((await queue([works])).runId);
    const [folder, aside] = [path.join(pictures, "runs"), path.join(pictures, "aside")];
    await rename(folder, aside);
    await writeFile(folder, "a file where the folder was");
    const { runId, executionId } = await queue([works]);
    expect(await endOf(runId)).toMatchObject({ status: "passed" });
    const why = expect.stringMatching(/^The store of screenshots is gone/);
    const execution = executionDetail.parse(await get(`/executions/${executionId}`));
    expect(execution.browsers[0]?.steps).toMatchObject([
      { status: "passed", screenshot_url: null, screenshot_missing: why },
      { action: "screenshot", status: "passed", screenshot_url: null, screenshot_missing: why },
    ]);
    const shot = await get(`/tests/${executionId}/screenshots/chromium/2`);
    expect(shot.detail).toMatch(
      /^There is no screenshot of this step\. The store of screenshots is/,
    );
    const page = String((await get(`/reports/runs/${runId}/html`)) ?? "");
    expect(page.match(/There is no picture of this step\. The store of/g)).toHaveLength(2);
    await rm(folder);
    await rename(aside, folder);
  });

  it("ends a hanging test within the organisation's limits and continues with the next", async () => {
    const settings = { step_timeout_seconds: 3, test_timeout_seconds: 8 };
    const changed = await setLimits(settings);
    expect(changed.body.settings).toMatchObject(settings);
    const hangs = await testOf("hangs too", "Go to /hangs-too");
    const waits = await testOf("waits", "Go to /", "Wait for 30 s");
    const works = await testOf("works after", "Go to /");
    const { runId } = await queue([hangs, waits, works]);
    const run = await endOf(runId);
    expect(run.tests).toMatchObject([
      { status: "failed" },
      {
        status: "failed",
        error: expect.stringContaining("The test took longer than the 8 s that it may take."),
      },
      { status: "passed" },
    ]);
  });
});
