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
/** Concurrent executions, each with at most one append in flight. */
const EXECUTIONS = 50;
/** The polling interval of the reader; it adds up to this much to each delay. */
const POLL_MS = 2;
const TIMEOUT_MS = 60_000;

type Appended = { readonly position: bigint; readonly at: number };

/** Delay from an append until a reader finds the row in the read model. */
export const run: RunBench = async (context) => {
  const { databaseUrl, log } = await startReadModels(context);
  const visible = await openReader(context, databaseUrl);
  const writers = await Promise.all(Array.from({ length: EXECUTIONS }, () => startWriter(log)));
  await measure(writers, visible, WARM_UP_SECONDS);
  const samples = await measure(writers, visible, SECONDS);

  const about = {
    bench: BENCH,
    unit: "ms",
    note: `${PER_SECOND} step events a second for ${SECONDS} s, one append each; a reader on its own connection polls every ${POLL_MS} ms; log, projector, writers and reader share one process`,
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

/** Connects a reader. The returned function reads the position of the newest visible row. */
const openReader = async (
  context: BenchContext,
  databaseUrl: string,
): Promise<() => Promise<bigint>> => {
  const reader = new pg.Client({ connectionString: databaseUrl });
  reader.on("error", () => undefined);
  await reader.connect();
  context.defer(() => reader.end());
  return async () => {
    const { rows } = await reader.query<{ position: string | null }>({
      name: "visible",
      text: "SELECT max(position) AS position FROM run_events",
    });
    return BigInt(rows[0]?.position ?? -1);
  };
};

/** Appends at `PER_SECOND` and returns the delay of each event in milliseconds. */
const measure = async (
  writers: readonly (() => Promise<bigint>)[],
  visible: () => Promise<bigint>,
  seconds: number,
): Promise<readonly number[]> => {
  const delays: number[] = [];
  let pending: Appended[] = [];
  let isAppending = true;
  const watch = async (): Promise<void> => {
    const deadline = performance.now() + seconds * 1_000 + TIMEOUT_MS;
    while (isAppending || pending.length > 0) {
      const position = await visible();
      const now = performance.now();
      if (now > deadline) throw new Error(`${pending.length} rows did not become visible`);
      for (const event of pending) if (event.position <= position) delays.push(now - event.at);
      pending = pending.filter((event) => event.position > position);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
  const watching = watch();
  const appends: Promise<void>[] = [];
  const started = performance.now();
  for (let n = 0; n < PER_SECOND * seconds; n += 1) {
    const wait = started + (n * 1_000) / PER_SECOND - performance.now();
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
    const at = performance.now();
    const append = writers[n % writers.length];
    if (append) appends.push(append().then((position) => void pending.push({ position, at })));
  }
  await Promise.all(appends);
  isAppending = false;
  await watching;
  return delays;
};

/** Starts log, read models and projector as in the service. */
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

/** An execution that reports steps. Each call appends one after the previous append and returns its position. */
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
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const append = async (): Promise<bigint> => {
      number += 1;
      const event = newEvent("StepStarted", { ...on, number });
      const result = await log.append(stream, [event], revision);
      revision = result.revision;
      return result.position;
    };
    const appended = last.then(append);
    last = appended.catch(() => undefined);
    return appended;
  };
};
