import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { organizationDecider } from "../../../src/domain/organizations/organization.ts";
import { open } from "../../../src/platform/crypto.ts";
import { newId } from "../../../src/platform/ids.ts";
import { type Account, type CallOptions, call, signUp } from "../../support/client.ts";
import { context, type Identity, type Process, startIdentity } from "./harness.ts";

let identity: Identity;
let service: Process;
let withKeys: Process;

beforeAll(async () => {
  identity = await startIdentity();
  service = await identity.startProcess();
  withKeys = await identity.startProcess({}, { projector: false, byoKeyEnabled: true });
});
afterAll(() => identity?.stop());

const request = (method: string, path: string, options: CallOptions = {}, on = service) =>
  call(on.baseUrl, method, `/api/v1${path}`, options);
const as = ({ accessToken }: Account, body?: unknown): CallOptions => ({
  bearer: accessToken,
  ...(body === undefined ? {} : { body }),
});
const dump = async (): Promise<string> => {
  const { rows: tables } = await sql<{ name: string }>`
    select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`.execute(identity.database.db);
  let text = "";
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`
      select t::text as row from ${sql.raw(name)} t`.execute(identity.database.db);
    text += rows.map(({ row }) => row).join("\n");
  }
  return text;
};

describe("settings", () => {
  it("have defaults and change only the given fields", async () => {
    const ann = await signUp(service.baseUrl);
    const defaults = {
      time_zone: "UTC",
      theme: "system",
      product_mail: false,
      byo_key: { enabled: false, set: false },
    };
    expect((await request("GET", "/settings", as(ann))).body).toEqual(defaults);
    const put = await request("PUT", "/settings", as(ann, { time_zone: "Europe/Berlin" }));
    expect(put.body).toEqual({ ...defaults, time_zone: "Europe/Berlin" });
    await request("PUT", "/settings", as(ann, { theme: "dark", product_mail: true }));
    expect((await request("GET", "/settings", as(ann))).body).toEqual({
      ...defaults,
      time_zone: "Europe/Berlin",
      theme: "dark",
      product_mail: true,
    });
  });

  it.each([{ time_zone: "Mars/Olympus" }, { theme: "pink" }, { product_mail: "yes" }])(
    "reject %j with 422",
    async (body) => {
      const ann = await signUp(service.baseUrl);
      expect((await request("PUT", "/settings", as(ann, body))).status).toBe(422);
    },
  );

  it("refuse a model API key with 403 where that is disabled", async () => {
    const ann = await signUp(service.baseUrl);
    const put = await request("PUT", "/settings/byo-key", as(ann, { key: "sk-0123456789" }));
    expect(put.status).toBe(403);
    expect((await request("DELETE", "/settings/byo-key", as(ann))).status).toBe(403);
    expect(await dump()).not.toContain(`byo_key:${ann.userId}`);
  });

  it("encrypt a model API key, never show it and remove it on request", async () => {
    const ann = await signUp(service.baseUrl);
    const key = `sk-${newId()}`;
    const put = await request("PUT", "/settings/byo-key", as(ann, { key }), withKeys);
    expect([put.status, put.body.length]).toEqual([204, 0]);
    const shown = await request("GET", "/settings", as(ann), withKeys);
    expect(shown.body.byo_key).toEqual({ enabled: true, set: true });
    expect(JSON.stringify(shown.body)).not.toContain(key);
    expect(await dump()).not.toContain(key);
    expect(await identity.wholeLog()).not.toContain(key);
    const kept = await identity.database.db
      .selectFrom("byo_keys")
      .select("key_sealed")
      .where("user_id", "=", ann.userId)
      .executeTakeFirstOrThrow();
    expect(open(Buffer.alloc(32, 7), kept.key_sealed, `byo_key:${ann.userId}`)).toBe(key);
    expect((await request("DELETE", "/settings/byo-key", as(ann), withKeys)).status).toBe(204);
    expect((await request("GET", "/settings", as(ann), withKeys)).body.byo_key.set).toBe(false);
    const badKey = await request(
      "PUT",
      "/settings/byo-key",
      as(ann, { key: "a\r\nb-c-d-e" }),
      withKeys,
    );
    expect(badKey.status).toBe(422);
  });
});

