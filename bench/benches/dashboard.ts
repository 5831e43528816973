import { call } from "../../test/support/client.ts";
import type { RunBench } from "../harness/bench.ts";
import { plainRow } from "../harness/rows.ts";
import { median, quantile } from "../harness/statistics.ts";
import { type HostedService, startHostedService } from "../parts/host.ts";
import { junitReport } from "../parts/junitReport.ts";

const BENCH = "dashboard";
const RUNS = 100;
const TESTS = 1_000;
const DAYS = 30;
const DAY_MS = 86_400_000;
const REQUESTS = 300;
const WARM_UPS = 20;
const TIMEOUT_MS = 600_000;

/** Latency of the dashboard of an organisation with 100,000 executions. */
export const run: RunBench = async (context) => {
  const service = await startHostedService(context, { roles: ["api", "projections"] });
  const project = await call(service.url, "POST", "/api/v1/projects", {
    bearer: service.key,
    body: { name: "Shop" },
  });
  await fill(service, project.body.id, context.log);
  const requests: readonly (readonly [what: string, query: string])[] = [
    ["30 days", "days=30"],
    ["30 days of a project", `days=30&project_id=${project.body.id}`],
    ["7 days", "days=7"],
  ];
  const rows = [];
  for (const [what, query] of requests) {
    context.log(`${what} …`);
    const samples = await measure(service, query);
    const about = {
      bench: BENCH,
      unit: "ms",
      note: `GET /dashboard over HTTP, ${REQUESTS} times; ${(RUNS * TESTS).toLocaleString("en-US")} executions of ${TESTS.toLocaleString("en-US")} tests over ${DAYS} days, imported as JUnit XML`,
    };
    rows.push(plainRow({ ...about, what: `${what}, p50` }, samples, median));
    rows.push(
      plainRow(
        { ...about, what: `${what}, p99`, goal: { of: "value", atMost: 50 } },
        samples,
        (all) => quantile(all, 0.99),
      ),
    );
  }
  return rows;
};

const measure = async (service: HostedService, query: string): Promise<number[]> => {
  const samples: number[] = [];
  for (let n = 0; n < REQUESTS + WARM_UPS; n += 1) {
    const started = performance.now();
    const { status } = await call(service.url, "GET", `/api/v1/dashboard?${query}`, {
      bearer: service.key,
    });
    if (status !== 200) throw new Error(`GET /dashboard returned ${status}`);
    if (n >= WARM_UPS) samples.push(performance.now() - started);
  }
  return samples;
};

/** Imports one report per run, oldest first, and waits until the dashboard counts every execution. */
const fill = async (
  service: HostedService,
  projectId: string,
  log: (line: string) => void,
): Promise<void> => {
  const now = Date.now();
  for (let n = 0; n < RUNS; n += 1) {
    const at = new Date(now - ((RUNS - 1 - n) * (DAYS - 1) * DAY_MS) / RUNS).toISOString();
    // Every second run belongs to no project.
    const query = n % 2 === 0 ? `?project_id=${projectId}` : "";
    const { status, body } = await call(service.url, "POST", `/api/v1/runs/import${query}`, {
      bearer: service.key,
      body: junitReport(TESTS, n, at),
      headers: { "content-type": "application/xml" },
    });
    if (status !== 200) throw new Error(`Import: ${status} ${JSON.stringify(body)}`);
    if (n % 20 === 19) log(`${(n + 1) * TESTS} executions …`);
  }
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const { body } = await call(service.url, "GET", "/api/v1/dashboard?days=90", {
      bearer: service.key,
    });
    const counted = Object.values(body.totals as Record<string, number>).reduce((a, b) => a + b, 0);
    if (counted === RUNS * TESTS) return;
    if (Date.now() > deadline)
      throw new Error(`The dashboard counts ${counted} of ${RUNS * TESTS} executions`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
};
