import { generateKeyPair, importJWK, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApiError } from "../../../src/api/apiError.ts";
import type { AuthMode } from "../../../src/api/operation.ts";
import {
  type OrganizationCommand,
  organizationDecider,
} from "../../../src/domain/organizations/organization.ts";
import { newId } from "../../../src/platform/ids.ts";
import { newApiKey } from "../../../src/stores/organizations/apiKeyHashes.ts";
import { type Account, call, makeKey, signUp } from "../../support/client.ts";
import { context, type Identity, ISSUER, type Process, startIdentity } from "./harness.ts";

let identity: Identity;
let service: Process;
let ann: Account;
let bob: Account;
let annsKey: string;
let sessionId: string;

beforeAll(async () => {
  identity = await startIdentity();
  service = await identity.startProcess();
  ann = await signUp(service.baseUrl);
  bob = await signUp(service.baseUrl);
  annsKey = (await makeKey(service.baseUrl, ann)).key;
  sessionId = claimsOf(ann.accessToken).sid as string;
});
afterAll(() => identity?.stop());

const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());

const me = async (bearer: string) =>
  (await call(service.baseUrl, "GET", "/api/v1/auth/me", { bearer })).status;

type Given = {
  bearer?: string;
  authorization?: string;
  cookie?: string;
  organizationHeader?: string;
};

/** The status that a call gets, or who it is taken for. */
const authenticate = async (mode: AuthMode, given: Given) => {
  const { bearer, cookie, organizationHeader } = given;
  const authorization = given.authorization ?? (bearer && `Bearer ${bearer}`);
  const cookies = { refresh_token: cookie?.replace("refresh_token=", "") };
  return service.authenticator
    .authenticate(mode, {
      cookies,
      ...(authorization ? { authorization } : {}),
      ...(organizationHeader === undefined ? {} : { organizationHeader }),
    })
    .catch((error) => error.status);
};

const annAsMember = () => ({
  kind: "session",
  userId: ann.userId,
  sessionId,
  organizationId: ann.organizationId,
  standing: "owner",
});
const annsKeyHolder = () => ({
  kind: "api_key",
  keyId: expect.any(String),
  keyName: "ci",
  organizationId: ann.organizationId,
  standing: "api_key",
});

describe("access tokens", () => {
  const sign = async (
    change: {
      header?: object;
      claims?: object;
      key?: Parameters<SignJWT["sign"]>[0];
      expires?: number;
    } = {},
  ) => {
    const { active } = service.keys;
    const now = Math.floor(Date.now() / 1_000);
    return new SignJWT({ sid: sessionId, ...change.claims })
      .setProtectedHeader({ alg: "ES256", typ: "JWT", kid: active.kid, ...change.header })
      .setSubject(ann.userId)
      .setIssuer(ISSUER)
      .setAudience(`${ISSUER}/api/v1`)
      .setIssuedAt(now)
      .setExpirationTime(change.expires ?? now + 600)
      .sign(change.key ?? (await importJWK(active.privateJwk, "ES256")));
  };
  const withClaims = async (claims: object) => {
    const { active } = service.keys;
    const now = Math.floor(Date.now() / 1_000);
    return new SignJWT({
      sid: sessionId,
      sub: ann.userId,
      iss: ISSUER,
      aud: `${ISSUER}/api/v1`,
      iat: now,
      exp: now + 600,
      ...claims,
    })
      .setProtectedHeader({ alg: "ES256", typ: "JWT", kid: active.kid })
      .sign(await importJWK(active.privateJwk, "ES256"));
  };

  it("are accepted with our signature", async () => {
    expect(await me(await sign())).toBe(200);
    expect(await me(await withClaims({}))).toBe(200);
  });

  it("are refused with alg none", async () => {
    const [, payload] = (await sign()).split(".");
    const header = Buffer.from(JSON.stringify({ alg: "none", typ: "JWT" })).toString("base64url");
    expect(await me(`${header}.${payload}.`)).toBe(401);
  });

  it("are refused with another key under our kid, an unknown kid, or HMAC with our public key", async () => {
    const { privateKey } = await generateKeyPair("ES256");
    expect(await me(await sign({ key: privateKey }))).toBe(401);
    expect(await me(await sign({ header: { kid: "another" } }))).toBe(401);
    const publicJwk = JSON.stringify(service.keys.publicJwks.get(service.keys.active.kid));
    const hmac = await new SignJWT({ sid: sessionId })
      .setProtectedHeader({ alg: "HS256", typ: "JWT", kid: service.keys.active.kid })
      .setSubject(ann.userId)
      .setIssuer(ISSUER)
      .setAudience(`${ISSUER}/api/v1`)
      .setIssuedAt()
      .setExpirationTime("10m")
      .sign(Buffer.from(publicJwk));
    expect(await me(hmac)).toBe(401);
  });

  it("are refused if expired, for another audience or issuer, or without a matching session", async () => {
    const past = Math.floor(Date.now() / 1_000) - 1;
    expect(await me(await sign({ expires: past }))).toBe(401);
    expect(await me(await withClaims({ aud: "https://elsewhere.test" }))).toBe(401);
    expect(await me(await withClaims({ iss: "https://elsewhere.test" }))).toBe(401);
    expect(await me(await withClaims({ sid: undefined }))).toBe(401);
    expect(await me(await withClaims({ sid: newId() }))).toBe(401);
    expect(await me(await withClaims({ sub: bob.userId }))).toBe(401);
  });

  it("are refused if altered", async () => {
    const [header, payload, signature] = ann.accessToken.split(".");
    const altered = Buffer.from(
      JSON.stringify({ ...claimsOf(ann.accessToken), sub: bob.userId }),
    ).toString("base64url");
    expect(await me(`${header}.${altered}.${signature}`)).toBe(401);
    expect(await me(`${header}.${payload}.${signature?.slice(0, -4)}AAAA`)).toBe(401);
    expect(await me("a.b.c")).toBe(401);
  });

  it("verify with the published keys, which contain public parts only", async () => {
    const { body } = await call(service.baseUrl, "GET", "/api/v1/auth/jwks.json");
    expect(body.keys).toHaveLength(1);
    expect(Object.keys(body.keys[0]).sort()).toEqual(
      ["alg", "crv", "kid", "kty", "use", "x", "y"].sort(),
    );
    const other = await identity.startProcess({}, { projector: false });
    expect(other.keys.active.kid).toBe(body.keys[0].kid);
  });
});

