import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import axe from "axe-core";
import { type Browser, chromium } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findBrowser } from "../../../src/workers/executor/index.ts";
import { type Account, call, eventually, signUp } from "../../support/client.ts";
import { grant } from "../../support/members.ts";
import { startTestService, type TestService } from "../../support/service.ts";

/** Reports over HTTP, with untrusted text in them. */
describe("reports", () => {
  let service: TestService;
  let site: Server;
  let browser: Browser;
  let ann: Account;
  let eve: Account;
  let testId: string;
  let testSetId: string;
  let says = "Open";
  const runs: string[] = [];

  beforeAll(async () => {
    site = createServer((_request, response) => {
      response.setHeader("content-type", "text/html").end(`<title>Shop</title><h1>${says}</h1>`);
    });
    await new Promise<void>((resolve) => {
      site.listen(0, "127.0.0.1", resolve);
    });
    service = await startTestService();
    const { executablePath } = await findBrowser({ allowInstall: false });
    browser = await chromium.launch({ executablePath });
    [ann, eve] = await Promise.all([signUp(service.url), signUp(service.url)]);
    const quick = { settings: { step_timeout_seconds: 3 } };
    await asAnn("PUT", `/organizations/${ann.organizationId}`, quick);
    const text = 'Go to /\nI should see "Open"';
    const name = `Opening </title><script>alert("1")</script>`;
    testId = (await asAnn("POST", "/tests", { name, text })).body.id;
    const other = (await asAnn("POST", "/tests", { name: "Title", text: "Go to /" })).body.id;
    const set = { name: "Shop", test_ids: [testId, other] };
    testSetId = (await asAnn("POST", "/test-sets", set)).body.id;
    await run();
    says = "Closed";
    await asAnn("PUT", `/tests/${testId}`, { text: 'Go to /\nWait 10 ms\nI should see "Open"' });
    await run();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    site?.close();
  });

  const asAnn = (method: string, path: string, body?: unknown) =>
    call(service.url, method, `/api/v1${path}`, { bearer: ann.accessToken, body });
  const pageOf = async (runId: string | undefined): Promise<string> => {
    const reply = await fetch(`${service.url}/api/v1/reports/runs/${runId}/html`, {
      headers: { authorization: `Bearer ${ann.accessToken}` },
    });
    expect(reply.headers.get("content-type")).toBe("text/html; charset=utf-8");
    return reply.text();
  };
  const runOf = async (selection: object): Promise<string> => {
    const { port } = site.address() as AddressInfo;
    const base_url = `http://127.0.0.1:${port}`;
    const queued = await asAnn("POST", "/runner/runs", { ...selection, base_url });
    const id: string = queued.body.run_ids[0];
    await eventually(
      async () => (await asAnn("GET", `/runs/${id}`)).body,
      ({ finished_at }) => finished_at !== null,
      60_000,
    );
    return id;
  };
  const run = async (): Promise<void> => {
    runs.push(await runOf({ test_set_ids: [testSetId] }));
  };

  it("reports changes since the last pass, and the trend", async () => {
    const report = (await asAnn("GET", `/reports/runs/${runs[1]}`)).body;
    expect(report.run).toMatchObject({ id: runs[1], status: "failed", test_set_id: testSetId });
    expect(report.problems).toMatchObject([
      {
        test_id: testId,
        status: "failed",
        changes: {
          since: { run_id: runs[0] },
          versions: [{ version: 2, event: "TestStepsReplaced", by: `user:${ann.email}` }],
          environment: null,
          browsers: [],
          baselines: [],
        },
      },
    ]);
    expect(report.trend).toMatchObject([
      { run_id: runs[0], status: "passed", passed: 2, not_passed: 0 },
      { run_id: runs[1], status: "failed", passed: 1, not_passed: 1 },
    ]);
    const first = (await asAnn("GET", `/reports/runs/${runs[0]}`)).body;
    expect(first.problems).toEqual([]);
    expect(first.trend).toHaveLength(1);
  });

  it("reports the last or the named run of a test set or test", async () => {
    const last = (await asAnn("GET", `/reports/test-sets/${testSetId}`)).body;
    expect([last.test_set, last.run.id]).toEqual([{ id: testSetId, name: "Shop" }, runs[1]]);
    const named = await asAnn("GET", `/reports/test-sets/${testSetId}?run_id=${runs[0]}`);
    expect(named.body.run.id).toBe(runs[0]);
    const test = (await asAnn("GET", `/reports/tests/${testId}`)).body;
    expect(test).toMatchObject({
      test: { id: testId, version: 2 },
      execution: { run_id: runs[1], status: "failed" },
      changes: { since: { run_id: runs[0] } },
      totals: { executions: 2, passed: 1, failed: 1 },
      history: [
        { status: "failed", test_version: 2 },
        { status: "passed", test_version: 1 },
      ],
    });
    expect(test.flakiness).toMatchObject([
      { days: 1, executions: 2, signs: 0, score: 0, since: null },
      { days: 7 },
      { days: 30 },
    ]);
    const before = await asAnn("GET", `/reports/tests/${testId}?run_id=${runs[0]}`);
    expect(before.body).toMatchObject({ execution: { status: "passed" }, changes: null });
  });

  it("hides reports of other organisations", async () => {
    for (const path of [
      `/reports/runs/${runs[0]}`,
      `/reports/runs/${runs[0]}/html`,
      `/reports/test-sets/${testSetId}`,
      `/reports/tests/${testId}`,
    ]) {
      const { status } = await call(service.url, "GET", `/api/v1${path}`, {
        bearer: eve.accessToken,
      });
      expect([path, status]).toEqual([path, 403]);
    }
    const asked = await asAnn("GET", `/reports/test-sets/${testSetId}?run_id=${testId}`);
    expect(asked.status).toBe(404);
  });

  it("reports earlier changes of baselines and called tests, and omits later ones", async () => {
    await grant(service, ann.organizationId, "starter");
    const called = (await asAnn("POST", "/tests", { name: "Opens the shop", text: "Go to /" }))
      .body;
    const steps = [
      { action: "call_test", target: "Opens the shop" },
      { action: "visual_check", value: "start" },
    ];
    const looks = (await asAnn("POST", "/tests", { name: "Looks as ever", steps })).body.id;
    const tests = { test_ids: [looks] };
    const changesOf = async (runId: string) =>
      (await asAnn("GET", `/reports/runs/${runId}`)).body.problems[0].changes;
    const approve = (runId: string) => asAnn("POST", `/runs/${runId}/baselines/approve`);
    says = "Open";
    await approve(await runOf(tests));
    const green = await runOf(tests);
    const settings = { max_diff_pixels: 3 };
    const set = await asAnn("PUT", `/tests/${looks}/baselines/settings`, settings);
    expect([set.status, set.body]).toEqual([200, set.body]);
    await asAnn("PUT", `/tests/${called.id}`, { text: "Go to /\nWait 10 ms" });
    says = "Closed";
    const red = await runOf(tests);
    const by = `user:${ann.email}`;
    const changed = { kind: "settings_changed", step_id: null, browser: null, by };
    const calls = [{ test_id: called.id, name: "Opens the shop", from: 1, to: 2 }];
    const before = await changesOf(red);
    expect(before).toMatchObject({ since: { run_id: green }, versions: [], called: calls });
    expect(before.baselines).toMatchObject([changed]);
    const html = await pageOf(red);
    expect(html).toContain(`How pictures are judged was changed by ${by}`);
    expect(html).toContain("that it calls: version 1 → 2");
    expect(html).toContain("Not as the baseline: ");
    expect(html.match(/alt="The page at step \d of Looks as ever"/g)).toHaveLength(3);
    expect(html.match(/alt="Difference from the baseline at step 3/g)).toHaveLength(1);
    await approve(red);
    expect(await changesOf(red)).toEqual(before);
    says = "Sold out";
    const later = await changesOf(await runOf(tests));
    const approved = { kind: "approved", browser: "chromium", viewport: "1280x720", by };
    expect(later.baselines).toMatchObject([changed, approved]);
  });

  it.each([
    ["light", { width: 1280, height: 800 }],
    ["dark", { width: 1280, height: 800 }],
    ["light", { width: 320, height: 640 }],
    ["dark", { width: 360, height: 740 }],
  ] as const)(
    "shows a page in %s at %j that loads nothing, runs no script, fits, works by keyboard and passes axe",
    async (colorScheme, viewport) => {
      const html = await pageOf(runs[1]);
      const context = await browser.newContext({ colorScheme, viewport });
      try {
        const page = await context.newPage();
        const asked: string[] = [];
        page.on("request", ({ url }) => asked.push(url()));
        page.on("dialog", () => asked.push("a dialog"));
        await page.setContent(html);
        expect(asked.filter((url) => !url.startsWith("data:"))).toEqual([]);
        expect(await page.title()).toBe(
          'Opening </title><script>alert("1")</script> and 1 other test: failed',
        );
        expect(await page.locator("article").first().textContent()).toContain(
          "It failed at step 3",
        );
        const widths = await page.evaluate<number[]>(
          "[...document.images].map(({ naturalWidth }) => naturalWidth)",
        );
        expect(widths.length).toBeGreaterThanOrEqual(4);
        expect(Math.min(...widths)).toBeGreaterThan(0);
        expect(html.match(/<li id="[^"]+"/g)).toHaveLength(4);
        const isWide = "document.documentElement.scrollWidth > window.innerWidth";
        expect(await page.evaluate(isWide)).toBe(false);
        const isFocused = (selector: string): Promise<boolean> =>
          page.evaluate<boolean>(`document.activeElement?.matches(${JSON.stringify(selector)})`);
        const first = page.locator("article").first();
        const parts = first.locator("ol.steps > li");
        expect(await parts.count()).toBe(3);
        expect(await parts.locator("details[open]").count()).toBe(1);
        expect(await parts.nth(2).locator("pre").isVisible()).toBe(true);
        expect(await parts.nth(2).locator("img").isVisible()).toBe(true);
        expect(await page.locator("article").nth(1).locator("details[open]").count()).toBe(0);
        const seen = new Set<string>();
        const isVisible = "document.activeElement?.closest('li')?.querySelector('img')";
        for (let presses = 0; presses < 30; presses += 1) {
          await page.keyboard.press("Tab");
          if (await isFocused("body")) break;
          for (const selector of ["pre", "summary", ".scroll", "a[href^='#']"]) {
            if (await isFocused(selector)) seen.add(selector);
          }
          expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe(
            "solid",
          );
          if (!(await isFocused("li summary"))) continue;
          const before = await page.evaluate<boolean>(`${isVisible}.checkVisibility()`);
          await page.keyboard.press("Enter");
          expect(await page.evaluate(`${isVisible}.checkVisibility()`)).toBe(!before);
          await page.keyboard.press("Enter");
        }
        expect([...seen].toSorted()).toEqual([".scroll", "a[href^='#']", "pre", "summary"]);
        expect(await page.evaluate(isWide)).toBe(false);
        await page.evaluate(axe.source);
        for (const all of ["as it is", "open"]) {
          if (all === "open") {
            await page.evaluate(
              "for (const one of document.querySelectorAll('details')) one.open = true",
            );
            expect(await page.evaluate(isWide)).toBe(false);
          }
          const violations = await page.evaluate(
            async () =>
              // biome-ignore lint/suspicious/noExplicitAny: axe puts itself there.
              (await (globalThis as any).axe.run()).violations as { id: string; help: string }[],
          );
          expect(violations.map(({ id, help }) => `${all}, ${id}: ${help}`)).toEqual([]);
        }
      } finally {
        await context.close();
      }
    },
  );
});
