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
import { currentPlan, type OrganizationPlan } from "../../domain/billing/planState.ts";
import type { Terms } from "../../domain/billing/proration.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import type { PlanMarks } from "./marks.ts";

/** The requested lines: those within the bitemporal bounds that happened `from` (inclusive) `to` (exclusive). */
export type HistoryRange = Seen & {
  readonly from: string | null;
  readonly to: string | null;
  /** The maximum number of lines, the newest ones; null unlimited. */
  readonly limit: number | null;
};

export type PlanHistory = {
  readonly lines: readonly PlanLine[];
  /** The plan at `asOf` as known at `knownAt`. */
  readonly planAt: { readonly plan: PlanCode; readonly own: Terms };
};

export type BillingHistory = ReturnType<typeof billingHistory>;

/** Consecutive segments of a history that are read together: the first and the last one. Segment n ends at mark n + 1. */
type Run = { readonly first: number; readonly last: number };

/** A question about a history, with the log and the marks to answer it from. */
type Question = {
  readonly log: Pick<EventLog, "readStream">;
  readonly marks: PlanMarks;
  readonly organizationId: string;
  readonly range: HistoryRange;
  /** The segments before each mark. The lines after the last mark form an open segment. */
  readonly segments: readonly Bounds[];
};

/**
 * The history of plans, read from the log. The marks of the read model tell which segments a question needs and where
 * the history stands at their start. Lines after the last mark are always read, so a late read model costs only time.
 */
export const billingHistory = (log: Pick<EventLog, "readStream">, marks: PlanMarks) => ({
  /** Rejects with LogUnavailableError. */
  historyOf: async (organizationId: string, range: HistoryRange): Promise<PlanHistory> => {
    const question = { log, marks, organizationId, range };
    const segments = await marks.boundsOf(organizationId);
    // After a switch to a rebuilt read model a mark may be missing: then read the whole stream.
    const history =
      (await answer({ ...question, segments })) ?? (await answer({ ...question, segments: [] }));
    if (!history) throw new Error("A history read from its start needs no mark");
    return history;
  },
});

/** Answers a question. Returns null if a mark is missing. */
const answer = async (question: Question): Promise<PlanHistory | null> => {
  const { range, segments } = question;
  // Up to the first line outside the range a mark contains the plan. After it each line is evaluated by itself.
  const unseen = segments.findIndex((bounds) => !isAllSeen(bounds, range));
  const whole = unseen < 0 ? segments.length : unseen;
  const later = await readLater(question, whole);
  const lines = later && (await prependEarlier(question, whole, later.lines));
  if (!later || !lines) return null;
  const { plan, own } = currentPlan(later.state);
  const newest = range.limit === null ? lines : lines.slice(-range.limit);
  return { lines: newest, planAt: { plan, own: own.terms } };
};

/** Reads from segment `whole` on: the plan as seen within the range, and the requested lines. */
const readLater = async (
  question: Question,
  whole: number,
): Promise<{ readonly state: OrganizationPlan; readonly lines: PlanLine[] } | null> => {
  const { range, segments } = question;
  const runs = runsOf([
    ...numbersFrom(whole, segments, (bounds) => isAnySeen(bounds, range)),
    segments.length,
  ]);
  const starts = await startsOf(question, [whole, ...runs.map(({ first }) => first)]);
  if (!starts) return null;
  const [base = historyStart, ...runStarts] = starts;
  let state = base.state;
  const lines: PlanLine[] = [];
  for (const [nth, run] of runs.entries()) {
    const start = runStarts[nth] ?? base;
    for await (const { stored, line, before, after } of linesOf(question, run, start)) {
      if (!isSeen(stored, range)) continue;
      state = state === before ? after : applyStored(state, stored);
      if (isRequested(stored.metadata.occurred_at, range)) lines.push(line);
    }
  }
  return { state, lines };
};

/** Prepends requested lines from the segments before `whole`, the newest segments first, until `limit` is reached. */
const prependEarlier = async (
  question: Question,
  whole: number,
  later: PlanLine[],
): Promise<PlanLine[] | null> => {
  const { range, segments } = question;
  const { limit } = range;
  let lines = later;
  const earlier = numbersFrom(0, segments.slice(0, whole), (one) => mayBeRequested(one, range));
  while (earlier.length > 0 && (limit === null || lines.length < limit)) {
    const missing = limit === null ? earlier.length : Math.ceil((limit - lines.length) / MARK);
    const runs = runsOf(earlier.splice(-missing));
    const starts = await startsOf(
      question,
      runs.map(({ first }) => first),
    );
    if (!starts) return null;
    const found: PlanLine[] = [];
    for (const [nth, run] of runs.entries()) {
      const start = starts[nth] ?? historyStart;
      for await (const { stored, line } of linesOf(question, run, start)) {
        if (isRequested(stored.metadata.occurred_at, range)) found.push(line);
      }
    }
    lines = found.concat(lines);
  }
  return lines;
};

/** The positions at which segments start. Returns null if a mark is missing. */
const startsOf = async (
  { marks, organizationId }: Question,
  numbers: readonly number[],
): Promise<readonly HistoryPosition[] | null> => {
  const sequences = numbers.filter((nth) => nth > 0).map((nth) => nth * MARK);
  const reached = await marks.reachedAt(organizationId, sequences);
  const starts = numbers.map((nth) => (nth === 0 ? historyStart : reached.get(nth * MARK)));
  return starts.every((start) => start !== undefined) ? starts : null;
};

/** The lines of a run of segments, with the state before and after each. */
async function* linesOf(
  { log, organizationId, segments }: Question,
  { last }: Run,
  start: HistoryPosition,
) {
  let reached = start;
  const isOpen = last >= segments.length;
  const end = isOpen ? {} : { limit: (last + 1) * MARK - start.sequence };
  const stream = `${planDecider.category}-${organizationId}`;
  for await (const stored of log.readStream(stream, { from: BigInt(start.sequence), ...end })) {
    const next = nextLine(reached, stored, digest);
    yield { stored, line: next.line, before: reached.state, after: next.reached.state };
    reached = next.reached;
  }
}

const isRequested = (at: string, { from, to }: HistoryRange): boolean =>
  (from === null || at >= from) && (to === null || at < to);

const mayBeRequested = (
  { occurredFrom, occurredTo }: Bounds,
  { from, to }: HistoryRange,
): boolean => (from === null || occurredTo >= from) && (to === null || occurredFrom < to);

/** The numbers of the segments from `first` on for which `holds` is true. */
const numbersFrom = (
  first: number,
  segments: readonly Bounds[],
  holds: (bounds: Bounds) => boolean,
): number[] => {
  const numbers: number[] = [];
  for (const [nth, bounds] of segments.entries()) {
    if (nth >= first && holds(bounds)) numbers.push(nth);
  }
  return numbers;
};

/** Joins consecutive segments. */
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
