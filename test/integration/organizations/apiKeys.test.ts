import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApiKeyChecks } from "../../../src/commands/identity/checks.ts";
import { organizationCommands } from "../../../src/commands/organizations/index.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { newId } from "../../../src/platform/ids.ts";
import { apiKeysState, newApiKey } from "../../../src/stores/organizations/apiKeyHashes.ts";
import { type Account, call, makeKey, signUp } from "../../support/client.ts";
import { context, type Identity, type Process, startIdentity } from "../identity/harness.ts";

let identity: Identity;
let service: Process;
let ann: Account;

beforeAll(async () => {
  identity = await startIdentity();
  service = await identity.startProcess();
  ann = await signUp(service.baseUrl);
  await service.billing.grantPlan(context(), {
    organizationId: ann.organizationId,
    plan: "team",
    reason: "room for the tests' keys",
  });
});
afterAll(() => identity?.stop());

const as = (account: Account) => ({
  bearer: account.accessToken,
  organizationId: account.organizationId,
});
const create = (body: unknown, account = ann) =>
  call(service.baseUrl, "POST", "/api/v1/api-keys", { ...as(account), body });
const list = (query = "", account = ann) =>
  call(service.baseUrl, "GET", `/api/v1/api-keys${query}`, as(account));
const revoke = (id: string, account = ann) =>
  call(service.baseUrl, "DELETE", `/api/v1/api-keys/${id}`, as(account));
const use = async (bearer: string, baseUrl = service.baseUrl) =>
  (await call(baseUrl, "GET", "/api/v1/auth/connection", { bearer })).status;

describe("an API key", () => {
  it("is shown once, listed without its value, and works", async () => {
    const { status, body } = await create({ name: " deploy " });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      name: "deploy",
      prefix: expect.stringMatching(/^ak_live_\w{4}$/),
      key: expect.stringMatching(/^ak_live_\w{38}$/),
      created_at: expect.stringMatching(/Z$/),
      expires_at: null,
    });
    expect(body.key.startsWith(body.prefix)).toBe(true);
    const listed = async () =>
      (await list()).body.items.find((item: { id: string }) => item.id === body.id);
    const { key: _, ...shown } = body;
    expect(await listed()).toEqual({ ...shown, last_used_at: null });
    expect(await use(body.key)).toBe(200);
    expect((await listed()).last_used_at).toMatch(/Z$/);
  });

  it("answers 409 for a duplicate name and 422 for one that could forge a header or prefix", async () => {
    await makeKey(service.baseUrl, ann, "taken");
    expect((await create({ name: "taken" })).status).toBe(409);
    for (const name of ["a\r\nX: y", "a\nb", "a:b", "a\u0007b", "", "x".repeat(101)]) {
      const reply = await create({ name });
      expect(reply.status).toBe(422);
      expect(reply.body.detail).toContain("name");
    }
  });

  it("is refused at once after its revocation, unlisted, and its name is free", async () => {
    const other = await identity.startProcess({}, { projector: false });
    const { id, key } = await makeKey(service.baseUrl, ann, "short-lived");
    expect(await use(key)).toBe(200);
    expect(await use(key, other.baseUrl)).toBe(200);
    expect((await revoke(id)).status).toBe(204);
    expect(await use(key)).toBe(401);
    await expect.poll(() => use(key, other.baseUrl), { timeout: 15_000 }).toBe(401);
    expect((await revoke(id)).status).toBe(204);
    expect((await list()).body.items.map((item: { id: string }) => item.id)).not.toContain(id);
    expect((await create({ name: "short-lived" })).status).toBe(201);
  });

  it("never works if it is revoked before its creation was answered", async () => {
    const { organizationId } = ann;
    const { loop } = service;
    const slow: typeof loop = {
      ...loop,
      execute: async (decider, id, command, ...rest) => {
        const executed = await loop.execute(decider, id, command, ...rest);
        const { type, keyId } = command as unknown as { type: string; keyId: string };
        if (type === "create") {
          await service.organizations.revokeApiKey(context(), { organizationId, keyId });
        }
        return executed;
      },
    };
    const apiKeys = apiKeysState(identity.database.db);
    const clock = systemClock;
    const keyChecks = createApiKeyChecks({ apiKeys, clock });
    const commands = organizationCommands({ loop: slow, clock, apiKeys, keyChecks });
    const made = await commands.createApiKey(context(), {
      organizationId,
      name: "short",
      expiresAt: null,
    });
    expect(await use(made.key)).toBe(401);
  });

  it("is not stored if it is refused", async () => {
    const count = async () => {
      const { rows } = await sql<{ n: string }>`SELECT count(*) AS n FROM api_key_hashes`.execute(
        identity.database.db,
      );
      return rows[0]?.n;
    };
    await makeKey(service.baseUrl, ann, "only one");
    const before = await count();
    expect((await create({ name: "only one" })).status).toBe(409);
    expect(await count()).toBe(before);
  });

  it("is refused for every call that starts after its revocation", async () => {
    const { id, key } = await makeKey(service.baseUrl, ann, "busy");
    let revoked = false;
    let late = 0;
    const caller = async () => {
      for (let i = 0; i < 20; i += 1) {
        const begunAfter = revoked;
        if ((await use(key)) === 200 && begunAfter) late += 1;
      }
    };
    const callers = Array.from({ length: 8 }, caller);
    await revoke(id);
    revoked = true;
    await Promise.all(callers);
    expect(late).toBe(0);
  });

  it("expires at the given time, which must not be in the past", async () => {
    const expires = new Date(Date.now() + 300_000).toISOString();
    const { body } = await create({ name: "guest", expires_at: expires });
    expect(body.expires_at).toBe(expires);
    expect(await use(body.key)).toBe(200);
    identity.moveOn(300_001);
    expect(await use(body.key)).toBe(401);
    const past = await create({ name: "late", expires_at: expires });
    expect(past.status).toBe(422);
    expect(past.body.detail).toContain("expires_at");
    identity.moveOn(-300_001);
  });

  it("is refused if unknown, mistyped or truncated", async () => {
    const { key } = newApiKey();
    expect(await use(key)).toBe(401);
    expect(await use(`${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`)).toBe(401);
    expect(await use("ak_live_")).toBe(401);
    expect(await use("ak_test_1234")).toBe(401);
  });
});

