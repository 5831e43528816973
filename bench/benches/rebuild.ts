import { EventStoreDBClient, FORWARDS, START } from "@eventstore/db-client";
import pino from "pino";
import { projections } from "../../src/main/core/projections.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { connectEventLog } from "../../src/platform/eventLog/client.ts";
import { disposeClient } from "../../src/platform/eventLog/dispose.ts";
import { newId } from "../../src/platform/ids.ts";
import { startMaintenance } from "../../src/projections/kernel/maintenance.ts";
import { projectionOperations } from "../../src/projections/kernel/operations.ts";
import { createPositions } from "../../src/projections/kernel/positions.ts";
import { startProjector } from "../../src/projections/kernel/projector.ts";
import { prepareProjections } from "../../src/projections/kernel/schemas.ts";
import type { BenchContext, RunBench } from "../harness/bench.ts";
import { createCleanupStack } from "../harness/cleanup.ts";
import { runPairs } from "../harness/pairs.ts";
import { pairedRow } from "../harness/rows.ts";
import { seededDatabase } from "../parts/history.ts";
import { startLog } from "../parts/log.ts";
import { createDatabase } from "../parts/postgres.ts";

const EVENTS = 200_000;
const TIMEOUT_MS = 600_000;
/** The largest read model. */
const LARGEST = "executions";

/** Throughput of building the read models from the log, against a bare read of the same events. */
export const run: RunBench = async (context) => {
  const seeded = await seededDatabase(context, EVENTS);

  /** Measures on a new copy of the seeded database, so that every sample has the same start. */
  const onCopy = async (
    measure: (context: BenchContext, log: { url: string; databaseUrl: string }) => Promise<number>,
  ): Promise<number> => {
    const cleanup = createCleanupStack(context.log);
    const copyContext = { ...context, defer: cleanup.defer };
    try {
      return await measure(
        copyContext,
        await startLog(copyContext, await createDatabase(copyContext, seeded)),
      );
    } finally {
      await cleanup.run();
    }
  };

  const compare = (ours: Measure, pairs: number) =>
    runPairs({
      pairs: context.pairs(pairs),
      warmUps: 0,
      budgetMs: 75_000,
      random: context.random,
      ours: () => onCopy(ours),
      peer: () => onCopy(readEverything),
    });
  const samples = await compare(foldAll, 5);
  const single = await compare(rebuildOne, 3);
  const about = {
    bench: "rebuild",
    unit: "/s",
    peerIs: "a bare `$all` read of the same events through the client, in the same process",
    goal: { of: "ratio", atLeast: 0.7 },
  } as const;
  return [
    pairedRow(
      {
        ...about,
        what: "all read models from 200,000 events",
        note: "events of runs, executions and steps in the order of a busy service; every projection is built, in a new database each time",
      },
      samples,
      context.random,
    ),
    pairedRow(
      {
        ...about,
        what: `the read model ${LARGEST} rebuilt, as \`projections rebuild\` does`,
        note: "reads the whole log, builds beside the live read model and swaps the two at the head",
      },
      single,
      context.random,
    ),
  ];
};

type Measure = (
  context: BenchContext,
  log: { readonly url: string; readonly databaseUrl: string },
) => Promise<number>;

/** Events a second until every projection has reached the head. */
const foldAll: Measure = async (context, { url, databaseUrl }) => {
  const database = openDatabase(databaseUrl);
  context.defer(database.close);
  const log = connectEventLog(url);
  context.defer(log.close);
  await migrate(database.patient);
  const head = await log.head();
  if (head === null) throw new Error("The log is empty");
  const started = performance.now();
  await prepareProjections(database.patient, projections);
  const positions = createPositions();
  const projector = startProjector({
    log,
    db: database.db,
    projections,
    positions,
    logger: pino({ level: "error" }),
    holder: newId(),
  });
  context.defer(projector.stop);
  const names = projections.map(({ name }) => name);
  if (!(await positions.waitFor(names, head, TIMEOUT_MS)))
    throw new Error("The read models did not catch up");
  return (EVENTS / (performance.now() - started)) * 1_000;
};

/** Events a second until the rebuilt read model is live. */
const rebuildOne: Measure = async (context, { url, databaseUrl }) => {
  const database = openDatabase(databaseUrl);
  context.defer(database.close);
  const log = connectEventLog(url);
  context.defer(log.close);
  await migrate(database.patient);
  await prepareProjections(database.patient, projections);
  const operations = projectionOperations({ db: database.db, projections });
  const started = performance.now();
  const request = await operations.requestRebuild(LARGEST);
  if (!request) throw new Error(`Unknown read model ${LARGEST}`);
  const logger = pino({ level: "error" });
  const builder = startMaintenance({
    log,
    db: database.patient,
    projections,
    logger,
    holder: newId(),
  });
  context.defer(builder.stop);
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  if (!(await operations.waitForBuild(LARGEST, request.build, timeout)))
    throw new Error("The read model was not built");
  return (EVENTS / (performance.now() - started)) * 1_000;
};

const readEverything: Measure = async (context, { url }) => {
  const client = EventStoreDBClient.connectionString(url);
  context.defer(() => disposeClient(client));
  const started = performance.now();
  let seen = 0;
  for await (const { event } of client.readAll({ direction: FORWARDS, fromPosition: START })) {
    if (event && !event.streamId.startsWith("$")) seen += 1;
  }
  if (seen !== EVENTS) throw new Error(`Read ${seen} events instead of ${EVENTS}`);
  return (EVENTS / (performance.now() - started)) * 1_000;
};
