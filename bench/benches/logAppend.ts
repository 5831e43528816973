import { randomUUID } from "node:crypto";
import { EventStoreDBClient, jsonEvent, NO_STREAM } from "@eventstore/db-client";
import pg from "pg";
import { disposeClient } from "../../src/platform/eventLog/dispose.ts";
import type { BenchContext, RunBench } from "../harness/bench.ts";
import { rateOf } from "../harness/callers.ts";
import { runPairs } from "../harness/pairs.ts";
import { pairedRow, type Row } from "../harness/rows.ts";
import { startLog } from "../parts/log.ts";
import { eventData, eventMetadata } from "../parts/payload.ts";

const BENCH = "log-append";
const LEG_MS = 250;
/** The pool size with the highest throughput. */
const MAX_CONNECTIONS = 32;

/** Appends of one event by the bare client to the embedded log in a worker thread, as in the service. */
export const run: RunBench = async (context) => {
  const log = await startLog(context);
  const client = EventStoreDBClient.connectionString(log.url);
  context.defer(() => disposeClient(client));
  const rows: Row[] = [];
  for (const callers of [1, 16, 64]) {
    const insert = await openTable(context, log.databaseUrl, callers);
    // Each caller has its own stream and passes the expected revision, as the service does.
    const revisions = new Map<number, bigint>();
    const append = async (caller: number) => {
      const event = jsonEvent({
        id: randomUUID(),
        type: "StepPassed",
        data: eventData(),
        metadata: eventMetadata(),
      });
      const { nextExpectedRevision } = await client.appendToStream(
        `bench-${callers}-${caller}`,
        event,
        { expectedRevision: revisions.get(caller) ?? NO_STREAM },
      );
      revisions.set(caller, nextExpectedRevision);
    };
    const samples = await runPairs({
      pairs: context.pairs(30),
      warmUps: 3,
      budgetMs: 40_000,
      random: context.random,
      ours: () => rateOf(callers, LEG_MS, append),
      peer: () => rateOf(callers, LEG_MS, insert),
    });
    rows.push(
      pairedRow(
        {
          bench: BENCH,
          what: `appends, ${callers} caller${callers === 1 ? "" : "s"}`,
          unit: "/s",
          peerIs: `INSERT of the same bytes through pg, one commit each, into a table with only a primary key, up to ${MAX_CONNECTIONS} connections, in the same PostgreSQL`,
          ...(callers === 64 ? { goal: { of: "ratio", atLeast: 0.5 } as const } : {}),
        },
        samples,
        context.random,
      ),
    );
  }
  return rows;
};

/** The peer: inserts one row per commit with the same payload. The primary key is the only index. */
const openTable = async (
  context: BenchContext,
  databaseUrl: string,
  callers: number,
): Promise<(caller: number) => Promise<unknown>> => {
  const table = `raw_${callers}`;
  const max = Math.min(callers, MAX_CONNECTIONS);
  const pool = new pg.Pool({ connectionString: databaseUrl, max, min: max });
  pool.on("error", () => undefined);
  context.defer(() => pool.end());
  await pool.query(
    `CREATE TABLE ${table} (position bigserial PRIMARY KEY, stream text NOT NULL, id uuid NOT NULL, type text NOT NULL, data bytea NOT NULL, metadata bytea NOT NULL)`,
  );
  return (caller) =>
    pool.query({
      name: table,
      text: `INSERT INTO ${table} (stream, id, type, data, metadata) VALUES ($1, $2, $3, $4, $5) RETURNING position`,
      values: [
        `bench-${callers}-${caller}`,
        randomUUID(),
        "StepPassed",
        Buffer.from(JSON.stringify(eventData())),
        Buffer.from(JSON.stringify(eventMetadata())),
      ],
    });
};
