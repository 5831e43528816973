import { crc32 } from "node:zlib";
import type { Remark } from "../../domain/audit/tree/checkpoint.ts";
import { CHECKS_BYTES, isLeaf, type Leaf, leafOf } from "../../domain/audit/tree/leaf.ts";
import { emptyRoot, equalHashes } from "../../domain/audit/tree/merkle.ts";
import { appendLeaves, hashAt, rootOfEdge, TILE_WIDTH } from "../../domain/audit/tree/tiles.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Db } from "../../platform/database/database.ts";
import type { RawEvent, RawLog } from "../../platform/eventLog/rawLog.ts";
import { runWhileLeader } from "../../platform/leases.ts";
import type { Logger } from "../../platform/logger.ts";
import { sha256Bytes } from "../../platform/signatures.ts";
import { sleep } from "../../platform/sleep.ts";
import type { CheckpointSigner } from "../../stores/audit/signer.ts";
import type { TileStore } from "../../stores/audit/tiles.ts";
import {
  type AuditTree,
  type AuditTreeTables,
  auditTree,
  type LeafTile,
  type TreeState,
} from "../../stores/audit/tree.ts";

/** The interval of checkpoints under load. */
const SIGN_MS = 400;
/** The number of events that wait for a checkpoint at most. */
const MAX_PENDING = 8_192;

/** The interval at which a builder that stopped looks again. */
const LOOK_AGAIN_MS = 10_000;

export type BuilderDeps = {
  readonly raw: Pick<RawLog, "follow" | "readAt" | "head">;
  readonly db: Db<AuditTreeTables>;
  readonly tiles: TileStore;
  readonly signer: CheckpointSigner;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly holder: string;
};

/**
 * Extends the Merkle tree with the events of the log in the order of `$all`, in the leading process, and signs a
 * checkpoint at most a second after an event. Never changes what is signed: it refuses to continue a log that no longer
 * contains the last event of the tree.
 */
export const startTreeBuilder = (deps: BuilderDeps): { stop(): Promise<void> } => {
  const { db, holder, logger } = deps;
  const tree = auditTree(db);
  const work = async (over: AbortSignal): Promise<void> => {
    const state = await tree.load();
    if (await isContinuous(deps, state)) return build(deps, tree, state, over);
    logger.error(
      { size: state.size },
      "The event log no longer contains the last event of its tree, so no checkpoint is signed. `runledger projections verify` names the difference. Restore a backup.",
    );
    await sleep(LOOK_AGAIN_MS, over);
  };
  return runWhileLeader({ name: "audit-tree", db, holder, logger, work });
};

/** Whether the last leaf of the tree is still at its place in the log. */
const isContinuous = async (
  { raw, tiles }: Pick<BuilderDeps, "raw" | "tiles">,
  { position, size, edge }: TreeState,
): Promise<boolean> => {
  if (position === null) return true;
  const last = await raw.readAt(position);
  if (last === null || !isLeaf(last)) return false;
  const index = Math.floor((size - 1) / TILE_WIDTH);
  const hashes = size % TILE_WIDTH === 0 ? await tiles.read(0, index) : edge[0];
  const expected = hashAt(hashes ?? new Uint8Array(0), (size - 1) % TILE_WIDTH);
  return equalHashes(leafOf(last, sha256Bytes, crc32).hash, expected);
};

type Pending = { readonly leaf: Leaf; readonly position: bigint };

const build = async (
  deps: BuilderDeps,
  tree: AuditTree,
  begun: TreeState,
  over: AbortSignal,
): Promise<void> => {
  const { raw } = deps;
  const ending = new AbortController();
  const signal = AbortSignal.any([over, ending.signal]);
  // The first checkpoint covers all older events at once, and says so.
  const adoptTo = begun.checkpoint === null ? await raw.head() : null;
  const sealing = createSealing(deps, tree, begun, adoptTo);
  let failure: unknown = null;
  const flushing = (async () => {
    while (!signal.aborted) {
      await sealing.flush();
      await sleep(SIGN_MS, signal);
    }
  })().catch((error: unknown) => {
    failure ??= error;
    ending.abort();
  });
  try {
    for await (const event of raw.follow({ after: begun.position, signal })) {
      if (event.position > (begun.position ?? -1n)) sealing.add(event);
      if (sealing.isFull()) await sealing.flush();
    }
  } finally {
    ending.abort();
    await flushing;
  }
  if (failure !== null) throw failure;
};

