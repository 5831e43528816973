import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogger } from "../../../src/platform/logger.ts";
import {
  type Account,
  call,
  eventually,
  makeKey,
  type Reply,
  signUp,
} from "../../support/client.ts";
import { allEvents, allTables, foundIn } from "../../support/secrets.ts";
import { startTestService, type TestService } from "../../support/service.ts";

const WRONG_PASSWORD = "not-the-password-7f3a";
const NAME = "Wilhelmina Unmistakable";

/** Looks everywhere that something could be kept for what must be nowhere. */
describe("secrets and personal data", () => {
  let service: TestService;
  const lines: string[] = [];
  let account: Account;
  let login: Reply;
  /** The secrets that must not appear anywhere, by name. */
  const secrets: Record<string, string> = {};

  beforeAll(async () => {
    const destination = { write: (line: string) => lines.push(line) };
    service = await startTestService({}, undefined, createLogger({ level: "trace", destination }));
    const api = (method: string, path: string, options: Parameters<typeof call>[3] = {}) =>
      call(service.url, method, `/api/v1${path}`, options);
    const cookieOf = (reply: Reply) => (reply.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    const fetched = { "x-requested-with": "fetch" };

    account = await signUp(service.url);
    const { email, password, accessToken, cookie } = account;
    const known = await api("POST", "/auth/signup", { body: { email, password, name: NAME } });
    expect(known.status).toBe(409);
    const other = { email: `other-${email}`, password: `${password}-other`, name: NAME };
    expect((await api("POST", "/auth/signup", { body: other })).status).toBe(201);
    const wrong = await api("POST", "/auth/login", { body: { email, password: WRONG_PASSWORD } });
    expect(wrong.status).toBe(401);
    const malformed = `{"email": "${email}", "password": "${WRONG_PASSWORD}"`;
    expect((await api("POST", "/auth/login", { body: malformed })).status).toBe(400);
    login = await api("POST", "/auth/login", { body: { email, password } });
    const refreshed = await api("POST", "/auth/refresh", {
      cookie: cookieOf(login),
      headers: fetched,
    });
    expect(refreshed.status).toBe(200);
    const { id, key } = await makeKey(service.url, account);

    const created = await api("POST", "/cli/tests", {
      bearer: key,
      body: { name: "health", steps: [{ action: "navigate", value: "/api/v1/health/live" }] },
    });
    const queued = await api("POST", "/cli/cloud-runs", {
      bearer: key,
      body: { test_ids: [created.body.id], base_url: service.url },
    });
    const run = await eventually(
      async () =>
        (await api("GET", `/cli/cloud-runs/${queued.body.run_ids[0]}?wait=5`, { bearer: key }))
          .body,
      ({ finished_at }) => finished_at !== null,
      90_000,
    );
    expect(run.status).toBe("passed");
    await api("GET", `/runs?access_token=${accessToken}`, { bearer: `${key}x` });
    const again = { cookie: cookieOf(login), headers: fetched };
    await api("POST", "/auth/logout", again);
    expect((await api("POST", "/auth/refresh", again)).status).toBe(401);
    expect((await api("DELETE", `/api-keys/${id}`, { bearer: accessToken })).status).toBe(204);
    expect((await api("GET", "/cli/tests", { bearer: key })).status).toBe(401);

    const { masterKey } = service.platform;
    Object.assign(secrets, {
      password,
      "wrong password": WRONG_PASSWORD,
      "other password": other.password,
      "access token": accessToken,
      "access token of a login": login.body.access_token,
      "access token of a refresh": refreshed.body.access_token,
      "refresh token": cookie.split("=")[1],
      "refresh token of a login": cookieOf(login).split("=")[1],
      "refresh token of a refresh": cookieOf(refreshed).split("=")[1],
      "API key": key,
      "API key without its prefix": key.slice("ak_live_".length),
      "master key in hex": masterKey.toString("hex"),
      "master key in base64": masterKey.toString("base64"),
      "master key in base64url": masterKey.toString("base64url"),
    });
  });
  afterAll(() => service?.stop());

  const hashesOf = (text: string): Record<string, string> => {
    const digest = createHash("sha256").update(text).digest();
    return { hex: digest.toString("hex"), base64: digest.toString("base64") };
  };

  it("are not in the service's log at trace level", () => {
    const text = lines.join("");
    expect(lines.length).toBeGreaterThan(20);
    expect(text).toContain("/auth/login");
    const { email } = account;
    const hash = hashesOf(secrets["API key"] ?? "");
    expect(foundIn(text, { ...secrets, email, name: NAME, ...hash })).toEqual([]);
    expect(text).not.toContain("$argon2");
  });

  it("are not in events, nor is an address, name or hash", async () => {
    const all = await allEvents(service);
    expect(all.length).toBeGreaterThan(20);
    const { email } = account;
    const hash = hashesOf(secrets["API key"] ?? "");
    const text = all.join("\n");
    expect(foundIn(text, { ...secrets, email, name: NAME, ...hash })).toEqual([]);
    expect(text).not.toContain("$argon2");
  });

  it("are not in tables, and addresses and names only in those of persons", async () => {
    const all = await allTables(service);
    expect(all.length).toBeGreaterThan(15);
    for (const { name, text } of all) expect([name, foundIn(text, secrets)]).toEqual([name, []]);
    const withPersons = all.filter(
      ({ text }) => foundIn(text, { email: account.email, name: NAME }).length > 0,
    );
    expect(withPersons.map(({ name }) => name)).toEqual(["public.persons"]);
    const withHashes = all.filter(({ text }) => text.includes("$argon2"));
    expect(withHashes.map(({ name }) => name)).toEqual(["public.password_hashes"]);
  });
});
