import "../tests/tests.css";
import "./home.css";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import { dashboardQuery } from "../../service/dashboard.ts";
import { entitlementsQuery } from "../../service/organization.ts";
import { runsQuery } from "../../service/runs.ts";
import { useMay } from "../../service/usePermissions.ts";
import { Page } from "../../shell/pages.tsx";
import { Empty, Failure, Loading } from "../../ui/states.tsx";
import { FirstRun } from "./firstRun.tsx";
import { Overview } from "./overview.tsx";

/** Broken tests, latest runs and the pass rate. A role that reads no results has the plan as its home. */
export const Home = () => {
  const { data } = useQuery(entitlementsQuery());
  const isElsewhere = data !== undefined && !data.permissions.includes("results:read");
  return isElsewhere ? <Navigate to="/settings/plan" replace /> : <Results />;
};

/** The overview; before the first run, the way to it. */
const Results = () => {
  const runs = useInfiniteQuery(runsQuery());
  const dashboard = useQuery(dashboardQuery());
  const error = runs.error ?? dashboard.error;
  if (error) {
    return (
      <Page title="Home">
        <Failure
          title="The overview could not be loaded"
          detail={error.message}
          onRetry={() => void Promise.all([runs.refetch(), dashboard.refetch()])}
        />
      </Page>
    );
  }
  if (!runs.data || !dashboard.data) {
    return (
      <Page title="Home">
        <Loading label="Loading the overview" />
      </Page>
    );
  }
  const hasRuns = runs.data.pages.some(({ items }) => items.length > 0);
  return hasRuns ? <Overview dashboard={dashboard.data} /> : <BeforeFirstRun />;
};

const BeforeFirstRun = () => {
  const mayRun = useMay("runs:dispatch");
  return (
    <Page title={mayRun ? "Run your first test" : "Home"}>
      {mayRun ? (
        <FirstRun />
      ) : (
        <Empty icon="runs" title="No runs yet">
          <p>The results of the organisation's test runs will appear here.</p>
        </Empty>
      )}
    </Page>
  );
};
