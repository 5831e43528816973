import "../runs/runs.css";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { DAYS, type Dashboard } from "../../service/dashboard.ts";
import { runsQuery } from "../../service/runs.ts";
import { useMay } from "../../service/usePermissions.ts";
import { Page } from "../../shell/pages.tsx";
import { Icon } from "../../ui/icon.tsx";
import { isUnderWay, StatusDot } from "../../ui/status.tsx";
import { Ago } from "../../ui/time.tsx";
import { RunRow } from "../runs/runRow.tsx";
import { Trend } from "./trend.tsx";

const RECENT = 8;
/** The recent runs are read again in this interval while one is under way, in milliseconds. */
const REREAD_MS = 2_000;

const percent = (ratio: number | null): string =>
  ratio === null ? "–" : `${Math.round(ratio * 100)} %`;

/** Broken tests, latest runs and the pass rate. */
export const Overview = ({ dashboard }: { readonly dashboard: Dashboard }) => {
  const mayWrite = useMay("catalogue:write");
  return (
    <Page
      title="Home"
      actions={
        mayWrite && (
          <Link className="button primary" to="/tests/new">
            <Icon name="plus" /> New test
          </Link>
        )
      }
    >
      <Figures dashboard={dashboard} />
      <div className="columns">
        <Recent />
        <div className="stack">
          <Broken tests={dashboard.failing_longest} />
          <Flaky tests={dashboard.flakiest} />
        </div>
      </div>
    </Page>
  );
};

const Figures = ({ dashboard }: { readonly dashboard: Dashboard }) => {
  const { pass_rate, totals, quota, trend } = dashboard;
  const broken = totals.failed + totals.errored;
  return (
    <section className="card figures-row" aria-label={`The last ${DAYS} days`}>
      <Figure label="Pass rate" value={percent(pass_rate)} note={`last ${DAYS} days`} />
      <Figure label="Did not pass" value={String(broken)} note={`${totals.flaky} flaky`} />
      <Figure
        label="Quota left"
        value={String(quota.remaining)}
        note={`of ${quota.limit}, until ${quota.resets_at.slice(0, 10)}`}
      />
      <Trend trend={trend} />
    </section>
  );
};

type FigureProps = { readonly label: string; readonly value: string; readonly note: string };

const Figure = ({ label, value, note }: FigureProps) => (
  <div className="figure">
    <span className="muted small">{label}</span>
    <span className="big figures">{value}</span>
    <span className="muted small">{note}</span>
  </div>
);

const Recent = () => {
  const { data } = useInfiniteQuery({
    ...runsQuery(),
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.items.some(({ status }) => isUnderWay(status)) ? REREAD_MS : false,
  });
  const runs = data?.pages[0]?.items.slice(0, RECENT) ?? [];
  return (
    <section className="stack" aria-labelledby="recent">
      <h2 id="recent">Latest runs</h2>
      <ul className="card rows">
        {runs.map((run) => (
          <RunRow key={run.id} run={run} />
        ))}
      </ul>
      <p className="small">
        <Link to="/runs">All runs</Link>
      </p>
    </section>
  );
};

const Broken = ({ tests }: { readonly tests: Dashboard["failing_longest"] }) => (
  <section className="stack" aria-labelledby="broken">
    <h2 id="broken">Broken now</h2>
    {tests.length === 0 ? (
      <p className="card quiet-card">
        <Icon name="check" /> Every test passed when it last ran.
      </p>
    ) : (
      <ul className="card rows">
        {tests.map(({ test_id, name, status, since, last_execution_id }) => (
          <li key={test_id} className="row">
            <StatusDot status={status} />
            <span className="row-main">
              <Link
                className="row-title"
                to="/executions/$executionId"
                params={{ executionId: last_execution_id }}
              >
                {name}
              </Link>
              <span className="row-note">
                since <Ago at={since.at} />
              </span>
            </span>
          </li>
        ))}
      </ul>
    )}
  </section>
);

const Flaky = ({ tests }: { readonly tests: Dashboard["flakiest"] }) => {
  if (tests.length === 0) return null;
  return (
    <section className="stack" aria-labelledby="flaky">
      <h2 id="flaky">Flaky tests</h2>
      <ul className="card rows">
        {tests.map(({ test_id, name, signs, executions }) => (
          <li key={test_id} className="row">
            <StatusDot status="flaky" />
            <span className="row-main">
              <Link className="row-title" to="/tests/$testId" params={{ testId: test_id }}>
                {name}
              </Link>
              <span className="row-note">
                {signs} signs in {executions} executions
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
};
