import { isSign } from "../reports/flakiness.ts";
import type { Verdict } from "../runs/verdict.ts";

/** A finished execution. */
export type Ended = {
  readonly executionId: string;
  readonly runId: string;
  /** The event that reported the result. */
  readonly eventId: string;
  readonly status: Verdict;
  readonly testVersion: number;
  /** When the execution ended (ISO 8601). */
  readonly at: string;
};

/** The standing of a test in one place (environment, address and row of data). */
export type Standing = {
  /** The last execution that was not cancelled. */
  readonly last: Pick<Ended, "executionId" | "status" | "at"> | null;
  /** The last execution that counts for flakiness. Errored ones do not. */
  readonly judged: Pick<Ended, "status" | "testVersion"> | null;
  /** The first execution of the current series of failures, null if the last one passed. */
  readonly failingSince: Pick<Ended, "executionId" | "runId" | "eventId" | "at"> | null;
};

export const neverRun: Standing = { last: null, judged: null, failingSince: null };

const hasFailed = (status: Verdict): boolean => status === "failed" || status === "errored";

/**
 * The standing after one more execution, and whether the execution is a sign of flakiness. Cancelled executions do
 * not count, nor do executions that ended before the last known one, as imported results may.
 */
export const standingAfter = (
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

/** The standing after the verdict of a finished execution changed. */
export const reviseStanding = (standing: Standing, revised: Ended): Standing => {
  const { last, failingSince } = standing;
  if (last?.executionId !== revised.executionId) return standing;
  const { executionId, runId, eventId, at } = revised;
  const { status, testVersion } = revised;
  return {
    last: { ...last, status },
    judged: status === "errored" ? standing.judged : { status, testVersion },
    failingSince: hasFailed(status) ? (failingSince ?? { executionId, runId, eventId, at }) : null,
  };
};
