import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Mail } from "../../../src/platform/mail/port.ts";
import { signInAttempts } from "../../../src/stores/identity/signInAttempts.ts";
import { PUBLISHED_MS, RETIRED_MS, SIGNS_MS } from "../../../src/stores/identity/signingKeys.ts";
import { type Account, type CallOptions, call, type Reply, signUp } from "../../support/client.ts";
import { type Identity, type Process, startIdentity } from "./harness.ts";

let identity: Identity;
let service: Process;

beforeAll(async () => {
  identity = await startIdentity();
  service = await identity.startProcess({}, { slowsDown: true });
});
afterAll(() => identity?.stop());

const request = (method: string, path: string, options: CallOptions = {}) =>
  call(service.baseUrl, method, `/api/v1${path}`, options);
const post = (path: string, body?: unknown, options: CallOptions = {}) =>
  request("POST", path, { ...options, ...(body === undefined ? {} : { body }) });
const me = (bearer: string) => request("GET", "/auth/me", { bearer });
const cookieOf = (reply: Reply) => (reply.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
const refresh = (cookie: string) =>
  post("/auth/refresh", undefined, { cookie, headers: { "x-requested-with": "fetch" } });
const logIn = ({ email }: Pick<Account, "email">, password: string, headers = {}) =>
  post("/auth/login", { email, password }, { headers });

/** The mail that waits for an address, newest last. Nobody sends here. */
const mailFor = async (email: string): Promise<Mail[]> =>
  (await service.outbox.due(identity.clock(), 1_000))
    .map(({ mail }) => mail)
    .filter(({ to }) => to.address === email);
const tokenIn = (mail: Mail | undefined): string =>
  /token=([\w-]+)/.exec(mail?.text ?? "")?.[1] ?? "no token";
const resetTokenFor = async (email: string): Promise<string> => {
  expect((await post("/auth/password/forgot", { email })).status).toBe(202);
  return tokenIn((await mailFor(email)).filter(({ text }) => text.includes("/reset-")).at(-1));
};
const eventsOf = async ({ userId }: Account) =>
  (await identity.eventsOf(`user-${userId}`)).map(({ type }) => type);

describe("verifying an e-mail address", () => {
  it("accepts the mailed token once", async () => {
    const ann = await signUp(service.baseUrl);
    const mails = await mailFor(ann.email);
    expect(mails).toHaveLength(1);
    const token = tokenIn(mails[0]);
    expect(mails[0]?.html).toContain(`/verify-email?token=${token}`);
    expect((await me(ann.accessToken)).body.user.email_verified).toBe(false);
    expect((await post("/auth/verify-email", { token })).status).toBe(204);
    expect((await me(ann.accessToken)).body.user.email_verified).toBe(true);
    expect((await logIn(ann, ann.password)).body.user.email_verified).toBe(true);
    const again = await post("/auth/verify-email", { token });
    expect([again.status, Object.keys(again.body)]).toEqual([422, ["detail"]]);
    expect((await eventsOf(ann)).filter((type) => type === "EmailVerified")).toHaveLength(1);
  });

  it("accepts a token once from eight concurrent requests", async () => {
    const ann = await signUp(service.baseUrl);
    const token = tokenIn((await mailFor(ann.email))[0]);
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => post("/auth/verify-email", { token })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([204, ...Array(7).fill(422)]);
  });

  it("answers 422 for an unknown, expired or unrelated token", async () => {
    const ann = await signUp(service.baseUrl);
    const token = tokenIn((await mailFor(ann.email))[0]);
    expect((await post("/auth/verify-email", { token: "made-up" })).status).toBe(422);
    const reset = { token, password: "some password" };
    expect((await post("/auth/password/reset", reset)).status).toBe(422);
    identity.moveOn(24 * 3_600_000);
    expect((await post("/auth/verify-email", { token })).status).toBe(422);
    expect((await post("/auth/verify-email", { token: "x".repeat(300) })).status).toBe(422);
  });

  it("answers alike for unverified, verified and unknown addresses, and mails only the first", async () => {
    const [ann, bob] = [await signUp(service.baseUrl), await signUp(service.baseUrl)];
    await post("/auth/verify-email", { token: tokenIn((await mailFor(bob.email))[0]) });
    const nobody = `no-${ann.email}`;
    const replies = [];
    for (const email of [ann.email, bob.email, nobody]) {
      replies.push(await post("/auth/verify-email/request", { email }));
    }
    const seen = ({ status, body, headers }: Reply) => ({
      status,
      body: body.length,
      headers: [...headers.keys()].sort(),
    });
    expect(seen(replies[0] as Reply)).toMatchObject({ status: 202, body: 0 });
    expect(seen(replies[1] as Reply)).toEqual(seen(replies[0] as Reply));
    expect(seen(replies[2] as Reply)).toEqual(seen(replies[0] as Reply));
    expect((await mailFor(ann.email)).length).toBe(2);
    expect((await mailFor(bob.email)).length).toBe(1);
    expect(await mailFor(nobody)).toEqual([]);
  });

  it("sends at most five mails per hour and person", async () => {
    const ann = await signUp(service.baseUrl);
    for (let i = 0; i < 9; i += 1) await post("/auth/verify-email/request", { email: ann.email });
    expect((await mailFor(ann.email)).length).toBe(5);
  });
});

describe("resetting a password", () => {
  it("replaces the password, ends every session and notifies the owner", async () => {
    const ann = await signUp(service.baseUrl);
    const login = await logIn(ann, ann.password);
    const token = await resetTokenFor(ann.email.toUpperCase()).then(() => resetTokenFor(ann.email));
    const password = "an entirely new one";
    expect((await post("/auth/password/reset", { token, password })).status).toBe(204);
    for (const bearer of [ann.accessToken, login.body.access_token]) {
      expect((await me(bearer)).status).toBe(401);
    }
    expect((await refresh(cookieOf(login))).status).toBe(401);
    expect((await logIn(ann, ann.password)).status).toBe(401);
    const fresh = await logIn(ann, password);
    expect(fresh.status).toBe(200);
    expect(fresh.body.user.email_verified).toBe(true);
    expect((await mailFor(ann.email)).at(-1)?.subject).toBe("Your password was changed");
    const events = await eventsOf(ann);
    expect(events.filter((type) => type === "PasswordChanged")).toHaveLength(1);
    expect(events.filter((type) => type === "SessionRevoked")).toHaveLength(2);
    expect((await post("/auth/password/reset", { token, password })).status).toBe(422);
  });

  it("accepts a token once from eight concurrent requests", async () => {
    const ann = await signUp(service.baseUrl);
    const token = await resetTokenFor(ann.email);
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        post("/auth/password/reset", { token, password: `password ${i}` }),
      ),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([204, ...Array(7).fill(422)]);
    const winner = replies.findIndex(({ status }) => status === 204);
    expect((await logIn(ann, `password ${winner}`)).status).toBe(200);
    const changes = (await eventsOf(ann)).filter((type) => type === "PasswordChanged");
    expect(changes).toHaveLength(1);
  });

  it("invalidates other tokens after a reset, and all after an hour", async () => {
    const ann = await signUp(service.baseUrl);
    const [first, second] = [await resetTokenFor(ann.email), await resetTokenFor(ann.email)];
    const password = "an entirely new one";
    expect((await post("/auth/password/reset", { token: second, password })).status).toBe(204);
    expect((await post("/auth/password/reset", { token: first, password })).status).toBe(422);
    const third = await resetTokenFor(ann.email);
    identity.moveOn(3_600_000);
    expect((await post("/auth/password/reset", { token: third, password })).status).toBe(422);
  });

  it("answers alike for known and unknown addresses, with equal rows and no mail to unknown ones", async () => {
    const ann = await signUp(service.baseUrl);
    const rows = async () => {
      const { db } = identity.database;
      const [tokens, mails] = await Promise.all([
        db.selectFrom("identity_tokens").selectAll().execute(),
        db.selectFrom("outbox").selectAll().execute(),
      ]);
      return [tokens.length, mails.length] as const;
    };
    const before = await rows();
    const known = await post("/auth/password/forgot", { email: ann.email });
    const between = await rows();
    const unknown = await post("/auth/password/forgot", { email: `no-${ann.email}` });
    const after = await rows();
    expect([unknown.status, unknown.body.length]).toEqual([known.status, known.body.length]);
    expect(between.map((n, i) => n - (before[i] ?? 0))).toEqual([1, 1]);
    expect(after.map((n, i) => n - (between[i] ?? 0))).toEqual([1, 1]);
    expect(await mailFor(`no-${ann.email}`)).toEqual([]);
  });

  it("stores no mailed token in a table", async () => {
    const ann = await signUp(service.baseUrl);
    const token = await resetTokenFor(ann.email);
    const rows = await identity.database.db.selectFrom("identity_tokens").selectAll().execute();
    const text = rows.map((row) => `${Buffer.from(row.hash).toString("utf8")}`).join(" ");
    expect(text).not.toContain(token);
    expect(await identity.wholeLog()).not.toContain(token);
  });
});

