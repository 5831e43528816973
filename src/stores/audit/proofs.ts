import {
  consistencyRanges,
  equalHashes,
  HASH_BYTES,
  inclusionRanges,
  type Range,
} from "../../domain/audit/tree/merkle.ts";
import { hashAt, rootOfRange, TILE_WIDTH, tilesOf } from "../../domain/audit/tree/tiles.ts";
import { sha256Bytes } from "../../platform/signatures.ts";
import type { TileStore } from "./tiles.ts";
import type { AuditTree, TreeState } from "./tree.ts";

/** A full tile is not in the blob store. */
export class MissingTileError extends Error {
  constructor(level: number, index: number) {
    super(
      `Tile ${index} of level ${level} is missing in the blob store: restore it from a backup.`,
    );
    this.name = "MissingTileError";
  }
}

export type TreeProofs = ReturnType<typeof treeProofs>;

/** Proofs about one state of the tree. Tiles are read once. Rejects with MissingTileError. */
export const treeProofs = (
  {
    tree,
    tiles,
  }: { readonly tree: Pick<AuditTree, "findTile">; readonly tiles: Pick<TileStore, "read"> },
  state: TreeState,
) => {
  const known = new Map<string, Uint8Array>();
  const read = async (level: number, index: number): Promise<Uint8Array> => {
    const id = `${level}/${index}`;
    const isFull = (index + 1) * TILE_WIDTH ** (level + 1) <= state.size;
    const hashes =
      known.get(id) ?? (isFull ? await tiles.read(level, index) : (state.edge[level] ?? null));
    if (hashes === null) throw new MissingTileError(level, index);
    known.set(id, hashes);
    return hashes;
  };
  const prove = async (ranges: readonly Range[]): Promise<readonly Uint8Array[]> => {
    for (const { level, index } of tilesOf(ranges, state.size)) await read(level, index);
    const tileAt = (level: number, index: number): Uint8Array => {
      const hashes = known.get(`${level}/${index}`);
      if (!hashes) throw new MissingTileError(level, index);
      return hashes;
    };
    return ranges.map((range) => rootOfRange(range, tileAt, sha256Bytes));
  };
  return {
    /** The number of the leaf with this hash, whose event is at a position of the log; null if it is not in the tree. */
    findLeaf: async (hash: Uint8Array, position: bigint): Promise<number | null> => {
      const { firstPosition } = state.pending;
      const isPending = firstPosition !== null && position >= firstPosition;
      const index = isPending
        ? Math.floor(state.size / TILE_WIDTH)
        : ((await tree.findTile(position))?.index ?? null);
      if (index === null) return null;
      const hashes = await read(0, index);
      for (let place = 0; place < hashes.length / HASH_BYTES; place += 1) {
        if (equalHashes(hashAt(hashes, place), hash)) return index * TILE_WIDTH + place;
      }
      return null;
    },
    /** The hashes that prove a leaf (RFC 6962, 2.1.1). */
    inclusion: (index: number) => prove(inclusionRanges(index, state.size)),
    /** The hashes that prove that the tree, or the one of its first `size` leaves, extends the one of `older` leaves (RFC 6962, 2.1.2). */
    consistency: (older: number, size = state.size) => prove(consistencyRanges(older, size)),
  };
};
