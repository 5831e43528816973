import { type AnyRoute, createRoute, lazyRouteComponent } from "@tanstack/react-router";

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
];
