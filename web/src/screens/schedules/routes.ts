import { type AnyRoute, createRoute, lazyRouteComponent } from "@tanstack/react-router";

/** The schedules of the organisation. */
export const scheduleRoutes = <Parent extends AnyRoute>(getParentRoute: () => Parent) => [
  createRoute({
    getParentRoute,
    path: "/schedules",
    component: lazyRouteComponent(() => import("./schedulesList.tsx"), "SchedulesList"),
  }),
  createRoute({
    getParentRoute,
    path: "/schedules/new",
    component: lazyRouteComponent(() => import("./schedulePage.tsx"), "NewSchedule"),
  }),
  createRoute({
    getParentRoute,
    path: "/schedules/$scheduleId",
    component: lazyRouteComponent(() => import("./schedulePage.tsx"), "SchedulePage"),
  }),
];
