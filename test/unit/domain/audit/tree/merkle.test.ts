import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  consistencyRanges,
  emptyRoot,
  hashChildren,
  inclusionRanges,
  isConsistent,
  isIncluded,
  type Range,
} from "../../../../../src/domain/audit/tree/merkle.ts";
import {
  appendLeaves,
  type Edge,
  numberPath,
  rootOfEdge,
  rootOfRange,
  TILE_WIDTH,
  tilePath,
  tilesOf,
} from "../../../../../src/domain/audit/tree/tiles.ts";

const sha256 = (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest();
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const leafOf = (data: string): Uint8Array => sha256(Buffer.from(`00${data}`, "hex"));
const leaves = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, index) => sha256(Buffer.from(`leaf ${index}`)));

/** The definition of RFC 6962, 2.1, word for word. */
const rootByDefinition = (of: readonly Uint8Array[]): Uint8Array => {
  const [only] = of;
  if (only === undefined) return sha256(Buffer.alloc(0));
  if (of.length === 1) return only;
  let split = 1;
  while (split * 2 < of.length) split *= 2;
  const [left, right] = [of.slice(0, split), of.slice(split)];
  return hashChildren(rootByDefinition(left), rootByDefinition(right), sha256);
};

/** A tree built from tiles, in steps of these sizes. */
const grow = (all: readonly Uint8Array[], steps: readonly number[]) => {
  const tiles = new Map<string, Uint8Array>();
  let tree: { size: number; edge: Edge } = { size: 0, edge: [] };
  for (const step of [...steps, all.length]) {
    const { full, ...next } = appendLeaves(tree, all.slice(tree.size, tree.size + step), sha256);
    for (const { level, index, hashes } of full) {
      expect(tiles.has(`${level}/${index}`)).toBe(false);
      tiles.set(`${level}/${index}`, hashes);
    }
    tree = next;
  }
  const read = (level: number, index: number): Uint8Array =>
    tiles.get(`${level}/${index}`) ?? tree.edge[level] ?? new Uint8Array(0);
  const prove = (ranges: readonly Range[]) => ranges.map((each) => rootOfRange(each, read, sha256));
  return { ...tree, tiles, prove, root: rootOfEdge(tree.edge, sha256) };
};

describe("the Merkle tree of RFC 6962", () => {
  // The vectors of the reference implementation of certificate transparency.
  const inputs = [
    ...["", "00", "10", "2021", "3031", "40414243", "5051525354555657"],
    "606162636465666768696a6b6c6d6e6f",
  ];
  it.each([
    [0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    [1, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"],
    [2, "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"],
    [3, "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"],
    [4, "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"],
    [5, "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4"],
    [6, "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef"],
    [7, "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c"],
    [8, "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"],
  ])("has the published root of %i leaves", (count, root) => {
    expect(hex(grow(inputs.slice(0, count).map(leafOf), []).root)).toBe(root);
  });

  it("lists the paths of the example in RFC 6962, 2.1.3", () => {
    const range = (from: number, to: number): Range => ({ from, to });
    expect(inclusionRanges(0, 7)).toEqual([range(1, 2), range(2, 4), range(4, 7)]);
    expect(inclusionRanges(3, 7)).toEqual([range(2, 3), range(0, 2), range(4, 7)]);
    expect(inclusionRanges(6, 7)).toEqual([range(4, 6), range(0, 4)]);
    const k = [range(2, 3), range(3, 4), range(0, 2), range(4, 7)];
    expect(consistencyRanges(3, 7)).toEqual(k);
    expect(consistencyRanges(4, 7)).toEqual([range(4, 7)]);
    expect(consistencyRanges(6, 7)).toEqual([range(4, 6), range(6, 7), range(0, 4)]);
  });
});

describe("tiles", () => {
  const all = leaves(1_500);

  it("give the root of the definition, in whatever steps they are filled", () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 600 }), { maxLength: 5 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: all.length }), sizes, (size, steps) => {
        const some = all.slice(0, size);
        const tree = grow(some, steps);
        expect(tree.size).toBe(size);
        expect(hex(tree.root)).toBe(hex(rootByDefinition(some)));
        expect(tree.tiles).toEqual(grow(some, []).tiles);
      }),
      { numRuns: 15 },
    );
  });

  it("prove every leaf, and no other leaf, place or tree", () => {
    const pair = fc
      .integer({ min: 1, max: all.length })
      .chain((size) => fc.tuple(fc.constant(size), fc.integer({ min: 0, max: size - 1 })));
    fc.assert(
      fc.property(pair, fc.nat(), ([size, index], seed) => {
        const tree = grow(all.slice(0, size), []);
        const proof = tree.prove(inclusionRanges(index, size));
        const leaf = { hash: all[index] as Uint8Array, index };
        expect(isIncluded(leaf, tree, proof, sha256)).toBe(true);
        const other = all[(index + 1) % all.length] as Uint8Array;
        expect(isIncluded({ hash: other, index }, tree, proof, sha256)).toBe(false);
        expect(isIncluded(leaf, { ...tree, root: other }, proof, sha256)).toBe(false);
        if (size > 1) {
          const elsewhere = (index + 1 + (seed % (size - 1))) % size;
          expect(isIncluded({ ...leaf, index: elsewhere }, tree, proof, sha256)).toBe(false);
          expect(isIncluded(leaf, tree, proof.slice(1), sha256)).toBe(false);
        }
        expect(isIncluded(leaf, tree, [...proof, other], sha256)).toBe(false);
      }),
      { numRuns: 30 },
    );
  });

  it("prove that a tree extends each older one, and no fork of it", () => {
    const pair = fc
      .integer({ min: 2, max: all.length })
      .chain((size) => fc.tuple(fc.constant(size), fc.integer({ min: 1, max: size })));
    fc.assert(
      fc.property(pair, fc.nat(), ([size, before], seed) => {
        const tree = grow(all.slice(0, size), []);
        const older = grow(all.slice(0, before), []);
        const proof = tree.prove(consistencyRanges(before, size));
        expect(isConsistent(older, tree, proof, sha256)).toBe(true);
        const forked = all.slice(0, before);
        forked[seed % before] = emptyRoot(sha256);
        expect(isConsistent(grow(forked, []), tree, proof, sha256)).toBe(false);
        expect(isConsistent(older, tree, [...proof, older.root], sha256)).toBe(false);
      }),
      { numRuns: 30 },
    );
    expect(isConsistent({ size: 0, root: emptyRoot(sha256) }, grow(all, []), [], sha256)).toBe(
      true,
    );
  });

  it("needs few tiles for a proof in a large tree", () => {
    const tiles = tilesOf(inclusionRanges(4_321_987, 10_000_000), 10_000_000);
    // The tiles above the leaf, and the incomplete ones at the right.
    expect(tiles.length).toBeLessThanOrEqual(5);
    expect(tiles).toContainEqual({ level: 0, index: 16_882, width: TILE_WIDTH });
    expect(tiles).toContainEqual({ level: 2, index: 0, width: 152 });
  });

  it("have the paths of C2SP tlog-tiles", () => {
    expect(numberPath(1_234_067)).toBe("x001/x234/067");
    expect(tilePath({ level: 0, index: 5, width: TILE_WIDTH })).toBe("tile/0/005");
    expect(tilePath({ level: 1, index: 1_067, width: 8 })).toBe("tile/1/x001/067.p/8");
  });
});