/** Collects leaves and seals them under a checkpoint. */
const createSealing = (
  deps: BuilderDeps,
  tree: AuditTree,
  begun: TreeState,
  adoptTo: bigint | null,
) => {
  let state = begun;
  let pending: Pending[] = [];
  let reached: bigint | null = null;
  let running: Promise<void> = Promise.resolve();
  const isAdopting = (): boolean => adoptTo !== null && (reached === null || reached < adoptTo);

  const flushOnce = async (): Promise<void> => {
    const isSigning = !isAdopting();
    const isDue = isSigning ? pending.length > 0 || !isSaid(state) : pending.length >= MAX_PENDING;
    if (!isDue) return;
    const taken = pending;
    pending = [];
    const { next, tiles } = extend(state, taken);
    for (const full of tiles.full) await deps.tiles.write(full);
    const sealed = isSigning ? seal(deps, next) : next;
    await tree.advance(state, sealed, tiles.leaves);
    state = sealed;
  };

  return {
    add: (event: RawEvent): void => {
      reached = event.position;
      if (isLeaf(event)) {
        pending.push({ leaf: leafOf(event, sha256Bytes, crc32), position: event.position });
      }
    },
    isFull: (): boolean => pending.length >= MAX_PENDING,
    flush: (): Promise<void> => {
      running = running.then(flushOnce);
      return running;
    },
  };
};

/** Signs a state. The first checkpoint says that its events are older than the tree. */
const seal = ({ signer, clock }: BuilderDeps, next: TreeState): TreeState => {
  const signedAt = clock().toISOString();
  const adopted: Remark[] =
    next.checkpoint === null && next.size > 0
      ? [{ kind: "adopted", size: next.size, at: signedAt }]
      : [];
  const remarks = [...next.remarks, ...adopted];
  const checkpoint = signer.sign({ size: next.size, root: next.root, remarks });
  return { ...next, remarks, checkpoint, signedAt };
};

/** Whether a checkpoint contains all remarks; a restore adds one. */
const isSaid = ({ checkpoint, remarks }: TreeState): boolean =>
  checkpoint !== null &&
  remarks.every(({ kind, size }) => checkpoint.includes(`\n${kind} ${size} `));

/** The state after these leaves, and the tiles that became full. */
const extend = (state: TreeState, added: readonly Pending[]) => {
  const hashes = added.map(({ leaf }) => leaf.hash);
  const { size, edge, full } = appendLeaves(state, hashes, sha256Bytes);
  const leaves: LeafTile[] = [];
  let { checks, firstPosition } = state.pending;
  let parts = [checks];
  let count = checks.length / CHECKS_BYTES;
  let index = Math.floor(state.size / TILE_WIDTH);
  for (const { leaf, position } of added) {
    firstPosition ??= position;
    parts.push(leaf.checks);
    count += 1;
    if (count < TILE_WIDTH) continue;
    leaves.push({ index, firstPosition, checks: Buffer.concat(parts) });
    [parts, count, firstPosition, index] = [[], 0, null, index + 1];
  }
  checks = new Uint8Array(Buffer.concat(parts));
  const next: TreeState = {
    ...state,
    ...{ size, edge, position: added.at(-1)?.position ?? state.position },
    root: edge.length === 0 ? emptyRoot(sha256Bytes) : rootOfEdge(edge, sha256Bytes),
    pending: { checks, firstPosition },
  };
  return { next, tiles: { full, leaves } };
};
