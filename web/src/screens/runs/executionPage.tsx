import "./runs.css";
import "./execution.css";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { type Execution, executionQuery } from "../../service/runs.ts";
import { useLiveRun } from "../../service/useLiveRun.ts";
import { Page } from "../../shell/pages.tsx";
import { Failure, Loading } from "../../ui/states.tsx";
import { StatusBadge } from "../../ui/status.tsx";
import { Ago, duration } from "../../ui/time.tsx";
import { Foreign } from "../foreign.tsx";
import { ExecutionPanel } from "./executionPanel.tsx";

/** One test of a run: its steps, their pictures and errors. */
export const ExecutionPage = () => {
  const { executionId = "" } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(executionQuery(executionId));
  if (error && !data) {
    return (
      <Page title="Test result" crumbs={[{ to: "/runs", label: "Runs" }]}>
        <Foreign error={error}>
          <Failure
            title="The result could not be loaded"
            detail={error.message}
            onRetry={() => void refetch()}
          />
        </Foreign>
      </Page>
    );
  }
  if (!data) {
    return (
      <Page title="Test result">
        <Loading label="Loading the result" />
      </Page>
    );
  }
  return <Loaded execution={data} />;
};

const Loaded = ({ execution }: { readonly execution: Execution }) => {
  useLiveRun(execution.run_id);
  return (
    <Page
      title={execution.test_name}
      heading={
        <>
          {execution.test_name} <StatusBadge status={execution.verdict ?? execution.status} />
        </>
      }
      crumbs={[
        { to: "/runs", label: "Runs" },
        { to: `/runs/${execution.run_id}`, label: "Run" },
      ]}
      actions={
        <Link className="button plain" to="/tests/$testId" params={{ testId: execution.test_id }}>
          Open the test
        </Link>
      }
    >
      <div className="facts">
        {execution.started_at && (
          <span>
            Started <Ago at={execution.started_at} />
          </span>
        )}
        {execution.duration_ms !== null && (
          <span className="figures">Took {duration(execution.duration_ms)}</span>
        )}
        {execution.base_url && <span>{execution.base_url}</span>}
        {execution.environment && <span>Environment {execution.environment}</span>}
        <span>Version {execution.test_version} of the test</span>
        {execution.row && <span>Row {execution.row.number}</span>}
      </div>
      <ExecutionPanel executionId={execution.id} />
    </Page>
  );
};
