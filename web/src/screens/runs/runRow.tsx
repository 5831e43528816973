import { Link } from "@tanstack/react-router";
import type { RunSummary } from "../../service/runs.ts";
import { StatusDot } from "../../ui/status.tsx";
import { Ago, duration, Elapsed } from "../../ui/time.tsx";
import { Totals } from "./totals.tsx";

/** A run as a line of a list. */
export const RunRow = ({ run }: { readonly run: RunSummary }) => (
  <li className="row">
    <StatusDot status={run.verdict ?? run.status} />
    <span className="row-main">
      <Link className="row-title" to="/runs/$runId" params={{ runId: run.id }}>
        {runTitle(run)}
      </Link>
      <span className="row-note">
        {triggerText(run.triggered_by)} · <Ago at={run.queued_at} />
      </span>
    </span>
    <Totals run={run} />
    <span className="row-time figures">
      {run.duration_ms !== null
        ? duration(run.duration_ms)
        : run.started_at && <Elapsed from={run.started_at} />}
    </span>
  </li>
);

/** The name of a run: that of its first test, and how many others it has. */
export const runTitle = (run: Pick<RunSummary, "first_test" | "test_count">): string => {
  if (run.first_test === null) return "Run";
  const others = run.test_count - 1;
  return others === 0 ? run.first_test : `${run.first_test} and ${others} more`;
};

/** How a run was started, in words: `api:ci` is "API key ci". */
export const triggerText = (triggeredBy: string): string => {
  const [kind, ...rest] = triggeredBy.split(":");
  const name = rest.join(":");
  if (kind === "api") return `API key ${name}`;
  if (kind === "schedule") return name === "" ? "Schedule" : `Schedule ${name}`;
  return kind === "user" ? "Started by hand" : triggeredBy;
};