describe("changing a password", () => {
  it("ends other sessions and keeps the current one", async () => {
    const ann = await signUp(service.baseUrl);
    const other = await logIn(ann, ann.password);
    const body = { current_password: ann.password, new_password: "an entirely new one" };
    const bearer = ann.accessToken;
    expect((await post("/auth/password/change", body, { bearer })).status).toBe(204);
    expect((await me(bearer)).status).toBe(200);
    expect((await refresh(ann.cookie)).status).toBe(200);
    expect((await me(other.body.access_token)).status).toBe(401);
    expect((await refresh(cookieOf(other))).status).toBe(401);
    expect((await logIn(ann, ann.password)).status).toBe(401);
    expect((await logIn(ann, body.new_password)).status).toBe(200);
  });

  it("answers 403 for a wrong password, and 429 with Retry-After after many", async () => {
    const ann = await signUp(service.baseUrl);
    const body = { current_password: "guessing", new_password: "an entirely new one" };
    const guess = () => post("/auth/password/change", body, { bearer: ann.accessToken });
    expect(await untilHeld(guess)).toBe(403);
    expect((await logIn(ann, ann.password)).status).toBe(200);
  });
});

describe("guessing passwords", () => {
  const now = new Date("2026-03-01T12:00:00.000Z");
  const later = (ms: number) => new Date(now.getTime() + ms);

  it("delays each attempt longer, up to 15 minutes, and forgets failures after an hour", async () => {
    const { begin } = attempts();
    const attempt = { subject: `${crypto.randomUUID()}@example.test`, origin: "192.0.2.10" };
    const waits: number[] = [];
    let at = 0;
    while (waits.length < 14) {
      const next = await begin(attempt, later(at));
      if (next === null) continue;
      waits.push((next.getTime() - now.getTime() - at) / 1_000);
      expect(await begin(attempt, new Date(next.getTime() - 1))).toEqual(next);
      at = next.getTime() - now.getTime();
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900, 900]);
    expect(await begin(attempt, later(at + 2 * 3_600_000))).toBeNull();
    expect(await begin(attempt, later(at + 2 * 3_600_000))).toBeNull();
  });

  it("verifies at most six of fifty concurrent guesses", async () => {
    const { begin } = attempts();
    const attempt = { subject: `${crypto.randomUUID()}@example.test`, origin: "192.0.2.11" };
    const all = await Promise.all(Array.from({ length: 50 }, () => begin(attempt, now)));
    expect(all.filter((next) => next === null)).toHaveLength(6);
  });

  it("resets the failures of an address after a success, but not of its origin at other addresses", async () => {
    const { begin, succeeded } = attempts();
    const origin = "192.0.2.12";
    const mine = { subject: `${crypto.randomUUID()}@example.test`, origin };
    for (let i = 0; i < 5; i += 1) expect(await begin(mine, now)).toBeNull();
    await succeeded(mine);
    for (let i = 0; i < 6; i += 1) expect(await begin(mine, now)).toBeNull();
    // Everybody's from one place: a hundred failures, whoever they are about.
    for (let i = 0; i < 89; i += 1) {
      expect(await begin({ subject: `${i}@example.test`, origin }, now)).toBeNull();
    }
    await begin({ subject: "last@example.test", origin }, now);
    await begin({ subject: "more@example.test", origin }, now);
    expect(await begin({ subject: "other@example.test", origin }, now)).not.toBeNull();
    expect(await begin({ subject: "other@example.test", origin: "192.0.2.13" }, now)).toBeNull();
  });

  it("answers 429 with Retry-After over HTTP, also for unknown addresses, and accepts the password after the wait", async () => {
    const ann = await signUp(service.baseUrl);
    expect(await untilHeld(() => logIn(ann, "guessing"))).toBe(401);
    const nobody = { email: `nobody-${crypto.randomUUID()}@example.test` };
    expect(await untilHeld(() => logIn(nobody, "guessing"))).toBe(401);
    identity.moveOn(900_000);
    expect((await logIn(ann, ann.password)).status).toBe(200);
    expect((await logIn(ann, "guessing")).status).toBe(401);
  });

  it("does not prevent a reset by the owner from elsewhere", async () => {
    const ann = await signUp(service.baseUrl);
    const { begin } = attempts();
    for (let i = 0; i < 40; i += 1) {
      const held = await begin({ subject: ann.email, origin: `10.0.0.${i}` }, identity.clock());
      if (held) identity.moveOn(held.getTime() - identity.clock().getTime());
    }
    await begin({ subject: ann.email, origin: "10.0.2.1" }, identity.clock());
    const elsewhere = { subject: ann.email, origin: "192.0.2.1" };
    expect(await begin(elsewhere, identity.clock())).not.toBeNull();
    // Failed sign-ins elsewhere do not delay an origin from which she has signed in before.
    expect((await logIn(ann, ann.password)).status).toBe(200);
    for (let i = 0; i < 40; i += 1) {
      await begin({ subject: ann.email, origin: `10.0.1.${i}` }, identity.clock());
    }
    const token = await resetTokenFor(ann.email);
    await post("/auth/password/reset", { token, password: "an entirely new one" });
    expect(await begin(elsewhere, identity.clock())).toBeNull();
  });
});