describe("the organisation of a request", () => {
  it("is the only one of a session without X-Org-Id, or the named one", async () => {
    const bearer = ann.accessToken;
    expect(await authenticate("member", { bearer })).toEqual(annAsMember());
    const organizationHeader = ann.organizationId.toUpperCase();
    expect(await authenticate("member", { bearer, organizationHeader })).toEqual(annAsMember());
  });

  it("is refused with 400 for an invalid X-Org-Id, and with 403 for an unknown or foreign one", async () => {
    const bearer = ann.accessToken;
    const as = (organizationHeader: string) =>
      authenticate("member", { bearer, organizationHeader });
    expect(await as("mine")).toBe(400);
    expect(await as("")).toBe(400);
    expect(await as(bob.organizationId)).toBe(403);
    expect(await as(newId())).toBe(403);
  });

  it("refuses an API key with the X-Org-Id of another organisation", async () => {
    const as = (organizationHeader: string, mode: "member" | "apiKey" = "member") =>
      authenticate(mode, { bearer: annsKey, organizationHeader });
    expect(await as(ann.organizationId.toUpperCase())).toEqual(annsKeyHolder());
    expect(await as(bob.organizationId)).toBe(403);
    expect(await as(bob.organizationId, "apiKey")).toBe(403);
    expect(await as("nonsense")).toBe(400);
  });

  it("must be named by a session with several organisations", async () => {
    const organizationId = newId();
    const context = {
      actor: { type: "user" as const, id: bob.userId },
      organizationId,
      correlationId: newId(),
      causationId: newId(),
    };
    await service.organizations.createOrganization(context, {
      organizationId,
      name: "Second",
      ownerId: bob.userId,
    });
    const bearer = bob.accessToken;
    // Straight from the stream: no waiting for the read model.
    expect(
      await authenticate("member", { bearer, organizationHeader: organizationId }),
    ).toMatchObject({ organizationId, standing: "owner" });
    await expect.poll(() => authenticate("member", { bearer })).toBe(400);
    expect(await service.authenticator.rolesOf(bob.userId, organizationId)).toBe("owner");
    expect(await service.authenticator.rolesOf(ann.userId, organizationId)).toBeNull();
  });
});

