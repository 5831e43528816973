import type { Run, RunEvent, RunTest } from "./runs.ts";

/** A run after an event. Events that the run already contains change nothing. */
export const runAfter = (run: Run, event: RunEvent): Run => {
  if (event.sequence <= run.sequence) return run;
  const next = { ...run, sequence: event.sequence };
  switch (event.name) {
    case "run_started":
      return { ...next, status: "running", started_at: event.at };
    case "run_finished":
    case "run_cancelled": {
      const { status, totals } = event.data as Pick<Run, "status" | "totals">;
      return { ...next, status, totals: { ...run.totals, ...totals }, finished_at: event.at };
    }
    default: {
      const tests = run.tests.map((test) =>
        test.execution_id === event.execution_id ? testAfter(test, event) : test,
      );
      return { ...next, tests };
    }
  }
};

const testAfter = (test: RunTest, event: RunEvent): RunTest => {
  const { name, data } = event;
  switch (name) {
    case "execution_started":
    case "execution_redelivered":
      return { ...test, status: "running", steps_done: 0, gaps: [], healed: [] };
    case "browser_started":
      return { ...test, status: "running", steps_done: 0 };
    case "step_skipped":
      return { ...stepDone(test), gaps: [...test.gaps, ...gapOf(event)] };
    case "step_passed":
    case "step_failed":
      return stepDone(test);
    case "locator_healed":
      return { ...test, healed: [...test.healed, healedOf(event)] };
    case "execution_finished":
    case "execution_cancelled": {
      const { status = test.status, duration_ms = null, error = null } = data as Partial<RunTest>;
      return { ...test, status, verdict: verdictOf(test, status), duration_ms, error };
    }
    default:
      return test;
  }
};

const stepDone = (test: RunTest): RunTest => ({
  ...test,
  steps_done: Math.min(test.steps_done + 1, test.steps_total),
});

const gapOf = ({ browser, step_number, data }: RunEvent): RunTest["gaps"] => {
  const { gap = false, reason = "" } = data as { gap?: boolean; reason?: string };
  return gap && browser !== null && step_number !== null
    ? [{ browser, step: step_number, reason }]
    : [];
};

const healedOf = ({ browser, step_number, data }: RunEvent): RunTest["healed"][number] => {
  const { target = "", healed_target = "" } = data as { target?: string; healed_target?: string };
  return { browser: browser ?? "chromium", step: step_number ?? 0, target, healed_target };
};

/** The verdict of a passed test until the run is read again; null for other statuses, which say it themselves. */
const verdictOf = ({ gaps, healed }: RunTest, status: RunTest["status"]): RunTest["verdict"] => {
  if (status !== "passed") return null;
  if (gaps.length > 0) return "passed_with_gaps";
  return healed.length > 0 ? "healed" : "passed";
};
