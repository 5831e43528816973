import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pino from "pino";
import { localBlobStore } from "../../src/platform/blobs/folder/store.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import type { NewEvent } from "../../src/platform/eventLog/port.ts";
import { openRawLog } from "../../src/platform/eventLog/rawLog.ts";
import { newId } from "../../src/platform/ids.ts";
import { checkpointSigner } from "../../src/stores/audit/signer.ts";
import { tileStore } from "../../src/stores/audit/tiles.ts";
import { auditTree, type TreeState } from "../../src/stores/audit/tree.ts";
import { startTreeBuilder } from "../../src/workers/audit/builder.ts";
import { type VerifiedLog, verifyLog } from "../../src/workers/audit/verifyLog.ts";
import { eventually } from "./client.ts";
import { startTestLog } from "./log.ts";

export type AuditKit = Awaited<ReturnType<typeof startAuditKit>>;

/** An event log with its tree in a database and a folder of their own. */
export const startAuditKit = async (masterKey = Buffer.alloc(32, 7)) => {
  const started = await startTestLog();
  const database = openDatabase(started.databaseUrl);
  await migrate(database.patient);
  const folder = await mkdtemp(path.join(tmpdir(), "audit-"));
  const raw = openRawLog(started.logUrl);
  const { db, pool } = database;
  const blobs = localBlobStore(folder);
  const tiles = tileStore(blobs);
  const tree = auditTree(db);
  const signer = checkpointSigner(masterKey);
  const builders: { stop(): Promise<void> }[] = [];

  const sealed = (size: number): Promise<TreeState> =>
    eventually(
      () => tree.load(),
      (state) => state.size >= size,
    );

  return {
    ...started,
    ...{ database, db, pool, raw, blobs, tiles, tree, signer, sealed },
    /** Starts a builder, which competes with the others. */
    build: (): { stop(): Promise<void> } => {
      const logger = pino({ level: "silent" });
      const deps = { raw, db, tiles, signer, clock: systemClock, logger, holder: newId() };
      const builder = startTreeBuilder(deps);
      builders.push(builder);
      return builder;
    },
    /** Appends events to a stream, `each` at a time. */
    append: async (stream: string, count: number, each = 100): Promise<void> => {
      for (let from = 0; from < count; from += each) {
        const events = Array.from({ length: Math.min(each, count - from) }, (_, index) =>
          newEvent(from + index),
        );
        await started.log.append(stream, events, "any");
      }
    },
    verify: (): Promise<VerifiedLog> => verifyLog({ raw, tree, tiles, signer }),
    stop: async (): Promise<void> => {
      await Promise.all(builders.map((builder) => builder.stop()));
      await raw.close();
      await database.close();
      await started.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const newEvent = (number: number): NewEvent => ({
  id: newId(),
  type: "Counted",
  data: { number },
  metadata: {
    $correlationId: newId(),
    $causationId: newId(),
    actor: { type: "system", id: "test" },
    occurred_at: "2026-03-01T00:00:00.000Z",
    recorded_at: "2026-03-01T00:00:00.000Z",
    schema_version: 1,
  } as NewEvent["metadata"],
});
