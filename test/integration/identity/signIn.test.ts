import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Account, call, signUp } from "../../support/client.ts";
import { context, type Identity, type Process, startIdentity } from "./harness.ts";

let identity: Identity;
let service: Process;
let ann: Account;

beforeAll(async () => {
  identity = await startIdentity();
  service = await identity.startProcess();
  ann = await signUp(service.baseUrl);
});
afterAll(() => identity?.stop());

const post = (path: string, options: Parameters<typeof call>[3] = {}) =>
  call(service.baseUrl, "POST", `/api/v1${path}`, options);
const me = (bearer: string) => call(service.baseUrl, "GET", "/api/v1/auth/me", { bearer });
const ajax = { "x-requested-with": "fetch" };
const refresh = (cookie: string) => post("/auth/refresh", { cookie, headers: ajax });
const cookieOf = (reply: Awaited<ReturnType<typeof call>>) =>
  (reply.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
const logIn = (account: Account) =>
  post("/auth/login", { body: { email: account.email, password: account.password } });

describe("signing up", () => {
  it("records user, organisation, free plan and session, and allows a login at once", async () => {
    const bob = await signUp(service.baseUrl);
    const types = async (stream: string) =>
      (await identity.eventsOf(stream)).map((event) => event.type);
    expect(await types(`user-${bob.userId}`)).toEqual(["UserRegistered", "SessionOpened"]);
    expect(await types(`organization-${bob.organizationId}`)).toEqual(["OrganizationCreated"]);
    expect(await types(`plan-${bob.organizationId}`)).toEqual(["PlanStarted"]);
    const reply = await logIn(bob);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      token_type: "Bearer",
      expires_in: 600,
      user: { id: bob.userId, email: bob.email, name: "Ann Example", email_verified: false },
      organizations: [{ id: bob.organizationId, name: "Example", role: "owner" }],
    });
  });

  it("answers 409 for a known address in any spelling", async () => {
    const reply = await post("/auth/signup", {
      body: { email: ann.email.toUpperCase(), password: "some password", name: "Eve" },
    });
    expect(reply.status).toBe(409);
  });

  it("succeeds once for eight concurrent requests with one address", async () => {
    const email = `race-${crypto.randomUUID()}@example.test`;
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        post("/auth/signup", { body: { email, password: `password ${i}`, name: "Racer" } }),
      ),
    );
    const statuses = replies.map((reply) => reply.status).sort();
    expect(statuses).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
    const winner = replies.findIndex((reply) => reply.status === 201);
    const logins = await Promise.all(
      replies.map((_, i) => post("/auth/login", { body: { email, password: `password ${i}` } })),
    );
    expect(logins.findIndex((login) => login.status === 200)).toBe(winner);
    expect(logins.filter((login) => login.status === 200)).toHaveLength(1);
  });

  it("resumes with the same ids after an interruption at any step", async () => {
    for (const broken of ["createOrganization", "startPlan"] as const) {
      const failing = await identity.startProcess(
        {
          [broken]: async () => {
            throw new Error("the log went away");
          },
        },
        { projector: false },
      );
      const input = {
        email: `broken-${crypto.randomUUID()}@example.test`,
        password: "first password",
        name: "Broken",
        client: { address: "127.0.0.1", device: "test" },
        organizationName: "Broken Ltd",
      };
      await expect(failing.identity.signUp(context(), input)).rejects.toThrow("went away");
      const before = await sql<{ id: string; signup_organization_id: string }>`
        SELECT id, signup_organization_id FROM persons WHERE email = ${input.email}`.execute(
        identity.database.db,
      );
      const reply = await post("/auth/signup", {
        body: { email: input.email, password: "second password", name: "Mended" },
      });
      expect(reply.status).toBe(201);
      expect(reply.body.user.id).toBe(before.rows[0]?.id);
      expect(reply.body.organization.id).toBe(before.rows[0]?.signup_organization_id);
      const login = (password: string) =>
        post("/auth/login", { body: { email: input.email, password } });
      expect((await login("first password")).status).toBe(401);
      expect((await login("second password")).status).toBe(200);
    }
  });

  it.each([
    ["email", { email: "nobody" }],
    ["password", { password: "short" }],
    ["name", { name: "Ann\r\nBcc: all@example.test" }],
    ["organization_name", { organization_name: " " }],
  ])("answers 422 and names the field for a bad %s", async (field, wrong) => {
    const reply = await post("/auth/signup", {
      body: { email: "new@example.test", password: "good enough", name: "New", ...wrong },
    });
    expect(reply.status).toBe(422);
    expect(reply.body.detail).toContain(field);
  });
});