const attempts = () => signInAttempts({ db: identity.database.db, masterKey: Buffer.alloc(32, 7) });

/** Repeats a request until it is refused with 429. Resolves with the earlier status, which was the same at least five times. */
const untilHeld = async (ask: () => Promise<Reply>): Promise<number> => {
  const told: number[] = [];
  for (let i = 0; i < 40; i += 1) {
    const reply = await ask();
    if (reply.status === 429) {
      expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(new Set(told).size).toBe(1);
      expect(told.length).toBeGreaterThanOrEqual(5);
      return told[0] ?? 0;
    }
    told.push(reply.status);
  }
  throw new Error("It never had to wait");
};

describe("protected fields", () => {
  it("are ignored in a signup", async () => {
    const email = `bold-${crypto.randomUUID()}@example.test`;
    const id = crypto.randomUUID();
    const reply = await post("/auth/signup", {
      email,
      password: "some password",
      name: "Bold",
      id,
      user_id: id,
      email_verified: true,
      verified_at: "2026-01-01T00:00:00.000Z",
      role: "admin",
      organization_id: id,
      plan: "enterprise",
    });
    if (reply.status !== 422) {
      expect(reply.status).toBe(201);
      expect(reply.body.user.email_verified).toBe(false);
      expect(reply.body.user.id).not.toBe(id);
      expect(reply.body.organization.id).not.toBe(id);
    }
  });

  it("of another user are ignored in a change of password", async () => {
    const [ann, bob] = [await signUp(service.baseUrl), await signUp(service.baseUrl)];
    const body = {
      current_password: bob.password,
      new_password: "an entirely new one",
      user_id: ann.userId,
      userId: ann.userId,
    };
    await post("/auth/password/change", body, { bearer: bob.accessToken });
    expect((await logIn(ann, ann.password)).status).toBe(200);
    expect((await logIn(ann, body.new_password)).status).toBe(401);
  });
});

