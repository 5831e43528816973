import { setTimeout as delay } from "node:timers/promises";
import { call } from "../../test/support/client.ts";
import type { BenchContext } from "../harness/bench.ts";
import { plainRow, type Row } from "../harness/rows.ts";
import { type HostedService, startHostedService } from "../parts/host.ts";
import { junitReport } from "../parts/junitReport.ts";
import { query } from "../parts/postgres.ts";
import { plotRow, timeGet } from "./measure.ts";

const SIZES = [4_000, 8_000, 16_000, 32_000] as const;
const TESTS = 500;
const RUNS = Math.max(...SIZES) / TESTS;
const DAYS = 30;
const DAY_MS = 86_400_000;
const TIMEOUT_MS = 300_000;

/** Latency of the run list and the dashboard as the imported runs of an organisation grow. */
export const growRuns = async (context: BenchContext): Promise<readonly Row[]> => {
  const service = await startHostedService(context, { roles: ["api", "projections"] });
  const rows: Row[] = [];
  const initialSize = await databaseSize(service);
  const now = Date.now();
  let runs = 0;
  for (const executions of SIZES) {
    context.log(`${executions.toLocaleString("en-US")} executions …`);
    for (; runs * TESTS < executions; runs += 1) {
      const at = new Date(now - ((RUNS - 1 - runs) * (DAYS - 1) * DAY_MS) / RUNS).toISOString();
      const { status } = await call(service.url, "POST", "/api/v1/runs/import", {
        bearer: service.key,
        body: junitReport(TESTS, runs, at),
        headers: { "content-type": "application/xml" },
      });
      if (status !== 200) throw new Error(`Import: ${status}`);
    }
    await waitUntilCounted(service, executions);
    const requests: readonly (readonly [line: string, path: string])[] = [
      ["list of runs", "/runs?limit=50"],
      ["dashboard, 30 days", "/dashboard?days=30"],
      ["dashboard, 7 days", "/dashboard?days=7"],
    ];
    for (const [line, path] of requests) {
      rows.push(plotRow({ plot: "runs", line, x: executions }, "ms", await timeGet(service, path)));
    }
  }
  const growth = (await databaseSize(service)) - initialSize;
  const what = "disk space per imported execution, log and read models";
  rows.push(plainRow({ bench: "scale", what, unit: "bytes" }, [growth / (runs * TESTS)]));
  return rows;
};

const databaseSize = async ({ databaseUrl }: HostedService): Promise<number> => {
  const [row] = await query<{ bytes: string }>(
    databaseUrl,
    "SELECT pg_database_size(current_database())::text AS bytes",
  );
  return Number(row?.bytes);
};

const waitUntilCounted = async (service: HostedService, executions: number): Promise<void> => {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const { status, body } = await call(service.url, "GET", "/api/v1/dashboard?days=90", {
      bearer: service.key,
    });
    const totals: Record<string, number> = status === 200 ? body.totals : {};
    const counted = Object.values(totals).reduce((sum, each) => sum + each, 0);
    if (counted === executions) return;
    if (performance.now() > deadline)
      throw new Error(`The dashboard counts ${counted} of ${executions} executions`);
    await delay(100);
  }
};
