import { createHash } from "node:crypto";
import type { PlanCode } from "../../domain/billing/catalog.ts";
import { planDecider } from "../../domain/billing/plan.ts";
import {
  applyStored,
  type HistoryPosition,
  historyStart,
  isSeen,
  nextLine,
  type PlanLine,
  type Seen,
} from "../../domain/billing/planLines.ts";
import { type Bounds, isAllSeen, isAnySeen, MARK } from "../../domain/billing/planMarks.ts";
import { currentPlan } from "../../domain/billing/planState.ts";
import type { Terms } from "../../domain/billing/proration.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import type { PlanMarks } from "./marks.ts";

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

/** Pieces of a history, each from a mark to the next, that are read together: the first and the last of them. */
type Run = { readonly first: number; readonly last: number };

/**
 * The history of plans, read from the log itself: what is shown is what is stored. The marks of the read model tell
 * which pieces of it a question is about, and where the history stands as each begins. What comes after the last
 * mark is always read, so it matters to nothing but time how far the read model has come.
 */
export const billingHistory = (log: Pick<EventLog, "readStream">, marks: PlanMarks) => {
  /** Answers from the pieces between these marks; null when one of them is not there (any more). */
  const answer = async (
    organizationId: string,
    range: HistoryRange,
    pieces: readonly Bounds[],
  ): Promise<PlanHistory | null> => {
    const { limit } = range;
    const stream = `${planDecider.category}-${organizationId}`;

    const startsOf = async (
      numbers: readonly number[],
    ): Promise<readonly HistoryPosition[] | null> => {
      const sequences = numbers.filter((nth) => nth > 0).map((nth) => nth * MARK);
      const there = await marks.reachedAt(organizationId, sequences);
      const starts = numbers.map((nth) => (nth === 0 ? historyStart : there.get(nth * MARK)));
      return starts.every((start) => start !== undefined) ? starts : null;
    };
    const linesOf = async function* ({ last }: Run, start: HistoryPosition) {
      let reached = start;
      const isOpen = last >= pieces.length;
      const end = isOpen ? {} : { limit: (last + 1) * MARK - start.sequence };
      const from = BigInt(start.sequence);
      for await (const stored of log.readStream(stream, { from, ...end })) {
        const next = nextLine(reached, stored, digest);
        yield { stored, line: next.line, before: reached.state, after: next.reached.state };
        reached = next.reached;
      }
    };

    // As far as everything is seen, a mark knows the plan; after that each line counts by itself.
    const unseen = pieces.findIndex((piece) => !isAllSeen(piece, range));
    const whole = unseen < 0 ? pieces.length : unseen;
    const later = runsOf([
      ...numbersFrom(whole, pieces, (piece) => isAnySeen(piece, range)),
      pieces.length,
    ]);
    const starts = await startsOf([whole, ...later.map(({ first }) => first)]);
    if (!starts) return null;
    const [base = historyStart, ...laterStarts] = starts;
    let known = base.state;
    let lines: PlanLine[] = [];
    for (const [nth, run] of later.entries()) {
      for await (const { stored, line, before, after } of linesOf(run, laterStarts[nth] ?? base)) {
        if (!isSeen(stored, range)) continue;
        known = known === before ? after : applyStored(known, stored);
        if (isAsked(stored.metadata.occurred_at, range)) lines.push(line);
      }
    }

    // Lines from before, the newest pieces first, until there are as many as are asked for.
    const earlier = numbersFrom(0, pieces.slice(0, whole), (piece) => mayBeAsked(piece, range));
    while (earlier.length > 0 && (limit === null || lines.length < limit)) {
      const missing = limit === null ? earlier.length : Math.ceil((limit - lines.length) / MARK);
      const runs = runsOf(earlier.splice(-missing));
      const begins = await startsOf(runs.map(({ first }) => first));
      if (!begins) return null;
      const found: PlanLine[] = [];
      for (const [nth, run] of runs.entries()) {
        for await (const { stored, line } of linesOf(run, begins[nth] ?? historyStart)) {
          if (isAsked(stored.metadata.occurred_at, range)) found.push(line);
        }
      }
      lines = found.concat(lines);
    }
    const { plan, own } = currentPlan(known);
    const newest = limit === null ? lines : lines.slice(-limit);
    return { lines: newest, planAt: { plan, own: own.terms } };
  };

  return {
    /** Tells a history and the plan then. Throws LogUnavailableError. */
    historyOf: async (organizationId: string, range: HistoryRange): Promise<PlanHistory> => {
      const pieces = await marks.boundsOf(organizationId);
      // A read model that was swapped in between may have other marks; without any, everything is read.
      const told =
        (await answer(organizationId, range, pieces)) ?? (await answer(organizationId, range, []));
      if (!told) throw new Error("A history that is read from its start needs no mark");
      return told;
    },
  };
};

const isAsked = (at: string, { from, to }: HistoryRange): boolean =>
  (from === null || at >= from) && (to === null || at < to);

const mayBeAsked = ({ occurredFrom, occurredTo }: Bounds, { from, to }: HistoryRange): boolean =>
  (from === null || occurredTo >= from) && (to === null || occurredFrom < to);

/** The numbers of the pieces, from one on, of which something holds. */
const numbersFrom = (
  first: number,
  pieces: readonly Bounds[],
  holds: (piece: Bounds) => boolean,
): number[] => {
  const numbers: number[] = [];
  for (const [nth, piece] of pieces.entries()) if (nth >= first && holds(piece)) numbers.push(nth);
  return numbers;
};

/** Pieces that follow each other are read at once. */
const runsOf = (numbers: readonly number[]): readonly Run[] => {
  const runs: Run[] = [];
  for (const nth of numbers) {
    const before = runs.at(-1);
    if (before && before.last === nth - 1) runs[runs.length - 1] = { ...before, last: nth };
    else runs.push({ first: nth, last: nth });
  }
  return runs;
};

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
