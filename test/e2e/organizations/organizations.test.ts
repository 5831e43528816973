import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiKeysDecider } from "../../../src/domain/organizations/apiKeys.ts";
import { organizationDecider } from "../../../src/domain/organizations/organization.ts";
import {
  type Account,
  call,
  eventually,
  makeKey,
  type Reply,
  signUp,
} from "../../support/client.ts";
import { addMember, grant } from "../../support/members.ts";
import { steps } from "../../support/organization/catalogue.ts";
import { startTestService, type TestService } from "../../support/service.ts";

/** Organisations and who belongs to them, over HTTP. */
describe("organisations and members", () => {
  let service: TestService;
  let ann: Account;
  let bob: Account;

  beforeAll(async () => {
    service = await startTestService({}, ["api", "projections", "dispatcher"]);
    [ann, bob] = await Promise.all([signUp(service.url), signUp(service.url)]);
    await grant(service, ann.organizationId, "business");
  });
  afterAll(() => service?.stop());

  const as = (
    account: Account,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> =>
    call(service.url, method, `/api/v1${path}`, { bearer: account.accessToken, body, headers });
  const home = () => `/organizations/${ann.organizationId}`;
  const join = (role: Parameters<typeof addMember>[2], organizationId = ann.organizationId) =>
    addMember(service, organizationId, role);
  const rolesNow = async (organizationId = ann.organizationId, reader = ann) => {
    const { body } = await as(reader, "GET", `/organizations/${organizationId}/members?limit=100`);
    return new Map<string, string>(
      body.items.map(({ id, role }: { id: string; role: string }) => [id, role]),
    );
  };

  it("are created on the free plan with their owner, who must name one of several afterwards", async () => {
    const maker = await signUp(service.url);
    const made = await as(maker, "POST", "/organizations", { name: "  Second  " });
    expect([made.status, made.body.name, made.body.version]).toEqual([201, "Second", 1]);
    expect(made.headers.get("etag")).toBe('"1"');
    expect(made.body.settings).toEqual({
      healing: true,
      keep_evidence_with_secrets: false,
      time_zone: "UTC",
      step_timeout_seconds: 10,
      test_timeout_seconds: 600,
      run_timeout_seconds: 86_400,
      traces: "on_retry",
    });
    const { body } = await as(maker, "GET", "/organizations");
    expect(body.items.map((one: { name: string; role: string }) => [one.name, one.role])).toEqual([
      ["Example", "owner"],
      ["Second", "owner"],
    ]);
    expect((await as(maker, "GET", "/usage")).status).toBe(400);
    const named = await as(maker, "GET", "/usage", undefined, { "x-org-id": made.body.id });
    expect([named.status, named.body.limit]).toEqual([200, 50]);
    // The path names it as well.
    expect((await as(maker, "GET", `/organizations/${made.body.id}`)).body).toEqual(made.body);
    const pages: string[] = [];
    for (let cursor = ""; ; ) {
      const page = await as(maker, "GET", `/organizations?limit=1${cursor}`);
      pages.push(...page.body.items.map(({ id }: { id: string }) => id));
      if (page.body.next_cursor === null) break;
      cursor = `&cursor=${page.body.next_cursor}`;
    }
    expect(pages).toEqual([maker.organizationId, made.body.id]);
  });

  it("are created once for an Idempotency-Key", async () => {
    const maker = await signUp(service.url);
    const headers = { "idempotency-key": randomUUID() };
    const first = await as(maker, "POST", "/organizations", { name: "Once" }, headers);
    const again = await as(maker, "POST", "/organizations", { name: "Once" }, headers);
    expect(again.body).toEqual(first.body);
    expect((await as(maker, "GET", "/organizations")).body.items).toHaveLength(2);
  });

  it("refuse an X-Org-Id that differs from the path or is not the caller's", async () => {
    const second = (await as(bob, "POST", "/organizations", { name: "Bob's other" })).body.id;
    const read = (path: string, org?: string) =>
      as(bob, "GET", `/organizations/${path}`, undefined, org ? { "x-org-id": org } : {});
    expect((await read(second)).status).toBe(200);
    expect((await read(second.toUpperCase(), second.toUpperCase())).status).toBe(200);
    expect((await read(second, bob.organizationId)).status).toBe(403);
    expect((await read(ann.organizationId)).status).toBe(403);
    expect((await read(second, ann.organizationId)).status).toBe(403);
    expect((await read(second, "x")).status).toBe(400);
    expect((await read(randomUUID())).status).toBe(404);
    expect((await read("nonsense")).status).toBe(404);
  });

  it("are changed once at their current version and refuse an older one", async () => {
    const { body: before } = await as(ann, "GET", home());
    const based = { "if-match": `"${before.version}"` };
    const change = { name: "Renamed", settings: { time_zone: "Europe/Berlin", healing: false } };
    const changed = await as(ann, "PUT", home(), change, based);
    expect([changed.status, changed.body]).toEqual([
      200,
      expect.objectContaining({
        name: "Renamed",
        settings: { ...before.settings, healing: false, time_zone: "Europe/Berlin" },
        version: before.version + 2,
      }),
    ]);
    expect((await as(ann, "GET", home())).body).toEqual(changed.body);
    expect((await as(ann, "PUT", home(), { name: "Late" }, based)).status).toBe(412);
    const same = await as(ann, "PUT", home(), { name: "Renamed" });
    expect([same.status, same.body.version]).toEqual([200, before.version + 2]);
    const me = await as(ann, "GET", "/auth/me");
    expect(me.body.organizations[0].name).toBe("Renamed");
  });

  it.each([
    ["a name with CR and LF", { name: "a\r\nX: y" }],
    ["an empty name", { name: " " }],
    ["a name that turns the text's direction", { name: "a\u202eb" }],
    ["a zone that there is not", { settings: { time_zone: "Mars/Olympus" } }],
    ["a setting that there is not", { settings: { plan: "business" } }],
    ["a field that nobody may set", { id: randomUUID() }],
    ["a version", { version: 9 }],
    ["an owner", { owner_id: randomUUID() }],
  ])("answer 422 for %s", async (_, body) => {
    const reply = await as(ann, "PUT", home(), body);
    expect(reply.status).toBe(422);
  });

  it("apply a role change or removal from the next call on", async () => {
    const member = await join("editor");
    const inHome = { "x-org-id": ann.organizationId };
    const write = () => as(member, "POST", "/projects", { name: "p" }, inHome);
    const read = () => as(member, "GET", "/projects", undefined, inHome);
    expect((await write()).status).toBe(201);
    const path = `${home()}/members/${member.userId}`;
    const changed = await as(ann, "PUT", path, { role: "viewer" });
    expect([changed.status, changed.body.role, changed.body.email]).toEqual([
      200,
      "viewer",
      member.email,
    ]);
    expect((await write()).status).toBe(403);
    expect((await read()).status).toBe(200);
    await as(ann, "PUT", path, { role: "editor" });
    expect((await write()).status).toBe(201);
    expect((await as(ann, "DELETE", path)).status).toBe(204);
    expect((await read()).status).toBe(403);
    expect((await as(ann, "DELETE", path)).status).toBe(404);
    expect((await as(ann, "PUT", path, { role: "editor" })).status).toBe(404);
    expect([...(await rolesNow()).keys()]).not.toContain(member.userId);
  });

  it("refuse every attempt to gain a higher role", async () => {
    const [admin, editor, viewer] = [
      await join("admin"),
      await join("editor"),
      await join("viewer"),
    ];
    const put = (by: Account, of: Account, role: string) =>
      as(by, "PUT", `${home()}/members/${of.userId}`, { role }, { "x-org-id": ann.organizationId });
    for (const [by, role] of [
      [viewer, "editor"],
      [viewer, "admin"],
      [editor, "admin"],
    ] as const) {
      expect((await put(by, by, role)).status).toBe(403);
    }
    expect((await put(admin, admin, "owner")).status).toBe(422);
    expect((await put(admin, editor, "owner")).status).toBe(422);
    expect((await put(admin, ann, "viewer")).status).toBe(409);
    expect((await put(ann, ann, "admin")).status).toBe(409);
    const transfer = (by: Account, to: Account) =>
      as(
        by,
        "POST",
        `${home()}/transfer`,
        { user_id: to.userId },
        {
          "x-org-id": ann.organizationId,
        },
      );
    expect((await transfer(admin, admin)).status).toBe(403);
    expect((await transfer(ann, bob)).status).toBe(422);
    const remove = (by: Account, of: Account) =>
      as(by, "DELETE", `${home()}/members/${of.userId}`, undefined, {
        "x-org-id": ann.organizationId,
      });
    expect((await remove(editor, viewer)).status).toBe(403);
    expect((await remove(ann, ann)).status).toBe(409);
    expect((await remove(admin, ann)).status).toBe(409);
    // Leaving is anybody's right.
    expect((await remove(viewer, viewer)).status).toBe(204);
    expect((await put(admin, admin, "viewer")).status).toBe(200);
    const { key } = await makeKey(service.url, ann, randomUUID());
    const byKey = await call(service.url, "DELETE", `/api/v1${home()}/members/${editor.userId}`, {
      bearer: key,
    });
    expect(byKey.status).toBe(403);
    expect((await rolesNow()).get(ann.userId)).toBe("owner");
  });

  it("let only the first of two admins who remove each other succeed", async () => {
    const pair = [await join("admin"), await join("admin")] as const;
    const demote = (by: Account, of: Account) =>
      as(by, "DELETE", `${home()}/members/${of.userId}`, undefined, {
        "x-org-id": ann.organizationId,
      });
    const replies = await Promise.all([demote(pair[0], pair[1]), demote(pair[1], pair[0])]);
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 403]);
  });

  it("accept reads but no changes or runs while their deletion is scheduled, and can be restored", async () => {
    const owner = await signUp(service.url);
    const { organizationId } = owner;
    const { key } = await makeKey(service.url, owner);
    const admin = await join("admin", organizationId);
    const path = `/organizations/${organizationId}`;
    const test = await as(owner, "POST", "/tests", { name: "t", steps });
    const run = () => as(owner, "POST", "/runner/runs", { test_ids: [test.body.id] });
    const byAdmin = await as(admin, "DELETE", path, undefined, { "x-org-id": organizationId });
    expect(byAdmin.status).toBe(403);
    expect((await run()).status).toBe(202);
    const doomed = await as(owner, "DELETE", path);
    const days = (Date.parse(doomed.body.deletion_due_at) - Date.now()) / 86_400_000;
    expect([doomed.status, Math.round(days)]).toEqual([200, 30]);
    const again = await as(owner, "DELETE", path);
    expect(again.body).toEqual(doomed.body);
    const refused = await run();
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      expect.stringContaining("restore"),
    ]);
    expect((await as(owner, "PUT", path, { name: "Other" })).status).toBe(409);
    expect((await as(owner, "GET", `/tests/${test.body.id}`)).status).toBe(200);
    const byKey = (to: string) => call(service.url, "GET", `/api/v1${to}`, { bearer: key });
    expect((await byKey("/runs")).status).toBe(200);
    const listed = await as(owner, "GET", "/organizations");
    expect(listed.body.items[0].deletion_due_at).toBe(doomed.body.deletion_due_at);
    const restored = await as(owner, "POST", `${path}/restore`);
    expect([restored.status, restored.body.deletion_due_at]).toEqual([200, null]);
    expect((await run()).status).toBe(202);
  });

  it("are deleted after the grace period with members, keys and data", async () => {
    const owner = await signUp(service.url);
    const { organizationId } = owner;
    const { key } = await makeKey(service.url, owner);
    await grant(service, organizationId, "starter");
    const test = await as(owner, "POST", "/tests", { name: "t", steps });
    const scheduled = await as(owner, "POST", "/schedules", {
      ...{ name: "Nightly", cron: "0 2 * * *", test_ids: [test.body.id] },
      notification_emails: ["told@example.test"],
    });
    expect(scheduled.status).toBe(201);
    const contact = { email: "contact@example.test" };
    expect((await as(owner, "POST", "/notifications/contacts", contact)).status).toBe(201);
    const project = await as(owner, "POST", "/projects", { name: "Shop" });
    const environments = `/projects/${project.body.id}/environments`;
    const environment = await as(owner, "POST", environments, { name: "staging" });
    const secret = `${environments}/${environment.body.id}/secrets/password`;
    expect((await as(owner, "PUT", secret, { value: "hush-hush" })).status).toBe(200);
    const { loop, clock } = service.core;
    const dueAt = clock().toISOString();
    const context = {
      actor: { type: "user" as const, id: owner.userId },
      organizationId,
      correlationId: randomUUID(),
      causationId: randomUUID(),
    };
    const command = { type: "scheduleDeletion", dueAt } as const;
    await loop.execute(organizationDecider, organizationId, command, context);
    await eventually(
      () => call(service.url, "GET", "/api/v1/runs", { bearer: key }),
      ({ status }) => status === 401,
    );
    const path = `/organizations/${organizationId}`;
    await eventually(
      () => as(owner, "GET", path),
      ({ status }) => status === 404,
    );
    expect((await as(owner, "POST", `${path}/restore`)).status).toBe(404);
    expect((await as(owner, "GET", "/organizations")).body.items).toEqual([]);
    expect((await as(owner, "GET", "/projects")).status).toBe(403);
    const { db } = service.platform.database;
    const { schedules } = service.core.queries;
    await eventually(
      () => schedules.findSchedule(scheduled.body.id),
      (found) => found === null,
    );
    const left = [
      "schedule_slots",
      "schedule_recipients",
      "contact_addresses",
      "environment_secrets",
    ];
    await eventually(
      () =>
        Promise.all(
          left.map((table) =>
            db
              .selectFrom(table)
              .selectAll()
              .where("organization_id", "=", organizationId)
              .execute(),
          ),
        ),
      (found) => found.flat().length === 0,
    );
    for (const table of ["organizations", "members", "api_keys", "api_key_hashes"]) {
      const column = table === "organizations" ? "id" : "organization_id";
      const rows = await db
        .selectFrom(table)
        .selectAll()
        .where(column, "=", organizationId)
        .execute();
      expect(rows, table).toEqual([]);
    }
    const { state } = await loop.load(apiKeysDecider, organizationId);
    expect(Object.values(state.keys).map(({ active }) => active)).toEqual([false]);
  });

  it("have one owner after concurrent transfers, and the former one is an admin", async () => {
    const owner = await signUp(service.url);
    await grant(service, owner.organizationId, "business");
    const heirs = [
      await join("editor", owner.organizationId),
      await join("viewer", owner.organizationId),
    ];
    const path = `/organizations/${owner.organizationId}/transfer`;
    const replies = await Promise.all(
      heirs.map(({ userId }) => as(owner, "POST", path, { user_id: userId })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 403]);
    const roles = await rolesNow(owner.organizationId, owner);
    expect(roles.get(owner.userId)).toBe("admin");
    expect([...roles.values()].filter((role) => role === "owner")).toHaveLength(1);
    const left = await as(
      owner,
      "DELETE",
      `/organizations/${owner.organizationId}/members/${owner.userId}`,
    );
    expect(left.status).toBe(204);
  });
});
