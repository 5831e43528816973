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
  /** `X-Org-Id`, or what it stands for. Ignored with an API key. */
  readonly organizationHeader?: string;
  /** The organisation whose id is in the path, in operations of the mode `organization`; null when it is no id. */
  readonly organizationInPath?: string | null;
};

export type Authenticator = {
  /**
   * Who calls, as operations.md, "Who may call", says for each mode; null where no caller is asked for.
   * Throws ApiError: 401 no or bad credential, 400 which organisation is not clear, 403 not a member,
   * 404 an organisation in the path that there is not.
   */
  authenticate(mode: AuthMode, input: Credentials): Promise<Principal | null>;
};

/** For WebSocket handshakes, which bring a cookie and ask for an organisation later. */
export type SocketAuthenticator = {
  /** The session of the refresh cookie, which is not used up; null when there is none or it has ended. */
  authenticateCookie(
    cookies: Cookies,
  ): Promise<{ readonly userId: string; readonly sessionId: string } | null>;
  /** A user's role in an organisation; null when not a member. */
  rolesOf(userId: string, organizationId: string): Promise<Role | null>;
};

type Session = { readonly userId: string; readonly sessionId: string };

/** Checks credentials: an API key or an access token in `Authorization: Bearer`, or the refresh cookie for downloads. */
export const createAuthenticator = (deps: {
  readonly identity: Pick<IdentityCommands, "sessionOfAccessToken" | "openSessionOfRefreshToken">;
  readonly keyChecks: ApiKeyChecks;
  readonly memberships: Memberships;
  /** Whether a user looks after the whole service, as of now. */
  readonly isAdmin: (userId: string) => Promise<boolean>;
}): Authenticator & SocketAuthenticator => {
  const { identity, keyChecks, memberships, isAdmin } = deps;

  const byKey = async (key: string): Promise<Principal> => {
    const found = isWellFormedApiKey(key) ? await keyChecks.find(key) : null;
    if (!found) throw unauthorized("The API key is not valid: unknown, revoked or expired.");
    return {
      kind: "api_key",
      keyId: found.keyId,
      keyName: found.name,
      organizationId: found.organizationId,
      standing: "api_key",
    };
  };

  const byAccessToken = async (token: string): Promise<Session> => {
    const session = await identity.sessionOfAccessToken(token);
    if (!session) throw unauthorized("The access token is not valid, or its session has ended.");
    return session;
  };

  /** Who is signed in; a key stands for nobody. */
  const signedIn = async (authorization: string | undefined) => {
    const bearer = bearerOf(authorization);
    if (bearer === null) throw unauthorized("Sign in first.");
    if (looksLikeApiKey(bearer)) {
      throw unauthorized("This is for signed-in people: an API key does not do.");
    }
    const session = await byAccessToken(bearer);
    return { kind: "session", ...session, organizationId: null, standing: null } as const;
  };

  const authenticateCookie: SocketAuthenticator["authenticateCookie"] = async (cookies) => {
    const token = cookies[REFRESH_COOKIE];
    return token ? identity.openSessionOfRefreshToken(token) : null;
  };

  const asMember = async (
    session: Session,
    organizationHeader: string | undefined,
  ): Promise<Principal> => {
    const { id, role } = await activeOrganization(session.userId, organizationHeader);
    return { kind: "session", ...session, organizationId: id, standing: role };
  };

  const activeOrganization = async (userId: string, header: string | undefined) => {
    if (header === undefined) {
      const [only, ...others] = await memberships.organizationsOf(userId);
      if (!only) throw new ApiError(403, "You do not belong to an organisation.");
      if (others.length > 0) {
        throw new ApiError(400, "Which organisation? Send its id as X-Org-Id.");
      }
      return only;
    }
    const parsed = z.uuid().safeParse(header);
    if (!parsed.success) throw new ApiError(400, "X-Org-Id must be an organisation's id, a UUID.");
    const membership = await memberships.find(userId, parsed.data.toLowerCase());
    if (!membership) throw new ApiError(403, "You are not a member of this organisation.");
    return membership;
  };

  /** Whoever calls about an organisation that the path names: its member, or its key. */
  const inOrganization = async (
    bearer: string,
    header: string | undefined,
    named: string | null,
  ): Promise<Principal> => {
    const isKey = looksLikeApiKey(bearer);
    const principal = isKey ? await byKey(bearer) : null;
    const session = isKey ? null : await byAccessToken(bearer);
    if (session && header !== undefined) await activeOrganization(session.userId, header);
    if (named === null) throw new ApiError(404, "There is no organisation of this id.");
    const asked = principal?.organizationId ?? header?.toLowerCase() ?? named;
    const membership =
      session && asked === named ? await memberships.find(session.userId, named) : null;
    if (session && membership) {
      return { kind: "session", ...session, organizationId: named, standing: membership.role };
    }
    if (principal && asked === named) return principal;
    if (!(await memberships.exists(named))) {
      throw new ApiError(404, "There is no organisation of this id.");
    }
    throw new ApiError(
      403,
      asked === named
        ? "You are not a member of this organisation."
        : "The path names another organisation than X-Org-Id, or than that of the API key.",
    );
  };

  const byBearer = async (bearer: string, header: string | undefined): Promise<Principal> =>
    looksLikeApiKey(bearer) ? byKey(bearer) : asMember(await byAccessToken(bearer), header);

  return {
    authenticateCookie,
    rolesOf: async (userId, organizationId) =>
      (await memberships.find(userId, organizationId))?.role ?? null,

    authenticate: async (mode, input) => {
      const { authorization, cookies, organizationHeader } = input;
      switch (mode) {
        case "none":
        case "refreshCookie":
          return null;
        case "apiKey": {
          const bearer = bearerOf(authorization);
          if (bearer === null || !looksLikeApiKey(bearer)) {
            throw unauthorized("This needs an API key: Authorization: Bearer ak_live_…");
          }
          return byKey(bearer);
        }
        case "session":
          return signedIn(authorization);
        case "admin": {
          const principal = await signedIn(authorization);
          if (await isAdmin(principal.userId)) return principal;
          throw new ApiError(403, "This is for those who look after the service (ADMIN_EMAILS).");
        }
        case "member": {
          const bearer = bearerOf(authorization);
          if (bearer === null) throw unauthorized("Sign in, or send an API key.");
          return byBearer(bearer, organizationHeader);
        }
        case "organization": {
          const bearer = bearerOf(authorization);
          if (bearer === null) throw unauthorized("Sign in, or send an API key.");
          return inOrganization(bearer, organizationHeader, input.organizationInPath ?? null);
        }
        case "download": {
          const bearer = bearerOf(authorization);
          if (bearer !== null) return byBearer(bearer, organizationHeader);
          const session = await authenticateCookie(cookies);
          if (!session) throw unauthorized("Sign in, or send an API key.");
          return asMember(session, organizationHeader);
        }
        default:
          return assertNever(mode);
      }
    },
  };
};

/** The credential of `Authorization: Bearer …`; null without the header. Throws 401 on any other scheme. */
export const bearerOf = (authorization: string | undefined): string | null => {
  if (authorization === undefined) return null;
  const match = /^Bearer +([^\s]+) *$/i.exec(authorization);
  if (!match?.[1]) throw unauthorized("The header must be: Authorization: Bearer <credential>.");
  return match[1];
};

const unauthorized = (detail: string): ApiError => new ApiError(401, detail);
