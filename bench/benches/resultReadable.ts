import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { RunBench } from "../harness/bench.ts";
import { runPairs } from "../harness/pairs.ts";
import { pairedRow } from "../harness/rows.ts";
import { startHostedService } from "../parts/host.ts";
import { createTest, queueRun, untilPassed } from "../parts/runs.ts";
import { startShop, TEN_SENTENCES } from "../parts/shop.ts";

const REST_MS = 250;
const ROOT = path.resolve(import.meta.dirname, "../..");

/** What somebody waits for who asks for a test: through the warm service, and with Playwright's runner from cold. */
export const run: RunBench = async (context) => {
  const shop = await startShop(context);
  const service = await startHostedService(context);
  const testId = await createTest(service, "ten steps", TEN_SENTENCES);
  const environment = {
    ...process.env,
    BENCH_SITE: shop.url,
    BENCH_BROWSER: await context.browserPath(),
    BENCH_OUTPUT: path.join(context.folder, "playwright"),
    // Not what this process was started with: `npx` stands for somebody's terminal.
    NODE_OPTIONS: "",
  };

  const ours = async (): Promise<number> => {
    const started = performance.now();
    const { runId } = await queueRun(service, testId, shop.url);
    await untilPassed(service, runId, 10);
    const took = performance.now() - started;
    // The service makes its next page ready now: that must not fall into what is measured next.
    await delay(REST_MS);
    return took;
  };
  const peer = async (): Promise<number> => {
    const started = performance.now();
    const config = path.join("bench", "playwright", "playwright.config.ts");
    const child = spawn("npx", ["playwright", "test", "--config", config], {
      cwd: ROOT,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said: string[] = [];
    child.stdout.on("data", (chunk) => said.push(String(chunk)));
    child.stderr.on("data", (chunk) => said.push(String(chunk)));
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`playwright test failed:\n${said.join("")}`);
    return performance.now() - started;
  };
  const samples = await runPairs({
    pairs: context.pairs(10),
    warmUps: 1,
    budgetMs: 90_000,
    random: context.random,
    ours,
    peer,
  });
  return [
    pairedRow(
      {
        bench: "result-readable",
        what: "POST cloud-run until GET says passed",
        unit: "ms",
        peerIs:
          "a cold `npx playwright test` of the same ten steps with a shot each (ours shares pictures and takes 7), the same executable, until it ends",
        goal: { of: "ratio", atMost: 0.3 },
      },
      samples,
      context.random,
    ),
  ];
};
