/** Damage of an export. `line` counts lines of the file from 1; `sequence` counts lines of the history. */
export type Finding =
  | { readonly kind: "altered"; readonly line: number; readonly sequence: number }
  | { readonly kind: "put_in"; readonly line: number }
  | { readonly kind: "moved"; readonly line: number; readonly sequence: number }
  /** Missing sequences. `after`: the line of the file that they should follow. */
  | { readonly kind: "removed"; readonly from: number; readonly to: number; readonly after: number }
  /** The preamble or the bytes differ from the signed ones. */
  | { readonly kind: "bytes"; readonly reason: string };

/** A line of the file. Hashes are replaced by numbers, to keep large files in memory. */
export type Read = {
  /** The sequence that the line claims; 0 if it is not a line of a history. */
  readonly sequence: number;
  /** The number of the line's hash, null if the hash does not match the content. */
  readonly own: number | null;
  /** The number of the hash that the line names as the previous one. */
  readonly previous: number;
};

export const NO_LINE: Read = { sequence: 0, own: null, previous: -1 };

/** The number of the hash before the first line. */
export const START = 0;

/**
 * Locates damage by the hash chain of an export. `last` is the number of the signed hash, null if no line has it;
 * `offset` is the file line of the first history line.
 */
export const locate = (
  read: readonly Read[],
  {
    last,
    count,
    offset,
  }: { readonly last: number | null; readonly count: number; readonly offset: number },
): { readonly findings: readonly Finding[]; readonly provenFrom: number } => {
  const { known, provenFrom } = chained(read, last, count);
  return { findings: named(read, place(read, known, count), count, offset), provenFrom };
};

/** The sequences of the lines in the chain, by index: from the head backwards, then from the start onwards. */
const chained = (
  read: readonly Read[],
  last: number | null,
  count: number,
): { readonly known: ReadonlyMap<number, number>; readonly provenFrom: number } => {
  const known = new Map<number, number>();
  const byHash = grouped(read, ({ own }) => own);
  const byPrevious = grouped(read, ({ own, previous }) => (own === null ? null : previous));
  let sequence = count;
  for (let hash = last; hash !== null && sequence > 0; sequence -= 1) {
    const same: readonly number[] = byHash.get(hash) ?? [];
    for (const index of same) known.set(index, sequence);
    const [first] = same;
    if (first === undefined) break;
    const previous: number = read[first]?.previous ?? START;
    hash = previous === START ? null : previous;
  }
  const provenFrom = sequence + 1;
  let previous = START;
  for (let next = 1; next < provenFrom - 1; next += 1) {
    const candidates: readonly number[] = (byPrevious.get(previous) ?? []).filter(
      (index) => !known.has(index),
    );
    // Of several candidates prefer one that has a successor.
    const followed = candidates.find((index) => byPrevious.has(read[index]?.own ?? -1));
    const chosen = followed ?? candidates[0];
    const hash = chosen === undefined ? null : (read[chosen]?.own ?? null);
    if (hash === null) break;
    for (const index of byHash.get(hash) ?? []) known.set(index, next);
    previous = hash;
  }
  return { known, provenFrom };
};

const grouped = (
  read: readonly Read[],
  keyOf: (one: Read) => number | null,
): ReadonlyMap<number, readonly number[]> => {
  const groups = new Map<number, number[]>();
  for (const [index, one] of read.entries()) {
    const key = keyOf(one);
    if (key === null) continue;
    const group = groups.get(key);
    if (group) group.push(index);
    else groups.set(key, [index]);
  }
  return groups;
};

type Placed = {
  /** Indexes of the lines in their place, at most one per sequence. */
  readonly inOrder: readonly number[];
  readonly sequenceOf: ReadonlyMap<number, number>;
};

/** Finds the largest set of chained lines in ascending order. The others were moved or are copies. */
const place = (
  read: readonly Read[],
  known: ReadonlyMap<number, number>,
  count: number,
): Placed => {
  // Longest increasing subsequence of their sequences.
  const tails: number[] = [];
  const before = new Map<number, number | null>();
  for (const index of read.keys()) {
    const sequence = known.get(index);
    if (sequence === undefined || sequence > count) continue;
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((known.get(tails[middle] ?? -1) ?? 0) < sequence) low = middle + 1;
      else high = middle;
    }
    before.set(index, low > 0 ? (tails[low - 1] ?? null) : null);
    tails[low] = index;
  }
  const inOrder: number[] = [];
  for (let at: number | null = tails.at(-1) ?? null; at !== null; at = before.get(at) ?? null) {
    inOrder.push(at);
  }
  return { inOrder: inOrder.reverse(), sequenceOf: known };
};

/** Names every line out of place, and every sequence without a line. */
const named = (
  read: readonly Read[],
  { inOrder, sequenceOf }: Placed,
  count: number,
  offset: number,
): Finding[] => {
  const findings: Finding[] = [];
  const there = new Set(inOrder.map((index) => sequenceOf.get(index) ?? 0));
  const isPlaced = new Set(inOrder);
  const moved = new Map<number, number>();
  for (const index of read.keys()) {
    const sequence = sequenceOf.get(index);
    if (sequence === undefined || isPlaced.has(index) || there.has(sequence)) continue;
    there.add(sequence);
    moved.set(index, sequence);
    findings.push({ kind: "moved", line: index + offset, sequence });
  }
  // A line out of place between two placed lines may replace a sequence missing between them.
  const bounds = [-1, ...inOrder, read.length];
  for (const [nth, end] of bounds.entries()) {
    const start = bounds[nth - 1];
    if (start === undefined) continue;
    const strangers: number[] = [];
    for (let index = start + 1; index < end; index += 1) {
      if (!moved.has(index)) strangers.push(index);
    }
    const missing: number[] = [];
    const from = start === -1 ? 1 : (sequenceOf.get(start) ?? 0) + 1;
    const to = end === read.length ? count : (sequenceOf.get(end) ?? 0) - 1;
    for (let sequence = from; sequence <= to; sequence += 1) {
      if (!there.has(sequence)) missing.push(sequence);
    }
    findings.push(...paired(read, strangers, missing, start, offset));
  }
  return findings.sort((one, other) => lineOf(one) - lineOf(other));
};

const lineOf = (finding: Finding): number =>
  finding.kind === "bytes" ? 0 : finding.kind === "removed" ? finding.after : finding.line;

/** Pairs unknown lines with missing sequences: by the sequence that they claim, else in order. */
const paired = (
  read: readonly Read[],
  strangers: readonly number[],
  missing: readonly number[],
  start: number,
  offset: number,
): Finding[] => {
  const findings: Finding[] = [];
  const open = new Set(missing);
  const left: number[] = [];
  for (const index of strangers) {
    const claimed = read[index]?.sequence ?? 0;
    if (open.delete(claimed)) {
      findings.push({ kind: "altered", line: index + offset, sequence: claimed });
    } else left.push(index);
  }
  for (const index of left) {
    const [sequence] = open;
    if (sequence === undefined) {
      findings.push({ kind: "put_in", line: index + offset });
      continue;
    }
    open.delete(sequence);
    findings.push({ kind: "altered", line: index + offset, sequence });
  }
  const gone = [...open];
  for (const [nth, sequence] of gone.entries()) {
    const last = findings.at(-1);
    if (last?.kind === "removed" && gone[nth - 1] === sequence - 1) {
      findings[findings.length - 1] = { ...last, to: sequence };
    } else {
      const after = start + offset;
      findings.push({ kind: "removed", from: sequence, to: sequence, after });
    }
  }
  return findings;
};
