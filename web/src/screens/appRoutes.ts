import { type AnyRoute, createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { queryClient } from "../service/queryClient.ts";
import { runQuery, runStatuses } from "../service/runs.ts";
import { scheduleRoutes } from "./schedules/routes.ts";
import {
  type ExecutionSearch,
  optionalNumber,
  optionalText,
  type PicturesSearch,
  type RunSearch,
  type TestsSearch,
  views,
} from "./search.ts";
import { settingsRoutes } from "./settings/routes.ts";

const runsSearch = ({ status }: Record<string, unknown>): RunSearch => ({
  status: runStatuses.find((each) => each === status),
});

const executionSearch = (search: Record<string, unknown>): ExecutionSearch => ({
  attempt: optionalNumber(search.attempt),
  browser: optionalText(search.browser),
  step: optionalNumber(search.step),
});

const picturesSearch = (search: Record<string, unknown>): PicturesSearch => ({
  picture: optionalText(search.picture),
  view: views.find((each) => each === search.view),
});

const testsSearch = (search: Record<string, unknown>): TestsSearch => ({
  q: optionalText(search.q),
  tag: optionalText(search.tag),
});

const reportSearch = (search: Record<string, unknown>) => ({ run: optionalText(search.run) });

/** The screens inside the frame. */
export const appRoutes = <Parent extends AnyRoute>(getParentRoute: () => Parent) => [
  createRoute({
    getParentRoute,
    path: "/",
    component: lazyRouteComponent(() => import("./home/home.tsx"), "Home"),
  }),
  createRoute({
    getParentRoute,
    path: "/tests",
    validateSearch: testsSearch,
    component: lazyRouteComponent(() => import("./tests/testsList.tsx"), "TestsList"),
  }),
  createRoute({
    getParentRoute,
    path: "/tests/new",
    component: lazyRouteComponent(() => import("./tests/testPage.tsx"), "NewTest"),
  }),
  createRoute({
    getParentRoute,
    path: "/tests/$testId",
    component: lazyRouteComponent(() => import("./tests/testPage.tsx"), "TestPage"),
  }),
  createRoute({
    getParentRoute,
    path: "/tests/$testId/history",
    component: lazyRouteComponent(() => import("./history/historyPage.tsx"), "HistoryPage"),
  }),
  createRoute({
    getParentRoute,
    path: "/runs",
    validateSearch: runsSearch,
    component: lazyRouteComponent(() => import("./runs/runsList.tsx"), "RunsList"),
  }),
  createRoute({
    getParentRoute,
    path: "/runs/$runId",
    validateSearch: executionSearch,
    component: lazyRouteComponent(() => import("./runs/runPage.tsx"), "RunPage"),
  }),
  createRoute({
    getParentRoute,
    path: "/runs/$runId/pictures",
    validateSearch: picturesSearch,
    component: lazyRouteComponent(() => import("./pictures/picturesPage.tsx"), "PicturesPage"),
  }),
  createRoute({
    getParentRoute,
    path: "/executions/$executionId",
    validateSearch: executionSearch,
    component: lazyRouteComponent(() => import("./runs/executionPage.tsx"), "ExecutionPage"),
  }),
  createRoute({
    getParentRoute,
    path: "/account",
    component: lazyRouteComponent(() => import("./identity/account.tsx"), "Account"),
  }),
  ...scheduleRoutes(getParentRoute),
  ...settingsRoutes(getParentRoute),
  ...reportRoutes(getParentRoute),
];

/** The addresses of reports in mails. They lead to the screens of the run and of the test in it. */
const reportRoutes = <Parent extends AnyRoute>(getParentRoute: () => Parent) => [
  createRoute({
    getParentRoute,
    path: "/reports/test-sets/$testSetId",
    validateSearch: reportSearch,
    beforeLoad: ({ search }) => {
      const { run } = search as { run?: string };
      if (run === undefined) throw redirect({ to: "/runs" });
      throw redirect({ to: "/runs/$runId", params: { runId: run } });
    },
  }),
  createRoute({
    getParentRoute,
    path: "/reports/tests/$testId",
    validateSearch: reportSearch,
    beforeLoad: async ({ search, params }) => {
      const { run: runId } = search as { run?: string };
      const { testId } = params as { testId: string };
      if (runId === undefined) throw redirect({ to: "/tests/$testId", params: { testId } });
      const run = await queryClient.fetchQuery(runQuery(runId)).catch(() => null);
      const test = run?.tests.find(({ test_id }) => test_id === testId);
      if (!test) throw redirect({ to: "/runs/$runId", params: { runId } });
      throw redirect({
        to: "/executions/$executionId",
        params: { executionId: test.execution_id },
      });
    },
  }),
];