describe("sessions", () => {
  const list = (bearer: string) => request("GET", "/auth/sessions", { bearer });

  it("are listed with device, address and times, and mark the current one", async () => {
    const ann = await signUp(service.baseUrl);
    const device = `Mozilla/5.0 ${"x".repeat(400)}`;
    const second = await logIn(ann, ann.password, { "user-agent": device });
    await logIn(ann, ann.password, { "user-agent": "curl/8" });
    const { body } = await list(second.body.access_token);
    expect(body.items).toHaveLength(3);
    const [mine] = body.items.filter(({ current }: { current: boolean }) => current);
    expect(mine).toMatchObject({
      method: "password",
      device: device.slice(0, 256),
      address: "127.0.0.1",
    });
    expect(body.items.map(({ method }: { method: string }) => method).sort()).toEqual([
      "password",
      "password",
      "signup",
    ]);
    identity.moveOn(60_000);
    await refresh(cookieOf(second));
    const after = (await list(second.body.access_token)).body.items[0];
    expect(after.id).toBe(mine.id);
    expect(Date.parse(after.last_used_at)).toBeGreaterThan(Date.parse(mine.last_used_at));
    expect(await identity.wholeLog()).not.toMatch(/Mozilla|curl\/8|127\.0\.0\.1/);
  });

  it("are revoked in both processes, and those of others cannot be", async () => {
    const [ann, bob] = [await signUp(service.baseUrl), await signUp(service.baseUrl)];
    const there = await identity.startProcess({}, { projector: false });
    const second = await logIn(ann, ann.password);
    const bearer = second.body.access_token as string;
    const elsewhere = async () =>
      (await call(there.baseUrl, "GET", "/api/v1/auth/me", { bearer })).status;
    expect(await elsewhere()).toBe(200);
    const { items } = (await list(bearer)).body;
    const { id } = items.find(({ current }: { current: boolean }) => current);
    const end = (who: Account) =>
      request("DELETE", `/auth/sessions/${id}`, { bearer: who.accessToken });
    expect((await end(bob)).status).toBe(403);
    expect((await me(bearer)).status).toBe(200);
    expect((await end(ann)).status).toBe(204);
    expect((await me(bearer)).status).toBe(401);
    await expect.poll(elsewhere, { timeout: 15_000 }).toBe(401);
    expect((await refresh(cookieOf(second))).status).toBe(401);
    expect((await end(ann)).status).toBe(204);
    const unknown = await request("DELETE", `/auth/sessions/${crypto.randomUUID()}`, {
      bearer: ann.accessToken,
    });
    expect(unknown.status).toBe(404);
    const events = await eventsOf(ann);
    expect(events.filter((type) => type === "SessionRevoked")).toHaveLength(1);
  });

  it("are all revoked except the current one", async () => {
    const ann = await signUp(service.baseUrl);
    const others = [await logIn(ann, ann.password), await logIn(ann, ann.password)];
    const ended = await request("DELETE", "/auth/sessions", { bearer: ann.accessToken });
    expect(ended.status).toBe(204);
    for (const { body } of others) expect((await me(body.access_token)).status).toBe(401);
    expect((await list(ann.accessToken)).body.items).toHaveLength(1);
  });

  it("clear the cookie if they revoke themselves", async () => {
    const ann = await signUp(service.baseUrl);
    const [{ id }] = (await list(ann.accessToken)).body.items;
    const reply = await request("DELETE", `/auth/sessions/${id}`, { bearer: ann.accessToken });
    expect(reply.headers.get("set-cookie")).toMatch(/^refresh_token=;/);
  });

  it("ignore a cookie from before the sign-in", async () => {
    const [ann, eve] = [await signUp(service.baseUrl), await signUp(service.baseUrl)];
    const login = await post(
      "/auth/login",
      { email: ann.email, password: ann.password },
      { cookie: eve.cookie },
    );
    expect(cookieOf(login)).not.toBe(eve.cookie);
    expect((await refresh(eve.cookie)).body.user.id).toBe(eve.userId);
    const planted = await post(
      "/auth/login",
      { email: ann.email, password: ann.password },
      { cookie: "refresh_token=planted" },
    );
    expect(cookieOf(planted)).not.toContain("planted");
    expect((await refresh("refresh_token=planted")).status).toBe(401);
  });
});

