/** A step that a test could not perform: its plan, a policy or the browser does not allow it. */
export type Gap = {
  readonly browser: string;
  readonly step: number;
  /** For a person. */
  readonly reason: string;
};

/** A step that went on with another element than its target names. */
export type HealedStep = {
  readonly browser: string;
  readonly step: number;
  readonly target: string;
  readonly healed_target: string;
};

/** Reservations that keep a passed test from being plainly passed. Steps are those of the last attempt. */
export type Reservations = {
  readonly gaps: readonly Gap[];
  readonly healed: readonly HealedStep[];
};

export const noReservations: Reservations = { gaps: [], healed: [] };

/** The verdict of a finished test or run, with its reservations. Statuses remain what they are without them. */
export const verdicts = [
  "passed",
  "passed_with_gaps",
  "healed",
  "flaky",
  "failed",
  "errored",
  "cancelled",
] as const;
export type VerdictWithReservations = (typeof verdicts)[number];

/**
 * The verdict of a test or run by its status and its numbers of reservations; null while it is open. A gap weighs more
 * than a healed step, because a part of the test was not performed. Only a passed one has another verdict than its
 * status: every other status is no plain pass already.
 */
export const verdictOf = (
  status: string,
  { gaps, healed }: { readonly gaps: number; readonly healed: number },
): VerdictWithReservations | null => {
  const known = verdicts.find((one) => one === status) ?? null;
  if (known !== "passed") return known;
  if (gaps > 0) return "passed_with_gaps";
  return healed > 0 ? "healed" : "passed";
};

/** A verdict as people read it: `passed with gaps`. */
export const verdictText = (verdict: string): string => verdict.replaceAll("_", " ");

/** A line for each reservation of a test, in the order of its steps. The browser is named if the test has several. */
export const reservationLines = (
  { gaps, healed }: Reservations,
  browsers: number,
): readonly string[] => {
  const on = ({ browser, step }: Pick<Gap, "browser" | "step">): string =>
    browsers > 1 ? `step ${step} (${browser})` : `step ${step}`;
  return [
    ...gaps.map((gap) => ({ step: gap.step, line: `${on(gap)} skipped: ${gap.reason}` })),
    ...healed.map((one) => ({
      step: one.step,
      line: `${on(one)} healed: ${one.healed_target} instead of ${one.target}`,
    })),
  ]
    .sort((one, other) => one.step - other.step)
    .map(({ line }) => line);
};
