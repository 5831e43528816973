import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { RunBench } from "../harness/bench.ts";
import { runPairs } from "../harness/pairs.ts";
import { pairedRow } from "../harness/rows.ts";
import { startHostedService } from "../parts/host.ts";
import { createTest, queueRun, waitUntilPassed } from "../parts/runs.ts";
import { startShop, TEN_SENTENCES } from "../parts/shop.ts";

const REST_MS = 250;
const ROOT = path.resolve(import.meta.dirname, "../..");

/** Time from requesting a test to its readable result, against a cold run of Playwright's test runner. */
export const run: RunBench = async (context) => {
  const shop = await startShop(context);
  const service = await startHostedService(context);
  const testId = await createTest(service, "ten steps", TEN_SENTENCES);
  const environment = {
    ...process.env,
    BENCH_SITE: shop.url,
    BENCH_BROWSER: await context.browserPath(),
    BENCH_OUTPUT: path.join(context.folder, "playwright"),
    // Without the Node options of this process, as in a user's terminal.
    NODE_OPTIONS: "",
  };

  const ours = async (): Promise<number> => {
    const started = performance.now();
    const { runId } = await queueRun(service, testId, shop.url);
    await waitUntilPassed(service, runId, 10);
    const elapsed = performance.now() - started;
    // The service prepares its next page now, outside the measured time.
    await delay(REST_MS);
    return elapsed;
  };
  const samples = await runPairs({
    pairs: context.pairs(10),
    warmUps: 1,
    budgetMs: 90_000,
    random: context.random,
    ours,
    peer: () => runPlaywright(environment),
  });
  return [
    pairedRow(
      {
        bench: "result-readable",
        what: "POST cloud-run until GET returns passed",
        unit: "ms",
        peerIs:
          "a cold `npx playwright test` of the same ten steps with ten screenshots (the service takes 7), the same browser, until it exits",
        goal: { of: "ratio", atMost: 0.3 },
      },
      samples,
      context.random,
    ),
  ];
};

/** Milliseconds of a cold run of Playwright's test runner. Throws if the test fails. */
const runPlaywright = async (environment: NodeJS.ProcessEnv): Promise<number> => {
  const started = performance.now();
  const config = path.join("bench", "playwright", "playwright.config.ts");
  const child = spawn("npx", ["playwright", "test", "--config", config], {
    cwd: ROOT,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: string[] = [];
  child.stdout.on("data", (chunk) => output.push(String(chunk)));
  child.stderr.on("data", (chunk) => output.push(String(chunk)));
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`playwright test failed:\n${output.join("")}`);
  return performance.now() - started;
};