describe("managing keys", () => {
  it("is refused to an API key", async () => {
    const { id, key } = await makeKey(service.baseUrl, ann, "helper");
    for (const [method, path] of [
      ["POST", "/api-keys"],
      ["GET", "/api-keys"],
      ["DELETE", `/api-keys/${id}`],
    ] as const) {
      const reply = await call(service.baseUrl, method, `/api/v1${path}`, { bearer: key });
      expect(reply.status).toBe(403);
    }
  });

  it("answers 403 for another organisation's key, which keeps working, and 404 for unknown and malformed ids", async () => {
    const bob = await signUp(service.baseUrl);
    const { id, key } = await makeKey(service.baseUrl, bob);
    expect((await revoke(id)).status).toBe(403);
    expect(await use(key)).toBe(200);
    expect((await list()).body.items.map((item: { id: string }) => item.id)).not.toContain(id);
    expect((await revoke(newId())).status).toBe(404);
    expect((await revoke("nonsense")).status).toBe(404);
    const foreign = await call(service.baseUrl, "GET", "/api/v1/api-keys", {
      bearer: ann.accessToken,
      organizationId: bob.organizationId,
    });
    expect(foreign.status).toBe(403);
  });

  it("answers 403 with the plan for a second key on the free plan, also to concurrent requests", async () => {
    const bob = await signUp(service.baseUrl);
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, i) => create({ name: `key-${i}` }, bob)),
    );
    expect(replies.map((reply) => reply.status).sort()).toEqual([201, 403, 403, 403, 403, 403]);
    const refused = replies.find((reply) => reply.status === 403);
    expect(refused?.body.detail).toMatch(/api_keys.*Starter/);
    const made = replies.find((reply) => reply.status === 201);
    expect((await revoke(made?.body.id, bob)).status).toBe(204);
    expect((await create({ name: "again" }, bob)).status).toBe(201);
  });
});

describe("the list of keys", () => {
  it("is paged without gaps or repeats, newest first", async () => {
    const bob = await signUp(service.baseUrl);
    await service.billing.grantPlan(context(), {
      organizationId: bob.organizationId,
      plan: "starter",
      reason: "room for keys",
    });
    for (let i = 0; i < 5; i += 1) await makeKey(service.baseUrl, bob, `key-${i}`);
    const names: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor ? `?limit=2&cursor=${cursor}` : "?limit=2";
      const { body } = await list(query, bob);
      names.push(...body.items.map((item: { name: string }) => item.name));
      cursor = body.next_cursor;
    } while (cursor);
    expect(names).toEqual(["key-4", "key-3", "key-2", "key-1", "key-0"]);
  });
});

describe("stored keys", () => {
  it("are neither in the log nor in a table", async () => {
    const { key } = await makeKey(service.baseUrl, ann, "secretive");
    const { rows } = await sql<{ row: string }>`
      SELECT h::text AS row FROM api_key_hashes h
      UNION ALL SELECT k::text FROM api_keys k`.execute(identity.database.db);
    const text = rows.map((each) => each.row).join("\n") + (await identity.wholeLog());
    expect(text).toContain(key.slice(0, 12));
    expect(text).not.toContain(key.slice(12));
    expect(text).not.toContain(key.slice(0, 20));
  });
});
