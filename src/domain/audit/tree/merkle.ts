/** SHA-256. Passed in, because the domain imports no cryptography. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/** The length of a hash in bytes. */
export const HASH_BYTES = 32;
/** RFC 6962 prefixes the two hashes of an inner node with this byte. */
const NODE_PREFIX = 0x01;

/** The hash of an inner node. */
export const hashChildren = (left: Uint8Array, right: Uint8Array, sha256: Sha256): Uint8Array => {
  const bytes = new Uint8Array(1 + 2 * HASH_BYTES);
  bytes[0] = NODE_PREFIX;
  bytes.set(left, 1);
  bytes.set(right, 1 + HASH_BYTES);
  return sha256(bytes);
};

/** The root of an empty tree. */
export const emptyRoot = (sha256: Sha256): Uint8Array => sha256(new Uint8Array(0));

export const equalHashes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index]);

/** Leaves `from` to `to` (exclusive), whose subtree is a node of a tree. */
export type Range = { readonly from: number; readonly to: number };

/** The largest power of two below `size` (at least 2). */
const splitOf = (size: number): number => {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
};

/** The subtrees whose roots prove that leaf `index` is in the tree of `size` leaves: PATH of RFC 6962, 2.1.1. */
export const inclusionRanges = (index: number, size: number): readonly Range[] => {
  if (index < 0 || index >= size) throw new RangeError(`No leaf ${index} in a tree of ${size}`);
  const path: Range[] = [];
  let [from, to] = [0, size];
  while (to - from > 1) {
    const middle = from + splitOf(to - from);
    if (index < middle) {
      path.push({ from: middle, to });
      to = middle;
    } else {
      path.push({ from, to: middle });
      from = middle;
    }
  }
  return path.reverse();
};

/**
 * The subtrees whose roots prove that the tree of `size` leaves extends the one of `older` leaves: PROOF of RFC 6962,
 * 2.1.2. Empty if the sizes are equal, or if the older tree is empty.
 */
export const consistencyRanges = (older: number, size: number): readonly Range[] => {
  if (older < 0 || older > size)
    throw new RangeError(`A tree of ${size} has no prefix of ${older}`);
  if (older === 0 || older === size) return [];
  const path: Range[] = [];
  let [from, to] = [0, size];
  let isWhole = true;
  while (older !== to) {
    const middle = from + splitOf(to - from);
    if (older <= middle) {
      path.push({ from: middle, to });
      to = middle;
    } else {
      path.push({ from, to: middle });
      from = middle;
      isWhole = false;
    }
  }
  if (!isWhole) path.push({ from, to });
  return path.reverse();
};

/** Whether an inclusion proof leads from a leaf's hash to the root (RFC 9162, 2.1.3.2). */
export const isIncluded = (
  leaf: { readonly hash: Uint8Array; readonly index: number },
  tree: { readonly size: number; readonly root: Uint8Array },
  proof: readonly Uint8Array[],
  sha256: Sha256,
): boolean => {
  if (leaf.index < 0 || leaf.index >= tree.size) return false;
  let [node, last] = [leaf.index, tree.size - 1];
  let { hash } = leaf;
  for (const step of proof) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      hash = hashChildren(step, hash, sha256);
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else hash = hashChildren(hash, step, sha256);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && equalHashes(hash, tree.root);
};

/** Sizes exceed 32 bits, so bit operators do not work. */
const half = (value: number): number => Math.floor(value / 2);

/** A tree: its number of leaves and its root. */
export type Tree = { readonly size: number; readonly root: Uint8Array };

/** Whether a consistency proof shows that `newer` extends `older` (RFC 9162, 2.1.4.2). */
export const isConsistent = (
  older: Tree,
  newer: Tree,
  proof: readonly Uint8Array[],
  sha256: Sha256,
): boolean => {
  if (older.size > newer.size) return false;
  if (older.size === newer.size) return proof.length === 0 && equalHashes(older.root, newer.root);
  if (older.size === 0) return proof.length === 0 && equalHashes(older.root, emptyRoot(sha256));
  let [node, last] = [older.size - 1, newer.size - 1];
  while (node % 2 === 1) [node, last] = [half(node), half(last)];
  // A complete older tree is its own first node.
  const steps = node === 0 ? [older.root, ...proof] : proof;
  const [first, ...rest] = steps;
  if (first === undefined) return false;
  let [olderRoot, newerRoot] = [first, first];
  for (const step of rest) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      olderRoot = hashChildren(step, olderRoot, sha256);
      newerRoot = hashChildren(step, newerRoot, sha256);
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else newerRoot = hashChildren(newerRoot, step, sha256);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && equalHashes(olderRoot, older.root) && equalHashes(newerRoot, newer.root);
};
