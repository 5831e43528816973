import { emptyRoot, HASH_BYTES, hashChildren, type Range, type Sha256 } from "./merkle.ts";

/** The hashes of a full tile (C2SP tlog-tiles). */
export const TILE_WIDTH = 256;
const TILE_HEIGHT = 8;

/** A tile: `width` hashes of a level. Level 0 holds leaves; a hash of level 1 is the root of 256 leaves, and so on. */
export type TileId = { readonly level: number; readonly index: number; readonly width: number };

/** The path of a tile according to C2SP tlog-tiles, such as `tile/0/x001/067` or `tile/0/x001/067.p/8`. */
export const tilePath = ({ level, index, width }: TileId): string =>
  `tile/${level}/${numberPath(index)}${width === TILE_WIDTH ? "" : `.p/${width}`}`;

/** A tile's number in groups of three digits, all but the last with an `x` in front. */
export const numberPath = (index: number): string => {
  const last = String(index % 1_000).padStart(3, "0");
  const before: string[] = [];
  for (let rest = Math.floor(index / 1_000); rest > 0; rest = Math.floor(rest / 1_000)) {
    before.unshift(`x${String(rest % 1_000).padStart(3, "0")}`);
  }
  return [...before, last].join("/");
};

/** The incomplete tiles at the right of a tree, by level: their hashes, one after the other. */
export type Edge = readonly Uint8Array[];

/** A full tile that was completed. */
export type FullTile = {
  readonly level: number;
  readonly index: number;
  readonly hashes: Uint8Array;
};

/** The hash at a place in a tile. */
export const hashAt = (hashes: Uint8Array, place: number): Uint8Array =>
  hashes.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES);

/** Appends the hashes of leaves to a tree of `size` leaves. Returns the new edge and the tiles that became full. */
export const appendLeaves = (
  tree: { readonly size: number; readonly edge: Edge },
  leaves: readonly Uint8Array[],
  sha256: Sha256,
): { readonly size: number; readonly edge: Edge; readonly full: readonly FullTile[] } => {
  const full: FullTile[] = [];
  const edge = [...tree.edge];
  const size = tree.size + leaves.length;
  let added = leaves;
  let before = tree.size;
  for (let level = 0; added.length > 0; level += 1) {
    const hashes = joined([edge[level] ?? new Uint8Array(0), ...added]);
    const complete = Math.floor(hashes.length / (TILE_WIDTH * HASH_BYTES));
    const parents: Uint8Array[] = [];
    for (let tile = 0; tile < complete; tile += 1) {
      const bytes = hashes.slice(
        tile * TILE_WIDTH * HASH_BYTES,
        (tile + 1) * TILE_WIDTH * HASH_BYTES,
      );
      full.push({ level, index: Math.floor(before / TILE_WIDTH) + tile, hashes: bytes });
      parents.push(rootOfFull(bytes, sha256));
    }
    edge[level] = hashes.slice(complete * TILE_WIDTH * HASH_BYTES);
    before = Math.floor(before / TILE_WIDTH);
    added = parents;
  }
  return { size, edge, full };
};

const joined = (parts: readonly Uint8Array[]): Uint8Array => {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
};

/** The root of a power of two of hashes. */
const rootOfFull = (hashes: Uint8Array, sha256: Sha256): Uint8Array => {
  let row = Array.from({ length: hashes.length / HASH_BYTES }, (_, place) => hashAt(hashes, place));
  while (row.length > 1) {
    row = Array.from({ length: row.length / 2 }, (_, pair) =>
      hashChildren(row[2 * pair] as Uint8Array, row[2 * pair + 1] as Uint8Array, sha256),
    );
  }
  return row[0] as Uint8Array;
};

/** The root of a tree from its edge. */
export const rootOfEdge = (edge: Edge, sha256: Sha256): Uint8Array => {
  let root: Uint8Array | null = null;
  // From the right: the smallest complete subtree first.
  for (const hashes of edge) {
    let width = hashes.length / HASH_BYTES;
    for (let span = 1; width > 0; span *= 2) {
      if (width % (2 * span) === 0) continue;
      width -= span;
      const peak = rootOfFull(
        hashes.slice(width * HASH_BYTES, (width + span) * HASH_BYTES),
        sha256,
      );
      root = root === null ? peak : hashChildren(peak, root, sha256);
    }
  }
  return root ?? emptyRoot(sha256);
};

/** A complete subtree: 2^height leaves, the `index`th of its height. */
type Node = { readonly height: number; readonly index: number };

/** The complete subtrees that make up a range, from left to right. The range is a node of a tree, so it starts aligned. */
const nodesOf = ({ from, to }: Range): readonly Node[] => {
  const nodes: Node[] = [];
  for (let at = from; at < to; ) {
    let height = 0;
    while (at % 2 ** (height + 1) === 0 && at + 2 ** (height + 1) <= to) height += 1;
    nodes.push({ height, index: at / 2 ** height });
    at += 2 ** height;
  }
  return nodes;
};

/** The place of a subtree in the tiles: `count` hashes from `place` on. */
const placeOf = ({ height, index }: Node) => {
  const level = Math.floor(height / TILE_HEIGHT);
  const count = 2 ** (height % TILE_HEIGHT);
  const first = index * count;
  return { level, tile: Math.floor(first / TILE_WIDTH), place: first % TILE_WIDTH, count };
};

/** The tiles that contain the roots of these ranges, in a tree of `size` leaves. */
export const tilesOf = (ranges: readonly Range[], size: number): readonly TileId[] => {
  const found = new Map<string, TileId>();
  for (const node of ranges.flatMap(nodesOf)) {
    const { level, tile: index } = placeOf(node);
    const hashes = Math.floor(size / TILE_WIDTH ** level);
    const width = Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH);
    found.set(`${level}/${index}`, { level, index, width });
  }
  return [...found.values()];
};

/** Returns the hashes of a tile that `tilesOf` has named. */
export type Tiles = (level: number, index: number) => Uint8Array;

/** The root of a range, which is a node of a tree. */
export const rootOfRange = (range: Range, tiles: Tiles, sha256: Sha256): Uint8Array => {
  const roots = nodesOf(range).map((node) => {
    const { level, tile, place, count } = placeOf(node);
    const hashes = tiles(level, tile);
    return rootOfFull(hashes.subarray(place * HASH_BYTES, (place + count) * HASH_BYTES), sha256);
  });
  return roots.reduceRight((right, left) => hashChildren(left, right, sha256));
};
