import type { PlanCode } from "./catalog.ts";
import { type Finding, locate, NO_LINE, type Read, START } from "./planChain.ts";
import type { PlanEvent } from "./planEvents.ts";
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

/** The damage of an export. */
type Damage = {
  readonly findings: readonly Finding[];
  /**
   * The first sequence that the signature proves. Earlier lines without a finding are consistent with each other, but
   * may have been rewritten.
   */
  readonly provenFrom: number;
};

/** The plan at the end of a history. */
export type PlanThen = { readonly plan: PlanCode; readonly own: Terms };

/**
 * Verifies an export line by line, without its head, in constant memory: every line must follow the previous one, and
 * the last must be the signed one. For a damaged export `findDamage` names the lines. The caller compares the digest
 * of the bytes.
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
    if (disagreementOf(next.line) !== null) return false;
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
    /** The plan as seen within the bounds, null if the export is damaged. */
    end: (): PlanThen | null => {
      const isEnd = reached.sequence === count && reached.hash === claims.hash;
      if (isBroken || isPreambleDue || !isEnd) return null;
      const { plan, own } = currentPlan(known);
      return { plan, own: own.terms };
    },
  };
};

/** The lines of an export read so far. */
type Search = {
  readonly claims: HeadClaims;
  readonly digest: Digest;
  /** The first history line's number in the file. */
  readonly offset: number;
  readonly read: Read[];
  readonly found: Finding[];
  /** Lines whose fields other than the event differ from those that the service would write. */
  readonly rewritten: Finding[];
  readonly numbers: Map<string, number>;
  isPreambleDue: boolean;
  /** The position of the rewritten history, null after the first line that does not follow the previous one. */
  reached: HistoryPosition | null;
};

/**
 * Compares the lines of an export with its signed head. The head names the last hash, and each line names the
 * previous one, so a line is unaltered exactly if the chain contains it. A missing line was altered if another
 * line is in its place, and removed otherwise.
 */
export const findDamage = (claims: HeadClaims, digest: Digest) => {
  const isPreambleDue = preamble(claims.format) !== "";
  const search: Search = {
    claims,
    digest,
    offset: isPreambleDue ? 2 : 1,
    read: [],
    found: [],
    rewritten: [],
    numbers: new Map([["", START]]),
    isPreambleDue,
    reached: historyStart,
  };
  return {
    /** Takes the next line, without its line feed. */
    take: (text: string): void => takeLine(search, text),
    /** `sha256`: the digest of all bytes before the head. */
    end: (sha256: string): Damage => damageOf(search, sha256),
  };
};

const takeLine = (search: Search, text: string): void => {
  const { claims, digest, read, found } = search;
  if (search.isPreambleDue) {
    search.isPreambleDue = false;
    if (`${text}\n` === preamble(claims.format)) return;
    found.push({ kind: "bytes", reason: "The first line does not name the columns." });
    return;
  }
  const line = readLine(text, claims.format);
  if (line === null) {
    read.push(NO_LINE);
    return;
  }
  const hash = hashOf(line.previousHash, line, digest);
  const isOwn = hash === line.hash;
  if (isOwn) rewrite(search, line, text);
  read.push({
    sequence: line.sequence,
    own: isOwn ? numberOf(search, hash) : null,
    previous: numberOf(search, line.previousHash ?? ""),
  });
};

const numberOf = ({ numbers }: Search, hash: string): number => {
  const known = numbers.get(hash);
  if (known !== undefined) return known;
  numbers.set(hash, numbers.size);
  return numbers.size - 1;
};

/** Compares a line with the one that the service would write for its event. */
const rewrite = (search: Search, line: WrittenLine, text: string): void => {
  const { claims, digest, read, offset, rewritten, reached } = search;
  if (reached === null) return;
  if (line.previousHash !== reached.hash) {
    search.reached = null;
    return;
  }
  const next = nextOf(reached, line, digest);
  const nth = read.length + offset;
  if (next === null) {
    const reason = `Line ${nth} contains an event that this version does not know.`;
    rewritten.push({ kind: "bytes", reason });
  } else if (writeLine(next.line, claims.format) !== `${text}\n`) {
    rewritten.push({ kind: "altered", line: nth, sequence: next.reached.sequence });
  } else {
    const reason = disagreementOf(next.line);
    if (reason) rewritten.push({ kind: "bytes", reason: `Line ${nth}: ${reason}` });
  }
  search.reached = next?.reached ?? null;
};

/**
 * Compares the amount due of a plan change with its lines. The service writes equal amounts; a forged event may not.
 * Null if they agree.
 */
export const disagreementOf = ({
  type,
  data,
}: Pick<WrittenLine, "type" | "data">): string | null => {
  if (type !== "PlanChangeCreated") return null;
  const { dueCents, lines } = data as Extract<PlanEvent, { type: "PlanChangeCreated" }>["data"];
  if (!Array.isArray(lines)) return null;
  const sum = lines.reduce((total, { cents }) => total + cents, 0);
  return sum === dueCents ? null : `dueCents is ${dueCents}, but the lines add up to ${sum}.`;
};

const damageOf = (search: Search, sha256: string): Damage => {
  const { claims, read, found, rewritten, numbers, offset } = search;
  const findings = [...found];
  const last = claims.hash === null ? null : (numbers.get(claims.hash) ?? null);
  const { provenFrom, ...located } = locate(read, { last, count: claims.count, offset });
  findings.push(...located.findings);
  // The chain covers only the events, so check the other fields if it is intact.
  if (findings.length === 0) findings.push(...rewritten);
  if (findings.length === 0 && sha256 !== claims.sha256) {
    findings.push({ kind: "bytes", reason: "The bytes differ from the signed ones." });
  }
  return { findings, provenFrom };
};

/** The next line, null if its event does not belong to a plan. A forged export may contain one and be signed. */
const nextOf = (reached: HistoryPosition, stored: WrittenLine, digest: Digest) => {
  try {
    return nextLine(reached, stored, digest);
  } catch {
    return null;
  }
};
