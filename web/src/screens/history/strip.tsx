import { Link } from "@tanstack/react-router";
import type { PastExecution } from "../../service/testReports.ts";
import { StatusDot, statusLabel } from "../../ui/status.tsx";
import { Ago, duration } from "../../ui/time.tsx";

/** Heights of the bars, in pixels. */
const HEIGHT = 72;
const LEAST = 6;

/** The last executions, oldest first: the height of a bar is the duration, its colour the verdict. */
export const Strip = ({ history }: { readonly history: readonly PastExecution[] }) => {
  const longest = Math.max(1, ...history.map(({ duration_ms }) => duration_ms ?? 0));
  return (
    <>
      <section className="stack" aria-labelledby="verdicts">
        <h2 id="verdicts">Verdicts and durations</h2>
        <ol className="card strip">
          {history.toReversed().map((execution) => (
            <li key={execution.execution_id}>
              <Bar execution={execution} longest={longest} />
            </li>
          ))}
        </ol>
        <p className="muted small">
          The newest execution is on the right. The longest took {duration(longest)}.
        </p>
      </section>
      <section className="stack" aria-labelledby="executions">
        <h2 id="executions">Executions</h2>
        <ul className="card rows">
          {history.map((execution) => (
            <ExecutionRow key={execution.execution_id} execution={execution} />
          ))}
        </ul>
      </section>
    </>
  );
};

type BarProps = { readonly execution: PastExecution; readonly longest: number };

const Bar = ({ execution, longest }: BarProps) => {
  const { execution_id, status, duration_ms, finished_at } = execution;
  const height = Math.max(LEAST, ((duration_ms ?? 0) / longest) * HEIGHT);
  const took = duration_ms === null ? "" : `, ${duration(duration_ms)}`;
  const label = `${statusLabel(status)}${took}, ${new Date(finished_at).toLocaleString("en")}`;
  return (
    <Link
      className={`bar ${status}`}
      to="/executions/$executionId"
      params={{ executionId: execution_id }}
      aria-label={label}
      title={label}
    >
      <svg viewBox={`0 0 10 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <rect x={0} y={HEIGHT - height} width={10} height={height} rx={2} />
      </svg>
    </Link>
  );
};

const ExecutionRow = ({ execution }: { readonly execution: PastExecution }) => {
  const { execution_id, status, duration_ms, finished_at, test_version } = execution;
  return (
    <li className="row">
      <StatusDot status={status} />
      <span className="row-main">
        <Link
          className="row-title"
          to="/executions/$executionId"
          params={{ executionId: execution_id }}
        >
          {statusLabel(status)}
        </Link>
        <span className="row-note">
          version {test_version} · <Ago at={finished_at} />
        </span>
      </span>
      <span className="row-time figures">{duration_ms !== null && duration(duration_ms)}</span>
    </li>
  );
};
