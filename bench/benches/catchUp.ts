import { connectEventLog } from "../../src/platform/eventLog/client.ts";
import type { RunBench } from "../harness/bench.ts";
import { plainRow } from "../harness/rows.ts";
import { seededDatabase } from "../parts/history.ts";
import { startLog } from "../parts/log.ts";
import { databaseUrl } from "../parts/postgres.ts";

const BENCH = "catch-up";
const EVENTS = 200_000;

/** Throughput of a subscription to `$all` from the start of the log. */
export const run: RunBench = async (context) => {
  const name = await seededDatabase(context, EVENTS);
  const { url } = await startLog(context, databaseUrl(context.postgresUrl, name));
  const log = connectEventLog(url);
  context.defer(log.close);
  const once = async (): Promise<number> => {
    const started = performance.now();
    const subscription = log.subscribeAll({ after: null });
    let seen = 0;
    for await (const _ of subscription) {
      seen += 1;
      if (seen === EVENTS) break;
    }
    return (EVENTS / (performance.now() - started)) * 1_000;
  };
  await once();
  const samples: number[] = [];
  for (let n = 0; n < Math.min(5, context.pairs(5)); n += 1) samples.push(await once());
  return [
    plainRow(
      {
        bench: BENCH,
        what: "`$all` subscription, events received",
        unit: "/s",
        goal: { of: "value", atLeast: 40_000 },
        note: "client and subscriber share a thread; the log server has its own, as in the service",
      },
      samples,
    ),
  ];
};
