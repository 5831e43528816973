import { z } from "zod";
import type { ApiKeyChecks } from "../../commands/identity/checks.ts";
import type { IdentityCommands } from "../../commands/identity/index.ts";
import { assertNever } from "../../domain/kernel/errors.ts";
import type { Role } from "../../domain/organizations/permissions.ts";
import { isWellFormedApiKey, looksLikeApiKey } from "../../stores/organizations/apiKeyHashes.ts";
import { ApiError } from "../apiError.ts";
import type { AuthMode, Principal } from "../operation.ts";
import type { Memberships } from "./memberships.ts";

/** The cookie that holds a session's refresh token. */
export const REFRESH_COOKIE = "refresh_token";

type Cookies = Readonly<Record<string, string | undefined>>;

export type Credentials = {
  readonly authorization?: string;
  readonly cookies: Cookies;
  /** `X-Org-Id`, or the organisation of the requested file. An API key of another organisation is refused. */
  readonly organizationHeader?: string;
  /** In mode `organization`: the id in the path; null if it is malformed. */
  readonly organizationInPath?: string | null;
};

export type Authenticator = {
  /**
   * Identifies the caller by the rules of `mode`; null in modes without a caller.
   * Throws ApiError 401 for a missing or invalid credential, 400 if the organisation is ambiguous, 403 if the caller
   * is not a member, 404 if the organisation in the path does not exist.
   */
  authenticate(mode: AuthMode, input: Credentials): Promise<Principal | null>;
};

/** Authenticates WebSocket handshakes, which carry the session cookie but no organisation. */
export type SocketAuthenticator = {
  /** The session of a valid refresh cookie, without using its token; null otherwise. */
  authenticateCookie(cookies: Cookies): Promise<Session | null>;
  /** The caller of an access token or an API key. Throws ApiError 401 if it is invalid. */
  callerOfBearer(bearer: string): Promise<SocketCaller>;
  /** A user's role in an organisation; null if the user is not a member. */
  rolesOf(userId: string, organizationId: string): Promise<Role | null>;
};

/** The caller of a connection, whose credential may end while it is open. */
export type SocketCaller =
  | ({ readonly kind: "session" } & Session)
  | {
      readonly kind: "api_key";
      readonly organizationId: string;
      isValid(): Promise<boolean>;
    };

type Session = { readonly userId: string; readonly sessionId: string };

type AuthenticatorDeps = {
  readonly identity: Pick<IdentityCommands, "sessionOfAccessToken" | "openSessionOfRefreshToken">;
  readonly keyChecks: ApiKeyChecks;
  readonly memberships: Memberships;
  /** Whether a user is a service administrator now. */
  readonly isAdmin: (userId: string) => Promise<boolean>;
};

/** Checks API keys and access tokens in `Authorization: Bearer`, and the refresh cookie for downloads. */
export const createAuthenticator = (
  deps: AuthenticatorDeps,
): Authenticator & SocketAuthenticator => ({
  authenticateCookie: authenticateCookie.bind(null, deps),
  callerOfBearer: callerOfBearer.bind(null, deps),
  rolesOf: async (userId, organizationId) =>
    (await deps.memberships.find(userId, organizationId))?.role ?? null,
  authenticate: authenticate.bind(null, deps),
});

const authenticate = async (
  deps: AuthenticatorDeps,
  mode: AuthMode,
  input: Credentials,
): Promise<Principal | null> => {
  const { authorization, cookies, organizationHeader } = input;
  switch (mode) {
    case "none":
    case "refreshCookie":
      return null;
    case "apiKey": {
      const bearer = bearerOf(authorization);
      if (bearer === null || !looksLikeApiKey(bearer)) {
        throw unauthorized("This operation requires an API key: Authorization: Bearer ak_live_…");
      }
      return authenticateKey(deps, bearer, organizationHeader);
    }
    case "session":
      return authenticatePerson(deps, authorization);
    case "admin": {
      const principal = await authenticatePerson(deps, authorization);
      if (await deps.isAdmin(principal.userId)) return principal;
      throw new ApiError(403, ADMIN_REQUIRED);
    }
    case "member":
      return authenticateBearer(deps, requireBearer(authorization), organizationHeader);
    case "organization": {
      const bearer = requireBearer(authorization);
      return authenticateInPath(deps, bearer, organizationHeader, input.organizationInPath ?? null);
    }
    case "download": {
      const bearer = bearerOf(authorization);
      if (bearer !== null) return authenticateBearer(deps, bearer, organizationHeader);
      const session = await authenticateCookie(deps, cookies);
      if (!session) throw unauthorized(CREDENTIAL_REQUIRED);
      return asMember(deps, session, organizationHeader);
    }
    default:
      return assertNever(mode);
  }
};

export const PERSON_REQUIRED =
  "This operation requires a signed-in person. API keys are not accepted.";
export const ADMIN_REQUIRED =
  "This operation requires a service administrator (setting ADMIN_EMAILS).";
const CREDENTIAL_REQUIRED = "Sign in, or send an API key.";

const requireBearer = (authorization: string | undefined): string => {
  const bearer = bearerOf(authorization);
  if (bearer === null) throw unauthorized(CREDENTIAL_REQUIRED);
  return bearer;
};

const authenticateCookie = async (
  { identity }: AuthenticatorDeps,
  cookies: Cookies,
): Promise<Session | null> => {
  const token = cookies[REFRESH_COOKIE];
  return token ? identity.openSessionOfRefreshToken(token) : null;
};

