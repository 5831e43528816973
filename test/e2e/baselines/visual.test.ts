import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { baselines as baselinesSchema } from "../../../src/api/routes/baselines/shapes.ts";
import { executionDetail } from "../../../src/api/routes/runs/schemas.ts";
import { projections } from "../../../src/main/core/projections.ts";
import { sizeOfPng } from "../../../src/platform/pictures/png.ts";
import { verifyProjection } from "../../../src/projections/kernel/verify.ts";
import { type Pages, servePages } from "../../integration/executor/pages.ts";
import { type Account, call, eventually, makeKey, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";

const page = (price: string) => `<!doctype html><title>Shop</title>
<body style="margin:0;font:20px sans-serif"><h1>Shop</h1><p>Tea</p>
<p style="position:absolute;left:40px;top:200px;width:200px;height:40px;margin:0">${price}</p></body>`;

const MASK = { x: 40, y: 200, width: 200, height: 40 };

describe("visual baselines", () => {
  let service: TestService;
  let site: Pages;
  let account: Account;
  let key: string;
  const pages: Record<string, string> = { "/": page("3.20") };

  beforeAll(async () => {
    [service, site] = await Promise.all([startTestService(), servePages(pages)]);
    account = await signUp(service.url);
    key = (await makeKey(service.url, account)).key;
  });
  afterAll(async () => {
    await service.stop();
    await site.close();
  });

  const ask = (method: string, path: string, body?: unknown) =>
    call(service.url, method, `/api/v1${path}`, { bearer: key, ...(body ? { body } : {}) });
  const get = async (path: string) => (await ask("GET", path)).body;

  const createTest = async (): Promise<{ id: string; stepId: string }> => {
    const { body } = await ask("POST", "/tests", {
      name: "front page",
      steps: [
        { action: "navigate", value: "/" },
        { action: "visual_check", value: "start" },
        { action: "assert_visible", target: 'text "Tea"' },
      ],
    });
    return { id: body.id, stepId: body.steps[1].id };
  };

  const run = async (testId: string) => {
    const queued = await ask("POST", "/cli/cloud-runs", { test_ids: [testId], base_url: site.url });
    const runId: string = queued.body.run_ids[0];
    const ended = await eventually(
      () => get(`/cli/cloud-runs/${runId}?wait=5`),
      ({ finished_at }) => finished_at !== null,
      60_000,
    );
    const executionId: string = queued.body.executions[0].id;
    const execution = executionDetail.parse(await get(`/executions/${executionId}`));
    return { runId, executionId, ended, steps: execution.browsers[0]?.steps ?? [] };
  };

  it("are a gap of the test, with the reason, and allow no approval on the free plan", async () => {
    const test = await createTest();
    const { ended, steps, runId } = await run(test.id);
    expect(ended.status).toBe("passed");
    expect(steps[1]).toMatchObject({ status: "skipped", is_gap: true, visual: null });
    const { items } = await get(`/runs/${runId}/events?limit=100`);
    const skipped = items.find(({ name }: { name: string }) => name === "step_skipped");
    expect(skipped.data.reason).toContain("visual_baselines");
    expect(skipped.data.reason).toContain("Starter");
    const { reason } = skipped.data;
    const gaps = [{ browser: "chromium", step: 2, reason }];
    expect(ended).toMatchObject({
      ...{ verdict: "passed_with_gaps", tests_with_gaps: 1, tests_healed: 0 },
      tests: [{ status: "passed", verdict: "passed_with_gaps", gaps, healed: [] }],
    });
    expect((await get("/runs")).items[0]).toMatchObject({ verdict: "passed_with_gaps" });
    expect((await get("/executions")).items[0]).toMatchObject({ gaps });
    const report = async (path: string): Promise<string> => {
      const of = `${service.url}/api/v1/reports/runs/${runId}/${path}`;
      return (await fetch(of, { headers: { authorization: `Bearer ${key}` } })).text();
    };
    const junit = await report("junit");
    expect(junit).toContain('skipped="1"');
    expect(junit).toContain(`<skipped message="Passed with gaps: step 2 skipped: ${reason}"/>`);
    const html = await report("html");
    expect(html).toContain("<title>front page: passed with gaps</title>");
    expect(html).toContain(`<li>step 2 skipped: ${reason}</li>`);
    const settings = await ask("PUT", `/tests/${test.id}/baselines/settings`, { threshold: 0.1 });
    expect([settings.status, settings.body.detail]).toEqual([403, skipped.data.reason]);
  });

  it("are proposed, approved, compared with a difference image, and masked without a new run on a paid plan", {
    timeout: 120_000,
  }, async () => {
    const owner = { bearer: account.accessToken, organizationId: account.organizationId };
    const change = await call(service.url, "POST", "/api/v1/plan/change", {
      ...owner,
      body: { plan: "starter" },
    });
    const confirmed = await call(
      service.url,
      "POST",
      `/api/v1/plan/change/${change.body.id}/confirm`,
      owner,
    );
    expect(confirmed.status).toBe(200);
    const test = await createTest();
    const place = `/tests/${test.id}/baselines/${test.stepId}/chromium?viewport=1280x720`;

    // The first run proposes: it has nothing to compare with, and passes with a gap.
    const first = await run(test.id);
    expect(first.ended).toMatchObject({ status: "passed", verdict: "passed_with_gaps" });
    expect(first.steps[1]?.visual).toMatchObject({ outcome: "proposed", baseline_url: null });
    const proposed = baselinesSchema.parse(
      await eventually(
        () => get(`/tests/${test.id}/baselines`),
        ({ items }) => items.length === 1,
      ),
    );
    expect(proposed.items[0]).toMatchObject({
      status: "proposed",
      approved: null,
      step_id: test.stepId,
    });
    expect((await ask("GET", `${place}`)).status).toBe(404);

    const approved = await ask("POST", `/runs/${first.runId}/baselines/approve`);
    expect([approved.status, approved.body.items.length]).toEqual([200, 1]);
    const kept = baselinesSchema.parse(await get(`/tests/${test.id}/baselines`));
    expect(kept.items[0]).toMatchObject({
      status: "approved",
      proposed: null,
      approved_by: "api:ci",
    });
    const picture = await ask("GET", place);
    expect(sizeOfPng(picture.body)).toEqual({ width: 1280, height: 720 });

    // The page is as it was: the same bytes.
    const second = await run(test.id);
    expect(second.ended).toMatchObject({ status: "passed", verdict: "passed" });
    expect(second.steps[1]?.visual).toMatchObject({ outcome: "same", pixels: 0, diff_url: null });

    // A changed page fails, and later pictures are still compared.
    pages["/"] = page("4.70");
    const third = await run(test.id);
    expect(third.ended.status).toBe("failed");
    expect(third.ended.totals).toMatchObject({ failed: 1, passed: 0 });
    const [, seen, after] = third.steps;
    expect(seen?.status).toBe("failed");
    expect(seen?.error).toMatch(/^The picture differs from the baseline in \d+ pixels/);
    expect(after?.status).toBe("passed");
    expect(seen?.visual).toMatchObject({ outcome: "different", size_differs: false });
    const path = `/tests/${third.executionId}/screenshots/chromium/2`;
    for (const which of ["", "/baseline", "/diff"]) {
      const shot = await call(service.url, "GET", `/api/v1${path}${which}`, {
        cookie: account.cookie,
      });
      expect([which, shot.status, shot.headers.get("content-type")]).toEqual([
        which,
        200,
        "image/png",
      ]);
      expect(sizeOfPng(shot.body)).toEqual({ width: 1280, height: 720 });
    }
    expect(
      (await ask("GET", `/tests/${second.executionId}/screenshots/chromium/2/diff`)).status,
    ).toBe(404);

    // It is judged anew without a browser: by a mask it passes, and so does the run.
    const masked = await ask("POST", `/executions/${third.executionId}/rejudge`, {
      settings: { masks: [MASK] },
    });
    expect(masked.body).toMatchObject({
      status: "passed",
      pictures: [{ outcome: "same", pixels: 0 }],
    });
    const rejudged = await eventually(
      () => get(`/runs/${third.runId}`),
      ({ status }) => status === "passed",
    );
    expect(rejudged).toMatchObject({
      totals: { passed: 1, failed: 0 },
      duration_ms: third.ended.duration_ms,
      tests: [{ status: "passed", error: null, browsers: [{ status: "passed" }] }],
    });
    const anew = executionDetail.parse(await get(`/executions/${third.executionId}`));
    expect(anew.browsers[0]?.steps[1]).toMatchObject({ status: "passed", error: null });
    // And back, by the settings that the test has.
    const again = await ask("POST", `/executions/${third.executionId}/rejudge`, {});
    expect(again.body.status).toBe("failed");

    // With a permanent mask the next run passes; without it, the settings pinned by the run count.
    const set = await ask("PUT", `/tests/${test.id}/baselines/settings`, { masks: [MASK] });
    baselinesSchema.parse(set.body);
    expect(set.body.settings).toMatchObject({ threshold: 0.2, masks: [MASK] });
    expect((await run(test.id)).ended.status).toBe("passed");

    // The change was proposed. It is rejected, then approved after all, from the run that saw it.
    const open = await get(`/tests/${test.id}/baselines`);
    expect(open.items[0].proposed.execution_id).toBe(third.executionId);
    const rejected = await ask("POST", `/runs/${third.runId}/baselines/reject`);
    expect(rejected.body.items).toHaveLength(1);
    expect((await get(`/tests/${test.id}/baselines`)).items[0].proposed).toBeNull();
    const put = await ask("PUT", place, { execution_id: third.executionId });
    expect(put.body).toMatchObject({
      status: "approved",
      approved: { execution_id: third.executionId },
    });
    const other = await ask("PUT", place.replace("1280x720", "320x200"), {
      execution_id: third.executionId,
    });
    expect([other.status, other.body.detail]).toEqual([422, expect.stringContaining("320x200")]);

    expect((await ask("DELETE", place)).status).toBe(204);
    expect((await get(`/tests/${test.id}/baselines`)).items).toEqual([]);
  });

  it("equal a rebuild of every read model", {
    timeout: 60_000,
  }, async () => {
    const { log, database } = service.platform;
    for (const name of ["runs", "executions", "baselines", "healings"]) {
      const projection = projections.find((one) => one.name === name);
      if (!projection) throw new Error(`There is no read model ${name}`);
      const over = new AbortController().signal;
      const found = await verifyProjection({ log, db: database.db }, projection, over);
      expect([name, found.outcome]).toEqual([name, "equal"]);
    }
  });
});