describe("credentials", () => {
  it.each<[AuthMode, unknown, unknown, unknown, unknown]>([
    ["none", null, null, null, null],
    ["refreshCookie", null, null, null, null],
    ["member", 401, 401, "member", "key"],
    ["apiKey", 401, 401, 401, "key"],
    ["session", 401, 401, "session", 401],
    ["download", 401, "member", "member", "key"],
  ])("for mode %s: none %s, cookie %s, token %s, key %s", async (mode, ...expected) => {
    const meaning = (one: unknown) =>
      ({
        member: annAsMember(),
        key: annsKeyHolder(),
        session: { ...annAsMember(), organizationId: null, standing: null },
      })[String(one)] ?? one;
    const [nothing, cookie, token, key] = expected.map(meaning);
    expect(await authenticate(mode, {})).toEqual(nothing);
    expect(await authenticate(mode, { cookie: ann.cookie })).toEqual(cookie);
    expect(await authenticate(mode, { bearer: ann.accessToken })).toEqual(token);
    expect(await authenticate(mode, { bearer: annsKey })).toEqual(key);
  });

  it("reflect a role change or removal by another process at once", async () => {
    const there = await identity.startProcess({}, { projector: false });
    const carl = await signUp(service.baseUrl);
    const { organizationId } = ann;
    const inviteId = newId();
    const at = new Date().toISOString();
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const seats = { limit: 10, reason: null };
    const decide = (command: OrganizationCommand) =>
      service.loop.execute(organizationDecider, organizationId, command, context());
    await decide({ type: "invite", inviteId, role: "viewer", at, expiresAt, seats });
    await decide({ type: "acceptInvite", inviteId, userId: carl.userId, at, seats });
    const standing = async () =>
      (
        await there.authenticator
          .authenticate("member", {
            authorization: `Bearer ${carl.accessToken}`,
            cookies: {},
            organizationHeader: organizationId,
          })
          .catch((error: ApiError) => ({ standing: error.status }))
      )?.standing;
    await expect.poll(standing).toBe("viewer");
    await decide({ type: "changeRole", userId: carl.userId, role: "admin", by: ann.userId });
    await expect.poll(standing, { timeout: 15_000 }).toBe("admin");
    await decide({ type: "removeMember", userId: carl.userId, by: ann.userId, reason: "removed" });
    await expect.poll(standing, { timeout: 15_000 }).toBe(403);
  });

  it("are refused in a header that is not Bearer", async () => {
    for (const authorization of ["Basic YTpi", "Bearer", "Bearer ", `Bearer a b`, annsKey]) {
      expect(await authenticate("member", { authorization })).toBe(401);
    }
    expect(await authenticate("member", { authorization: `bearer  ${annsKey}` })).toEqual(
      annsKeyHolder(),
    );
  });

  it("in a bad Authorization header are refused for a download, even with a valid cookie", async () => {
    const cookie = ann.cookie;
    expect(await authenticate("download", { cookie, bearer: newApiKey().key })).toBe(401);
  });

  it("in a cookie are refused for a download of another organisation", async () => {
    const organizationHeader = bob.organizationId;
    expect(await authenticate("download", { cookie: ann.cookie, organizationHeader })).toBe(403);
  });

  it("in the cookie of a WebSocket identify its session without rotating the cookie", async () => {
    const cookies = { refresh_token: ann.cookie.replace("refresh_token=", "") };
    const session = { userId: ann.userId, sessionId };
    expect(await service.authenticator.authenticateCookie(cookies)).toEqual(session);
    expect(await service.authenticator.authenticateCookie(cookies)).toEqual(session);
    expect(await service.authenticator.authenticateCookie({})).toBeNull();
    expect(await service.authenticator.authenticateCookie({ refresh_token: "x" })).toBeNull();
  });
});

describe("the connection endpoint", () => {
  const connection = (bearer: string) =>
    call(service.baseUrl, "GET", "/api/v1/auth/connection", { bearer });

  it("returns person, organisation and role of a session", async () => {
    const { status, body } = await connection(ann.accessToken);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      mechanism: "session",
      user: { id: ann.userId, email: ann.email },
      api_key: null,
      organization: { id: ann.organizationId, name: "Example" },
      role: "owner",
    });
    expect(body.server_time).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  });

  it("returns name and organisation of an API key, and no person", async () => {
    const { body } = await connection(annsKey);
    expect(body).toMatchObject({
      mechanism: "api_key",
      user: null,
      api_key: { name: "ci" },
      organization: { id: ann.organizationId, name: "Example" },
      role: "api_key",
    });
  });
});
