import { assertNever } from "../../kernel/errors.ts";
import {
  CHECKS_BYTES,
  differingFields,
  type Leaf,
  type LeafEvent,
  type LeafField,
} from "./leaf.ts";
import { equalHashes, HASH_BYTES } from "./merkle.ts";
import { hashAt } from "./tiles.ts";

/** How an event is named in findings. */
export type EventName = Pick<LeafEvent, "stream" | "revision" | "type" | "id">;

/** The first difference between the log and its tree. `index` counts the leaves from 0. */
export type LogFinding =
  /** `fields` is empty if the checksums do not tell. */
  | {
      readonly kind: "altered";
      readonly index: number;
      readonly event: EventName;
      readonly fields: readonly LeafField[];
    }
  /** `before`: the event that follows the gap. */
  | {
      readonly kind: "removed";
      readonly index: number;
      readonly count: number;
      readonly before: EventName;
    }
  | { readonly kind: "inserted"; readonly index: number; readonly event: EventName }
  | {
      readonly kind: "swapped";
      readonly index: number;
      readonly event: EventName;
      readonly other: EventName;
    }
  /** The log ends early: it lacks `count` events at its end. `last` is null in an empty log. */
  | {
      readonly kind: "cut";
      readonly index: number;
      readonly count: number;
      readonly last: EventName | null;
    }
  /** The tree itself contradicts its signed checkpoint. */
  | { readonly kind: "tree"; readonly why: string };

/** An event of the log with its leaf. */
export type SeenEvent = { readonly event: EventName; readonly leaf: Leaf };

/** Hashes and checksums of successive leaves of the tree, the first of which is leaf `from`. */
export type ExpectedLeaves = {
  readonly from: number;
  readonly hashes: Uint8Array;
  /** May be shorter than the hashes. */
  readonly checks: Uint8Array;
};

/**
 * Compares events of the log with the leaves at their places. `previous`: the event before the first. The events may
 * reach further than the leaves. Returns null if they agree. `size`: the leaves of the tree, to count missing ones.
 */
export const firstDifference = (
  expected: ExpectedLeaves,
  seen: readonly SeenEvent[],
  { previous, size }: { readonly previous: EventName | null; readonly size: number },
): LogFinding | null => {
  const count = expected.hashes.length / HASH_BYTES;
  const hashOf = (place: number): Uint8Array | null =>
    place < count ? hashAt(expected.hashes, place) : null;
  const isAt = (place: number, one: SeenEvent | undefined): boolean => {
    const hash = hashOf(place);
    return one !== undefined && hash !== null && equalHashes(one.leaf.hash, hash);
  };
  for (let place = 0; place < count; place += 1) {
    const found = seen[place];
    const index = expected.from + place;
    if (found === undefined) {
      const last = seen.at(-1)?.event ?? previous;
      return { kind: "cut", index, count: size - index, last };
    }
    if (isAt(place, found)) continue;
    const { event, leaf } = found;
    const next = seen[place + 1];
    if (isAt(place + 1, found)) {
      return next && isAt(place, next)
        ? { kind: "swapped", index, event: next.event, other: event }
        : { kind: "removed", index, count: 1, before: event };
    }
    for (let later = place + 2; later < count; later += 1) {
      if (!isAt(later, found)) continue;
      const other = seen[later];
      return other && isAt(place, other)
        ? { kind: "swapped", index, event: other.event, other: event }
        : { kind: "removed", index, count: later - place, before: event };
    }
    if (isAt(place, next)) return { kind: "inserted", index, event };
    const checks = expected.checks.subarray(CHECKS_BYTES * place, CHECKS_BYTES * (place + 1));
    const fields = checks.length === CHECKS_BYTES ? differingFields(checks, leaf.checks) : [];
    return { kind: "altered", index, event, fields };
  }
  return null;
};

/** Describes a finding in one sentence. */
export const describeLogFinding = (finding: LogFinding): string => {
  switch (finding.kind) {
    case "altered": {
      const { fields } = finding;
      const which = fields.length === 0 ? "" : ` in its ${fields.join(" and ")}`;
      return `${nameOf(finding.event)} was altered${which} (leaf ${finding.index}).`;
    }
    case "removed": {
      const { count, index } = finding;
      const which = count === 1 ? "An event was" : `${count} events were`;
      return `${which} removed before ${nameOf(finding.before)} (from leaf ${index}).`;
    }
    case "inserted":
      return `${nameOf(finding.event)} was inserted (at leaf ${finding.index}).`;
    case "swapped":
      return `${nameOf(finding.event)} and ${nameOf(finding.other)} were swapped (leaf ${finding.index}).`;
    case "cut": {
      const after =
        finding.last === null ? "The log is empty" : `The log ends after ${nameOf(finding.last)}`;
      return `${after}: ${finding.count} events were removed from its end (from leaf ${finding.index}).`;
    }
    case "tree":
      return `The tree was altered: ${finding.why}.`;
    default:
      return assertNever(finding);
  }
};

const nameOf = ({ type, id, revision, stream }: EventName): string =>
  `${type} ${id}, revision ${revision} of ${stream}`;
