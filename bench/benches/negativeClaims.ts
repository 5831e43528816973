import { setTimeout as delay } from "node:timers/promises";
import { chromium, type Page } from "playwright";
import { call } from "../../test/support/client.ts";
import type { RunBench } from "../harness/bench.ts";
import { runPairs } from "../harness/pairs.ts";
import { pairedRow } from "../harness/rows.ts";
import { startHostedService } from "../parts/host.ts";
import { createTest, queueRun, waitUntilPassed } from "../parts/runs.ts";
import { startShop } from "../parts/shop.ts";

/** A negative claim holds for this long on a page at rest (docs/matching.md, "Claims"). */
const HOLD_MS = 250;
const ABSENT = ["Sold out", "Overdue", "Payment refused"];
const SENTENCES = ["Go to /", ...ABSENT.map((text) => `I should not see "${text}"`)].join("\n");

/** Duration of a negative claim on a page at rest, against a bare script that looks, waits as long and looks again. */
export const run: RunBench = async (context) => {
  const shop = await startShop(context);
  const service = await startHostedService(context);
  const testId = await createTest(service, "negative claims", SENTENCES);
  const browser = await chromium.launch({
    executablePath: await context.browserPath(),
    chromiumSandbox: false,
  });
  context.defer(() => browser.close());
  const page = await browser.newPage();
  await page.goto(`${shop.url}/`);

  const ours = async (): Promise<number> => {
    const { runId, executionId } = await queueRun(service, testId, shop.url);
    await waitUntilPassed(service, runId, 50);
    const path = `/api/v1/executions/${executionId}`;
    const { body } = await call(service.url, "GET", path, { bearer: service.key });
    const steps: { duration_ms: number }[] = body.attempts[0].browsers[0].steps;
    await delay(HOLD_MS);
    // The page comes to rest during the first claim.
    return steps.at(-1)?.duration_ms ?? Number.NaN;
  };
  const samples = await runPairs({
    pairs: context.pairs(20),
    warmUps: 2,
    budgetMs: 60_000,
    random: context.random,
    ours,
    peer: () => lookTwice(page),
  });
  return [
    pairedRow(
      {
        bench: "negative-claims",
        what: "a negative claim on a page at rest",
        unit: "ms",
        peerIs: `a bare Playwright script: the text is not visible, ${HOLD_MS} ms later it still is not`,
        goal: { of: "value", atMost: 300 },
        note: "as reported by the service for the last of three claims",
      },
      samples,
      context.random,
    ),
  ];
};

const lookTwice = async (page: Page): Promise<number> => {
  const started = performance.now();
  const isSeen = () => page.getByText("Payment refused").filter({ visible: true }).count();
  const before = await isSeen();
  await delay(HOLD_MS);
  if (before + (await isSeen()) > 0) throw new Error("The text is there.");
  return performance.now() - started;
};
