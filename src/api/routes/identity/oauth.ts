import { z } from "zod";
import { oauthProvider } from "../../../domain/identity/user.ts";
import { OAUTH_FLOW_SECONDS } from "../../../stores/identity/oauthFlows.ts";
import { type Cookie, defineOperation, type Operation } from "../../operation.ts";
import { clientOf, refreshCookie } from "./shapes.ts";

/** The cookie that ties a sign-in elsewhere to the browser that began it. */
export const OAUTH_COOKIE = "oauth_browser";

/** Providers send the browser back from another site: a `strict` cookie would not come along. */
const browserCookie = (value: string): Cookie => ({
  name: OAUTH_COOKIE,
  value,
  maxAgeSeconds: OAUTH_FLOW_SECONDS,
  sameSite: "lax",
});

const params = z.object({ provider: oauthProvider });

/** A path of the web app: nothing that a browser takes for another host, and nothing that a header ends at. */
const path = z
  .string()
  .max(500, "must be at most 500 characters")
  .regex(/^\/(?![/\\])[!-[\]-~]*$/, "must be a path of the web app, such as /projects");

const startOauth = defineOperation({
  id: "startOauth",
  method: "GET",
  path: "/auth/oauth/{provider}/start",
  tag: "OAuth",
  summary:
    "Send the browser to a provider to sign in there; 404 where the operator has not set it up",
  auth: "none",
  permission: null,
  params,
  query: z.object({ return_to: path.default("/") }),
  responses: { 302: null },
  errors: [404],
  handler: async ({ params, query, request, services }) => {
    const begun = await services.identity.commands.beginOauth({
      provider: params.provider,
      browser: request.cookies[OAUTH_COOKIE] ?? null,
      returnTo: query.return_to,
    });
    return {
      status: 302,
      headers: { location: begun.url },
      cookies: [browserCookie(begun.browser)],
    };
  },
});

const parameter = z.string().max(4_096).optional();

const finishOauth = defineOperation({
  id: "finishOauth",
  method: "GET",
  path: "/auth/oauth/{provider}/callback",
  tag: "OAuth",
  summary:
    "Where a provider sends the browser back: signs in, with the refresh cookie, and goes on to the web app",
  auth: "none",
  permission: null,
  params,
  query: z.object({ state: parameter, code: parameter, iss: parameter, error: parameter }),
  responses: { 302: null },
  errors: [401, 403, 404, 409],
  handler: async ({ params, query, request, services, context }) => {
    const signedIn = await services.identity.commands.finishOauth(context, {
      provider: params.provider,
      browser: request.cookies[OAUTH_COOKIE] ?? null,
      answer: query,
      client: clientOf(request),
    });
    return {
      status: 302,
      headers: { location: signedIn.goTo },
      cookies: [refreshCookie(signedIn)],
      receipt: signedIn.receipt,
    };
  },
});

export const oauthOperations: readonly Operation[] = [startOauth, finishOauth];
