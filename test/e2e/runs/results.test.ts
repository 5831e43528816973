import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  executionDetail,
  runDetail,
  runEvent,
  screenshot,
} from "../../../src/api/routes/runs/schemas.ts";
import { type DemoSite, serveDemoSite } from "../../../src/cli/operator/demo/site.ts";
import { type Account, call, eventually, makeKey, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";

describe("results of a run in a browser", () => {
  let service: TestService;
  let site: DemoSite;
  let account: Account;
  let key: string;
  beforeAll(async () => {
    [service, site] = await Promise.all([startTestService(), serveDemoSite()]);
    account = await signUp(service.url);
    key = (await makeKey(service.url, account)).key;
  });
  afterAll(async () => {
    await service.stop();
    await site.close();
  });

  const get = (path: string, options: Parameters<typeof call>[3] = { bearer: key }) =>
    call(service.url, "GET", `/api/v1${path}`, options);

  it("contain numbered events, each step once, screenshots and the used unit", async () => {
    const steps = [
      { action: "navigate", target: "", value: "/", description: "" },
      { action: "screenshot", target: "", value: "front page", description: "" },
    ];
    const created = await call(service.url, "POST", "/api/v1/cli/tests", {
      bearer: key,
      body: { name: "front page", steps },
    });
    const queued = await call(service.url, "POST", "/api/v1/cli/cloud-runs", {
      bearer: key,
      body: { test_ids: [created.body.id], base_url: site.url },
    });
    const [runId, executionId] = [queued.body.run_ids[0], queued.body.executions[0].id];
    const run = await eventually(
      async () => (await get(`/cli/cloud-runs/${runId}?wait=5`)).body,
      ({ finished_at }) => finished_at !== null,
      60_000,
    );
    expect(run).toMatchObject({
      status: "passed",
      tests: [{ steps_done: 2, steps_total: 2, browsers: [{ browser: "chromium" }] }],
    });
    // The whole schemas: the serialiser that wrote the answers checks nothing.
    runDetail.parse(run);
    executionDetail.parse((await get(`/executions/${executionId}`)).body);
    const usage = await eventually(
      async () => (await get("/usage")).body,
      ({ used }) => used === 1,
    );
    expect(usage).toMatchObject({ used: 1, reserved: 0, limit: 50, remaining: 49 });

    const { items } = (await get(`/runs/${runId}/events?limit=100`)).body;
    z.array(runEvent).parse(items);
    const numbers = items.map(({ sequence }: { sequence: number }) => sequence);
    expect(numbers).toEqual(numbers.map((_: number, index: number) => index + 1));
    expect(items.at(-1)).toMatchObject({ name: "run_finished", data: { status: "passed" } });
    expect((await get(`/runs/${runId}/events?after=${numbers.length - 1}`)).body.items).toEqual([
      items.at(-1),
    ]);

    const shots = (await get(`/tests/${executionId}/screenshots`)).body.items;
    z.array(screenshot).parse(shots);
    expect(
      shots.map((shot: { step_number: number; format: string }) => [shot.step_number, shot.format]),
    ).toEqual([
      [1, "jpeg"],
      [2, "png"],
    ]);
    const path = `/tests/${executionId}/screenshots/chromium`;
    const jpeg = await get(`${path}/1?attempt=last`);
    expect(jpeg.headers.get("content-type")).toBe("image/jpeg");
    expect(jpeg.body.subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
    const png = await get(`${path}/2`, { cookie: account.cookie });
    expect([png.status, png.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(png.body.subarray(1, 4).toString()).toBe("PNG");
    expect((await get(`${path}/2?attempt=2`)).status).toBe(404);
    expect((await get(`${path}/0`)).status).toBe(404);
    expect((await get(`/tests/${executionId}/screenshots/firefox/1`)).status).toBe(404);
  });

  it("end a long poll when the service stops", {
    timeout: 25_000,
  }, async () => {
    const other = await startTestService({}, ["api", "projections"]);
    const owner = await signUp(other.url);
    const { key: bearer } = await makeKey(other.url, owner);
    const steps = [{ action: "navigate", target: "", value: "/", description: "" }];
    const created = await call(other.url, "POST", "/api/v1/cli/tests", {
      bearer,
      body: { name: "waits", steps },
    });
    const queued = await call(other.url, "POST", "/api/v1/cli/cloud-runs", {
      bearer,
      body: { test_ids: [created.body.id], base_url: site.url },
    });
    const runId = queued.body.run_ids[0];
    let isAnswered = false;
    const waiting = call(other.url, "GET", `/api/v1/cli/cloud-runs/${runId}?wait=30&since=1`, {
      bearer,
    }).finally(() => {
      isAnswered = true;
    });
    // The service has the call once it has answered one that was sent after it.
    await call(other.url, "GET", `/api/v1/runs/${runId}`, { bearer });
    expect(isAnswered).toBe(false);
    await other.stop();
    expect((await waiting).status).toBe(200);
  });
});
