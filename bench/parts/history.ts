import { EventStoreDBClient, jsonEvent, NO_STREAM } from "@eventstore/db-client";
import type { RunEvent } from "../../src/domain/runs/events.ts";
import type { ExecutionEvent } from "../../src/domain/runs/executions/events.ts";
import { startEmbeddedEventStore } from "../../src/eventstore/server.ts";
import { disposeClient } from "../../src/platform/eventLog/dispose.ts";
import { newId } from "../../src/platform/ids.ts";
import type { BenchContext } from "../harness/bench.ts";
import { eventMetadata } from "./payload.ts";
import { databaseUrl, query } from "./postgres.ts";

const EXECUTIONS = 3;
const STEPS = 10;
/** Runs written concurrently, so that their events interleave as in the service. */
const CONCURRENT_RUNS = 16;
/** The size of an append by a busy executor: a few steps. */
const EVENTS_PER_APPEND = 12;

type Stream = { readonly name: string; revision: bigint | typeof NO_STREAM };

/**
 * Returns the name of a database whose log holds `events` events of runs, executions and steps.
 * Creates it on the first call of a bench run.
 */
export const seededDatabase = async (
  context: Pick<BenchContext, "postgresUrl" | "log">,
  events: number,
): Promise<string> => {
  const name = `seeded_${events}`;
  const found = await query(context.postgresUrl, "SELECT 1 FROM pg_database WHERE datname = $1", [
    name,
  ]);
  if (found.length > 0) return name;
  context.log(`writing ${events.toLocaleString("en-US")} events …`);
  const draft = `${name}_draft`;
  await query(context.postgresUrl, `DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`);
  await query(context.postgresUrl, `CREATE DATABASE ${draft} TEMPLATE template0`);
  const url = databaseUrl(context.postgresUrl, draft);
  const server = await startEmbeddedEventStore({ databaseUrl: url });
  try {
    await writeHistory(server.url, events);
  } finally {
    await server.stop();
  }
  await query(url, "VACUUM ANALYZE");
  await query(context.postgresUrl, `ALTER DATABASE ${draft} RENAME TO ${name}`);
  return name;
};

/** Writes `events` events of runs, executions and steps through the client. */
export const writeHistory = async (logUrl: string, events: number): Promise<void> => {
  const client = EventStoreDBClient.connectionString(logUrl);
  let left = events;
  const append = async (
    stream: Stream,
    newEvents: readonly (RunEvent | ExecutionEvent)[],
  ): Promise<void> => {
    const taken = newEvents.slice(0, left);
    left -= taken.length;
    if (taken.length === 0) return;
    const encoded = taken.map(({ type, data }) =>
      jsonEvent({ id: newId(), type, data: data as never, metadata: eventMetadata() }),
    );
    const { nextExpectedRevision } = await client.appendToStream(stream.name, encoded, {
      expectedRevision: stream.revision,
    });
    stream.revision = nextExpectedRevision;
  };
  const writeRuns = async (): Promise<void> => {
    while (left > 0) await writeRun(append);
  };
  try {
    await Promise.all(Array.from({ length: CONCURRENT_RUNS }, writeRuns));
  } finally {
    await disposeClient(client);
  }
};

type Append = (stream: Stream, newEvents: readonly (RunEvent | ExecutionEvent)[]) => Promise<void>;

/** Writes a run from RunQueued to RunFinished. */
const writeRun = async (append: Append): Promise<void> => {
  const runId = newId();
  const run: Stream = { name: `run-${runId}`, revision: NO_STREAM };
  const planned = Array.from({ length: EXECUTIONS }, (_, n) => ({
    executionId: newId(),
    testId: newId(),
    testVersion: 1,
    testName: `test ${n}`,
    stepCount: STEPS,
  }));
  const settings = { browsers: ["chromium" as const], baseUrl: null, variables: {} };
  const quotaPeriod = "202501";
  await append(run, [
    {
      type: "RunQueued",
      data: {
        ...settings,
        runId,
        projectId: null,
        target: "cloud",
        grammarVersion: 1,
        quotaPeriod,
        executions: planned,
      },
    },
  ]);
  const ended = { status: "passed", durationMs: 1_200, error: null } as const;
  await Promise.all(
    planned.map(async ({ executionId, ...test }, n) => {
      const stream: Stream = { name: `execution-${executionId}`, revision: NO_STREAM };
      const on = { runId, attempt: 1, delivery: 1, browser: "chromium" } as const;
      const queued = { ...settings, ...test, runId, quotaPeriod };
      await append(stream, [{ type: "ExecutionQueued", data: queued }]);
      await append(stream, [
        { type: "ExecutionClaimed", data: { runId, delivery: 1, worker: "bench" } },
      ]);
      if (n === 0) await append(run, [{ type: "RunStarted", data: { runId } }]);
      await append(stream, [
        { type: "BrowserStarted", data: { ...on, browserVersion: "140.0.1" } },
      ]);
      const steps = Array.from({ length: STEPS }, (_, index) => stepEvents(on, index + 1)).flat();
      for (let at = 0; at < steps.length; at += EVENTS_PER_APPEND)
        await append(stream, steps.slice(at, at + EVENTS_PER_APPEND));
      await append(stream, [
        { type: "BrowserFinished", data: { ...on, ...ended } },
        { type: "AttemptFinished", data: { runId, attempt: 1, delivery: 1, ...ended } },
        { type: "ExecutionFinished", data: { runId, ...ended } },
      ]);
    }),
  );
  for (const { executionId } of planned) {
    await append(run, [
      { type: "RunExecutionFinished", data: { runId, executionId, status: "passed" } },
    ]);
  }
  const totals = { passed: EXECUTIONS, failed: 0, flaky: 0, errored: 0, cancelled: 0 };
  await append(run, [{ type: "RunFinished", data: { runId, status: "passed", totals } }]);
};

type OnBrowser = {
  readonly runId: string;
  readonly attempt: number;
  readonly delivery: number;
  readonly browser: "chromium";
};

const stepEvents = (on: OnBrowser, number: number): ExecutionEvent[] => [
  { type: "StepStarted", data: { ...on, number } },
  {
    type: "StepPassed",
    data: { ...on, number, durationMs: 80 + number, locator: 'role=button[name="Save"]' },
  },
  {
    type: "ScreenshotTaken",
    data: { ...on, number, format: "jpeg", key: `runs/${on.runId}/${number}.jpg`, name: null },
  },
];
