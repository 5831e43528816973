import { EventStoreDBClient, jsonEvent, NO_STREAM } from "@eventstore/db-client";
import { disposeClient } from "../../src/platform/eventLog/dispose.ts";
import { newId } from "../../src/platform/ids.ts";
import type { BenchContext } from "../harness/bench.ts";
import { plainRow, type Row } from "../harness/rows.ts";
import { writeHistory } from "../parts/history.ts";
import { startLog } from "../parts/log.ts";
import { eventData, eventMetadata } from "../parts/payload.ts";
import { query } from "../parts/postgres.ts";
import { plotRow, timeCalls } from "./measure.ts";

const SIZES = [20_000, 40_000, 80_000, 160_000] as const;
/** The approximate number of events of a test with ten steps. */
const STREAM = 40;

/** Latency of appends and stream reads as the log grows, and disk space per event. */
export const growEvents = async (context: BenchContext): Promise<readonly Row[]> => {
  const { url, databaseUrl } = await startLog(context);
  const client = EventStoreDBClient.connectionString(url);
  context.defer(() => disposeClient(client));
  const event = () =>
    jsonEvent({ id: newId(), type: "StepPassed", data: eventData(), metadata: eventMetadata() });
  const rows: Row[] = [];
  let written = 0;
  for (const events of SIZES) {
    context.log(`${events.toLocaleString("en-US")} events …`);
    await writeHistory(url, events - written);
    written = events;
    const stream = `scale-${events}`;
    let revision: bigint | typeof NO_STREAM = NO_STREAM;
    const append = async (): Promise<void> => {
      const done = await client.appendToStream(stream, [event()], { expectedRevision: revision });
      revision = done.nextExpectedRevision;
    };
    const appends = await timeCalls(append);
    const reads = await timeCalls(async () => {
      let seen = 0;
      for await (const _ of client.readStream(stream, { maxCount: STREAM })) seen += 1;
      if (seen !== STREAM) throw new Error(`Read ${seen} events instead of ${STREAM}`);
    });
    const at = { plot: "events", x: events } as const;
    rows.push(
      plotRow({ ...at, line: "append of one event" }, "ms", appends),
      plotRow({ ...at, line: `read of a stream of ${STREAM}` }, "ms", reads),
    );
  }
  const [size] = await query<{ bytes: string }>(
    databaseUrl,
    "SELECT pg_database_size(current_database())::text AS bytes",
  );
  rows.push(
    plainRow({ bench: "scale", what: "disk space per event, with indexes", unit: "bytes" }, [
      Number(size?.bytes) / written,
    ]),
  );
  return rows;
};
