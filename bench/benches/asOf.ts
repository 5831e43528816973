import pino from "pino";
import { openDatabase } from "../../src/platform/database/database.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { connectEventLog } from "../../src/platform/eventLog/client.ts";
import { newId } from "../../src/platform/ids.ts";
import { billingProjection } from "../../src/projections/billing/projection.ts";
import { billingHistory } from "../../src/projections/billing/history.ts";
import { planMarks } from "../../src/projections/billing/marks.ts";
import { createPositions } from "../../src/projections/kernel/positions.ts";
import { startProjector } from "../../src/projections/kernel/projector.ts";
import { prepareProjections } from "../../src/projections/kernel/schemas.ts";
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
const PATIENCE_MS = 600_000;

/** What a plan was at a time, in a history of 100,000 events, from the first question after a start on. */
export const run: RunBench = async (context) => {
  const { url, databaseUrl } = await startLog(context);
  const log = connectEventLog(url);
  context.defer(log.close);
  const organizationId = newId();
  const stream = `plan-${organizationId}`;
  context.log(`writing ${EVENTS.toLocaleString("en-US")} events …`);
  const history = planEvents(EVENTS);
  let expected: bigint | "no_stream" = "no_stream";
  let head = 0n;
  for (let from = 0; from < history.length; from += AN_APPEND) {
    const batch = history.slice(from, from + AN_APPEND).map(({ event, at }) => ({
      id: newId(),
      ...event,
      metadata: { ...eventMetadata(), occurred_at: at, recorded_at: at },
    }));
    const { revision, position } = await log.append(stream, batch, expected);
    expected = revision;
    head = position;
  }
  const database = openDatabase(databaseUrl);
  context.defer(database.close);
  await migrate(database.patient);
  await prepareProjections(database.patient, [billingProjection]);
  const positions = createPositions();
  const projector = startProjector({
    ...{ log, positions, db: database.db, projections: [billingProjection], holder: newId() },
    logger: pino({ level: "error" }),
  });
  context.defer(projector.stop);
  const { name } = billingProjection;
  if (!(await positions.waitFor([name], head, PATIENCE_MS)))
    throw new Error("The read model did not catch up");
  const { historyOf } = billingHistory(log, planMarks(database.db));
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
  const samples = [first];
  for (let nth = 1; nth < QUESTIONS; nth += 1) samples.push(await ask());
  const about = { bench: BENCH, unit: "ms" };
  const note = `the first question after a start is one of them: ${Math.round(first)} ms; each answers with the 50 lines before`;
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
