import {
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { appRoutes } from "./screens/appRoutes.ts";
import { identityRoutes } from "./screens/identity/routes.ts";
import { currentSession, refresh } from "./service/session.ts";
import { Crashed, NotFound } from "./shell/fallbacks.tsx";
import { Frame } from "./shell/frame.tsx";
import { Loading } from "./ui/states.tsx";

const rootRoute = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

/** The screens of a session: without one they lead to the sign-in, which leads back. */
const frameRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "frame",
  component: Frame,
  beforeLoad: async ({ location }) => {
    if (currentSession().status === "unknown") await refresh();
    if (currentSession().status !== "signedIn") {
      const returnTo = location.href === "/" ? undefined : location.href;
      throw redirect({ to: "/sign-in", search: { return_to: returnTo } });
    }
  },
});

const routeTree = rootRoute.addChildren([
  frameRoute.addChildren(appRoutes(() => frameRoute)),
  ...identityRoutes(() => rootRoute),
]);

export const router = createRouter({
  routeTree,
  defaultPreload: "intent",
  defaultPendingMs: 300,
  defaultPendingComponent: () => <Loading label="Opening the page" />,
  defaultErrorComponent: Crashed,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
