import { z } from "zod";

/** Browsers as the API names them (operations.md, "Browser names"). */
export const browserName = z.enum(["chromium", "firefox", "webkit"]);
export type BrowserName = z.output<typeof browserName>;

/** The verdict of one test of a run. A pass after a failed attempt is `flaky`, never `passed`. */
export const verdict = z.enum(["passed", "flaky", "failed", "errored", "cancelled"]);
export type Verdict = z.output<typeof verdict>;

/** The number of tests of a run by verdict. */
export const totals = z.object({
  passed: z.int(),
  failed: z.int(),
  flaky: z.int(),
  errored: z.int(),
  cancelled: z.int(),
  /** Failed or errored tests in quarantine, which do not count as failed or errored. Absent: none. */
  quarantined: z.int().optional(),
});
export type Totals = z.output<typeof totals>;
/** Totals with every field. */
export type AllTotals = Readonly<Record<keyof Totals, number>>;

/** The schema of totals in events, with every field. */
export const allTotals = (of: Totals): AllTotals => ({ ...of, quarantined: of.quarantined ?? 0 });

/**
 * The contribution of a test to the verdict of its run: a quarantined test that did not pass counts as `quarantined`.
 */
export const countsAs = (one: Verdict, isQuarantined: boolean): keyof Totals =>
  isQuarantined && (one === "failed" || one === "errored") ? "quarantined" : one;

/** The totals of verdicts by execution. `quarantined`: executions whose test was in quarantine when the run was requested. */
export const totalsOf = (
  outcomes: Readonly<Record<string, Verdict>>,
  quarantined: readonly string[] = [],
): Totals => {
  const result: Totals = { passed: 0, failed: 0, flaky: 0, errored: 0, cancelled: 0 };
  const inQuarantine = new Set(quarantined);
  for (const [executionId, one] of Object.entries(outcomes)) {
    const as = countsAs(one, inQuarantine.has(executionId));
    result[as] = (result[as] ?? 0) + 1;
  }
  return result;
};

/**
 * The verdict of a run that ran to its end: errored before failed before cancelled before passed. Flaky tests count as
 * passed, quarantined ones do not count. A run with a cancelled test has not passed.
 */
export const runVerdict = (of: Totals): "passed" | "failed" | "errored" | "cancelled" => {
  if (of.errored > 0) return "errored";
  if (of.failed > 0) return "failed";
  return of.cancelled > 0 ? "cancelled" : "passed";
};