const callerOfBearer = async (deps: AuthenticatorDeps, bearer: string): Promise<SocketCaller> => {
  if (!looksLikeApiKey(bearer)) return { kind: "session", ...(await sessionOfToken(deps, bearer)) };
  const { organizationId } = await authenticateKey(deps, bearer, undefined);
  const isValid = async () => (await deps.keyChecks.find(bearer)) !== null;
  return { kind: "api_key", organizationId, isValid };
};

const authenticateKey = async (
  { keyChecks }: AuthenticatorDeps,
  key: string,
  header: string | undefined,
) => {
  const found = isWellFormedApiKey(key) ? await keyChecks.find(key) : null;
  if (!found) throw unauthorized("The API key is invalid: it is unknown, revoked or expired.");
  if (header !== undefined && organizationIdOf(header) !== found.organizationId) {
    throw new ApiError(403, "X-Org-Id differs from the organisation of the API key.");
  }
  return {
    kind: "api_key",
    keyId: found.keyId,
    keyName: found.name,
    organizationId: found.organizationId,
    standing: "api_key",
  } as const;
};

const sessionOfToken = async ({ identity }: AuthenticatorDeps, token: string): Promise<Session> => {
  const session = await identity.sessionOfAccessToken(token);
  if (!session) throw unauthorized("The access token is invalid, or its session has ended.");
  return session;
};

/** Authenticates a signed-in person, without an organisation. */
const authenticatePerson = async (deps: AuthenticatorDeps, authorization: string | undefined) => {
  const bearer = bearerOf(authorization);
  if (bearer === null) throw unauthorized("Sign in first.");
  if (looksLikeApiKey(bearer)) throw unauthorized(PERSON_REQUIRED);
  const session = await sessionOfToken(deps, bearer);
  return { kind: "session", ...session, organizationId: null, standing: null } as const;
};

const authenticateBearer = async (
  deps: AuthenticatorDeps,
  bearer: string,
  header: string | undefined,
): Promise<Principal> =>
  looksLikeApiKey(bearer)
    ? authenticateKey(deps, bearer, header)
    : asMember(deps, await sessionOfToken(deps, bearer), header);

const asMember = async (
  { memberships }: AuthenticatorDeps,
  session: Session,
  header: string | undefined,
): Promise<Principal> => {
  const { id, role } = await activeOrganization(memberships, session.userId, header);
  return { kind: "session", ...session, organizationId: id, standing: role };
};

/** The organisation named by `X-Org-Id`, or the only one of the user. */
const activeOrganization = async (
  memberships: Memberships,
  userId: string,
  header: string | undefined,
) => {
  if (header === undefined) {
    const [only, ...others] = await memberships.organizationsOf(userId);
    if (!only) throw new ApiError(403, "You are not a member of any organisation.");
    if (others.length > 0) {
      throw new ApiError(
        400,
        "You are a member of several organisations. Send the id of one as X-Org-Id.",
      );
    }
    return only;
  }
  const membership = await memberships.find(userId, organizationIdOf(header));
  if (!membership) throw new ApiError(403, NOT_A_MEMBER);
  return membership;
};

/** The organisation id in `X-Org-Id`. Throws ApiError 400 if it is not a UUID. */
const organizationIdOf = (header: string): string => {
  const parsed = z.uuid().safeParse(header);
  if (parsed.success) return parsed.data.toLowerCase();
  throw new ApiError(400, "X-Org-Id must be the id of an organisation, a UUID.");
};

const NOT_A_MEMBER = "You are not a member of this organisation.";

/** Authenticates a member or an API key of the organisation in the path. */
const authenticateInPath = async (
  deps: AuthenticatorDeps,
  bearer: string,
  header: string | undefined,
  named: string | null,
): Promise<Principal> => {
  const { memberships } = deps;
  const isKey = looksLikeApiKey(bearer);
  const principal = isKey ? await authenticateKey(deps, bearer, header) : null;
  const session = isKey ? null : await sessionOfToken(deps, bearer);
  if (session && header !== undefined) {
    await activeOrganization(memberships, session.userId, header);
  }
  if (named === null) throw unknownOrganization();
  const requested = principal?.organizationId ?? header?.toLowerCase() ?? named;
  const membership =
    session && requested === named ? await memberships.find(session.userId, named) : null;
  if (session && membership) {
    return { kind: "session", ...session, organizationId: named, standing: membership.role };
  }
  if (principal && requested === named) return principal;
  if (!(await memberships.exists(named))) throw unknownOrganization();
  throw new ApiError(
    403,
    requested === named
      ? NOT_A_MEMBER
      : "The organisation in the path differs from X-Org-Id or from the organisation of the API key.",
  );
};

const unknownOrganization = (): ApiError =>
  new ApiError(404, "There is no organisation with this id.");

/** The credential of `Authorization: Bearer …`; null without the header. Throws 401 on any other scheme. */
export const bearerOf = (authorization: string | undefined): string | null => {
  if (authorization === undefined) return null;
  const match = /^Bearer +([^\s]+) *$/i.exec(authorization);
  if (!match?.[1])
    throw unauthorized("The Authorization header must have the form: Bearer <credential>.");
  return match[1];
};

const unauthorized = (detail: string): ApiError => new ApiError(401, detail);
