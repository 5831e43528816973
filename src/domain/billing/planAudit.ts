import type { PlanCode } from "./catalog.ts";
import { heldBy, type OrganizationPlan, planDecider } from "./plan.ts";
import {
  type ExportFormat,
  type HeadClaims,
  preamble,
  readLine,
  type WrittenLine,
  writeLine,
} from "./planExport.ts";
import {
  applyStored,
  atTheStart,
  type Digest,
  hashOf,
  isSeen,
  nextLine,
  type Reached,
  type Seen,
} from "./planLines.ts";
import type { Terms } from "./proration.ts";

/** What is wrong with an export. Lines are counted in the file, from 1; sequences are the history's own. */
export type Finding =
  | { readonly kind: "altered"; readonly line: number; readonly sequence: number }
  | { readonly kind: "put_in"; readonly line: number }
  | { readonly kind: "moved"; readonly line: number; readonly sequence: number }
  /** These are not there. `after`: the line of the file that they should follow. */
  | { readonly kind: "removed"; readonly from: number; readonly to: number; readonly after: number }
  /** What comes before the first line, or the very bytes, are not as they were signed. */
  | { readonly kind: "bytes"; readonly reason: string };

export type Checked = {
  readonly findings: readonly Finding[];
  /** The lines that are in their place, in order. */
  readonly lines: readonly WrittenLine[];
  /**
   * The first sequence from which on the signature proves the lines. Before it a line that is not named below
   * agrees with its neighbours, and whoever altered what is named could have written it anew.
   */
  readonly provenFrom: number;
};

/** A line of the file with what can be said of it by itself. */
type Read = {
  readonly text: string;
  readonly line: WrittenLine | null;
  /** Its hash, where it is the one that its own content gives. */
  readonly ownHash: string | null;
};

/**
 * Holds the lines of an export against what its head signs. The head says how the history ends; from there each
 * line names the one before by its hash, so that a line is what it was or is not in the chain. What is missing
 * in the chain was altered, where another line stands in its place, or removed.
 */
export const checkLines = (
  texts: readonly string[],
  claims: HeadClaims,
  digest: Digest,
): Checked => {
  const { format } = claims;
  const before = preamble(format);
  const body = before === "" ? texts : texts.slice(1);
  const findings: Finding[] = [];
  const offset = before === "" ? 1 : 2;
  if (before !== "" && `${texts[0] ?? ""}\n` !== before) {
    findings.push({ kind: "bytes", reason: "The first line does not name the columns." });
  }
  const read = body.map((text) => readOne(text, format, digest));
  const { known, provenFrom } = chained(read, claims);
  const placed = place(read, known, claims.count);
  findings.push(...named(read, placed, claims.count, offset));
  const lines = placed.inOrder.flatMap((index) => read[index]?.line ?? []);
  if (findings.length === 0) findings.push(...replayed(lines, read, format, digest, offset));
  if (
    findings.length === 0 &&
    digest(texts.map((text) => `${text}\n`).join("")) !== claims.sha256
  ) {
    findings.push({ kind: "bytes", reason: "The bytes are not those that were signed." });
  }
  return { findings, lines, provenFrom };
};

const readOne = (text: string, format: ExportFormat, digest: Digest): Read => {
  const line = readLine(text, format);
  if (!line) return { text, line: null, ownHash: null };
  const isOwn = hashOf(line.previousHash, line, digest) === line.hash;
  return { text, line, ownHash: isOwn ? line.hash : null };
};

/** The sequence of each line (by its index) that the chain proves, from the head backwards and from the start onwards. */
const chained = (
  read: readonly Read[],
  claims: HeadClaims,
): { readonly known: ReadonlyMap<number, number>; readonly provenFrom: number } => {
  const known = new Map<number, number>();
  const byHash = grouped(read, ({ ownHash }) => ownHash);
  const byPrevious = grouped(read, ({ ownHash, line }) =>
    ownHash === null ? null : (line?.previousHash ?? ""),
  );
  let sequence = claims.count;
  for (let hash = claims.hash; hash !== null && sequence > 0; sequence -= 1) {
    const same: readonly number[] = byHash.get(hash) ?? [];
    for (const index of same) known.set(index, sequence);
    const [first] = same;
    if (first === undefined) break;
    hash = read[first]?.line?.previousHash ?? null;
  }
  const provenFrom = sequence + 1;
  let previous = "";
  for (let next = 1; next < provenFrom - 1; next += 1) {
    const candidates: readonly number[] = (byPrevious.get(previous) ?? []).filter(
      (index) => !known.has(index),
    );
    // Of several that could follow, the one that another follows in turn.
    const followed = candidates.find((index) => byPrevious.has(read[index]?.ownHash ?? ""));
    const chosen = followed ?? candidates[0];
    const hash = chosen === undefined ? null : (read[chosen]?.ownHash ?? null);
    if (hash === null) break;
    for (const index of byHash.get(hash) ?? []) known.set(index, next);
    previous = hash;
  }
  return { known, provenFrom };
};

const grouped = (
  read: readonly Read[],
  keyOf: (one: Read) => string | null,
): ReadonlyMap<string, readonly number[]> => {
  const groups = new Map<string, number[]>();
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
  /** Indexes of the lines that are where they belong, one for each sequence that has any. */
  readonly inOrder: readonly number[];
  readonly sequenceOf: ReadonlyMap<number, number>;
};

/** Of the lines that the chain proves, the most that stand in their order: the others were moved, or are copies. */
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

/** Says of every line that is not in its place what it is, and of every sequence without a line what became of it. */
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
  // Between two lines that are in their place stand all that could be what is missing between them.
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

/** Strangers stand for what is missing, by the sequence that they claim, else one after the other. */
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
    const claimed = read[index]?.line?.sequence ?? 0;
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

/** Writes the history anew from its events: a line whose other fields say something else was altered. */
const replayed = (
  lines: readonly WrittenLine[],
  read: readonly Read[],
  format: ExportFormat,
  digest: Digest,
  offset: number,
): Finding[] => {
  const findings: Finding[] = [];
  let reached = atTheStart;
  for (const [index, stored] of lines.entries()) {
    const next = nextOf(reached, stored, digest);
    if (next === null) {
      const reason = `Line ${index + offset} is no event of a plan that this version knows.`;
      return [...findings, { kind: "bytes", reason }];
    }
    reached = next.reached;
    if (writeLine(next.line, format) !== `${read[index]?.text ?? ""}\n`) {
      findings.push({ kind: "altered", line: index + offset, sequence: reached.sequence });
    }
  }
  return findings;
};

/** The next line; null where it is no event of a plan: whoever wrote it down can have signed it too. */
const nextOf = (reached: Reached, stored: WrittenLine, digest: Digest) => {
  try {
    return nextLine(reached, stored, digest);
  } catch {
    return null;
  }
};

/** The plan that a history comes to, as far as it had happened, and was known. */
export const planAsOf = (
  lines: readonly WrittenLine[],
  seen: Seen,
): { readonly plan: PlanCode; readonly own: Terms } => {
  let state: OrganizationPlan = planDecider.initial;
  for (const line of lines) if (isSeen(line, seen)) state = applyStored(state, line);
  const { plan, own } = heldBy(state);
  return { plan, own: own.terms };
};
