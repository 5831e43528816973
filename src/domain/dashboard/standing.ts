import { isSign } from "../reports/flakiness.ts";
import type { Verdict } from "../runs/verdict.ts";

/** One execution that has ended. */
export type Ended = {
  readonly executionId: string;
  readonly runId: string;
  /** The event that said so. */
  readonly eventId: string;
  readonly status: Verdict;
  readonly testVersion: number;
  /** When it ended (ISO 8601). */
  readonly at: string;
};

/** How a test stands in one place (an environment, an address, a row of data). */
export type Standing = {
  /** The last that said something about it. */
  readonly last: Pick<Ended, "executionId" | "status" | "at"> | null;
  /** The last by which flakiness is judged: what errored says nothing about it. */
  readonly judged: Pick<Ended, "status" | "testVersion"> | null;
  /** The first of those in a row that did not pass, up to the last; null while it passes. */
  readonly failingSince: Pick<Ended, "executionId" | "runId" | "eventId" | "at"> | null;
};

export const neverRun: Standing = { last: null, judged: null, failingSince: null };

const hasFailed = (status: Verdict): boolean => status === "failed" || status === "errored";

/**
 * How a test stands after one more execution, and whether that is a sign of flakiness. What was cancelled says
 * nothing; what ended before the last one that is known, as imported results may have, changes nothing any more.
 */
export const standAfter = (
  standing: Standing,
  ended: Ended,
): { readonly standing: Standing; readonly sign: boolean } => {
  const { status, testVersion, executionId, runId, eventId, at } = ended;
  const { last, failingSince } = standing;
  if (status === "cancelled") return { standing, sign: false };
  if (last !== null && at < last.at) return { standing, sign: status === "flaky" };
  const isJudged = status !== "errored";
  return {
    standing: {
      last: { executionId, status, at },
      judged: isJudged ? { status, testVersion } : standing.judged,
      failingSince: hasFailed(status)
        ? (failingSince ?? { executionId, runId, eventId, at })
        : null,
    },
    sign: isJudged && isSign({ status, testVersion }, standing.judged ?? undefined),
  };
};

/** How a test stands once an execution that had ended was judged anew. */
export const standAnew = (standing: Standing, anew: Ended): Standing => {
  const { last, failingSince } = standing;
  if (last?.executionId !== anew.executionId) return standing;
  const { executionId, runId, eventId, at } = anew;
  const { status, testVersion } = anew;
  return {
    last: { ...last, status },
    judged: status === "errored" ? standing.judged : { status, testVersion },
    failingSince: hasFailed(status) ? (failingSince ?? { executionId, runId, eventId, at }) : null,
  };
};
