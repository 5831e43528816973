import { crc32 } from "node:zlib";
import { parseCheckpoint } from "../../domain/audit/tree/checkpoint.ts";
import {
  type EventName,
  firstDifference,
  type LogFinding,
  type SeenEvent,
} from "../../domain/audit/tree/comparison.ts";
import { isLeaf, leafOf } from "../../domain/audit/tree/leaf.ts";
import { equalHashes, HASH_BYTES } from "../../domain/audit/tree/merkle.ts";
import { readNote } from "../../domain/audit/tree/note.ts";
import { appendLeaves, type Edge, rootOfEdge, TILE_WIDTH } from "../../domain/audit/tree/tiles.ts";
import type { RawEvent, RawLog } from "../../platform/eventLog/rawLog.ts";
import { sha256Bytes, verifyEd25519 } from "../../platform/signatures.ts";
import type { CheckpointSigner } from "../../stores/audit/signer.ts";
import type { TileStore } from "../../stores/audit/tiles.ts";
import { type AuditTree, TreeAlteredError, type TreeState } from "../../stores/audit/tree.ts";

export type VerifyLogDeps = {
  readonly raw: Pick<RawLog, "readAll">;
  readonly tree: Pick<AuditTree, "load" | "readTile">;
  readonly tiles: Pick<TileStore, "read">;
  readonly signer: CheckpointSigner;
  /** Called after each tile: a pause at leisure. Rejects to stop. */
  readonly afterTile?: () => Promise<void>;
};

/** The outcome of a comparison of the log with its tree. */
export type VerifiedLog = { readonly size: number; readonly finding: LogFinding | null };

const altered = (why: string): LogFinding => ({ kind: "tree", why });
const none = new Uint8Array(0);

/** Reads the whole log and compares each event with its leaf. Names the first difference. */
export const verifyLog = async (deps: VerifyLogDeps): Promise<VerifiedLog> => {
  let state: TreeState;
  try {
    state = await deps.tree.load();
  } catch (error) {
    if (!(error instanceof TreeAlteredError)) throw error;
    return { size: 0, finding: altered("its hashes do not lead to its root") };
  }
  const { size, checkpoint } = state;
  if (checkpoint === null) return { size: 0, finding: null };
  const unsigned = unsignedBecause(state, checkpoint, deps.signer);
  if (unsigned !== null) return { size, finding: altered(unsigned) };
  const finding = await compare(deps, state);
  if (finding === null || finding.kind === "tree") return { size, finding };
  // Either the event was altered or its tile. The signed root decides.
  return { size, finding: (await tilesProblem(deps, state)) ?? finding };
};

const unsignedBecause = (
  { size, root }: TreeState,
  checkpoint: string,
  { key }: CheckpointSigner,
): string | null => {
  const note = readNote(checkpoint, key, { sha256: sha256Bytes, verify: verifyEd25519 });
  if (note.outcome !== "signed") return "its checkpoint is not signed by the key of this service";
  const signed = parseCheckpoint(note.text);
  return signed?.size === size && equalHashes(signed.root, root)
    ? null
    : "its checkpoint signs another root";
};

/** The leaves of a tile with their checksums; a finding if the tile is missing. */
const leavesOf = async ({ tiles, tree }: VerifyLogDeps, state: TreeState, index: number) => {
  const full = Math.floor(state.size / TILE_WIDTH);
  if (index > full) return { hashes: none, checks: none };
  if (index === full) return { hashes: state.edge[0] ?? none, checks: state.pending.checks };
  const hashes = await tiles.read(0, index);
  if (hashes === null) return altered(`tile ${index} of level 0 is missing in the blob store`);
  return { hashes, checks: (await tree.readTile(index))?.checks ?? none };
};

const compare = async (deps: VerifyLogDeps, state: TreeState): Promise<LogFinding | null> => {
  const { size, position } = state;
  const events = deps.raw.readAll({ after: null, upTo: position })[Symbol.asyncIterator]();
  const seen: SeenEvent[] = [];
  let previous: EventName | null = null;
  let built: { readonly size: number; readonly edge: Edge } = { size: 0, edge: [] };
  try {
    let current = await leavesOf(deps, state, 0);
    for (let index = 0; index * TILE_WIDTH < size; index += 1) {
      const next = await leavesOf(deps, state, index + 1);
      if ("kind" in current) return current;
      if ("kind" in next) return next;
      await readUpTo(events, seen, 2 * TILE_WIDTH);
      const own = current.hashes.length / HASH_BYTES;
      const expected = {
        from: index * TILE_WIDTH,
        hashes: Buffer.concat([current.hashes, next.hashes]),
        checks: Buffer.concat([current.checks, next.checks]),
      };
      const difference = firstDifference(expected, seen, { previous, size });
      if (difference !== null) return difference;
      const done = seen.splice(0, own);
      previous = done.at(-1)?.event ?? previous;
      built = appendLeaves(
        built,
        done.map(({ leaf }) => leaf.hash),
        sha256Bytes,
      );
      current = next;
      await deps.afterTile?.();
    }
    const isWhole = equalHashes(rootOfEdge(built.edge, sha256Bytes), state.root);
    return isWhole ? null : altered("its tiles do not lead to the signed root");
  } finally {
    await events.return?.();
  }
};

const readUpTo = async (
  events: AsyncIterator<RawEvent>,
  seen: SeenEvent[],
  count: number,
): Promise<void> => {
  while (seen.length < count) {
    const { done, value } = await events.next();
    if (done) return;
    if (!isLeaf(value)) continue;
    const { stream, revision, type, id } = value;
    seen.push({
      event: { stream, revision, type, id },
      leaf: leafOf(value, sha256Bytes, crc32),
    });
  }
};

/** Whether the tiles of the blob store lead to the signed root. */
const tilesProblem = async (deps: VerifyLogDeps, state: TreeState): Promise<LogFinding | null> => {
  let built: { readonly size: number; readonly edge: Edge } = { size: 0, edge: [] };
  for (let index = 0; index * TILE_WIDTH < state.size; index += 1) {
    const leaves = await leavesOf(deps, state, index);
    if ("kind" in leaves) return leaves;
    const hashes = Array.from({ length: leaves.hashes.length / HASH_BYTES }, (_, place) =>
      leaves.hashes.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES),
    );
    built = appendLeaves(built, hashes, sha256Bytes);
  }
  return equalHashes(rootOfEdge(built.edge, sha256Bytes), state.root)
    ? null
    : altered("its tiles do not lead to the signed root");
};
