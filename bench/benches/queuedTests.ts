import { setTimeout as delay } from "node:timers/promises";
import { type Browser, chromium } from "playwright";
import { call } from "../../test/support/client.ts";
import type { RunBench } from "../harness/bench.ts";
import { runPairs } from "../harness/pairs.ts";
import { pairedRow, type Row } from "../harness/rows.ts";
import { type HostedService, startHostedService } from "../parts/host.ts";
import { createTest } from "../parts/runs.ts";
import { startShop, TEN_SENTENCES } from "../parts/shop.ts";
import { type Pictures, playTenSteps } from "../parts/tenSteps.ts";

const TESTS = 50;
/** EXECUTOR_CONCURRENCY, and as many loops. */
const AT_ONCE = 2;
const REST_MS = 500;
/** A run that has not passed by then never will. */
const PATIENCE_MS = 300_000;
/**
 * Each question is work for the service, and the loops are asked nothing: so it is asked seldom until all but these many
 * have passed, and often from there, since what lies between the end and the question would count as ours.
 */
const LAST = 2 * AT_ONCE;
const SELDOM_MS = 500;
const OFTEN_MS = 25;
const VIEWPORT = { width: 1280, height: 720 };

/**
 * The service takes 7 pictures for these ten steps: a step before one that only looks at the page shares its picture. The
 * second peer spares the same ones: only beside it are the two alike, so the goal is for both.
 */
const PEERS: readonly {
  readonly pictures: Pictures;
  readonly what: string;
  readonly peerIs: string;
  readonly note: string;
}[] = [
  {
    pictures: "each",
    what: "50 queued tests of ten steps with shots, two at a time",
    peerIs: "a picture after each step",
    note: "7 pictures where the peer takes 10",
  },
  {
    pictures: "shared",
    what: "the same beside loops that spare the same pictures",
    peerIs: "no picture before a step that only looks at the page",
    note: "7 pictures on both sides",
  },
];

/** Fifty tests in one run, two at a time, against as many bare loops that have fifty to do between them. */
export const run: RunBench = async (context) => {
  const shop = await startShop(context);
  const service = await startHostedService(context, {
    environment: { EXECUTOR_CONCURRENCY: String(AT_ONCE) },
  });
  const testIds: string[] = [];
  for (let n = 1; n <= TESTS; n += 1) {
    testIds.push(await createTest(service, `ten steps ${n}`, TEN_SENTENCES));
  }
  const executablePath = await context.browserPath();
  const browsers: Browser[] = [];
  for (let n = 0; n < AT_ONCE; n += 1) {
    const browser = await chromium.launch({ executablePath, chromiumSandbox: false });
    context.defer(() => browser.close());
    browsers.push(browser);
  }

  const perSecond = (started: number): number => (TESTS * 1_000) / (performance.now() - started);
  const ours = async (): Promise<number> => {
    const started = performance.now();
    const { status, body } = await call(service.url, "POST", "/api/v1/cli/cloud-runs", {
      bearer: service.key,
      body: { test_ids: testIds, base_url: shop.url },
    });
    if (status !== 202) throw new Error(`Not queued: ${status} ${JSON.stringify(body)}`);
    await untilNewestPassed(service);
    const figure = perSecond(started);
    await delay(REST_MS);
    return figure;
  };
  const loops = async (pictures: Pictures): Promise<number> => {
    let left = TESTS;
    const started = performance.now();
    const loop = async (browser: Browser): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const fresh = await browser.newContext({ viewport: VIEWPORT });
        await playTenSteps(await fresh.newPage(), shop.url, pictures);
        await fresh.close();
      }
    };
    await Promise.all(browsers.map(loop));
    const figure = perSecond(started);
    await delay(REST_MS);
    return figure;
  };
  const rows: Row[] = [];
  for (const { pictures, what, peerIs, note } of PEERS) {
    const samples = await runPairs({
      pairs: context.pairs(10),
      warmUps: 1,
      budgetMs: 180_000,
      random: context.random,
      ours,
      peer: () => loops(pictures),
    });
    rows.push(
      pairedRow(
        {
          bench: "queued-tests",
          what,
          unit: "/s",
          peerIs: `two bare Playwright loops, each with a warm browser, that have the same 50 to do between them, a fresh context for each, ${peerIs}`,
          goal: { of: "ratio", atLeast: 0.95 },
          note: `ours from the POST until GET says that the run has passed, asked in the list of runs every 500 ms, and every 25 ms for the last four; ${note}`,
        },
        samples,
        context.random,
      ),
    );
  }
  return rows;
};

/** Asks the list for the newest run, which costs the service little, until it has passed. Rejects when it ends otherwise. */
const untilNewestPassed = async ({ url, key }: HostedService): Promise<void> => {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const { body } = await call(url, "GET", "/api/v1/runs?limit=1", { bearer: key });
    const [newest] = body.items;
    if (newest?.status === "passed") return;
    if (newest?.finished_at !== null || performance.now() > deadline)
      throw new Error(`The run did not pass: ${JSON.stringify(newest)}`);
    await delay(TESTS - newest.totals.passed > LAST ? SELDOM_MS : OFTEN_MS);
  }
};
