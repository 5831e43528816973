import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { EventStoreDBClient, jsonEvent, NO_STREAM } from "@eventstore/db-client";
import pino from "pino";
import { emptyRoot } from "../../src/domain/audit/tree/merkle.ts";
import {
  appendLeaves,
  type Edge,
  rootOfEdge,
  TILE_WIDTH,
  tilePath,
} from "../../src/domain/audit/tree/tiles.ts";
import { localBlobStore } from "../../src/platform/blobs/folder/store.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { disposeClient } from "../../src/platform/eventLog/dispose.ts";
import { openRawLog } from "../../src/platform/eventLog/rawLog.ts";
import { newId } from "../../src/platform/ids.ts";
import { sha256Bytes } from "../../src/platform/signatures.ts";
import { treeProofs } from "../../src/stores/audit/proofs.ts";
import { checkpointSigner } from "../../src/stores/audit/signer.ts";
import { tileStore } from "../../src/stores/audit/tiles.ts";
import { auditTree, type LeafTile } from "../../src/stores/audit/tree.ts";
import { startTreeBuilder } from "../../src/workers/audit/builder.ts";
import type { BenchContext, RunBench } from "../harness/bench.ts";
import { rateOf } from "../harness/callers.ts";
import { runPairs } from "../harness/pairs.ts";
import { pairedRow, plainRow, type Row } from "../harness/rows.ts";
import { quantile } from "../harness/statistics.ts";
import { startLog } from "../parts/log.ts";
import { eventData, eventMetadata } from "../parts/payload.ts";
import { createDatabase } from "../parts/postgres.ts";

const BENCH = "proof";
const LEG_MS = 500;
const CALLERS = 64;
const PROOF_EVENTS = 10_000_000;
const PROOFS = 500;
/** The leaves that are added at once to the large tree. */
const STEP = 256 * TILE_WIDTH;

/** The cost of the log's tree, and the latency of proofs. */
export const run: RunBench = async (context) => [
  ...(await appendCost(context)),
  await proofLatency(context),
];

const openTree = async (context: BenchContext, databaseUrl: string, folder: string) => {
  const database = openDatabase(databaseUrl);
  context.defer(database.close);
  await migrate(database.patient);
  const tiles = tileStore(localBlobStore(folder));
  return { ...database, tiles, tree: auditTree(database.db) };
};

