import { setTimeout as delay } from "node:timers/promises";
import { type Browser, chromium } from "playwright";
import { call } from "../../test/support/client.ts";
import type { BenchContext, RunBench } from "../harness/bench.ts";
import { runPairs } from "../harness/pairs.ts";
import { pairedRow, type Row } from "../harness/rows.ts";
import { type HostedService, startHostedService } from "../parts/host.ts";
import { createTest } from "../parts/runs.ts";
import { startShop, TEN_SENTENCES } from "../parts/shop.ts";
import { playTenSteps, type Screenshots } from "../parts/tenSteps.ts";

const TESTS = 50;
/** EXECUTOR_CONCURRENCY, and the number of Playwright loops. */
const CONCURRENCY = 2;
const REST_MS = 500;
const TIMEOUT_MS = 300_000;
/**
 * Polling is work for the service that the Playwright loops do not have. It is slow until the last tests,
 * and then fast, because the delay of the last poll counts for the service.
 */
const LAST_TESTS = 2 * CONCURRENCY;
const SLOW_POLL_MS = 500;
const FAST_POLL_MS = 25;
const VIEWPORT = { width: 1280, height: 720 };

/** The service takes 7 screenshots for the ten steps, because it shares some between steps. The second peer does too. */
const PEERS: readonly {
  readonly screenshots: Screenshots;
  readonly what: string;
  readonly peerIs: string;
  readonly note: string;
}[] = [
  {
    screenshots: "each",
    what: "50 queued tests of ten steps with screenshots, two at a time",
    peerIs: "a screenshot after each step",
    note: "7 screenshots where the peer takes 10",
  },
  {
    screenshots: "shared",
    what: "the same, against loops that skip the same screenshots",
    peerIs: "no screenshot before an assertion",
    note: "7 screenshots on both sides",
  },
];

/** The throughput of 50 queued tests, two at a time, against two bare Playwright loops. */
export const run: RunBench = async (context) => {
  const shop = await startShop(context);
  const service = await startHostedService(context, {
    environment: { EXECUTOR_CONCURRENCY: String(CONCURRENCY) },
  });
  const testIds: string[] = [];
  for (let n = 1; n <= TESTS; n += 1) {
    testIds.push(await createTest(service, `ten steps ${n}`, TEN_SENTENCES));
  }
  const browsers = await launchBrowsers(context);
  const rows: Row[] = [];
  for (const { screenshots, what, peerIs, note } of PEERS) {
    const samples = await runPairs({
      pairs: context.pairs(10),
      warmUps: 1,
      budgetMs: 180_000,
      random: context.random,
      ours: () => runQueuedTests(service, testIds, shop.url),
      peer: () => runLoops(browsers, shop.url, screenshots),
    });
    rows.push(
      pairedRow(
        {
          bench: "queued-tests",
          what,
          unit: "/s",
          peerIs: `two bare Playwright loops that share the 50 tests, each with a warm browser, a new context per test, ${peerIs}`,
          goal: { of: "ratio", atLeast: 0.95 },
          note: `from the POST until GET returns passed; the list of runs is polled every ${SLOW_POLL_MS} ms, and every ${FAST_POLL_MS} ms for the last four tests; ${note}`,
        },
        samples,
        context.random,
      ),
    );
  }
  return rows;
};

const launchBrowsers = async (context: BenchContext): Promise<readonly Browser[]> => {
  const executablePath = await context.browserPath();
  const browsers: Browser[] = [];
  for (let n = 0; n < CONCURRENCY; n += 1) {
    const browser = await chromium.launch({ executablePath, chromiumSandbox: false });
    context.defer(() => browser.close());
    browsers.push(browser);
  }
  return browsers;
};

/** Tests a second through the service. */
const runQueuedTests = async (
  service: HostedService,
  testIds: readonly string[],
  siteUrl: string,
): Promise<number> => {
  const started = performance.now();
  const { status, body } = await call(service.url, "POST", "/api/v1/cli/cloud-runs", {
    bearer: service.key,
    body: { test_ids: testIds, base_url: siteUrl },
  });
  if (status !== 202) throw new Error(`The run was not queued: ${status} ${JSON.stringify(body)}`);
  await waitUntilNewestPassed(service);
  return restAfter(perSecondSince(started));
};

/** Tests a second by bare Playwright loops. */
const runLoops = async (
  browsers: readonly Browser[],
  siteUrl: string,
  screenshots: Screenshots,
): Promise<number> => {
  let left = TESTS;
  const started = performance.now();
  const loop = async (browser: Browser): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const fresh = await browser.newContext({ viewport: VIEWPORT });
      await playTenSteps(await fresh.newPage(), siteUrl, screenshots);
      await fresh.close();
    }
  };
  await Promise.all(browsers.map(loop));
  return restAfter(perSecondSince(started));
};

const perSecondSince = (started: number): number => (TESTS * 1_000) / (performance.now() - started);

const restAfter = async (figure: number): Promise<number> => {
  await delay(REST_MS);
  return figure;
};

/** Polls the list of runs, a cheap request, until the newest has passed. Rejects if it finishes otherwise. */
const waitUntilNewestPassed = async ({ url, key }: HostedService): Promise<void> => {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const { body } = await call(url, "GET", "/api/v1/runs?limit=1", { bearer: key });
    const [newest] = body.items;
    if (newest?.status === "passed") return;
    if (newest?.finished_at !== null || performance.now() > deadline)
      throw new Error(`The run did not pass: ${JSON.stringify(newest)}`);
    await delay(TESTS - newest.totals.passed > LAST_TESTS ? SLOW_POLL_MS : FAST_POLL_MS);
  }
};
