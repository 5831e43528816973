import { z } from "zod";
import { oauthProvider } from "../../../domain/identity/user.ts";
import { OAUTH_FLOW_SECONDS } from "../../../stores/identity/oauthFlows.ts";
import { type Cookie, defineOperation, type Operation } from "../../operation.ts";
import { clientOf, refreshCookie } from "./shapes.ts";

/** The cookie that binds an OAuth sign-in to the browser that started it. */
export const OAUTH_COOKIE = "oauth_browser";

/** `lax`, because the provider redirects from another site, which omits `strict` cookies. */
const browserCookie = (value: string): Cookie => ({
  name: OAUTH_COOKIE,
  value,
  maxAgeSeconds: OAUTH_FLOW_SECONDS,
  sameSite: "lax",
});

const params = z.object({ provider: oauthProvider });

/** A path of the web app. Excludes protocol-relative addresses (`//host`) and characters that end a header. */
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
    "Redirect the browser to a provider's sign-in page; 404 if the provider is not configured",
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

const listOauthProviders = defineOperation({
  id: "listOauthProviders",
  method: "GET",
  path: "/auth/oauth/providers",
  tag: "OAuth",
  summary: "List the identity providers that the operator has set up for sign-in",
  auth: "none",
  permission: null,
  responses: {
    200: z.object({ items: z.array(z.object({ id: oauthProvider, name: z.string() })) }),
  },
  example: { response: { items: [{ id: "google", name: "Google" }] } },
  handler: async ({ services }) => ({
    status: 200,
    body: { items: [...services.identity.commands.listOauthProviders()] },
  }),
});

const parameter = z.string().max(4_096).optional();

const finishOauth = defineOperation({
  id: "finishOauth",
  method: "GET",
  path: "/auth/oauth/{provider}/callback",
  tag: "OAuth",
  summary: "Complete an OAuth sign-in: sets the refresh cookie and redirects to the web app",
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

export const oauthOperations: readonly Operation[] = [listOauthProviders, startOauth, finishOauth];
