import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogger } from "../../../src/platform/logger.ts";
import { openIdProvider } from "../../../src/platform/openid/provider.ts";
import { type Account, call, callOnce, type Reply, signUp } from "../../support/client.ts";
import {
  type ProviderAccount,
  startOidcServer,
  type TestOidcServer,
} from "../../support/oidcServer.ts";
import { type Identity, ISSUER, type Process, startIdentity } from "./harness.ts";

let google: TestOidcServer;
let microsoft: TestOidcServer;
let identity: Identity;
let service: Process;
let addresses = 0;
const lines: string[] = [];

beforeAll(async () => {
  [google, microsoft, identity] = await Promise.all([
    startOidcServer(),
    startOidcServer({ claimsInIdToken: true }),
    startIdentity(),
  ]);
  const destination = { write: (line: string) => lines.push(line) };
  const logger = createLogger({ level: "trace", destination });
  const providers = {
    google: openIdProvider(google, logger),
    microsoft: openIdProvider(microsoft, logger),
  };
  service = await identity.startProcess({}, { providers });
});
afterAll(async () => {
  await identity?.stop();
  await google?.stop();
  await microsoft?.stop();
});

type Provider = "google" | "microsoft";

const get = (path: string, cookie = "") =>
  callOnce(service.baseUrl, "GET", `/api/v1${path}`, cookie ? { cookie } : {});
const cookieIn = (reply: Reply, name: string): string =>
  reply.headers
    .getSetCookie()
    .map((line) => line.split(";")[0] ?? "")
    .find((pair) => pair.startsWith(`${name}=`)) ?? "";

/** A browser that has begun to sign in: its cookie, and where it is sent. */
const begin = async (provider: Provider = "google", cookie = "") => {
  const reply = await get(`/auth/oauth/${provider}/start?return_to=/projects`, cookie);
  expect([reply.status, reply.body.toString()]).toEqual([302, ""]);
  return {
    cookie: cookieIn(reply, "oauth_browser"),
    url: reply.headers.get("location") ?? "",
    setCookie: reply.headers.get("set-cookie") ?? "",
  };
};
const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url);
  return pathname.replace("/api/v1", "") + search;
};
/** Through the provider and back. */
const finish = async (
  sub: string,
  at: Awaited<ReturnType<typeof begin>>,
  server = google,
): Promise<Reply> => get(pathOf(await server.signInAt(at.url, sub)), at.cookie);

const newAddress = () => {
  addresses += 1;
  return `person-${addresses}@example.test`;
};
const somebody = (told: Partial<ProviderAccount> = {}, server = google) => {
  const account = { email: newAddress(), emailVerified: true, name: "Ann Example", ...told };
  return { ...account, sub: server.add(account) };
};
const signedInAs = async (reply: Reply) => {
  const { body } = await call(service.baseUrl, "POST", "/api/v1/auth/refresh", {
    cookie: cookieIn(reply, "refresh_token"),
    headers: { "x-requested-with": "fetch" },
  });
  return body;
};
const expectRefused = (reply: Reply, status: number) => {
  expect([reply.status, Object.keys(reply.body)]).toEqual([status, ["detail"]]);
  expect(cookieIn(reply, "refresh_token")).toBe("");
};
const eventsOf = async (userId: string) =>
  (await identity.eventsOf(`user-${userId}`)).map(({ type }) => type);
const mailsFor = async (email: string) =>
  (await service.outbox.due(identity.clock(), 1_000))
    .map(({ mail }) => mail)
    .filter(({ to }) => to.address === email);
const tokenIn = (text = ""): string => /token=([\w-]+)/.exec(text)?.[1] ?? "";
const verified = async (): Promise<Account> => {
  const account = await signUp(service.baseUrl);
  const token = tokenIn((await mailsFor(account.email))[0]?.text);
  const body = { token };
  await call(service.baseUrl, "POST", "/api/v1/auth/verify-email", { body });
  return account;
};
const resetPassword = async (email: string, password: string) => {
  const post = (path: string, body: unknown) =>
    call(service.baseUrl, "POST", `/api/v1/auth/password/${path}`, { body });
  await post("forgot", { email });
  const mail = (await mailsFor(email)).filter(({ text }) => text.includes("/reset-")).at(-1);
  return (await post("reset", { token: tokenIn(mail?.text), password })).status;
};

