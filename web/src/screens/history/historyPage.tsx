import "../runs/runs.css";
import "../home/home.css";
import "./history.css";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { type TestReport, testReportQuery } from "../../service/testReports.ts";
import { Page } from "../../shell/pages.tsx";
import { Empty, Failure, Loading } from "../../ui/states.tsx";
import { Ago } from "../../ui/time.tsx";
import { Foreign } from "../foreign.tsx";
import { ChangesSince } from "./changes.tsx";
import { Quarantine } from "./quarantine.tsx";
import { Strip } from "./strip.tsx";

/** The verdicts of a test over time: how often it fails without a change, how long it takes, whether it counts. */
export const HistoryPage = () => {
  const { testId = "" } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(testReportQuery(testId));
  const crumbs = [
    { to: "/tests", label: "Tests" },
    { to: `/tests/${testId}`, label: data?.test.name ?? "Test" },
  ];
  return (
    <Page title={`History of ${data?.test.name ?? "the test"}`} heading="History" crumbs={crumbs}>
      {data ? (
        <History report={data} />
      ) : error ? (
        <Foreign error={error}>
          <Failure
            title="The history could not be loaded"
            detail={error.message}
            onRetry={() => void refetch()}
          />
        </Foreign>
      ) : (
        <Loading label="Loading the history" />
      )}
    </Page>
  );
};

const History = ({ report }: { readonly report: TestReport }) => {
  const { history, changes, test } = report;
  return (
    <>
      <Quarantine testId={test.id} quarantine={report.quarantine} />
      {history.length === 0 ? (
        <Empty icon="runs" title="The test has not run yet">
          <p>After its first run, its verdicts and durations appear here.</p>
          <Link className="button primary" to="/tests/$testId" params={{ testId: test.id }}>
            Open the test
          </Link>
        </Empty>
      ) : (
        <>
          <Flakiness flakiness={report.flakiness} />
          <Strip history={history} />
          {changes && <ChangesSince changes={changes} />}
        </>
      )}
    </>
  );
};

const percent = (score: number): string => `${Math.round(score * 100)} %`;

/** The share of executions with a sign of flakiness, in three periods. */
const Flakiness = ({ flakiness }: Pick<TestReport, "flakiness">) => {
  const since = flakiness.find((period) => period.since !== null)?.since;
  return (
    <section className="stack" aria-labelledby="flakiness">
      <h2 id="flakiness">Flakiness</h2>
      <div className="card figures-row">
        {flakiness.map(({ days, score, signs, executions }) => (
          <div key={days} className="figure">
            <span className="muted small">{days === 1 ? "Last day" : `Last ${days} days`}</span>
            <span className="big figures">{executions === 0 ? "–" : percent(score)}</span>
            <span className="muted small">
              {signs === 1 ? "1 sign" : `${signs} signs`} in{" "}
              {executions === 1 ? "1 execution" : `${executions} executions`}
            </span>
          </div>
        ))}
      </div>
      {since ? (
        <p>
          Flaky since <Ago at={since.at} />:{" "}
          <Link to="/executions/$executionId" params={{ executionId: since.execution_id }}>
            open the first sign
          </Link>
        </p>
      ) : (
        <p className="muted">
          No sign of flakiness: the test neither passed in a later attempt nor changed its verdict
          without a change.
        </p>
      )}
    </section>
  );
};