describe("signing keys", () => {
  it("are published before they sign and remain valid for the life of their tokens", async () => {
    const other = await identity.startProcess({}, { projector: false });
    const kidOf = (token: string) =>
      JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()).kid as string;
    const published = async () =>
      (await request("GET", "/auth/jwks.json")).body.keys.map(({ kid }: { kid: string }) => kid);
    const rotateBoth = () =>
      Promise.all([service, other].map(({ keyRing }) => keyRing.rotate(identity.clock())));

    const [first] = await published();
    await rotateBoth();
    expect(await published()).toEqual([first]);

    identity.moveOn(SIGNS_MS - PUBLISHED_MS);
    await rotateBoth();
    const both = await published();
    expect(both).toHaveLength(2);
    const ann = await signUp(service.baseUrl);
    expect(kidOf(ann.accessToken)).toBe(first);

    identity.moveOn(PUBLISHED_MS);
    await service.keyRing.rotate(identity.clock());
    const bob = await signUp(service.baseUrl);
    const second = kidOf(bob.accessToken);
    expect(second).not.toBe(first);
    expect(both).toContain(second);
    // The other process has not looked yet, and takes both keys all the same.
    const there = (bearer: string) => call(other.baseUrl, "GET", "/api/v1/auth/me", { bearer });
    expect((await there(bob.accessToken)).status).toBe(200);
    const old = await other.identity.logIn(
      {
        actor: { type: "system", id: "test" },
        organizationId: null,
        correlationId: crypto.randomUUID(),
        causationId: crypto.randomUUID(),
      },
      { email: bob.email, password: bob.password, client: { address: "127.0.0.1", device: "" } },
    );
    expect(kidOf(old.accessToken)).toBe(first);
    expect((await me(old.accessToken)).status).toBe(200);

    identity.moveOn(RETIRED_MS + 1_000);
    await rotateBoth();
    expect(await published()).toEqual([second]);
    expect((await me(old.accessToken)).status).toBe(401);
  });

  it("are looked up by another process before it refuses a token", async () => {
    const other = await identity.startProcess({}, { projector: false });
    identity.moveOn(SIGNS_MS - PUBLISHED_MS);
    await service.keyRing.rotate(identity.clock());
    identity.moveOn(PUBLISHED_MS);
    await service.keyRing.rotate(identity.clock());
    const ann = await signUp(service.baseUrl);
    const reply = await call(other.baseUrl, "GET", "/api/v1/auth/me", { bearer: ann.accessToken });
    expect(reply.status).toBe(200);
  });
});
