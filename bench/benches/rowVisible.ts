import pg from "pg";
import pino from "pino";
import { projections } from "../../src/main/core/projections.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { connectEventLog } from "../../src/platform/eventLog/client.ts";
import { newId } from "../../src/platform/ids.ts";
import { createPositions } from "../../src/projections/kernel/positions.ts";
import { startProjector } from "../../src/projections/kernel/projector.ts";
import { prepareProjections } from "../../src/projections/kernel/schemas.ts";
import type { BenchContext, RunBench } from "../harness/bench.ts";
import { plainRow } from "../harness/rows.ts";
import { quantile } from "../harness/statistics.ts";
import { startLog } from "../parts/log.ts";
import { eventMetadata } from "../parts/payload.ts";

const BENCH = "row-visible";
const PER_SECOND = 500;
const SECONDS = 10;
const WARM_UP_SECONDS = 2;
/** Executions that report at a time, each with an append of its own in flight at most. */
const EXECUTIONS = 50;
/** So often a reader looks whether the row is there: it adds up to that much to each figure. */
const LOOK_MS = 2;
const PATIENCE_MS = 60_000;

type Told = { readonly position: bigint; readonly at: number };

/** From the moment in which an event is appended to the moment in which a reader finds its row. */
export const run: RunBench = async (context) => {
  const { databaseUrl, log } = await startReadModels(context);
  const reader = new pg.Client({ connectionString: databaseUrl });
  reader.on("error", () => undefined);
  await reader.connect();
  context.defer(() => reader.end());
  const visible = async (): Promise<bigint> => {
    const { rows } = await reader.query<{ position: string | null }>({
      name: "visible",
      text: "SELECT max(position) AS position FROM run_events",
    });
    return BigInt(rows[0]?.position ?? -1);
  };

  const writers = await Promise.all(Array.from({ length: EXECUTIONS }, () => startWriter(log)));
  /** Appends at the rate and answers the delay of each event, milliseconds. */
  const measure = async (seconds: number): Promise<readonly number[]> => {
    const delays: number[] = [];
    let waiting: Told[] = [];
    let isTelling = true;
    const watch = async (): Promise<void> => {
      const deadline = performance.now() + seconds * 1_000 + PATIENCE_MS;
      while (isTelling || waiting.length > 0) {
        const position = await visible();
        const now = performance.now();
        if (now > deadline) throw new Error(`${waiting.length} rows did not become visible`);
        for (const told of waiting) if (told.position <= position) delays.push(now - told.at);
        waiting = waiting.filter((told) => told.position > position);
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      }
    };
    const watching = watch();
    const told: Promise<void>[] = [];
    const started = performance.now();
    for (let n = 0; n < PER_SECOND * seconds; n += 1) {
      const early = started + (n * 1_000) / PER_SECOND - performance.now();
      if (early > 1) await new Promise((resolve) => setTimeout(resolve, early));
      const at = performance.now();
      const tell = writers[n % writers.length];
      if (tell) told.push(tell().then((position) => void waiting.push({ position, at })));
    }
    await Promise.all(told);
    isTelling = false;
    await watching;
    return delays;
  };
  await measure(WARM_UP_SECONDS);
  const samples = await measure(SECONDS);

  const about = {
    bench: BENCH,
    unit: "ms",
    note: `${PER_SECOND} step events a second for ${SECONDS} s, an append each; a reader on a connection of its own looks every ${LOOK_MS} ms; log, projector, writers and reader share one process`,
  };
  return [
    plainRow({ ...about, what: "append to visible row, p50" }, samples),
    plainRow(
      { ...about, what: "append to visible row, p99", goal: { of: "value", atMost: 50 } },
      samples,
      (all) => quantile(all, 0.99),
    ),
  ];
};

/** Log, tables and projector, as the service has them. */
const startReadModels = async (context: BenchContext) => {
  const { url, databaseUrl } = await startLog(context);
  const log = connectEventLog(url);
  context.defer(log.close);
  const database = openDatabase(databaseUrl);
  context.defer(database.close);
  await migrate(database.patient);
  await prepareProjections(database.patient, projections);
  const projector = startProjector({
    log,
    db: database.db,
    projections,
    positions: createPositions(),
    logger: pino({ level: "error" }),
    holder: newId(),
  });
  context.defer(projector.stop);
  return { databaseUrl, log };
};

/** An execution that reports steps: each call appends one, in turn, and answers its position. */
const startWriter = async (
  log: ReturnType<typeof connectEventLog>,
): Promise<() => Promise<bigint>> => {
  const [runId, executionId] = [newId(), newId()];
  const on = { runId, attempt: 1, delivery: 1, browser: "chromium" };
  const stream = `execution-${executionId}`;
  const newEvent = (type: string, data: object) => ({
    id: newId(),
    type,
    data,
    metadata: { ...eventMetadata(), occurred_at: new Date().toISOString() },
  });
  const started = newEvent("BrowserStarted", { ...on, browserVersion: "140.0" });
  let { revision } = await log.append(stream, [started], "no_stream");
  let number = 0;
  let turn: Promise<unknown> = Promise.resolve();
  return () => {
    const append = async (): Promise<bigint> => {
      number += 1;
      const event = newEvent("StepStarted", { ...on, number });
      const appended = await log.append(stream, [event], revision);
      revision = appended.revision;
      return appended.position;
    };
    const mine = turn.then(append);
    turn = mine.catch(() => undefined);
    return mine;
  };
};
