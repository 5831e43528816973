import "./runs.css";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { type RunStatus, runStatuses, runsQuery } from "../../service/runs.ts";
import { Page } from "../../shell/pages.tsx";
import { MoreRows } from "../../ui/moreRows.tsx";
import { Empty, Failure, Loading } from "../../ui/states.tsx";
import { isUnderWay, statusLabel } from "../../ui/status.tsx";
import type { RunSearch } from "../search.ts";
import { RunRow } from "./runRow.tsx";

/** The list is read again in this interval while a run of it is under way, in milliseconds. */
const REREAD_MS = 2_000;

export const RunsList = () => {
  const { status } = useSearch({ strict: false }) as RunSearch;
  return (
    <Page title="Runs">
      <StatusFilter />
      <RunRows status={status} />
    </Page>
  );
};

const StatusFilter = () => (
  <nav className="chips" aria-label="Status">
    <Link className="chip" to="/runs" activeOptions={{ exact: true, includeSearch: true }}>
      All
    </Link>
    {runStatuses.map((status) => (
      <Link key={status} className="chip" to="/runs" search={{ status }}>
        {statusLabel(status)}
      </Link>
    ))}
  </nav>
);

const RunRows = ({ status }: { readonly status: RunStatus | undefined }) => {
  const query = useInfiniteQuery({
    ...runsQuery(status),
    refetchInterval: ({ state }) => {
      const isLive = state.data?.pages.some(({ items }) => items.some(isRunUnderWay));
      return isLive ? REREAD_MS : false;
    },
  });
  if (query.error) {
    return (
      <Failure
        title="The runs could not be loaded"
        detail={query.error.message}
        onRetry={() => void query.refetch()}
      />
    );
  }
  if (!query.data) return <Loading label="Loading the runs" />;
  const runs = query.data.pages.flatMap(({ items }) => items);
  if (runs.length === 0) return <NoRuns status={status} />;
  return (
    <>
      <ul className="card rows">
        {runs.map((run) => (
          <RunRow key={run.id} run={run} />
        ))}
      </ul>
      <MoreRows
        hasMore={query.hasNextPage}
        isLoading={query.isFetchingNextPage}
        onMore={query.fetchNextPage}
      />
    </>
  );
};

const isRunUnderWay = ({ status }: { readonly status: RunStatus }): boolean => isUnderWay(status);

const NoRuns = ({ status }: { readonly status: RunStatus | undefined }) =>
  status === undefined ? (
    <Empty icon="runs" title="No runs yet">
      <p>Open a test and run it. Its run appears here.</p>
      <Link className="button primary" to="/tests">
        Go to the tests
      </Link>
    </Empty>
  ) : (
    <Empty icon="runs" title={`No ${statusLabel(status).toLowerCase()} runs`}>
      <Link className="button plain" to="/runs">
        Show all runs
      </Link>
    </Empty>
  );
