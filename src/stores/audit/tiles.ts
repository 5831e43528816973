import { HASH_BYTES } from "../../domain/audit/tree/merkle.ts";
import { type FullTile, TILE_WIDTH, tilePath } from "../../domain/audit/tree/tiles.ts";
import type { BlobStore } from "../../platform/blobs/port.ts";

export type TileStore = ReturnType<typeof tileStore>;

/** The full tiles of the tree in the blob store, at the paths of C2SP tlog-tiles below `audit/`. */
export const tileStore = (blobs: Pick<BlobStore, "put" | "get">) => ({
  write: ({ level, index, hashes }: FullTile): Promise<void> =>
    blobs.put(keyOf(level, index), {
      bytes: Buffer.from(hashes),
      contentType: "application/octet-stream",
    }),
  /** The hashes of a full tile; null if it is missing or has another size. */
  read: async (level: number, index: number): Promise<Uint8Array | null> => {
    const blob = await blobs.get(keyOf(level, index));
    return blob?.bytes.length === TILE_WIDTH * HASH_BYTES ? blob.bytes : null;
  },
});

const keyOf = (level: number, index: number): string =>
  `audit/${tilePath({ level, index, width: TILE_WIDTH })}`;
