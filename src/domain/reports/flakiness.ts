/** One execution of a test, as far as flakiness is judged by it. */
export type Outcome = {
  readonly executionId: string;
  readonly status: "passed" | "flaky" | "failed" | "errored" | "cancelled";
  readonly testVersion: number;
  /** Where it ran: another environment or address is another question. */
  readonly place: string;
  /** When it ended (ISO 8601). */
  readonly at: string;
};

export type Flakiness = {
  /** How many executions were judged: those that were cancelled or errored say nothing about the test. */
  readonly executions: number;
  /** How many of them were signs: it passed only when tried again, or went the other way than the time before though nothing had changed. */
  readonly signs: number;
  /** Signs by executions, from 0 to 1, to three digits. */
  readonly score: number;
  /** The first sign since it was last calm; null while it is. */
  readonly since: { readonly executionId: string; readonly at: string } | null;
};

/** So many executions in a row without a sign, and a test is taken for calm. */
const CALM_AFTER = 10;

/** How flaky a test is by its executions, oldest first. */
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
 * Whether an outcome is a sign of flakiness: it passed only when tried again, or went the other way than the one
 * `before` it in the same place, though nothing had changed.
 */
export const isSign = (
  one: Pick<Outcome, "status" | "testVersion">,
  before: Pick<Outcome, "status" | "testVersion"> | undefined,
): boolean => {
  if (one.status === "flaky") return true;
  if (!before || before.testVersion !== one.testVersion) return false;
  return (one.status === "failed") !== (before.status === "failed");
};

/** The windows over which it is told, in days. */
export const FLAKINESS_DAYS = [1, 7, 30] as const;