const appendCost = async (context: BenchContext): Promise<readonly Row[]> => {
  const log = await startLog(context);
  const client = EventStoreDBClient.connectionString(log.url);
  context.defer(() => disposeClient(client));
  const folder = path.join(context.folder, "tiles");
  const { db, pool, tiles, tree } = await openTree(context, log.databaseUrl, folder);
  const raw = openRawLog(log.url);
  context.defer(raw.close);
  const revisions = new Map<number, bigint>();
  const append = async (caller: number) => {
    const event = jsonEvent({
      id: randomUUID(),
      type: "StepPassed",
      data: eventData(),
      metadata: eventMetadata(),
    });
    const { nextExpectedRevision } = await client.appendToStream(`bench-${caller}`, event, {
      expectedRevision: revisions.get(caller) ?? NO_STREAM,
    });
    revisions.set(caller, nextExpectedRevision);
  };
  const signer = checkpointSigner(Buffer.alloc(32, 1));
  const logger = pino({ level: "silent" });
  const startBuilder = () =>
    startTreeBuilder({ raw, db, tiles, signer, clock: systemClock, logger, holder: newId() });
  /** The tree contains every event, so that a leg builds only its own. */
  const catchUp = async (): Promise<number> => {
    const head = await raw.head();
    for (;;) {
      const { position, size } = await tree.load();
      if (position === head) return size;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const samples = await runPairs({
    pairs: context.pairs(20),
    warmUps: 2,
    budgetMs: 90_000,
    random: context.random,
    ours: async () => {
      const builder = startBuilder();
      await catchUp();
      const rate = await rateOf(CALLERS, LEG_MS, append);
      await builder.stop();
      return rate;
    },
    peer: () => rateOf(CALLERS, LEG_MS, append),
  });
  const builder = startBuilder();
  const size = await catchUp();
  await builder.stop();
  const { rows } = await pool.query<{ bytes: bigint }>(
    "select pg_total_relation_size('audit_tree_tiles') as bytes",
  );
  // A file of 8 KiB and its header for 256 leaves, and for 65,536 again.
  const tileBytes = (8_192 + 64) * (1 / TILE_WIDTH + 1 / TILE_WIDTH ** 2);
  return [
    pairedRow(
      {
        bench: BENCH,
        what: `appends with the tree, ${CALLERS} callers`,
        unit: "/s",
        peerIs: "the same appends without the tree",
        goal: { of: "ratio", atLeast: 0.95 },
      },
      samples,
      context.random,
    ),
    plainRow(
      {
        ...{ bench: BENCH, what: "stored for the tree, an event", unit: "bytes" },
        goal: { of: "value", atMost: 100 },
        note: `${size} events; tiles in the blob store and checksums in the database`,
      },
      [tileBytes + Number(rows[0]?.bytes ?? 0n) / size],
    ),
  ];
};

/** A tree of synthetic leaves: proofs read its tiles and its state as those of a real log. */
const proofLatency = async (context: BenchContext): Promise<Row> => {
  const folder = path.join(context.folder, "large");
  const { tiles, tree } = await openTree(context, await createDatabase(context), folder);
  context.log(`building a tree of ${PROOF_EVENTS.toLocaleString("en-US")} leaves …`);
  const begun = await tree.load();
  let built: { size: number; edge: Edge } = { size: 0, edge: [] };
  const leafTiles: LeafTile[] = [];
  while (built.size < PROOF_EVENTS) {
    const count = Math.min(STEP, PROOF_EVENTS - built.size);
    const leaves = Array.from({ length: count }, (_, nth) => leafHash(built.size + nth));
    const { full, ...next } = appendLeaves(built, leaves, sha256Bytes);
    for (const { level, index, hashes } of full) {
      await writeTile(folder, level, index, hashes);
      if (level > 0) continue;
      const firstPosition = BigInt(index * TILE_WIDTH + 1);
      leafTiles.push({ index, firstPosition, checks: new Uint8Array(0) });
    }
    built = next;
  }
  const root = built.edge.length > 0 ? rootOfEdge(built.edge, sha256Bytes) : emptyRoot(sha256Bytes);
  const position = BigInt(PROOF_EVENTS);
  await tree.advance(begun, { ...begun, ...built, root, position, checkpoint: "bench" }, leafTiles);
  const samples: number[] = [];
  for (let nth = 0; nth < PROOFS; nth += 1) {
    const leaf = Math.floor(context.random() * (PROOF_EVENTS - TILE_WIDTH));
    const started = performance.now();
    const proofs = treeProofs({ tree, tiles }, await tree.load());
    const index = await proofs.findLeaf(leafHash(leaf), BigInt(leaf + 1));
    if (index !== leaf) throw new Error("The leaf was not found");
    await proofs.inclusion(index);
    samples.push(performance.now() - started);
  }
  return plainRow(
    {
      ...{ bench: BENCH, unit: "ms" },
      what: `a proof among ${PROOF_EVENTS.toLocaleString("en-US")} events, p99`,
      goal: { of: "value", atMost: 50 },
      note: "from the position of an event to its inclusion proof, tiles in a folder",
    },
    samples,
    (all) => quantile(all, 0.99),
  );
};

const leafHash = (index: number): Uint8Array => {
  const bytes = Buffer.alloc(9);
  bytes.writeBigUInt64BE(BigInt(index), 1);
  return sha256Bytes(bytes);
};

/** Writes a tile as the blob store does, without waiting for the disk. */
const writeTile = async (
  folder: string,
  level: number,
  index: number,
  hashes: Uint8Array,
): Promise<void> => {
  const file = path.join(folder, "audit", tilePath({ level, index, width: TILE_WIDTH }));
  await mkdir(path.dirname(file), { recursive: true });
  const header = `${JSON.stringify({ contentType: "application/octet-stream" })}\n`;
  await writeFile(file, Buffer.concat([Buffer.from(header), hashes]));
};
