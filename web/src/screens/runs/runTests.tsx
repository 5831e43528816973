import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Run, RunTest } from "../../service/runs.ts";
import { isUnderWay, StatusDot, statusLabel } from "../../ui/status.tsx";
import { duration } from "../../ui/time.tsx";

type RunTestsProps = {
  readonly run: Run;
  /** The latest screenshot of each execution. */
  readonly pictures: Readonly<Record<string, string>>;
};

/** Failed tests first, then those under way, then the rest in the run's order. */
const rank = ({ status }: RunTest): number => {
  if (status === "failed" || status === "errored") return 0;
  return isUnderWay(status) ? (status === "queued" ? 2 : 1) : 3;
};

type Shown = RunTest["status"] | NonNullable<RunTest["verdict"]>;

const shownAs = ({ status, verdict }: RunTest): Shown => verdict ?? status;

const countByStatus = (tests: readonly RunTest[]): ReadonlyMap<Shown, number> => {
  const counts = new Map<Shown, number>();
  for (const test of tests) counts.set(shownAs(test), (counts.get(shownAs(test)) ?? 0) + 1);
  return counts;
};

/** The tests of a run, filling in as they go. */
export const RunTests = ({ run, pictures }: RunTestsProps) => {
  const [shown, setShown] = useState<Shown | null>(null);
  const counts = countByStatus(run.tests);
  const tests = run.tests
    .filter((test) => shown === null || shownAs(test) === shown)
    .toSorted((a, b) => rank(a) - rank(b));
  return (
    <>
      <fieldset className="chips" aria-label="Show tests">
        <button
          type="button"
          className="chip"
          aria-pressed={shown === null}
          onClick={() => setShown(null)}
        >
          All <span className="figures">{run.tests.length}</span>
        </button>
        {[...counts].map(([status, count]) => (
          <button
            key={status}
            type="button"
            className="chip"
            aria-pressed={shown === status}
            onClick={() => setShown(shown === status ? null : status)}
          >
            {statusLabel(status)} <span className="figures">{count}</span>
          </button>
        ))}
      </fieldset>
      <ul className="card rows">
        {tests.map((test) => (
          <TestRow key={test.execution_id} test={test} picture={pictures[test.execution_id]} />
        ))}
      </ul>
    </>
  );
};

const TestRow = ({
  test,
  picture,
}: {
  readonly test: RunTest;
  readonly picture: string | undefined;
}) => (
  <li className="row">
    <StatusDot status={test.verdict ?? test.status} />
    {picture && isUnderWay(test.status) && <img className="thumb" src={picture} alt="" />}
    <span className="row-main">
      <Link
        className="row-title"
        to="/executions/$executionId"
        params={{ executionId: test.execution_id }}
      >
        {test.name}
        {test.row !== null && ` · row ${test.row}`}
      </Link>
      {test.error && <span className="row-note error">{test.error}</span>}
      {test.gaps.map(({ browser, step, reason }) => (
        <span className="row-note" key={`${browser} ${step}`}>
          Step {step} skipped: {reason}
        </span>
      ))}
      {test.healed.map(({ browser, step, healed_target }) => (
        <span className="row-note" key={`healed ${browser} ${step}`}>
          Step {step} healed: {healed_target}
        </span>
      ))}
      {test.quarantined && <span className="row-note">In quarantine: does not count</span>}
    </span>
    {isUnderWay(test.status) && test.steps_total > 0 && (
      <progress
        className="row-progress"
        aria-label={`${test.name}: steps done`}
        value={test.steps_done}
        max={test.steps_total}
      />
    )}
    <span className="row-time figures">
      {test.duration_ms === null
        ? `${test.steps_done}/${test.steps_total}`
        : duration(test.duration_ms)}
    </span>
  </li>
);
