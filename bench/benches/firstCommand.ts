import { setTimeout as delay } from "node:timers/promises";
import type { RunBench } from "../harness/bench.ts";
import { plainRow } from "../harness/rows.ts";
import { quantile } from "../harness/statistics.ts";
import { startHostedService } from "../parts/host.ts";
import { createTest, queueRun, waitUntilPassed } from "../parts/runs.ts";
import { startShop } from "../parts/shop.ts";

const BENCH = "first-command";
const RUNS = 150;
const WARM_UPS = 10;
/** The pause between runs, so that each starts on an idle service. */
const REST_MS = 100;

/** Time from requesting a run to the first request at the tested site. */
export const run: RunBench = async (context) => {
  const shop = await startShop(context);
  const service = await startHostedService(context);
  const testId = await createTest(service, "opens", "Go to /");

  const once = async (): Promise<number> => {
    const requested = performance.now();
    const reached = new Promise<number>((resolve) => {
      shop.onRequest = () => resolve(performance.now());
    });
    const { runId } = await queueRun(service, testId, shop.url);
    const elapsed = (await reached) - requested;
    await waitUntilPassed(service, runId, 50);
    await delay(REST_MS);
    return elapsed;
  };
  for (let n = 0; n < WARM_UPS; n += 1) await once();
  const runs = context.pairs(30) === 30 ? RUNS : 5 * context.pairs(30);
  const samples: number[] = [];
  for (let n = 0; n < runs; n += 1) samples.push(await once());

  const about = {
    bench: BENCH,
    unit: "ms",
    note: `${runs} runs in sequence; ends at the browser's first request to the tested site, so it includes the browser's navigation`,
  };
  return [
    plainRow({ ...about, what: "POST cloud-run to first browser command, p50" }, samples),
    plainRow(
      {
        ...about,
        what: "POST cloud-run to first browser command, p99",
        goal: { of: "value", atMost: 100 },
      },
      samples,
      (all) => quantile(all, 0.99),
    ),
  ];
};
