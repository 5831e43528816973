import pino from "pino";
import { openDatabase } from "../../src/platform/database/database.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { connectEventLog } from "../../src/platform/eventLog/client.ts";
import { newId } from "../../src/platform/ids.ts";
import { billingHistory } from "../../src/projections/billing/history.ts";
import { planMarks } from "../../src/projections/billing/marks.ts";
import { billingProjection } from "../../src/projections/billing/projection.ts";
import { createPositions } from "../../src/projections/kernel/positions.ts";
import { startProjector } from "../../src/projections/kernel/projector.ts";
import { prepareProjections } from "../../src/projections/kernel/schemas.ts";
import type { BenchContext, RunBench } from "../harness/bench.ts";
import { plainRow } from "../harness/rows.ts";
import { quantile } from "../harness/statistics.ts";
import { startLog } from "../parts/log.ts";
import { eventMetadata } from "../parts/payload.ts";
import { planEvents } from "../parts/planEvents.ts";

const BENCH = "as-of";
const EVENTS = 100_000;
const EVENTS_PER_APPEND = 500;
const QUERIES = 100;
const TIMEOUT_MS = 600_000;

/** Latency of plan queries at a past time, in a history of 100,000 events, from the first query after a start. */
export const run: RunBench = async (context) => {
  const { url, databaseUrl } = await startLog(context);
  const log = connectEventLog(url);
  context.defer(log.close);
  const organizationId = newId();
  const stream = `plan-${organizationId}`;
  context.log(`writing ${EVENTS.toLocaleString("en-US")} events …`);
  const history = planEvents(EVENTS);
  const head = await appendHistory(log, stream, history);
  const database = await projectUntil(context, { url: databaseUrl, log, head });
  const { historyOf } = billingHistory(log, planMarks(database.db));
  const queryPlan = async (): Promise<number> => {
    const asOf = history[Math.floor(context.random() * EVENTS)]?.at ?? null;
    const started = performance.now();
    const { planAt } = await historyOf(organizationId, {
      asOf,
      knownAt: null,
      from: null,
      to: null,
      limit: 50,
    });
    if (planAt.plan === "free") throw new Error("The plan does not match the events");
    return performance.now() - started;
  };
  const first = await queryPlan();
  const samples = [first];
  for (let nth = 1; nth < QUERIES; nth += 1) samples.push(await queryPlan());
  const about = { bench: BENCH, unit: "ms" };
  const note = `includes the first query after a start: ${Math.round(first)} ms; each query returns the 50 preceding entries`;
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

type EventLog = ReturnType<typeof connectEventLog>;

/** Appends the events and returns the position of the last. */
const appendHistory = async (
  log: EventLog,
  stream: string,
  history: ReturnType<typeof planEvents>,
): Promise<bigint> => {
  let expected: bigint | "no_stream" = "no_stream";
  let head = 0n;
  for (let from = 0; from < history.length; from += EVENTS_PER_APPEND) {
    const batch = history.slice(from, from + EVENTS_PER_APPEND).map(({ event, at }) => ({
      id: newId(),
      ...event,
      metadata: { ...eventMetadata(), occurred_at: at, recorded_at: at },
    }));
    const { revision, position } = await log.append(stream, batch, expected);
    expected = revision;
    head = position;
  }
  return head;
};

/** Starts the billing projection and waits until it has reached `head`. */
const projectUntil = async (
  context: BenchContext,
  { url, log, head }: { readonly url: string; readonly log: EventLog; readonly head: bigint },
): Promise<ReturnType<typeof openDatabase>> => {
  const database = openDatabase(url);
  context.defer(database.close);
  await migrate(database.patient);
  await prepareProjections(database.patient, [billingProjection]);
  const positions = createPositions();
  const projector = startProjector({
    ...{ log, positions, db: database.db, projections: [billingProjection], holder: newId() },
    logger: pino({ level: "error" }),
  });
  context.defer(projector.stop);
  if (!(await positions.waitFor([billingProjection.name], head, TIMEOUT_MS)))
    throw new Error("The read model did not catch up");
  return database;
};
