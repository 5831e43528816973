import { createHash } from "node:crypto";
import type { PlanCode } from "../domain/billing/catalog.ts";
import { heldBy, type OrganizationPlan, planDecider } from "../domain/billing/plan.ts";
import {
  applyStored,
  atTheStart,
  forgetful,
  isSeen,
  nextLine,
  type PlanLine,
  type Reached,
  type Seen,
} from "../domain/billing/planLines.ts";
import type { Terms } from "../domain/billing/proration.ts";
import type { EventLog } from "../platform/eventLog/port.ts";

/** Which lines: what had happened and was known, and of that what happened `from` (inclusive) `to` (exclusive). */
export type HistoryRange = Seen & {
  readonly from: string | null;
  readonly to: string | null;
  /** The newest so many of them; null: all. */
  readonly limit: number | null;
};

export type PlanHistory = {
  readonly lines: readonly PlanLine[];
  /** The plan at `asOf`, as far as it was known at `knownAt`. */
  readonly planAt: { readonly plan: PlanCode; readonly own: Terms };
};

export type BillingHistory = ReturnType<typeof billingHistory>;

/** When each line of a history happened and was written down, and where it stood after every so many of them. */
type Index = {
  readonly times: { readonly occurredAt: string; readonly recordedAt: string }[];
  /** After 0, MARK, 2 · MARK … lines. */
  readonly marks: Reached[];
  reached: Reached;
  /** The look that is under way: the next one begins where it ends. */
  reading: Promise<void>;
};

const MARK = 64;
/** Histories whose index is kept, and lines of all of them together. */
const MOST_KEPT = 64;
const MOST_LINES = 1_000_000;

/**
 * The history of plans, read from the log itself: what is shown is what is stored. Where it has been read once, an
 * index tells which lines a question is about, so that the next costs those alone and what is new.
 */
export const billingHistory = (log: Pick<EventLog, "readStream">) => {
  const kept = new Map<string, Index>();
  const streamOf = (organizationId: string) => `${planDecider.category}-${organizationId}`;

  const indexOf = (organizationId: string): Index => {
    const known = kept.get(organizationId);
    kept.delete(organizationId);
    const index = known ?? {
      times: [],
      marks: [atTheStart],
      reached: atTheStart,
      reading: Promise.resolve(),
    };
    kept.set(organizationId, index);
    let lines = 0;
    for (const { times } of kept.values()) lines += times.length;
    for (const [oldest, { times }] of kept) {
      if ((kept.size <= MOST_KEPT && lines <= MOST_LINES) || oldest === organizationId) break;
      kept.delete(oldest);
      lines -= times.length;
    }
    return index;
  };

  const readOn = async (organizationId: string, index: Index): Promise<void> => {
    const from = BigInt(index.times.length);
    for await (const stored of log.readStream(streamOf(organizationId), { from })) {
      const { reached } = nextLine(index.reached, stored, digest);
      const { occurred_at: occurredAt, recorded_at: recordedAt } = stored.metadata;
      index.reached = reached;
      index.times.push({ occurredAt, recordedAt });
      if (index.times.length % MARK > 0) continue;
      // Going on from a mark must cost the same however long the history is.
      index.reached = forgetful(reached);
      index.marks.push(index.reached);
    }
  };

  const upToDate = async (organizationId: string): Promise<Index> => {
    const index = indexOf(organizationId);
    const reading = index.reading.then(() => readOn(organizationId, index));
    // What failed is read again by whoever asks next.
    index.reading = reading.catch(() => undefined);
    await reading;
    return index;
  };

  return {
    historyOf: async (organizationId: string, range: HistoryRange): Promise<PlanHistory> => {
      const { times, marks } = await upToDate(organizationId);
      const count = times.length;
      const seen = (nth: number): boolean => {
        const time = times[nth];
        return time !== undefined && isSeenAt(time, range);
      };
      // As far as everything is seen, the marks know the plan; after that each line counts by itself.
      let whole = 0;
      while (whole < count && seen(whole)) whole += 1;
      let last = count;
      while (last > whole && !seen(last - 1)) last -= 1;
      const asked: number[] = [];
      for (let nth = last - 1; nth >= 0; nth -= 1) {
        if (range.limit !== null && asked.length >= range.limit) break;
        const at = times[nth]?.occurredAt ?? "";
        const isAsked =
          seen(nth) &&
          (range.from === null || at >= range.from) &&
          (range.to === null || at < range.to);
        if (isAsked) asked.push(nth);
      }
      const first = Math.min(whole, asked.at(-1) ?? whole);
      const mark = Math.floor(first / MARK);
      let reached = marks[mark] ?? atTheStart;
      let known: OrganizationPlan = reached.state;
      const lines: PlanLine[] = [];
      const wanted = new Set(asked);
      const begin = reached.sequence;
      const limit = last - begin;
      const reading =
        limit > 0 ? log.readStream(streamOf(organizationId), { from: BigInt(begin), limit }) : [];
      for await (const stored of reading) {
        const nth = reached.sequence;
        const next = nextLine(reached, stored, digest);
        reached = next.reached;
        if (isSeen(stored, range)) known = applyStored(known, stored);
        if (wanted.has(nth)) lines.push(next.line);
      }
      const { plan, own } = heldBy(known);
      return { lines, planAt: { plan, own: own.terms } };
    },
  };
};

const isSeenAt = (
  { occurredAt, recordedAt }: Index["times"][number],
  { asOf, knownAt }: Seen,
): boolean => (asOf === null || occurredAt <= asOf) && (knownAt === null || recordedAt <= knownAt);

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
