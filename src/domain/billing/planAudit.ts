import type { PlanCode } from "./catalog.ts";
import { type HeadClaims, preamble, readLine, type WrittenLine, writeLine } from "./planExport.ts";
import {
  applyStored,
  type Digest,
  type HistoryPosition,
  hashOf,
  historyStart,
  isSeen,
  nextLine,
  type Seen,
} from "./planLines.ts";
import { currentPlan, type OrganizationPlan } from "./planState.ts";
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

/** What is wrong with an export, as far as it can be said. */
type Damage = {
  readonly findings: readonly Finding[];
  /**
   * The first sequence from which on the signature proves the lines. Before it a line that is not named below
   * agrees with its neighbours, and whoever altered what is named could have written it anew.
   */
  readonly provenFrom: number;
};

/** What a history comes to. */
export type PlanThen = { readonly plan: PlanCode; readonly own: Terms };

/**
 * Walks over an export line by line, without its head, and keeps none of them: is every line the one that follows
 * the one before, and is the last the one that was signed? What is not whole is looked at again (`findDamage`).
 * The digest of the bytes is for the caller to compare.
 */
export const walkWhole = (claims: HeadClaims, digest: Digest, seen: Seen) => {
  const { format, count } = claims;
  let isBroken = false;
  let isPreambleDue = preamble(format) !== "";
  let reached = historyStart;
  let known: OrganizationPlan = historyStart.state;
  const step = (text: string): boolean => {
    const line = readLine(text, format);
    if (line === null || line.previousHash !== reached.hash) return false;
    const next = nextOf(reached, line, digest);
    if (next === null || writeLine(next.line, format) !== `${text}\n`) return false;
    if (isSeen(line, seen)) {
      known = known === reached.state ? next.reached.state : applyStored(known, line);
    }
    reached = next.reached;
    return true;
  };
  return {
    /** Takes the next line, without its line feed. */
    take: (text: string): void => {
      if (isPreambleDue) {
        isPreambleDue = false;
        isBroken ||= `${text}\n` !== preamble(format);
      } else isBroken ||= !step(text);
    },
    /** The plan that the history comes to, as far as it had happened, and was known; null where it is not whole. */
    end: (): PlanThen | null => {
      const isEnd = reached.sequence === count && reached.hash === claims.hash;
      if (isBroken || isPreambleDue || !isEnd) return null;
      const { plan, own } = currentPlan(known);
      return { plan, own: own.terms };
    },
  };
};

/** A line of the file with what can be said of it by itself: the hashes by their numbers. */
type Read = {
  /** As it claims; 0 where it is no line of a history. */
  readonly sequence: number;
  /** Of its hash, where it is the one that its own content gives. */
  readonly own: number | null;
  /** Of the hash that it names as the one before. */
  readonly previous: number;
};

const NO_LINE: Read = { sequence: 0, own: null, previous: -1 };

/** The number of the hash before the first line. */
const START = 0;

/**
 * Holds the lines of an export against what its head signs. The head says how the history ends; from there each
 * line names the one before by its hash, so that a line is what it was or is not in the chain. What is missing
 * in the chain was altered, where another line stands in its place, or removed. Of a line only numbers are kept.
 */
export const findDamage = (claims: HeadClaims, digest: Digest) => {
  const { format } = claims;
  const before = preamble(format);
  const offset = before === "" ? 1 : 2;
  const found: Finding[] = [];
  const read: Read[] = [];
  const numbers = new Map<string, number>([["", START]]);
  const numberOf = (hash: string): number => {
    const known = numbers.get(hash);
    if (known !== undefined) return known;
    numbers.set(hash, numbers.size);
    return numbers.size - 1;
  };
  let isPreambleDue = before !== "";
  // Written anew as long as each line follows the one before: null once one does not.
  let reached: HistoryPosition | null = historyStart;
  const rewritten: Finding[] = [];

  const rewrite = (line: WrittenLine, text: string): void => {
    if (reached === null) return;
    if (line.previousHash !== reached.hash) {
      reached = null;
      return;
    }
    const next = nextOf(reached, line, digest);
    const nth = read.length + offset;
    if (next === null) {
      const reason = `Line ${nth} is no event of a plan that this version knows.`;
      rewritten.push({ kind: "bytes", reason });
    } else if (writeLine(next.line, format) !== `${text}\n`) {
      rewritten.push({ kind: "altered", line: nth, sequence: next.reached.sequence });
    }
    reached = next?.reached ?? null;
  };

  return {
    /** Takes the next line, without its line feed. */
    take: (text: string): void => {
      if (isPreambleDue) {
        isPreambleDue = false;
        if (`${text}\n` === before) return;
        found.push({ kind: "bytes", reason: "The first line does not name the columns." });
        return;
      }
      const line = readLine(text, format);
      if (line === null) {
        read.push(NO_LINE);
        return;
      }
      const hash = hashOf(line.previousHash, line, digest);
      const isOwn = hash === line.hash;
      if (isOwn) rewrite(line, text);
      read.push({
        sequence: line.sequence,
        own: isOwn ? numberOf(hash) : null,
        previous: numberOf(line.previousHash ?? ""),
      });
    },
    /** `sha256`: of all bytes before the head. */
    end: (sha256: string): Damage => {
      const findings = [...found];
      const last = claims.hash === null ? null : (numbers.get(claims.hash) ?? null);
      const { known, provenFrom } = chained(read, last, claims.count);
      const placed = place(read, known, claims.count);
      findings.push(...named(read, placed, claims.count, offset));
      // The chain holds: what a line says beside its event is written anew.
      if (findings.length === 0) findings.push(...rewritten);
      if (findings.length === 0 && sha256 !== claims.sha256) {
        findings.push({ kind: "bytes", reason: "The bytes are not those that were signed." });
      }
      return { findings, provenFrom };
    },
  };
};

/** The sequence of each line (by its index) that the chain proves, from the head backwards and from the start onwards. */
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
    // Of several that could follow, the one that another follows in turn.
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

/** The next line; null where it is no event of a plan: whoever wrote it down can have signed it too. */
const nextOf = (reached: HistoryPosition, stored: WrittenLine, digest: Digest) => {
  try {
    return nextLine(reached, stored, digest);
  } catch {
    return null;
  }
};
