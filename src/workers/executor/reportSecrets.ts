import type { PageProblems } from "../../domain/runs/executions/stepEvidence.ts";
import type { NewReport } from "./report.ts";
import type { Secrets } from "./secrets.ts";

/** The fields of reports that hold what was seen on a page, or came of a step's own words. */
const TEXTS: ReadonlySet<string> = new Set(["error", "locator", "reason", "name"]);

/** A report in which no text has a secret in it. */
export const withoutSecrets = <Report extends NewReport>(
  report: Report,
  secrets: Secrets,
): Report => {
  if (!secrets.isAnyKnown()) return report;
  const { blot } = secrets;
  if (report.type === "locatorHealed") {
    const { target, healedTarget, changes } = report;
    return {
      ...report,
      target: blot(target),
      healedTarget: blot(healedTarget),
      changes: changes.map(({ what, before, after }) => ({
        what,
        before: blot(before),
        after: blot(after),
      })),
    };
  }
  const texts = Object.entries(report).flatMap(([key, value]) =>
    typeof value === "string" && TEXTS.has(key) ? [[key, blot(value)]] : [],
  );
  const blotted = { ...report, ...Object.fromEntries(texts) };
  if (report.type === "stepPassed" && report.notes) {
    return { ...blotted, notes: report.notes.map(blot) };
  }
  if (report.type === "stepFailed" && report.page) {
    return { ...blotted, page: problemsWithout(report.page, blot) };
  }
  return blotted;
};

const problemsWithout = (page: PageProblems, blot: Secrets["blot"]): PageProblems => ({
  logged: page.logged.map(blot),
  exceptions: page.exceptions.map(blot),
  requests: page.requests.map(({ method, url, status, error }) => ({
    ...{ method, url: blot(url), status },
    error: error === null ? null : blot(error),
  })),
  more: page.more,
});
