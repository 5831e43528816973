import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { RunBench } from "../harness/bench.ts";
import { plainRow } from "../harness/rows.ts";
import { childrenOf, proportionalMb, residentMb, startService } from "../parts/service.ts";

const BENCH = "start-memory";
const STARTS = 5;
/** The idle time before memory is read. */
const REST_MS = 5_000;

/** Start time of the whole service with its embedded parts, and its memory when idle. */
export const run: RunBench = async (context) => {
  const cold: number[] = [];
  const warm: number[] = [];
  const memory: number[] = [];
  const postgres: number[] = [];
  const starts = Math.min(STARTS, context.pairs(STARTS));
  for (let n = 0; n < starts; n += 1) {
    const dataDir = path.join(context.folder, `data-${n}`);
    const first = await startService(context, { dataDir });
    cold.push(first.startedInMs / 1_000);
    await first.stop();
    const second = await startService(context, { dataDir });
    warm.push(second.startedInMs / 1_000);
    if (n < 2) {
      await delay(REST_MS);
      memory.push(await residentMb(second.pid));
      const descendants = await Promise.all((await childrenOf(second.pid)).map(proportionalMb));
      postgres.push(descendants.reduce((sum, each) => sum + each, 0));
    }
    await second.stop();
  }
  const about = { bench: BENCH };
  return [
    plainRow(
      {
        ...about,
        what: "cold start, empty data folder",
        unit: "s",
        goal: { of: "value", atMost: 4 },
      },
      cold,
    ),
    plainRow(
      {
        ...about,
        what: "warm start, same data folder",
        unit: "s",
        goal: { of: "value", atMost: 1.5 },
      },
      warm,
    ),
    plainRow(
      {
        ...about,
        what: "idle memory of the service (RSS)",
        unit: "MB",
        goal: { of: "value", atMost: 200 },
        note: "the service's process only; no browser runs before the first test",
      },
      memory,
    ),
    plainRow({ ...about, what: "idle memory of PostgreSQL (PSS)", unit: "MB" }, postgres),
  ];
};
