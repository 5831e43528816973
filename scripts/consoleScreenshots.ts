import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Browser, chromium, type Page } from "playwright";
import { startDemoService } from "../src/cli/operator/demo/service.ts";
import { serveDemoSite } from "../src/cli/operator/demo/site.ts";

/**
 * Writes screenshots of the web console, in both themes and two widths, to a folder: `.cache/console`, or the first
 * argument. Starts a service with example tests for it; `npm run build:web` must have built the console.
 */
const folder = path.resolve(process.argv[2] ?? ".cache/console");

const BUY_MILK = 'Go to /todo\nType "Buy milk" into "What needs to be done?" and press Enter';
const tests = [
  { name: "Adds a to-do", text: `${BUY_MILK}\nI should see "Buy milk"` },
  { name: "Keeps the list after a reload", text: `${BUY_MILK}\nI should see "Buy bread"` },
] as const;

type Screens = Readonly<Record<string, string>>;

/** Signs up, runs the tests, and returns the addresses to show. */
const prepare = async (page: Page, url: string, siteUrl: string): Promise<Screens> => {
  const headers: Record<string, string> = {};
  const post = async (at: string, data: unknown) => {
    const reply = await page.request.post(`${url}/api/v1${at}`, { data, headers });
    if (!reply.ok()) throw new Error(`${at}: ${reply.status()} ${await reply.text()}`);
    return reply.json();
  };
  const person = {
    name: "Ann Example",
    email: "ann@example.com",
    organization_name: "Example Shop",
  };
  const account = await post("/auth/signup", { ...person, password: "correct horse" });
  headers.Authorization = `Bearer ${account.access_token}`;
  const ids: string[] = [];
  for (const test of tests) ids.push((await post("/tests", test)).id);
  for (const email of ["bea@example.com", "carl@example.com"]) {
    await post("/notifications/contacts", { email });
  }
  const schedule = await post("/schedules", {
    name: "Every morning",
    cron: "30 6 * * 1-5",
    timezone: "Europe/Berlin",
    test_ids: ids,
    base_url: siteUrl,
  });
  await post("/invites", { email: "bea@example.com", role: "viewer" });
  await post("/api-keys", { name: "ci" });
  const pictures = await changedPicture(page, url, post);
  const queued = await post("/runner/runs", { test_ids: ids, base_url: siteUrl });
  const [runId] = queued.run_ids;
  await untilOver(page, `${url}/runs/${runId}`);
  const failed = queued.executions.find(({ test_id }: { test_id: string }) => test_id === ids[1]);
  return {
    home: "/",
    tests: "/tests",
    test: `/tests/${ids[0]}`,
    runs: "/runs",
    run: `/runs/${runId}`,
    pictures: `/runs/${pictures}/pictures`,
    difference: `/runs/${pictures}/pictures?view=difference`,
    result: `/executions/${failed.id}`,
    account: "/account",
    history: `/tests/${ids[1]}/history`,
    schedules: "/schedules",
    schedule: `/schedules/${schedule.id}`,
    settings: "/settings",
    members: "/settings/members",
    keys: "/settings/api-keys",
    notifications: "/settings/notifications",
    plan: "/settings/plan",
    audit: "/settings/audit",
  };
};

const untilOver = async (page: Page, address: string): Promise<void> => {
  await page.goto(address);
  await page
    .getByRole("heading", { name: /(Passed|Failed|Errored)$/ })
    .waitFor({ timeout: 120_000 });
};

type Post = (
  at: string,
  data: unknown,
) => Promise<Readonly<Record<string, string>> & { run_ids: string[] }>;

/** Runs a visual check before and after its page changes. Returns the id of the second run. */
const changedPicture = async (page: Page, url: string, post: Post): Promise<string> => {
  let price = "3.20";
  const shop = createServer((_, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8").end(
      `<!doctype html><title>Tea</title><body style="font:28px sans-serif;margin:60px">
      <h1>Green tea</h1><p>100 g, loose leaves</p><p><b>€ ${price}</b></p><button>Add to basket</button>`,
    );
  });
  await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve));
  const base_url = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
  const change = await post("/plan/change", { plan: "starter" });
  await post(`/plan/change/${change.id}/confirm`, {});
  const text = 'Go to /\nCompare the page with the baseline "tea"';
  const test = await post("/tests", { name: "Price of the green tea", text });
  const run = async (): Promise<string> => {
    const [id = ""] = (await post("/runner/runs", { test_ids: [test.id], base_url })).run_ids;
    await untilOver(page, `${url}/runs/${id}`);
    return id;
  };
  await post(`/runs/${await run()}/baselines/approve`, {});
  price = "4.70";
  return run().finally(() => shop.close());
};

const shoot = async (browser: Browser, url: string, siteUrl: string): Promise<void> => {
  const first = await browser.newContext();
  const screens = await prepare(await first.newPage(), url, siteUrl);
  let storageState = await first.storageState();
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [1280, 390]) {
      const viewport = { width, height: width === 390 ? 844 : 800 };
      const context = await browser.newContext({ storageState, colorScheme, viewport });
      const page = await context.newPage();
      for (const [name, address] of Object.entries(screens)) {
        await page.goto(`${url}${address}`);
        await page.waitForLoadState("networkidle");
        await page.screenshot({ path: path.join(folder, `${name}-${colorScheme}-${width}.png`) });
      }
      storageState = await context.storageState();
      await context.close();
    }
  }
};

const dataDir = await mkdtemp(path.join(tmpdir(), "runledger-console-"));
await mkdir(folder, { recursive: true });
const environment = { ...process.env, DATA_DIR: dataDir, RATE_LIMIT: "off" };
const service = await startDemoService(environment, () => undefined);
const site = await serveDemoSite();
const browser = await chromium.launch({ executablePath: service.browser.executablePath });
await shoot(browser, service.url, site.url).finally(async () => {
  await browser.close();
  await site.close();
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});
process.stdout.write(`console: screenshots are in ${folder}\n`);
