import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Account, call, makeKey, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";

/** Access from outside: every kind of invalid credential at the complete service. */
describe("credentials", () => {
  let service: TestService;
  let ann: Account;
  let bob: Account;
  let key: { id: string; key: string };

  beforeAll(async () => {
    service = await startTestService();
    [ann, bob] = await Promise.all([signUp(service.url), signUp(service.url)]);
    key = await makeKey(service.url, ann, "ci");
  });
  afterAll(() => service?.stop());

  const get = (path: string, options: Parameters<typeof call>[3] = {}) =>
    call(service.url, "GET", `/api/v1${path}`, options);
  const post = (path: string, options: Parameters<typeof call>[3] = {}) =>
    call(service.url, "POST", `/api/v1${path}`, options);
  const refresh = (cookie: string) =>
    post("/auth/refresh", { cookie, headers: { "x-requested-with": "fetch" } });
  const cookieOf = (reply: Awaited<ReturnType<typeof call>>) =>
    (reply.headers.get("set-cookie") ?? "").split(";")[0] ?? "";

  it("accept an API key for the runner's endpoints and answer 401 to missing, malformed, mistyped keys and sessions", async () => {
    expect((await get("/cli/projects", { bearer: key.key })).status).toBe(200);
    const mistyped = `${key.key.slice(0, -1)}${key.key.endsWith("0") ? "1" : "0"}`;
    const refused = await Promise.all([
      get("/cli/projects"),
      get("/cli/projects", { bearer: "ak_live_nonsense" }),
      get("/cli/projects", { bearer: mistyped }),
      get("/cli/projects", { bearer: ann.accessToken }),
      get("/cli/projects", { cookie: ann.cookie }),
      get("/cli/projects", { headers: { authorization: "Basic YTpi" } }),
    ]);
    for (const reply of refused) {
      expect(reply.status).toBe(401);
      expect(Object.keys(reply.body)).toEqual(["detail"]);
      expect(reply.headers.get("www-authenticate")).toMatch(/^Bearer/);
    }
  });

  it("answer 403 to reads and writes of another organisation's ids", async () => {
    const { bearer } = { bearer: ann.accessToken };
    const reply = await get("/projects", { bearer, organizationId: bob.organizationId });
    expect(reply.status).toBe(403);
    const project = await post("/projects", { bearer: bob.accessToken, body: { name: "Bob's" } });
    expect(project.status).toBe(201);
    expect((await get(`/projects/${project.body.id}`, { bearer })).status).toBe(403);
    expect((await get(`/projects/${project.body.id}`, { bearer: key.key })).status).toBe(403);
  });

  it("answer 401 to every call after a key's revocation was confirmed", async () => {
    const carol = await signUp(service.url);
    const { id, key: short } = await makeKey(service.url, carol, "short");
    const use = async () => (await get("/cli/projects", { bearer: short })).status;
    const before = Array.from({ length: 30 }, use);
    const revoked = await call(service.url, "DELETE", `/api/v1/api-keys/${id}`, {
      bearer: carol.accessToken,
    });
    expect(revoked.status).toBe(204);
    const after = await Promise.all(Array.from({ length: 30 }, use));
    expect(new Set(after)).toEqual(new Set([401]));
    expect([...new Set(await Promise.all(before))].every((s) => s === 200 || s === 401)).toBe(true);
  });

  it("end the session if a stolen cookie is replayed", async () => {
    const dora = await signUp(service.url);
    const second = await refresh(dora.cookie);
    const third = await refresh(cookieOf(second));
    expect(third.status).toBe(200);
    expect((await refresh(dora.cookie)).status).toBe(401);
    expect((await refresh(cookieOf(third))).status).toBe(401);
    expect((await get("/auth/me", { bearer: third.body.access_token })).status).toBe(401);
  });

  it("keep one session for twenty concurrent refreshes", async () => {
    const eve = await signUp(service.url);
    const replies = await Promise.all(Array.from({ length: 20 }, () => refresh(eve.cookie)));
    expect(new Set(replies.map((reply) => reply.status))).toEqual(new Set([200]));
    expect((await refresh(cookieOf(replies[7] ?? ({} as never)))).status).toBe(200);
  });

  it("answer alike for a wrong password and an unknown address", async () => {
    const login = (email: string) => post("/auth/login", { body: { email, password: "guessing" } });
    const [wrong, unknown] = await Promise.all([login(ann.email), login(`no-${ann.email}`)]);
    const seen = ({ status, body, headers }: Awaited<ReturnType<typeof call>>) => ({
      status,
      body,
      headers: [...headers.keys()].sort(),
    });
    expect(seen(unknown)).toEqual(seen(wrong));
    expect(wrong.status).toBe(401);
  });
});
