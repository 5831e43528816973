import { connectEventLog } from "../../src/platform/eventLog/client.ts";
import { newId } from "../../src/platform/ids.ts";
import { billingHistory } from "../../src/projections/billingHistory.ts";
import type { RunBench } from "../harness/bench.ts";
import { plainRow } from "../harness/rows.ts";
import { quantile } from "../harness/statistics.ts";
import { startLog } from "../parts/log.ts";
import { eventMetadata } from "../parts/payload.ts";
import { planEvents } from "../parts/planEvents.ts";

const BENCH = "as-of";
const EVENTS = 100_000;
const AN_APPEND = 500;
const QUESTIONS = 100;

/** What a plan was at a time, in a history of 100,000 events: the index of it is there after the first question. */
export const run: RunBench = async (context) => {
  const { url } = await startLog(context);
  const log = connectEventLog(url);
  context.defer(log.close);
  const organizationId = newId();
  const stream = `plan-${organizationId}`;
  context.say(`writing ${EVENTS.toLocaleString("en-US")} events …`);
  const history = planEvents(EVENTS);
  let expected: bigint | "no_stream" = "no_stream";
  for (let from = 0; from < history.length; from += AN_APPEND) {
    const batch = history.slice(from, from + AN_APPEND).map(({ event, at }) => ({
      id: newId(),
      ...event,
      metadata: { ...eventMetadata(), occurred_at: at, recorded_at: at },
    }));
    const { revision } = await log.append(stream, batch, expected);
    expected = revision;
  }
  const { historyOf } = billingHistory(log);
  const ask = async (): Promise<number> => {
    const asOf = history[Math.floor(context.random() * EVENTS)]?.at ?? null;
    const started = performance.now();
    const { planAt } = await historyOf(organizationId, {
      asOf,
      knownAt: null,
      from: null,
      to: null,
      limit: 50,
    });
    if (planAt.plan === "free") throw new Error("The plan is not what the events say");
    return performance.now() - started;
  };
  const first = await ask();
  const samples: number[] = [];
  for (let nth = 0; nth < QUESTIONS; nth += 1) samples.push(await ask());
  const about = { bench: BENCH, unit: "ms" };
  const note = `the first question reads the history once: ${Math.round(first)} ms; each answers with the 50 lines before`;
  return [
    plainRow(
      {
        ...about,
        what: `as_of in ${EVENTS.toLocaleString("en-US")} events, p99`,
        goal: { of: "value", atMost: 200 },
        note,
      },
      samples,
      (all) => quantile(all, 0.99),
    ),
  ];
};
