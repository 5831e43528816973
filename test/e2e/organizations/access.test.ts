import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Operation } from "../../../src/api/operation.ts";
import { operations } from "../../../src/api/routes/index.ts";
import { roles, type Standing } from "../../../src/domain/organizations/permissions.ts";
import { newId } from "../../../src/platform/ids.ts";
import { adminSettings, signUpAsAdmin } from "../../support/admins.ts";
import {
  type Account,
  type CallOptions,
  call,
  makeKey,
  type Reply,
  signUp,
} from "../../support/client.ts";
import { addMember } from "../../support/members.ts";
import { oauthSettings, startOidcServer, type TestOidcServer } from "../../support/oidcServer.ts";
import { makeOrganization, type Organization } from "../../support/organization/organization.ts";
import { providerSettings } from "../../support/providers.ts";
import { pathOf, type ValidRequest } from "../../support/requests/recipe.ts";
import { requests } from "../../support/requests/requests.ts";
import { standingsFor } from "../../support/roleTable.ts";
import { startTestService, type TestService } from "../../support/service.ts";

/** Every operation with every kind of caller: the access and the response of each. */
describe("access to every operation", () => {
  let service: TestService;
  let oidc: TestOidcServer;
  let own: Organization;
  let other: Organization;
  /** Credentials that are no good any more, or never were. */
  let bad: Record<string, string>;
  /** An account whose address is in ADMIN_EMAILS but not verified: the address may belong to another person. */
  let unverified: Account | undefined;

  beforeAll(async () => {
    oidc = await startOidcServer();
    service = await startTestService(
      { ...providerSettings, ...oauthSettings(oidc), ...adminSettings, BYO_KEY_ENABLED: "true" },
      ["api", "projections", "dispatcher"],
    );
    [own, other] = await Promise.all([
      makeOrganization(service, oidc),
      makeOrganization(service, oidc),
    ]);
    for (const role of roles) {
      if (role === "owner") continue;
      own.people.set(role, await addMember(service, own.account.organizationId, role));
    }
    const gone = await signUp(service.url);
    const revoked = await makeKey(service.url, gone);
    const asGone = { bearer: gone.accessToken };
    await call(service.url, "DELETE", `/api/v1/api-keys/${revoked.id}`, asGone);
    await call(service.url, "POST", "/api/v1/auth/logout", asGone);
    const { key } = own;
    bad = {
      "a revoked key": `Bearer ${revoked.key}`,
      "a malformed key": "Bearer ak_live_nonsense",
      "a mistyped key": `Bearer ${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`,
      "the token of a session that has ended": `Bearer ${gone.accessToken}`,
      "a token that was changed": `Bearer ${own.account.accessToken.replace(/.....$/, "AAAAA")}`,
      "no token at all": "Bearer nonsense",
      "another scheme": `Basic ${Buffer.from(`x:${key}`).toString("base64")}`,
      "an empty credential": "Bearer",
    };
  });
  afterAll(async () => {
    await service?.stop();
    await oidc?.stop();
  });

  const jwt = (organization = own): CallOptions => ({ bearer: organization.account.accessToken });
  const key = (organization = own): CallOptions => ({ bearer: organization.key });

  /** A member of ours, or our key. */
  const by = (standing: Standing): CallOptions => {
    if (standing === "api_key") return key();
    const { accessToken } = (
      standing === "owner" ? own.account : own.people.get(standing)
    ) as Account;
    return { bearer: accessToken };
  };

  /** Asks, about our organisation unless it says otherwise, and checks what every answer must be like. */
  const ask = async (
    operation: Pick<Operation, "method" | "path">,
    request: ValidRequest,
    options: CallOptions = {},
  ): Promise<Reply> => {
    const reply = await call(service.url, operation.method, pathOf(operation.path, request), {
      ...(request.body === undefined ? {} : { body: request.body }),
      organizationId: request.organizationId ?? own.account.organizationId,
      ...options,
      headers: { ...request.headers, ...options.headers },
    });
    checkEveryAnswer(reply);
    return reply;
  };
  const expectRefused = (reply: Reply, status: number | readonly number[], why: string) => {
    expect([status].flat(), `${why}: ${JSON.stringify(reply.body)}`).toContain(reply.status);
  };
  const valid = async (id: string, organization = own): Promise<ValidRequest> =>
    (await requests[id]?.valid?.(organization)) ?? {};

  /** The credential that gives access, by the authentication of the operation. */
  const goodFor = ({ auth }: Operation, request: ValidRequest): CallOptions => {
    if (auth === "refreshCookie") {
      return { cookie: request.cookie ?? "", headers: { "x-requested-with": "fetch" } };
    }
    if (auth === "apiKey") return key();
    if (request.bearer) return { bearer: request.bearer };
    return auth === "none" ? {} : jwt();
  };
  const closed = operations.filter(({ auth }) => auth !== "none" && auth !== "refreshCookie");
  const byId = (some: readonly Operation[]) => some.map((one) => [one.id, one] as const);

  it("is tested for every operation", () => {
    const missing = operations.filter(({ id }) => !requests[id]).map(({ id }) => id);
    const gone = Object.keys(requests).filter((id) => !operations.some((one) => one.id === id));
    const nowhere = operations.filter(
      ({ id, path }) => path.includes("{") && requests[id] && !requests[id]?.valid,
    );
    const where = "in test/support/requests";
    expect(missing, `say how to ask for each of these ${where}`).toEqual([]);
    expect(gone, `these operations are no more: take them out ${where}`).toEqual([]);
    expect(
      nowhere.map(({ id }) => id),
      `these have ids in their path: give them \`valid\` ${where}`,
    ).toEqual([]);
  });

  it.each(byId(operations))(
    "%s answers each permitted caller according to its schema",
    async (id, operation) => {
      const request = await valid(id);
      const reply = await ask(operation, request, goodFor(operation, request));
      const [status, response] = Object.entries(operation.responses)[0] ?? [];
      expect([reply.status, reply.body]).toEqual([Number(status), expect.anything()]);
      if (response && "_zod" in response) {
        // Strictly: the serialiser that wrote the answer checks nothing.
        expect((response as z.ZodType).parse(reply.body)).toEqual(reply.body);
        const { version } = reply.body as { version?: unknown };
        if (typeof version === "number") {
          expect(reply.headers.get("etag")).toBe(`"${version}"`);
        }
      } else if (response) {
        const [type = ""] = (response as { contentType: string }).contentType.split("*");
        expect(reply.headers.get("content-type")?.startsWith(type)).toBe(true);
        expect(reply.headers.get("content-disposition")).toMatch(
          /^(attachment|inline); filename="/,
        );
      } else {
        expect(reply.body).toHaveLength(0);
      }
      checkTimes(reply.body);
    },
  );

  it.each(byId(closed))("%s refuses callers without a valid credential", async (id, operation) => {
    const request = await valid(id);
    expectRefused(await ask(operation, request), 401, "nothing");
    const { body: _, ...bare } = request;
    expectRefused(await ask(operation, bare), 401, "nothing, and without a body");
    for (const [why, authorization] of Object.entries(bad)) {
      const reply = await ask(operation, request, { headers: { authorization } });
      expectRefused(reply, 401, why);
      expect(reply.headers.get("www-authenticate")).toMatch(/^Bearer/);
    }
    const byCookie = await ask(operation, request, {
      cookie: own.account.cookie,
      headers: { "x-requested-with": "fetch" },
      ...nowhere,
    });
    expectRefused(byCookie, operation.auth === "download" ? 200 : 401, "the cookie alone");
    const badCookie = await ask(operation, request, { cookie: "refresh_token=nonsense" });
    expectRefused(badCookie, 401, "a cookie of nobody");
    if (operation.auth === "apiKey") {
      expectRefused(await ask(operation, request, jwt()), 401, "a session instead of a key");
    }
    if (operation.auth === "session" || operation.auth === "admin") {
      expectRefused(await ask(operation, request, key()), 401, "a key instead of a session");
    }
  });

  it.each(byId(closed))("%s follows the role table", async (id, operation) => {
    // A person's own affairs: no organisation, no role.
    if (operation.auth === "session" || operation.auth === "admin") return;
    const allowed = standingsFor(operation);
    for (const standing of [...roles, "api_key"] as const) {
      const reply = await ask(operation, await valid(id), by(standing));
      if (operation.auth === "apiKey" && standing !== "api_key") {
        expectRefused(reply, 401, standing);
      } else if (allowed.includes(standing)) {
        expect(reply.status, `${standing}: ${JSON.stringify(reply.body)}`).toBeLessThan(300);
      } else {
        expectRefused(reply, 403, standing);
      }
    }
  });

  it.each(byId(operations.filter(({ auth }) => auth === "admin")))(
    "%s is reserved to verified administrators of the service",
    async (id, operation) => {
      for (const role of roles) {
        expectRefused(await ask(operation, await valid(id), by(role)), 403, role);
      }
      unverified ??= await signUpAsAdmin(service, 1);
      const bearer = unverified.accessToken;
      expectRefused(await ask(operation, await valid(id), { bearer }), 403, "not verified");
    },
  );

  it.each(byId(closed))("%s separates organisations", async (id, operation) => {
    const request = await valid(id);
    const inHeader = (organizationId: string) => ({ organizationId });
    const theirs = inHeader(other.account.organizationId);
    if (["member", "organization", "download"].includes(operation.auth)) {
      expectRefused(await ask(operation, request, { ...jwt(), ...theirs }), 403, "their X-Org-Id");
      expectRefused(await ask(operation, request, { ...jwt(), ...inHeader(newId()) }), 403, "no");
      expectRefused(
        await ask(operation, request, { ...jwt(), ...inHeader("x") }),
        400,
        "not an id",
      );
    }
    if (operation.auth === "session" || operation.auth === "admin") {
      const caller = goodFor(operation, request);
      expect((await ask(operation, request, { ...caller, ...theirs })).status).toBeLessThan(300);
    }

    const foreign = { ...request, ...(await valid(id, other)) };
    // Administrators of the service have access to every organisation.
    const taken = { apiKey: [key()], session: [jwt()], admin: [] };
    const callers = taken[operation.auth as keyof typeof taken] ?? [jwt(), key()];
    if (operation.params) {
      for (const caller of callers) {
        expectRefused(await ask(operation, foreign, caller), 403, "their id in the path");
        expectRefused(await ask(operation, foreign, { ...caller, ...theirs }), 403, "and header");
      }
      if (operation.auth === "download") {
        const { cookie } = own.account;
        expectRefused(await ask(operation, foreign, { cookie, ...nowhere }), 403, "by cookie");
      }
      const [idName = ""] = Object.keys(request.params ?? {});
      for (const unknown of [newId(), "nonsense", "%00", "..%2f..%2fetc"]) {
        const params = { ...request.params, [idName]: unknown };
        const reply = await ask(operation, { ...request, params }, goodFor(operation, request));
        expectRefused(reply, 404, unknown);
      }
    }
    const naming = requests[id]?.naming;
    if (naming) {
      for (const caller of callers) {
        const reply = await ask(operation, { ...request, ...naming(other) }, caller);
        expectRefused(reply, 403, "their id in the body or the query");
      }
    }
  });

  it.each(byId(operations.filter(({ auth }) => auth === "none")))(
    "%s needs no credential and ignores an invalid one",
    async (id, operation) => {
      for (const authorization of Object.values(bad).slice(0, 2)) {
        const options = { headers: { authorization }, organizationId: "nonsense" };
        expect((await ask(operation, await valid(id), options)).status).toBeLessThan(400);
      }
    },
  );

  it.each(byId(operations.filter(({ auth }) => auth === "refreshCookie")))(
    "%s accepts the cookie from our own pages only",
    async (id, operation) => {
      const { cookie = "" } = await valid(id);
      const headers = { "x-requested-with": "fetch" };
      expectRefused(await ask(operation, {}, { headers }), 401, "nothing");
      expectRefused(await ask(operation, {}, { cookie }), 403, "without X-Requested-With");
      expect((await ask(operation, {}, { cookie, headers })).status).toBeLessThan(300);
    },
  );

  it("GraphQL has the permissions of REST and returns an error for a foreign run", async () => {
    const operation = { method: "POST", path: "/graphql" } as const;
    const asking = (id: string) => ({
      body: { query: `{ run(id: "${id}") { id triggered_by } }` },
    });
    expectRefused(await ask(operation, asking(own.runId)), 401, "nothing");
    for (const [why, authorization] of Object.entries(bad)) {
      expectRefused(
        await ask(operation, asking(own.runId), { headers: { authorization } }),
        401,
        why,
      );
    }
    const theirs = { organizationId: other.account.organizationId };
    expectRefused(
      await ask(operation, asking(own.runId), { ...jwt(), ...theirs }),
      403,
      "X-Org-Id",
    );
    const mine = await ask(operation, asking(own.runId), key());
    expect(mine.body).toEqual({ data: { run: { id: own.runId, triggered_by: "api:ci" } } });
    const foreign = await ask(operation, asking(other.runId), key());
    expect(foreign.body.data.run).toBeNull();
    expect(foreign.body.errors[0].message).toContain("another organisation");
    const batch = await ask(operation, { body: [asking(own.runId).body] }, key());
    expectRefused(batch, 422, "a batch");
    const deep = `{ __schema { types ${"{ fields { type ".repeat(8)}{ name } ${"} }".repeat(8)} } }`;
    expectRefused(await ask(operation, { body: { query: deep } }, key()), 400, "a deep query");
  });

  it.each([
    "/openapi.json",
    "/api/v1/docs/",
    "/api/v1/nothing",
    "/nothing",
    "/api/v1/ws/execution",
    "/api/v1/ws/graphql",
  ])("%s has the standard headers in a refusal", async (path) =>
    checkEveryAnswer(await call(service.url, "GET", path), path),
  );
});

