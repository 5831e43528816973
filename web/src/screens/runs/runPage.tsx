import "./runs.css";
import "./execution.css";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { Connection } from "../../service/liveEvents.ts";
import { picturesQuery } from "../../service/pictures.ts";
import type { Run } from "../../service/runs.ts";
import { useLiveRun } from "../../service/useLiveRun.ts";
import { Page } from "../../shell/pages.tsx";
import { Failure, Loading, Notice } from "../../ui/states.tsx";
import { StatusBadge } from "../../ui/status.tsx";
import { Ago, duration, Elapsed } from "../../ui/time.tsx";
import { Foreign } from "../foreign.tsx";
import { ExecutionPanel } from "./executionPanel.tsx";
import { RunActions } from "./runActions.tsx";
import { triggerText } from "./runRow.tsx";
import { RunTests } from "./runTests.tsx";
import { Totals } from "./totals.tsx";

const crumbs = [{ to: "/runs", label: "Runs" }];

/** A run: its tests as they go, and for a run of one test its steps. */
export const RunPage = () => {
  const { runId = "" } = useParams({ strict: false });
  const { data: run, error, refetch, connection, pictures } = useLiveRun(runId);
  if (error && !run) {
    return (
      <Page title="Run" crumbs={crumbs}>
        <Foreign error={error}>
          <Failure
            title="The run could not be loaded"
            detail={error.message}
            onRetry={() => void refetch()}
          />
        </Foreign>
      </Page>
    );
  }
  if (!run) {
    return (
      <Page title="Run" crumbs={crumbs}>
        <Loading label="Loading the run" />
      </Page>
    );
  }
  const [only] = run.tests;
  const title = titleOf(run);
  return (
    <Page
      title={title}
      heading={
        <>
          {title} <StatusBadge status={run.verdict ?? run.status} />
        </>
      }
      crumbs={crumbs}
      actions={<RunActions run={run} />}
    >
      <Facts run={run} />
      {run.finished_at !== null && <ToReview runId={run.id} />}
      <ConnectionNotice connection={connection} isOver={run.finished_at !== null} />
      {run.tests.length === 1 && only ? (
        <ExecutionPanel executionId={only.execution_id} />
      ) : (
        <RunTests run={run} pictures={pictures} />
      )}
    </Page>
  );
};

/** The way to the pictures of a finished run that nobody has decided on. */
const ToReview = ({ runId }: { readonly runId: string }) => {
  const { data } = useQuery(picturesQuery(runId));
  const open = data?.items.filter(({ review }) => review === "open").length ?? 0;
  if (open === 0) return null;
  return (
    <Notice kind="info">
      {open === 1 ? "A picture differs" : `${open} pictures differ`} from the approved state or{" "}
      {open === 1 ? "is" : "are"} new.{" "}
      <Link to="/runs/$runId/pictures" params={{ runId }}>
        Review the pictures
      </Link>
    </Notice>
  );
};

const titleOf = ({ tests }: Run): string => {
  const [first] = tests;
  if (!first) return "Run";
  return tests.length === 1 ? first.name : `${first.name} and ${tests.length - 1} more`;
};

const Facts = ({ run }: { readonly run: Run }) => (
  <div className="facts">
    <span>{triggerText(run.triggered_by)}</span>
    <span>
      Queued <Ago at={run.queued_at} />
    </span>
    {run.duration_ms !== null && <span className="figures">Took {duration(run.duration_ms)}</span>}
    {run.finished_at === null && run.started_at !== null && <Elapsed from={run.started_at} />}
    {run.tests.length > 1 && <Totals run={run} />}
  </div>
);

const ConnectionNotice = ({
  connection,
  isOver,
}: {
  readonly connection: Connection;
  readonly isOver: boolean;
}) =>
  connection === "interrupted" && !isOver ? (
    <Notice kind="warning">
      The connection to the service is interrupted. The run goes on; this page continues where it
      stopped once the service answers.
    </Notice>
  ) : null;
