import { setTimeout as delay } from "node:timers/promises";
import { call } from "../../test/support/client.ts";
import type { BenchContext } from "../harness/bench.ts";
import { plainRow, type Row } from "../harness/rows.ts";
import { type HostedService, startHostedService } from "../parts/host.ts";
import { query } from "../parts/postgres.ts";
import { reportOf } from "../parts/junitReport.ts";
import { askedFor, pointOf } from "./measure.ts";

const SIZES = [4_000, 8_000, 16_000, 32_000] as const;
const TESTS = 500;
const RUNS = Math.max(...SIZES) / TESTS;
const DAYS = 30;
const DAY_MS = 86_400_000;
const PATIENCE_MS = 300_000;

/** One organisation whose runs grow, imported from reports of other tools: what lists and sums of them take. */
export const growRuns = async (context: BenchContext): Promise<readonly Row[]> => {
  const service = await startHostedService(context, { roles: ["api", "projections"] });
  const rows: Row[] = [];
  const began = await sizeOf(service);
  const now = Date.now();
  let runs = 0;
  for (const executions of SIZES) {
    context.say(`${executions.toLocaleString("en-US")} executions …`);
    for (; runs * TESTS < executions; runs += 1) {
      const at = new Date(now - ((RUNS - 1 - runs) * (DAYS - 1) * DAY_MS) / RUNS).toISOString();
      const { status } = await call(service.url, "POST", "/api/v1/runs/import", {
        bearer: service.key,
        body: reportOf(TESTS, runs, at),
        headers: { "content-type": "application/xml" },
      });
      if (status !== 200) throw new Error(`Import: ${status}`);
    }
    await untilCounted(service, executions);
    const asked: readonly (readonly [line: string, path: string])[] = [
      ["list of runs", "/runs?limit=50"],
      ["dashboard, 30 days", "/dashboard?days=30"],
      ["dashboard, 7 days", "/dashboard?days=7"],
    ];
    for (const [line, path] of asked) {
      rows.push(
        pointOf({ plot: "runs", line, x: executions }, "ms", await askedFor(service, path)),
      );
    }
  }
  const grown = (await sizeOf(service)) - began;
  const what = "disk for each imported execution, log and read models";
  rows.push(plainRow({ bench: "scale", what, unit: "bytes" }, [grown / (runs * TESTS)]));
  return rows;
};

const sizeOf = async ({ databaseUrl }: HostedService): Promise<number> => {
  const [row] = await query<{ bytes: string }>(
    databaseUrl,
    "SELECT pg_database_size(current_database())::text AS bytes",
  );
  return Number(row?.bytes);
};

const untilCounted = async (service: HostedService, executions: number): Promise<void> => {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const { status, body } = await call(service.url, "GET", "/api/v1/dashboard?days=90", {
      bearer: service.key,
    });
    const totals: Record<string, number> = status === 200 ? body.totals : {};
    const counted = Object.values(totals).reduce((sum, each) => sum + each, 0);
    if (counted === executions) return;
    if (performance.now() > deadline) throw new Error(`Only ${counted} executions are counted`);
    await delay(100);
  }
};
