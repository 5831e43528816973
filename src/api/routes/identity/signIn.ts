import { z } from "zod";
import type { SignedIn } from "../../../commands/identity/index.ts";
import { displayName } from "../../../domain/organizations/names.ts";
import { ApiError } from "../../apiError.ts";
import { bearerOf, REFRESH_COOKIE } from "../../auth/authenticator.ts";
import { defineOperation, type Operation, type OperationResponse } from "../../operation.ts";
import type { Services } from "../../services.ts";
import {
  clientOf,
  currentPassword,
  email,
  exampleMembership,
  exampleTokens,
  membership,
  newPassword,
  noRefreshCookie,
  refreshCookie,
  requireRequestedWith,
  tokens,
  toTokens,
} from "./shapes.ts";

const signedInAnswer = async (
  services: Services,
  signedIn: SignedIn,
): Promise<OperationResponse> => ({
  status: 200,
  body: {
    ...toTokens(signedIn),
    organizations: await services.memberships.organizationsOf(signedIn.person.id),
  },
  cookies: [refreshCookie(signedIn)],
  receipt: signedIn.receipt,
});

const signUp = defineOperation({
  id: "signUp",
  method: "POST",
  path: "/auth/signup",
  tag: "Authentication",
  summary: "Create an account with its own organisation on the default plan",
  auth: "none",
  permission: null,
  body: z.object({
    email,
    password: newPassword,
    name: displayName,
    organization_name: displayName.optional(),
  }),
  responses: { 201: tokens.extend({ organization: membership }) },
  errors: [409, 422],
  example: {
    body: {
      email: "ann@example.com",
      password: "correct horse battery staple",
      name: "Ann Example",
      organization_name: "Example",
    },
    response: { ...exampleTokens, organization: exampleMembership },
  },
  handler: async ({ body, services, context, request }) => {
    const { organization_name: organizationName = null, ...person } = body;
    const signedIn = await services.identity.commands.signUp(context, {
      ...person,
      organizationName,
      client: clientOf(request),
    });
    const { id: userId, signupOrganizationId } = signedIn.person;
    return {
      status: 201,
      body: {
        ...toTokens(signedIn),
        organization: await services.memberships.find(userId, signupOrganizationId),
      },
      cookies: [refreshCookie(signedIn)],
      receipt: signedIn.receipt,
    };
  },
});

const login = defineOperation({
  id: "login",
  method: "POST",
  path: "/auth/login",
  tag: "Authentication",
  summary: "Sign in with e-mail address and password",
  auth: "none",
  permission: null,
  body: z.object({ email, password: currentPassword }),
  responses: { 200: tokens.extend({ organizations: z.array(membership) }) },
  errors: [401, 422, 429],
  example: {
    body: { email: "ann@example.com", password: "correct horse battery staple" },
    response: { ...exampleTokens, organizations: [exampleMembership] },
  },
  handler: async ({ body, services, context, request }) => {
    const input = { ...body, client: clientOf(request) };
    return signedInAnswer(services, await services.identity.commands.logIn(context, input));
  },
});

const refreshSession = defineOperation({
  id: "refreshSession",
  method: "POST",
  path: "/auth/refresh",
  tag: "Authentication",
  summary:
    "Exchange the refresh cookie for a new one and an access token; requires X-Requested-With",
  auth: "refreshCookie",
  permission: null,
  responses: { 200: tokens.extend({ organizations: z.array(membership) }) },
  errors: [401, 403],
  example: { response: { ...exampleTokens, organizations: [exampleMembership] } },
  handler: async ({ request, services, context }) => {
    const token = request.cookies[REFRESH_COOKIE];
    if (!token) throw new ApiError(401, "The refresh cookie is missing. Sign in again.");
    requireRequestedWith(request.headers);
    const { refresh } = services.identity.commands;
    return signedInAnswer(services, await refresh(context, token, clientOf(request)));
  },
});

const logout = defineOperation({
  id: "logout",
  method: "POST",
  path: "/auth/logout",
  tag: "Authentication",
  summary: "End the session of the access token, or of the refresh cookie with X-Requested-With",
  auth: "refreshCookie",
  permission: null,
  responses: { 204: null },
  errors: [401, 403],
  handler: async ({ request, services, context }) => {
    const identity = services.identity.commands;
    const bearer = bearerOf(headerText(request.headers.authorization));
    const cookie = request.cookies[REFRESH_COOKIE];
    if (bearer === null && !cookie)
      throw new ApiError(401, "The request has neither an access token nor a refresh cookie.");
    if (bearer === null) requireRequestedWith(request.headers);
    const session =
      bearer === null
        ? await identity.sessionOfRefreshToken(cookie ?? "")
        : await identity.sessionOfAccessToken(bearer);
    if (!session && bearer !== null) {
      throw new ApiError(401, "The access token is invalid, or its session has ended.");
    }
    // The cookie is removed even if its session no longer exists.
    const ended = session ? { receipt: await identity.logOut(context, session) } : {};
    return { status: 204, cookies: [noRefreshCookie], ...ended };
  },
});

const headerText = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

export const signInOperations: readonly Operation[] = [signUp, login, refreshSession, logout];
