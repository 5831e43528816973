import { type Letter, writeLetter } from "../../platform/mail/template.ts";

/** The section of a mail about a test that did not pass. */
export type FailedTest = {
  readonly name: string;
  readonly status: string;
  readonly error: string | null;
  /** The step at which it ended; null when none of its steps is to blame. */
  readonly step: { readonly number: number; readonly description: string } | null;
  /** The key of a picture of it. */
  readonly picture: string | null;
};

export type RunResult = {
  readonly status: "passed" | "failed" | "errored" | "cancelled";
  /** How the one before ended; null when there was none. */
  readonly before: string | null;
  readonly triggeredBy: string;
  readonly totals: Readonly<
    Record<"passed" | "failed" | "flaky" | "errored" | "cancelled" | "quarantined", number>
  >;
  /** The numbers of passed tests with gaps and with healed steps. Absent: none. */
  readonly withGaps?: number;
  readonly healed?: number;
  readonly durationMs: number | null;
  readonly failed: readonly FailedTest[];
  readonly reportUrl: string;
};

const MAX_SHOWN = 10;
const MAX_PICTURES = 5;
const MAX_LINE = 500;

/** The mail of a finished run: the verdict, the failures with their pictures, and the link to the report. */
export const resultLetter = (result: RunResult) => {
  const { status, totals, failed, withGaps = 0, healed = 0 } = result;
  const count = Object.values(totals).reduce((sum, one) => sum + one, 0);
  const bad = totals.failed + totals.errored;
  const name = result.triggeredBy.replace(/^[a-z]+:/, "");
  const isRecovery = status === "passed" && result.before !== null && result.before !== "passed";
  const reservation = withGaps > 0 ? " with gaps" : healed > 0 ? " with healed steps" : "";
  const said = `${isRecovery ? "passes again" : status}${status === "passed" ? reservation : ""}`;
  const shown = failed.slice(0, MAX_SHOWN);
  const pictures = shown
    .flatMap(({ picture }, index) =>
      picture === null ? [] : [{ cid: `shot${index + 1}`, key: picture }],
    )
    .slice(0, MAX_PICTURES);
  const cids = new Set(pictures.map(({ cid }) => cid));
  const letter: Letter = {
    subject:
      bad > 0
        ? `${name}: ${said}, ${bad} of ${count} ${count === 1 ? "test" : "tests"}`
        : `${name}: ${said}`,
    paragraphs: [
      `The run ${verdictOf[status]}${isRecovery ? ", after one that did not" : ""}. It was started by ${result.triggeredBy}.`,
      [
        ...(["passed", "flaky", "failed", "errored", "cancelled", "quarantined"] as const)
          .filter((one) => totals[one] > 0)
          .map((one) => `${totals[one]} ${one}`),
        ...(withGaps > 0 ? [`${withGaps} with gaps`] : []),
        ...(healed > 0 ? [`${healed} healed`] : []),
        ...(result.durationMs === null ? [] : [`in ${(result.durationMs / 1000).toFixed(1)} s`]),
      ].join(", "),
    ],
    sections: [
      ...shown.map(({ name: test, status: verdict, error, step }, index) => ({
        title: `${test}: ${verdict}`,
        lines: [
          ...(step ? [`Step ${step.number}: ${step.description}`] : []),
          ...(error === null ? [] : [cut(error)]),
        ],
        cid: cids.has(`shot${index + 1}`) ? `shot${index + 1}` : undefined,
      })),
      ...(failed.length > shown.length
        ? [{ title: `And ${failed.length - shown.length} more`, lines: [] }]
        : []),
    ],
    action: { label: "Open the report", url: result.reportUrl },
    closing: ["To open it you have to be a member of the organisation."],
  };
  return { letter, pictures };
};

/** Adds the unsubscribe link to a letter. */
export const withUnsubscribeLink = (letter: Letter, unsubscribeUrl: string) =>
  writeLetter({
    ...letter,
    closing: [...(letter.closing ?? []), `No more of these mails: ${unsubscribeUrl}`],
  });

const verdictOf = {
  passed: "passed",
  failed: "failed",
  errored: "could not be judged",
  cancelled: "was cancelled",
} as const;

const cut = (text: string): string =>
  text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)} …` : text;
