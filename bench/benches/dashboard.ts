import { call } from "../../test/support/client.ts";
import type { RunBench } from "../harness/bench.ts";
import { plainRow } from "../harness/rows.ts";
import { median, quantile } from "../harness/statistics.ts";
import { type HostedService, startHostedService } from "../parts/host.ts";
import { reportOf } from "../parts/junitReport.ts";

const BENCH = "dashboard";
const RUNS = 100;
const TESTS = 1_000;
const DAYS = 30;
const DAY_MS = 86_400_000;
const ASKED = 300;
const WARM_UPS = 20;
const PATIENCE_MS = 600_000;

/** The dashboard of an organisation with 100,000 executions, asked one after the other. */
export const run: RunBench = async (context) => {
  const service = await startHostedService(context, { roles: ["api", "projections"] });
  const project = await call(service.url, "POST", "/api/v1/projects", {
    bearer: service.key,
    body: { name: "Shop" },
  });
  await fill(service, project.body.id, context.say);
  const asked: readonly (readonly [what: string, query: string])[] = [
    ["30 days", "days=30"],
    ["30 days of a project", `days=30&project_id=${project.body.id}`],
    ["7 days", "days=7"],
  ];
  const rows = [];
  for (const [what, query] of asked) {
    context.say(`${what} …`);
    const samples = await ask(service, query);
    const about = {
      bench: BENCH,
      unit: "ms",
      note: `GET /dashboard over HTTP, ${ASKED} times; ${(RUNS * TESTS).toLocaleString("en-US")} executions of ${TESTS.toLocaleString("en-US")} tests over ${DAYS} days, imported as JUnit XML`,
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

const ask = async (service: HostedService, query: string): Promise<number[]> => {
  const samples: number[] = [];
  for (let n = 0; n < ASKED + WARM_UPS; n += 1) {
    const started = performance.now();
    const { status } = await call(service.url, "GET", `/api/v1/dashboard?${query}`, {
      bearer: service.key,
    });
    if (status !== 200) throw new Error(`Answered ${status}`);
    if (n >= WARM_UPS) samples.push(performance.now() - started);
  }
  return samples;
};

/** Imports a report for each run, the oldest first, and waits until the dashboard counts them all. */
const fill = async (
  service: HostedService,
  projectId: string,
  say: (line: string) => void,
): Promise<void> => {
  const now = Date.now();
  for (let n = 0; n < RUNS; n += 1) {
    const at = new Date(now - ((RUNS - 1 - n) * (DAYS - 1) * DAY_MS) / RUNS).toISOString();
    // Half of them belong to no project.
    const query = n % 2 === 0 ? `?project_id=${projectId}` : "";
    const { status, body } = await call(service.url, "POST", `/api/v1/runs/import${query}`, {
      bearer: service.key,
      body: reportOf(TESTS, n, at),
      headers: { "content-type": "application/xml" },
    });
    if (status !== 200) throw new Error(`Import: ${status} ${JSON.stringify(body)}`);
    if (n % 20 === 19) say(`${(n + 1) * TESTS} executions …`);
  }
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const { body } = await call(service.url, "GET", "/api/v1/dashboard?days=90", {
      bearer: service.key,
    });
    const counted = Object.values(body.totals as Record<string, number>).reduce((a, b) => a + b, 0);
    if (counted === RUNS * TESTS) return;
    if (Date.now() > deadline) throw new Error(`Only ${counted} executions are counted`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
};