describe("signing in with a provider", () => {
  it.each(["google", "microsoft"] as const)(
    "creates an account with a verified address on the first sign-in at %s, and reuses it",
    async (provider) => {
      const server = provider === "google" ? google : microsoft;
      const { sub, email } = somebody({}, server);
      const at = await begin(provider);
      expect(at.setCookie).toMatch(
        /^oauth_browser=[\w-]{43}; Max-Age=600; Path=\/api\/v1; HttpOnly; SameSite=Lax/,
      );
      const asked = new URL(at.url).searchParams;
      expect(asked.get("code_challenge_method")).toBe("S256");
      expect(asked.get("scope")).toBe("openid email profile");
      const reply = await finish(sub, at, server);
      expect([reply.status, reply.headers.get("location")]).toEqual([302, `${ISSUER}/projects`]);
      const { user, organizations } = await signedInAs(reply);
      expect(user).toEqual({ id: user.id, email, name: "Ann Example", email_verified: true });
      expect(organizations).toHaveLength(1);
      expect(await eventsOf(user.id)).toEqual([
        "UserRegistered",
        "EmailVerified",
        "ExternalIdentityLinked",
        "SessionOpened",
      ]);
      expect(await mailsFor(email)).toEqual([]);

      const again = await finish(sub, await begin(provider), server);
      expect((await signedInAs(again)).user.id).toBe(user.id);
      const events = await identity.eventsOf(`user-${user.id}`);
      expect(events.map(({ type }) => type).slice(4)).toEqual(["SessionOpened"]);
      expect(events.at(-1)?.data).toMatchObject({ method: provider });
    },
  );

  it("links an account with an address that both sides verified, and notifies its owner", async () => {
    const ann = await verified();
    const { sub } = somebody({ email: ann.email.toUpperCase() });
    const reply = await finish(sub, await begin());
    expect((await signedInAs(reply)).user.id).toBe(ann.userId);
    expect((await mailsFor(ann.email)).at(-1)?.subject).toBe("You can sign in with Google now");
    await finish(sub, await begin());
    const linked = (await eventsOf(ann.userId)).filter((type) => type === "ExternalIdentityLinked");
    expect(linked).toHaveLength(1);
    const other = somebody({ email: ann.email });
    const second = await finish(other.sub, await begin());
    expectRefused(second, 409);
    expect(second.body.detail).toContain("already linked");
  });

  it.each([
    ["nobody has verified here", { here: false, there: true }],
    ["the provider says is not verified", { here: true, there: false }],
    ["the provider says nothing about", { here: true, there: undefined }],
  ])(
    "answers 409 with the reason and links nothing for an account whose address %s",
    async (_, { here, there }) => {
      const ann = here ? await verified() : await signUp(service.baseUrl);
      const { sub } = somebody({ email: ann.email, emailVerified: there });
      const reply = await finish(sub, await begin());
      expectRefused(reply, 409);
      expect(reply.body.detail).toContain("An account with this e-mail address exists");
      expect(await eventsOf(ann.userId)).not.toContain("ExternalIdentityLinked");
    },
  );

  it("requires verification of an unverified address, which locks out an earlier claimant", async () => {
    const { sub, email } = somebody({ emailVerified: false });
    const { user } = await signedInAs(await finish(sub, await begin()));
    expect(user.email_verified).toBe(false);
    const [welcome] = await mailsFor(email);
    expect(welcome?.subject).toBe("Confirm your e-mail address");
    expect(await resetPassword(email, "the owner's own")).toBe(204);
    expectRefused(await finish(sub, await begin()), 409);
    const body = { email, password: "the owner's own" };
    const login = await call(service.baseUrl, "POST", "/api/v1/auth/login", { body });
    expect(login.body.user).toMatchObject({ id: user.id, email_verified: true });
    // Verified before, a reset changes nothing of it.
    const own = somebody();
    const account = await signedInAs(await finish(own.sub, await begin()));
    expect(await resetPassword(own.email, "another one")).toBe(204);
    expect((await signedInAs(await finish(own.sub, await begin()))).user.id).toBe(account.user.id);
  });

  it("answers 403 without an address, and derives a missing name from the address", async () => {
    const { sub } = somebody({ email: undefined as unknown as string });
    expectRefused(await finish(sub, await begin()), 403);
    const forged = somebody({ name: "Ann\r\nBcc: all@example.test" });
    const { user } = await signedInAs(await finish(forged.sub, await begin()));
    expect(user.name).toBe(forged.email.split("@")[0]);
  });

  it("lets a person without a password set one to export and erase their data, and then forgets the provider's account", async () => {
    const { sub, email } = somebody();
    const { user, access_token: bearer } = await signedInAs(await finish(sub, await begin()));
    const request = (method: string, path: string, body?: unknown) =>
      call(service.baseUrl, method, `/api/v1/auth${path}`, { bearer, body });
    const file = (await request("GET", "/me/export")).body;
    expect(file.identities).toEqual([
      { provider: "google", issuer: google.issuer, subject: sub, linked_at: expect.any(String) },
    ]);
    const refused = await request("DELETE", "/me", { password: "" });
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      expect.stringContaining("no password yet"),
    ]);
    expect(await resetPassword(email, "at last a password")).toBe(204);
    const body = { email, password: "at last a password" };
    const login = await call(service.baseUrl, "POST", "/api/v1/auth/login", { body });
    const erased = await call(service.baseUrl, "DELETE", "/api/v1/auth/me", {
      bearer: login.body.access_token,
      body: { password: body.password },
    });
    expect(erased.status).toBe(204);
    const anew = await signedInAs(await finish(sub, await begin()));
    expect(anew.user.id).not.toBe(user.id);
  });

  it("signs in both windows of a browser to one account", async () => {
    const { sub } = somebody();
    const first = await begin();
    const second = await begin("google", first.cookie);
    expect(second.cookie).toBe(first.cookie);
    const replies = await Promise.all([finish(sub, first), finish(sub, second)]);
    expect(replies.map(({ status }) => status)).toEqual([302, 302]);
    const [one, other] = await Promise.all(replies.map(signedInAs));
    expect(one.user.id).toBe(other.user.id);
  });

  it("resumes an interrupted first sign-in with the same ids", async () => {
    const logger = createLogger({ level: "silent" });
    for (const broken of ["createOrganization", "startPlan"] as const) {
      const providers = { google: openIdProvider(google, logger) };
      const breaks = async (): Promise<never> => {
        throw new Error("the process died here");
      };
      const apart = await identity.startProcess(
        { [broken]: breaks },
        { projector: false, providers },
      );
      const { sub, email } = somebody();
      const begun = await callOnce(apart.baseUrl, "GET", "/api/v1/auth/oauth/google/start");
      const back = new URL(await google.signInAt(begun.headers.get("location") ?? "", sub));
      const cookie = cookieIn(begun, "oauth_browser");
      const path = back.pathname + back.search;
      expectRefused(await callOnce(apart.baseUrl, "GET", path, { cookie }), 500);
      const { rows } = await identity.database.pool.query(
        "select id, signed_up_at from persons where email = $1",
        [email],
      );
      expect(rows).toEqual([{ id: expect.any(String), signed_up_at: null }]);
      const { user, organizations } = await signedInAs(await finish(sub, await begin()));
      expect([user.id, organizations.length]).toEqual([rows[0].id, 1]);
      expect(await eventsOf(user.id)).toEqual([
        "UserRegistered",
        "EmailVerified",
        "ExternalIdentityLinked",
        "SessionOpened",
      ]);
    }
  });

  it("restores a link that was lost with its row", async () => {
    const ann = await verified();
    const { sub } = somebody({ email: ann.email });
    await finish(sub, await begin());
    await identity.database.pool.query("delete from external_identities where user_id = $1", [
      ann.userId,
    ]);
    expect((await signedInAs(await finish(sub, await begin()))).user.id).toBe(ann.userId);
    const linked = (await eventsOf(ann.userId)).filter((type) => type === "ExternalIdentityLinked");
    expect(linked).toHaveLength(1);
    const mails = (await mailsFor(ann.email)).filter(({ subject }) => subject.includes("Google"));
    expect(mails).toHaveLength(1);
  });

  it("answers 503 with Retry-After during an outage of the provider and recovers without a restart", async () => {
    const server = await startOidcServer();
    const logger = createLogger({ level: "silent" });
    const apart = await identity.startProcess(
      {},
      { projector: false, providers: { google: openIdProvider(server, logger) } },
    );
    const start = () => callOnce(apart.baseUrl, "GET", "/api/v1/auth/oauth/google/start");
    for (const trouble of ["hang up", "fault", "silence"] as const) {
      server.behave(trouble);
      const reply = await start();
      expectRefused(reply, 503);
      expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    server.behave("answer");
    const begun = await start();
    const back = await server.signInAt(
      begun.headers.get("location") ?? "",
      server.add({ email: newAddress() }),
    );
    server.behave("hang up");
    const { pathname, search } = new URL(back);
    const cookie = cookieIn(begun, "oauth_browser");
    expectRefused(await callOnce(apart.baseUrl, "GET", pathname + search, { cookie }), 503);
    await server.stop();
  });

  it("answers 404 for an unknown or unconfigured provider", async () => {
    const apart = await identity.startProcess({}, { projector: false });
    for (const [path, from] of [
      ["/auth/oauth/google/start", apart.baseUrl],
      ["/auth/oauth/google/callback?state=x&code=y", apart.baseUrl],
      ["/auth/oauth/nobody/start", service.baseUrl],
    ] as const) {
      expectRefused(await callOnce(from, "GET", `/api/v1${path}`), 404);
    }
  });
});

