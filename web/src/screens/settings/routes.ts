import { type AnyRoute, createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { optionalDay, type PlanSearch } from "../search.ts";

const planSearch = (search: Record<string, unknown>): PlanSearch => ({
  as_of: optionalDay(search.as_of),
});

/** The settings of the organisation. */
export const settingsRoutes = <Parent extends AnyRoute>(getParentRoute: () => Parent) => [
  createRoute({
    getParentRoute,
    path: "/settings",
    component: lazyRouteComponent(
      () => import("./organizationSettings.tsx"),
      "OrganizationSettings",
    ),
  }),
  createRoute({
    getParentRoute,
    path: "/settings/members",
    component: lazyRouteComponent(() => import("./members.tsx"), "Members"),
  }),
  createRoute({
    getParentRoute,
    path: "/settings/api-keys",
    component: lazyRouteComponent(() => import("./apiKeys.tsx"), "ApiKeys"),
  }),
  createRoute({
    getParentRoute,
    path: "/settings/notifications",
    component: lazyRouteComponent(() => import("./notifications.tsx"), "Notifications"),
  }),
  createRoute({
    getParentRoute,
    path: "/settings/audit",
    component: lazyRouteComponent(() => import("./audit.tsx"), "Audit"),
  }),
  createRoute({
    getParentRoute,
    path: "/settings/plan",
    validateSearch: planSearch,
    component: lazyRouteComponent(() => import("../plan/planPage.tsx"), "PlanPage"),
  }),
];
