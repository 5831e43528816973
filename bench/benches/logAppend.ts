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
/** More connections than this slow the pool down: what it does best is what it is compared with. */
const MOST_CONNECTIONS = 32;

/** One append, one event: the bare client against the embedded log in a thread of its own, as the service has it. */
export const run: RunBench = async (context) => {
  const log = await startLog(context);
  const client = EventStoreDBClient.connectionString(log.url);
  context.defer(() => disposeClient(client));
  const rows: Row[] = [];
  for (const callers of [1, 16, 64]) {
    const insert = await openTable(context, log.databaseUrl, callers);
    // Each caller has a stream and says the revision that it expects, as the service does.
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
          peerIs: `INSERT of the same bytes through pg, a commit each, a table with its primary key alone, ${MOST_CONNECTIONS} connections at most, the same PostgreSQL; the log server has a thread of its own, as in the service`,
          ...(callers === 64 ? { goal: { of: "ratio", atLeast: 0.5 } as const } : {}),
        },
        samples,
        context.random,
      ),
    );
  }
  return rows;
};

/** The peer: one row for each commit, the same payload, no index but the primary key. */
const openTable = async (
  context: BenchContext,
  databaseUrl: string,
  callers: number,
): Promise<(caller: number) => Promise<unknown>> => {
  const table = `raw_${callers}`;
  const max = Math.min(callers, MOST_CONNECTIONS);
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
