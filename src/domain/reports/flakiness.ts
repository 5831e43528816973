/** The fields of an execution that flakiness depends on. */
export type Outcome = {
  readonly executionId: string;
  readonly status: "passed" | "flaky" | "failed" | "errored" | "cancelled";
  readonly testVersion: number;
  /** The environment, address and row of data. Outcomes are compared within one place. */
  readonly place: string;
  /** When the execution ended (ISO 8601). */
  readonly at: string;
};

export type Flakiness = {
  /** The number of executions that count. Cancelled and errored ones do not. */
  readonly executions: number;
  /** The number of signs of flakiness among them. */
  readonly signs: number;
  /** Signs per execution, from 0 to 1, rounded to three digits. */
  readonly score: number;
  /** The first sign since the test was last stable, null if it is stable. */
  readonly since: { readonly executionId: string; readonly at: string } | null;
};

/** Consecutive executions without a sign after which a test is stable. */
const CALM_AFTER = 10;

/** The flakiness of a test. `outcomes` are sorted oldest first. */
export const flakinessOf = (outcomes: readonly Outcome[]): Flakiness => {
  const judged = outcomes.filter(({ status }) => status !== "cancelled" && status !== "errored");
  const last = new Map<string, Outcome>();
  let signs = 0;
  let calm = 0;
  let since: Flakiness["since"] = null;
  for (const one of judged) {
    const before = last.get(one.place);
    last.set(one.place, one);
    if (isSign(one, before)) {
      signs += 1;
      calm = 0;
      since ??= { executionId: one.executionId, at: one.at };
    } else {
      calm += 1;
      if (calm >= CALM_AFTER) since = null;
    }
  }
  const score = judged.length === 0 ? 0 : Math.round((1000 * signs) / judged.length) / 1000;
  return { executions: judged.length, signs, score, since };
};

/**
 * Whether an outcome is a sign of flakiness: it passed only on a retry, or differs from the outcome `before` it in the
 * same place with the same test version.
 */
export const isSign = (
  one: Pick<Outcome, "status" | "testVersion">,
  before: Pick<Outcome, "status" | "testVersion"> | undefined,
): boolean => {
  if (one.status === "flaky") return true;
  if (!before || before.testVersion !== one.testVersion) return false;
  return (one.status === "failed") !== (before.status === "failed");
};

/** The reported windows, in days. */
export const FLAKINESS_DAYS = [1, 7, 30] as const;