describe("a person's data", () => {
  it("is exported as one file with account, settings, organisations, sessions and history, without secrets", async () => {
    const ann = await signUp(service.baseUrl);
    await request("PUT", "/settings", as(ann, { theme: "dark" }));
    const reply = await request("GET", "/auth/me/export", as(ann));
    expect(reply.headers.get("content-disposition")).toBe('attachment; filename="my-data.json"');
    expect(reply.body).toMatchObject({
      account: { id: ann.userId, email: ann.email, name: "Ann Example", verified_at: null },
      settings: { theme: "dark", byo_key_set: false },
      organizations: [{ id: ann.organizationId, role: "owner" }],
      sessions: [{ method: "signup", address: "127.0.0.1" }],
      mails: [{ kind: "verify_email" }],
    });
    expect(reply.body.history.map(({ type }: { type: string }) => type)).toEqual([
      "UserRegistered",
      "SessionOpened",
      "UserSettingsChanged",
    ]);
    const text = JSON.stringify(reply.body);
    for (const secret of [ann.password, ann.accessToken, ann.cookie.split("=")[1] ?? ""]) {
      expect(text).not.toContain(secret);
    }
    expect(text).not.toMatch(/argon2|hash|sealed/);
  });

  it("is not erased with a wrong password", async () => {
    const ann = await signUp(service.baseUrl);
    const reply = await request("DELETE", "/auth/me", as(ann, { password: "guessing" }));
    expect(reply.status).toBe(403);
    expect((await request("GET", "/auth/me", as(ann))).status).toBe(200);
  });

  it("is removed from all tables and events on erasure, sessions end and the address is free", async () => {
    const ann = await signUp(service.baseUrl);
    const { email, password } = ann;
    await request("POST", "/auth/password/forgot", { body: { email } });
    await request("POST", "/auth/login", { body: { email, password: "wrong" } });
    const before = await identity.eventsOf(`user-${ann.userId}`);
    expect(await dump()).toContain(email);
    const erased = await request("DELETE", "/auth/me", as(ann, { password }));
    expect(erased.status).toBe(204);
    expect(erased.headers.get("set-cookie")).toMatch(/^refresh_token=;/);
    expect((await request("GET", "/auth/me", as(ann))).status).toBe(401);
    const refreshed = await request("POST", "/auth/refresh", {
      cookie: ann.cookie,
      headers: { "x-requested-with": "fetch" },
    });
    expect(refreshed.status).toBe(401);
    expect(await dump()).not.toContain(email);
    expect(await identity.wholeLog()).not.toContain(email);
    const after = await identity.eventsOf(`user-${ann.userId}`);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.map(({ type }) => type).slice(-2)).toEqual(["SessionRevoked", "UserErased"]);
    const organization = await identity.eventsOf(`organization-${ann.organizationId}`);
    expect(organization.at(-1)?.type).toBe("OrganizationDeletionScheduled");
    identity.moveOn(120_000);
    await service.identity.recordRefusedSignIns();

    const login = await request("POST", "/auth/login", { body: { email, password } });
    expect(login.status).toBe(401);
    const again = await request("POST", "/auth/signup", { body: { email, password, name: "Ann" } });
    expect(again.status).toBe(201);
    expect(again.body.user.id).not.toBe(ann.userId);
  });

  it("is erased after the owner of a shared organisation transfers it; a member just leaves", async () => {
    const [ann, bob] = [await signUp(service.baseUrl), await signUp(service.baseUrl)];
    const inviteId = newId();
    const at = new Date().toISOString();
    const seats = { limit: 10, reason: null };
    const act = (command: Parameters<typeof organizationDecider.decide>[0]) =>
      service.loop.execute(organizationDecider, ann.organizationId, command, {
        ...context(),
        organizationId: ann.organizationId,
      });
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    await act({ type: "invite", inviteId, role: "viewer", at, expiresAt, seats });
    const accepted = await act({ type: "acceptInvite", inviteId, userId: bob.userId, at, seats });
    await request("GET", "/auth/me", {
      ...as(bob),
      headers: { "x-min-position": String(accepted.position) },
    });
    const { password } = ann;
    const refused = await request("DELETE", "/auth/me", as(ann, { password }));
    expect([refused.status, Object.keys(refused.body)]).toEqual([409, ["detail"]]);
    expect((await request("GET", "/auth/me", as(ann))).status).toBe(200);

    const leaving = await request("DELETE", "/auth/me", as(bob, { password: bob.password }));
    expect(leaving.status).toBe(204);
    const events = await identity.eventsOf(`organization-${ann.organizationId}`);
    expect(events.at(-1)).toMatchObject({
      type: "MemberRemoved",
      data: { userId: bob.userId, reason: "erased" },
    });
    expect((await request("DELETE", "/auth/me", as(ann, { password }))).status).toBe(204);
  });
});