describe("signing in", () => {
  it("answers alike for a wrong password and an unknown address", async () => {
    const wrong = await post("/auth/login", { body: { email: ann.email, password: "not hers" } });
    const unknown = await post("/auth/login", {
      body: { email: `x${ann.email}`, password: "not hers" },
    });
    expect(wrong.status).toBe(401);
    expect(unknown.status).toBe(401);
    expect(unknown.body).toEqual(wrong.body);
    expect(wrong.headers.get("set-cookie")).toBeNull();
  });

  it("records refused sign-ins of a minute as one event with a count, without unknown addresses", async () => {
    const bob = await signUp(service.baseUrl);
    for (let i = 0; i < 3; i += 1) {
      await post("/auth/login", { body: { email: bob.email, password: "guess" } });
    }
    identity.moveOn(90_000);
    await Promise.all([
      service.identity.recordRefusedSignIns(),
      service.identity.recordRefusedSignIns(),
    ]);
    await service.identity.recordRefusedSignIns();
    const refused = (await identity.eventsOf(`user-${bob.userId}`)).filter(
      (event) => event.type === "SignInsRefused",
    );
    const counts = refused.map((event) => (event.data as { count: number }).count);
    // The three guesses fall into one minute, or two when one ended among them.
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3);
    const left = await sql`SELECT 1 FROM sign_in_refusals`.execute(identity.database.db);
    expect(left.rows).toEqual([]);
  });
});

describe("refreshing a session", () => {
  it("exchanges the HttpOnly cookie for a new one and an access token", async () => {
    const login = await logIn(ann);
    const reply = await refresh(cookieOf(login));
    expect(reply.status).toBe(200);
    expect(reply.body.organizations).toEqual([
      { id: ann.organizationId, name: "Example", role: "owner" },
    ]);
    expect(cookieOf(reply)).not.toBe(cookieOf(login));
    const attributes = reply.headers.get("set-cookie") ?? "";
    expect(attributes).toMatch(/HttpOnly/);
    expect(attributes).toMatch(/Path=\/api\/v1/);
    expect(attributes).toMatch(/SameSite=Lax/);
    expect((await me(reply.body.access_token)).status).toBe(200);
  });

  it("answers 403 without X-Requested-With and keeps the cookie valid, and 401 without a cookie", async () => {
    const cookie = cookieOf(await logIn(ann));
    expect((await post("/auth/refresh", { cookie })).status).toBe(403);
    expect((await refresh(cookie)).status).toBe(200);
    expect((await post("/auth/refresh", { headers: ajax })).status).toBe(401);
    expect((await refresh("refresh_token=nonsense")).status).toBe(401);
  });

  it("returns the same next cookie to twenty concurrent requests", async () => {
    const cookie = cookieOf(await logIn(ann));
    const replies = await Promise.all(Array.from({ length: 20 }, () => refresh(cookie)));
    expect(new Set(replies.map((reply) => reply.status))).toEqual(new Set([200]));
    const cookies = new Set(replies.map(cookieOf));
    expect(cookies.size).toBe(1);
    expect((await refresh([...cookies][0] ?? "")).status).toBe(200);
  });

  it("ends the session if a cookie is reused after its successor", async () => {
    const bob = await signUp(service.baseUrl);
    const second = await refresh(bob.cookie);
    const third = await refresh(cookieOf(second));
    expect((await me(third.body.access_token)).status).toBe(200);
    expect((await refresh(bob.cookie)).status).toBe(401);
    expect((await refresh(cookieOf(third))).status).toBe(401);
    expect((await me(third.body.access_token)).status).toBe(401);
    const types = (await identity.eventsOf(`user-${bob.userId}`)).map((event) => event.type);
    expect(types.slice(-2)).toEqual(["RefreshTokenReused", "SessionRevoked"]);
  });

  it("ends the session if a used cookie is reused after the grace period", async () => {
    const bob = await signUp(service.baseUrl);
    const second = await refresh(bob.cookie);
    identity.moveOn(11_000);
    expect((await refresh(bob.cookie)).status).toBe(401);
    expect((await refresh(cookieOf(second))).status).toBe(401);
  });

  it("ends a session after ninety days regardless of refreshes", async () => {
    const bob = await signUp(service.baseUrl);
    let cookie = bob.cookie;
    for (let day = 0; day < 80; day += 20) {
      identity.moveOn(20 * 24 * 3_600_000);
      const reply = await refresh(cookie);
      expect(reply.status).toBe(200);
      cookie = cookieOf(reply);
    }
    identity.moveOn(11 * 24 * 3_600_000);
    expect((await refresh(cookie)).status).toBe(401);
  });
});