/** Without X-Org-Id. */
const nowhere: CallOptions = { organizationId: "" };

/** The rules for every response (spec, "Security headers", "Caching", "Errors"). */
const checkEveryAnswer = (reply: Reply, path = "/api/v1"): void => {
  const { headers } = reply;
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("x-frame-options")).toBe("DENY");
  expect(headers.get("x-xss-protection")).toBe("1; mode=block");
  expect(headers.get("referrer-policy")).toBe("strict-origin-when-cross-origin");
  expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  if (path.startsWith("/api")) {
    expect(headers.get("cache-control")).toBe("no-store, no-cache, must-revalidate");
  }
  const isGraphql = Object.hasOwn(Object(reply.body), "errors");
  if (reply.status < 400 || isGraphql) return;
  expect(reply.status).toBeLessThan(500);
  expect(reply.body).toEqual({ detail: expect.stringMatching(/\S/) });
};

const time = z.iso.datetime({ precision: 3 });

/** Every time of an answer is written in one way, wherever it stands. */
const checkTimes = (value: unknown): void => {
  if (typeof value !== "object" || value === null) return;
  for (const [name, inside] of Object.entries(value)) {
    // A plan, not a time: the plan at an instant.
    if (name === "plan_at") continue;
    if ((name === "at" || name.endsWith("_at")) && inside !== null) {
      expect(time.safeParse(inside).success, `${name}: ${inside}`).toBe(true);
    }
    checkTimes(inside);
  }
};
