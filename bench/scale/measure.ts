import { call } from "../../test/support/client.ts";
import { type PlotPoint, plainRow, type Row } from "../harness/rows.ts";
import { median } from "../harness/statistics.ts";
import type { HostedService } from "../parts/host.ts";

const WARM_UPS = 10;
const TIMES = 60;

/** Returns the durations of repeated calls in milliseconds. */
export const timeCalls = async (once: (n: number) => Promise<unknown>): Promise<number[]> => {
  const samples: number[] = [];
  for (let n = 0; n < WARM_UPS + TIMES; n += 1) {
    const started = performance.now();
    await once(n);
    if (n >= WARM_UPS) samples.push(performance.now() - started);
  }
  return samples;
};

/** Times GET requests of a path below /api/v1. Throws unless the status is 200. */
export const timeGet = (service: HostedService, path: string): Promise<number[]> =>
  timeCalls(async () => {
    const { status } = await call(service.url, "GET", `/api/v1${path}`, { bearer: service.key });
    if (status !== 200) throw new Error(`GET ${path}: ${status}`);
  });

/** A row with the median of the samples, which is also a point of a plot. */
export const plotRow = (
  at: PlotPoint,
  unit: string,
  samples: readonly number[],
  note?: string,
): Row =>
  plainRow(
    {
      bench: "scale",
      what: `${at.line}, ${at.x.toLocaleString("en-US")} ${at.plot === "runs" ? "executions" : at.plot}`,
      unit,
      at,
      ...(note !== undefined && { note }),
    },
    samples,
    median,
  );
