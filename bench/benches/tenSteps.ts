import { setTimeout as delay } from "node:timers/promises";
import { chromium } from "playwright";
import type { RunBench } from "../harness/bench.ts";
import { runPairs } from "../harness/pairs.ts";
import { pairedRow } from "../harness/rows.ts";
import { startHostedService } from "../parts/host.ts";
import { createTest, durationOf, queueRun, waitUntilPassed } from "../parts/runs.ts";
import { startShop, TEN_SENTENCES } from "../parts/shop.ts";
import { playTenSteps } from "../parts/tenSteps.ts";

/** After a test the service prepares the next page; the pause keeps that outside the measured time. */
const REST_MS = 250;
const VIEWPORT = { width: 1280, height: 720 };

/** Duration of a test of ten steps through the service, against a bare Playwright script. */
export const run: RunBench = async (context) => {
  const shop = await startShop(context);
  const service = await startHostedService(context);
  const testId = await createTest(service, "ten steps", TEN_SENTENCES);
  const browser = await chromium.launch({
    executablePath: await context.browserPath(),
    chromiumSandbox: false,
  });
  context.defer(() => browser.close());

  const ours = async (): Promise<number> => {
    const { runId, executionId } = await queueRun(service, testId, shop.url);
    await waitUntilPassed(service, runId, 50);
    const { durationMs, screenshots } = await durationOf(service, executionId);
    if (screenshots !== 10) throw new Error(`${screenshots} screenshots instead of 10`);
    await delay(REST_MS);
    return durationMs;
  };
  const peer = async (): Promise<number> => {
    const started = performance.now();
    const fresh = await browser.newContext({ viewport: VIEWPORT });
    const page = await fresh.newPage();
    await playTenSteps(page, shop.url);
    const elapsed = performance.now() - started;
    await fresh.close();
    await delay(REST_MS);
    return elapsed;
  };
  const samples = await runPairs({
    pairs: context.pairs(30),
    warmUps: 3,
    budgetMs: 90_000,
    random: context.random,
    ours,
    peer,
  });
  return [
    pairedRow(
      {
        bench: "ten-steps",
        what: "ten steps with a JPEG screenshot each",
        unit: "ms",
        peerIs:
          "a bare Playwright script: the same steps, a screenshot each, the same browser executable, a new context of a warm browser",
        goal: { of: "ratio", atMost: 1.05 },
        note: "as reported by the service, from the start of the attempt until the last screenshot is stored; the service prepared the page after the previous test, the script opens its own; a step before an assertion shares its screenshot, so the service takes 7 and the peer 10",
      },
      samples,
      context.random,
    ),
  ];
};