describe("signing out", () => {
  it("invalidates access token and cookie at once and clears the cookie", async () => {
    const login = await logIn(ann);
    const reply = await post("/auth/logout", { bearer: login.body.access_token });
    expect(reply.status).toBe(204);
    expect(reply.headers.get("set-cookie")).toMatch(/refresh_token=;/);
    expect((await me(login.body.access_token)).status).toBe(401);
    expect((await refresh(cookieOf(login))).status).toBe(401);
    expect((await post("/auth/logout", { bearer: login.body.access_token })).status).toBe(401);
  });

  it("requires X-Requested-With with a cookie alone, and changes nothing on a repeat", async () => {
    const login = await logIn(ann);
    const cookie = cookieOf(login);
    expect((await post("/auth/logout", { cookie })).status).toBe(403);
    expect((await post("/auth/logout", { cookie, headers: ajax })).status).toBe(204);
    expect((await post("/auth/logout", { cookie, headers: ajax })).status).toBe(204);
    expect((await me(login.body.access_token)).status).toBe(401);
    expect((await post("/auth/logout", { headers: ajax })).status).toBe(401);
  });

  it("is effective in another process within about a second", async () => {
    const other = await identity.startProcess({}, { projector: false });
    const login = await logIn(ann);
    const bearer = login.body.access_token as string;
    const there = () => call(other.baseUrl, "GET", "/api/v1/auth/me", { bearer });
    expect((await there()).status).toBe(200);
    await post("/auth/logout", { bearer });
    await expect.poll(async () => (await there()).status, { timeout: 15_000 }).toBe(401);
  });
});

describe("stored data", () => {
  it("of the event log contains no address, name, password or token", async () => {
    const login = await logIn(ann);
    const text = await identity.wholeLog();
    expect(text).toContain("UserRegistered");
    for (const secret of [
      "@example.test",
      "Ann Example",
      "Mended",
      ann.password,
      login.body.access_token,
      cookieOf(login).slice("refresh_token=".length),
    ]) {
      expect(text).not.toContain(secret);
    }
  });

  it("of the tables contains no refresh token, password or private key in plain text", async () => {
    const { rows } = await sql<{ row: string }>`
      SELECT t::text AS row FROM refresh_tokens t
      UNION ALL SELECT p::text FROM password_hashes p
      UNION ALL SELECT k::text FROM signing_keys k`.execute(identity.database.db);
    const text = rows.map((each) => each.row).join("\n");
    expect(text).not.toContain(ann.password);
    expect(text).not.toContain(ann.cookie.slice("refresh_token=".length));
    expect(text).not.toMatch(/"d":/);
    expect(text).toContain("$argon2id$v=19$m=19456,t=2,p=1$");
  });
});