describe("attacks on signing in with a provider", () => {
  it("a repeated response signs in once, also from twenty concurrent requests", async () => {
    const { sub } = somebody();
    const at = await begin();
    const back = pathOf(await google.signInAt(at.url, sub));
    const replies = await Promise.all(Array.from({ length: 20 }, () => get(back, at.cookie)));
    expect(replies.map(({ status }) => status).sort()).toEqual([302, ...Array(19).fill(400)]);
    expectRefused(await get(back, at.cookie), 400);
  });

  it("a response without the cookie or with another browser's is refused and does not stop the owner", async () => {
    const { sub } = somebody();
    const [at, thief] = [await begin(), await begin()];
    const back = pathOf(await google.signInAt(at.url, sub));
    expectRefused(await get(back), 400);
    expectRefused(await get(back, thief.cookie), 400);
    expectRefused(await get(back, "oauth_browser=nonsense"), 400);
    expect((await get(back, at.cookie)).status).toBe(302);
  });

  it("an invalid, missing or expired state, or another provider's, is refused", async () => {
    const { sub } = somebody();
    const at = await begin();
    const back = pathOf(await google.signInAt(at.url, sub));
    const state = new URL(at.url).searchParams.get("state") ?? "";
    expectRefused(await get(back.replace(state, "made-up"), at.cookie), 400);
    expectRefused(await get(back.replace(`state=${state}`, ""), at.cookie), 400);
    expectRefused(await get(back.replace("/google/", "/microsoft/"), at.cookie), 400);
    identity.moveOn(601_000);
    expectRefused(await get(back, at.cookie), 400);
    await service.identity.sweepOauth();
    const { rows } = await identity.database.pool.query("select state_hash from oauth_flows");
    expect(rows).toEqual([]);
  });

  it("a response with a foreign or missing nonce is refused", async () => {
    const [at, other] = [await begin(), await begin()];
    const nonce = new URL(other.url).searchParams.get("nonce") ?? "";
    for (const change of [nonce, null]) {
      const { sub } = somebody();
      const mine = await begin();
      const url = new URL(mine.url);
      if (change === null) url.searchParams.delete("nonce");
      else url.searchParams.set("nonce", change);
      const reply = await get(pathOf(await google.signInAt(url.href, sub)), mine.cookie);
      expectRefused(reply, 401);
      expect(reply.body.detail).toContain("OAUTH_");
    }
    expect((await finish(somebody().sub, at)).status).toBe(302);
  });

  it("a foreign, used or invented code is refused", async () => {
    const victim = somebody();
    const [at, mine] = [await begin(), await begin()];
    const stolen =
      new URL(await google.signInAt(at.url, victim.sub)).searchParams.get("code") ?? "";
    const stateOf = ({ url }: { url: string }) => new URL(url).searchParams.get("state");
    const iss = encodeURIComponent(google.issuer);
    const answer = (code: string, own: string | null) =>
      `/auth/oauth/google/callback?code=${code}&state=${own}&iss=${iss}`;
    expectRefused(await get(answer(stolen, stateOf(mine)), mine.cookie), 401);
    // It was the victim's browser that asked for it: there alone it is good, once.
    expect((await get(answer(stolen, stateOf(at)), at.cookie)).status).toBe(302);
    const again = await begin();
    expectRefused(await get(answer(stolen, stateOf(again)), again.cookie), 401);
    const third = await begin();
    expectRefused(await get(answer("made-up", stateOf(third)), third.cookie), 401);
  });

  it("a response of another issuer or an error response is refused without repeating its text", async () => {
    const [at, other] = [await begin(), await begin()];
    const back = await google.signInAt(at.url, somebody().sub);
    const mixed = back.replace(
      encodeURIComponent(google.issuer),
      encodeURIComponent("https://evil.test"),
    );
    expect(mixed).not.toBe(back);
    expectRefused(await get(pathOf(mixed), at.cookie), 401);
    const no = pathOf(await google.signInAt(other.url, "nobody"));
    expect(no).toContain("error=access_denied");
    const reply = await get(`${no}&error_description=%3Cscript%3E`, other.cookie);
    expectRefused(reply, 401);
    expect(reply.body.detail).toContain("access_denied");
    expect(reply.body.detail).not.toContain("<");
  });

  it.each([
    "https://evil.test",
    "//evil.test",
    "/\\evil.test",
    "\\\\evil.test",
    "/%0d%0aset-cookie:x=1".replaceAll("%0d%0a", "\r\n"),
    "javascript:alert(1)",
    "evil.test",
    "/ evil",
    "",
  ])("%j as the return path is refused", async (returnTo) => {
    const query = new URLSearchParams({ return_to: returnTo });
    expectRefused(await get(`/auth/oauth/google/start?${query}`), 422);
  });

  it("no address, name, subject, code, state or secret is in an event or a log line", async () => {
    const { sub, email } = somebody();
    const at = await begin();
    const back = new URL(await google.signInAt(at.url, sub));
    const reply = await get(pathOf(back.href), at.cookie);
    const said = (await identity.wholeLog()) + lines.join("");
    const asked = new URL(at.url).searchParams;
    for (const secret of [
      sub,
      email,
      back.searchParams.get("code"),
      asked.get("state"),
      asked.get("nonce"),
      at.cookie.split("=")[1],
      google.clientSecret,
      cookieIn(reply, "refresh_token").split("=")[1],
    ]) {
      expect(secret?.length).toBeGreaterThan(5);
      expect(said).not.toContain(secret);
    }
    const { rows } = await identity.database.pool.query("select * from oauth_flows");
    expect(JSON.stringify(rows)).not.toContain(asked.get("state"));
  });
});
