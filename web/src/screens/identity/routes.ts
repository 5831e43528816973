import { type AnyRoute, createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { currentSession, refresh } from "../../service/session.ts";
import { optionalText, type ReturnSearch, type TokenSearch } from "../search.ts";

const returnSearch = (search: Record<string, unknown>): ReturnSearch => ({
  return_to: pathIn(search.return_to),
  expired: search.expired === true ? true : undefined,
});

const tokenSearch = (search: Record<string, unknown>): TokenSearch => ({
  token: optionalText(search.token),
});

/** A path of the console; nothing that a browser takes for another host. */
const pathIn = (value: unknown): string | undefined =>
  typeof value === "string" && /^\/(?![/\\])/.test(value) ? value : undefined;

/** Finds out whether somebody is signed in; an unreachable service counts as nobody. */
const findSession = async (): Promise<void> => {
  if (currentSession().status === "unknown") await refresh().catch(() => undefined);
};

/** The screens that need no session, among them every screen that a mail links to. */
export const identityRoutes = <Parent extends AnyRoute>(getParentRoute: () => Parent) => [
  createRoute({
    getParentRoute,
    path: "/sign-in",
    validateSearch: returnSearch,
    beforeLoad: findSession,
    component: lazyRouteComponent(() => import("./signIn.tsx"), "SignIn"),
  }),
  createRoute({
    getParentRoute,
    path: "/sign-up",
    validateSearch: returnSearch,
    component: lazyRouteComponent(() => import("./signUp.tsx"), "SignUp"),
  }),
  createRoute({
    getParentRoute,
    path: "/forgot-password",
    component: lazyRouteComponent(() => import("./passwords.tsx"), "ForgotPassword"),
  }),
  createRoute({
    getParentRoute,
    path: "/reset-password",
    validateSearch: tokenSearch,
    component: lazyRouteComponent(() => import("./passwords.tsx"), "ResetPassword"),
  }),
  createRoute({
    getParentRoute,
    path: "/verify-email",
    validateSearch: tokenSearch,
    component: lazyRouteComponent(() => import("./confirmations.tsx"), "VerifyEmail"),
  }),
  createRoute({
    getParentRoute,
    path: "/notifications/contacts/$contactId/verify",
    validateSearch: tokenSearch,
    component: lazyRouteComponent(() => import("./confirmations.tsx"), "VerifyContact"),
  }),
  createRoute({
    getParentRoute,
    path: "/invites/accept",
    validateSearch: tokenSearch,
    beforeLoad: findSession,
    component: lazyRouteComponent(() => import("./acceptInvite.tsx"), "AcceptInvite"),
  }),
];
