import { setTimeout as delay } from "node:timers/promises";
import { chromium } from "playwright";
import type { RunBench } from "../harness/bench.ts";
import { runPairs } from "../harness/pairs.ts";
import { pairedRow } from "../harness/rows.ts";
import { startHostedService } from "../parts/host.ts";
import { createTest, durationOf, queueRun, untilPassed } from "../parts/runs.ts";
import { startShop, TEN_SENTENCES } from "../parts/shop.ts";
import { playTenSteps } from "../parts/tenSteps.ts";

/** After a test the service makes the next page ready: that must not fall into what is measured next. */
const REST_MS = 250;
const VIEWPORT = { width: 1280, height: 720 };

/** Ten steps in a fresh context of a warm browser: through the service, and as a bare script. */
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
    await untilPassed(service, runId, 50);
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
    const took = performance.now() - started;
    await fresh.close();
    await delay(REST_MS);
    return took;
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
        what: "ten steps with a JPEG shot each",
        unit: "ms",
        peerIs:
          "a bare Playwright script: the same steps and shots, the same executable, a fresh context of a warm browser",
        goal: { of: "ratio", atMost: 1.05 },
        note: "ours is the service's own account, from the start of the attempt until its last shot is stored; the page that it runs in was made ready when the test before ended, the script opens its own; a step before one that only looks at the page shares its picture, so ours takes 7 pictures where the peer takes 10",
      },
      samples,
      context.random,
    ),
  ];
};
