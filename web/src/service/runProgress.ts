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

const testAfter = (test: RunTest, { name, data }: RunEvent): RunTest => {
  switch (name) {
    case "execution_started":
    case "execution_redelivered":
    case "browser_started":
      return { ...test, status: "running", steps_done: 0 };
    case "step_passed":
    case "step_failed":
    case "step_skipped":
      return { ...test, steps_done: Math.min(test.steps_done + 1, test.steps_total) };
    case "execution_finished":
    case "execution_cancelled": {
      const { status, duration_ms = null, error = null } = data as Partial<RunTest>;
      return { ...test, status: status ?? test.status, duration_ms, error };
    }
    default:
      return test;
  }
};
