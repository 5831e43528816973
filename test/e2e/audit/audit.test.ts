import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { userDecider } from "../../../src/domain/identity/user.ts";
import { newId } from "../../../src/platform/ids.ts";
import { type Account, call, eventually, makeKey, signUp } from "../../support/client.ts";
import { addMember, letIn } from "../../support/members.ts";
import { steps } from "../../support/organization/catalogue.ts";
import { startTestService, type TestService } from "../../support/service.ts";

type Line = {
  id: string;
  event: string;
  actor: { type: string; id: string; name: string | null; email: string | null };
  cause: { correlation_id: string; causation_id: string };
  user_id: string | null;
  user_name: string | null;
  user_email: string | null;
  details: Record<string, unknown>;
};

/** Audited events over HTTP. */
describe("organisation audit", () => {
  let service: TestService;
  let ann: Account;
  let key: { id: string; key: string };

  beforeAll(async () => {
    service = await startTestService({}, ["api", "projections"]);
    ann = await signUp(service.url);
    key = await makeKey(service.url, ann);
  });
  afterAll(() => service?.stop());

  const ask = (
    method: string,
    path: string,
    { body, by = ann }: { body?: unknown; by?: Account } = {},
  ) =>
    call(service.url, method, `/api/v1${path}`, {
      bearer: by.accessToken,
      organizationId: ann.organizationId,
      ...(body === undefined ? {} : { body }),
    });
  const page = async (
    query = "?limit=100",
  ): Promise<{ items: Line[]; next_cursor: string | null }> =>
    (await ask("GET", `/organizations/${ann.organizationId}/audit${query}`)).body;
  const lines = async () => (await page()).items;
  const until = (holds: (items: Line[]) => boolean) => eventually(lines, holds);
  const logIn = ({ email, password }: Account) =>
    call(service.url, "POST", "/api/v1/auth/login", { body: { email, password } });
  const about = (items: Line[], userId: string) => items.filter((one) => one.user_id === userId);

  it("lists changes of access with actor, person and reason, newest first", async () => {
    const bob = await addMember(service, ann.organizationId, "viewer");
    await ask("PUT", `/organizations/${ann.organizationId}/members/${bob.userId}`, {
      body: { role: "admin" },
    });
    const changed = await ask("PUT", `/organizations/${ann.organizationId}`, {
      body: { name: "Renamed" },
    });
    await ask("DELETE", `/api-keys/${key.id}`);
    key = await makeKey(service.url, ann, "ci again");
    const items = await until((some) => some.some(({ event }) => event === "ApiKeyRevoked"));
    const role = items.find(({ event }) => event === "MemberRoleChanged");
    expect(role).toEqual({
      id: expect.any(String),
      event: "MemberRoleChanged",
      occurred_at: expect.any(String),
      recorded_at: expect.any(String),
      actor: { type: "user", id: ann.userId, name: "Ann Example", email: ann.email },
      cause: { correlation_id: expect.any(String), causation_id: expect.any(String) },
      user_id: bob.userId,
      user_name: "Ann Example",
      user_email: bob.email,
      details: { user_id: bob.userId, from: "viewer", to: "admin" },
    });
    const renamed = items.find(({ event }) => event === "OrganizationRenamed");
    expect(renamed?.cause.correlation_id).toBe(changed.headers.get("x-request-id"));
    expect(items.map(({ event }) => event)).toEqual(
      expect.arrayContaining([
        "OrganizationCreated",
        "ApiKeyCreated",
        "SessionOpened",
        "InviteAccepted",
      ]),
    );
    const times = items.map(({ id }) => id);
    expect(new Set(times).size).toBe(times.length);
    expect(items.at(-1)?.event).toBe("OrganizationCreated");
    // Admins see admin-only entries.
    expect(
      (await ask("GET", `/organizations/${ann.organizationId}/audit`, { by: bob })).status,
    ).toBe(200);
  });

  it("lists sign-ins of a member only during the membership", async () => {
    const carl = await signUp(service.url);
    await logIn(carl);
    await letIn(service, ann.organizationId, carl.userId, "viewer");
    await logIn(carl);
    const context = {
      actor: { type: "system" as const, id: "identity" },
      organizationId: null,
      correlationId: newId(),
      causationId: newId(),
    };
    const minute = "2026-01-01T00:00:00.000Z";
    const refused = { rule: "wrong_password", minute, count: 17 } as const;
    const command = { type: "recordRefusedSignIns", userId: carl.userId, ...refused } as const;
    await service.core.loop.execute(userDecider, carl.userId, command, context);
    await ask("DELETE", `/organizations/${ann.organizationId}/members/${carl.userId}`);
    await logIn(carl);
    const { position } = await service.core.loop.execute(
      userDecider,
      carl.userId,
      { type: "verifyEmail", userId: carl.userId },
      context,
    );
    const headers = { "x-min-position": String(position) };
    await call(service.url, "GET", "/api/v1/runs", { bearer: ann.accessToken, headers });
    const seen = about(await lines(), carl.userId).reverse();
    expect(seen.map(({ event }) => event)).toEqual([
      "InviteAccepted",
      "SessionOpened",
      "SignInsRefused",
      "MemberRemoved",
    ]);
    expect(seen[1]?.details).toMatchObject({ method: "password" });
    expect(seen[2]?.details).toMatchObject({ rule: "wrong_password", count: 17 });
    expect(seen[2]?.actor).toMatchObject({ type: "system", name: null });
  });

  it("lists exports once per minute, with API keys by name", async () => {
    const { body: test } = await ask("POST", "/tests", { body: { name: "opens", steps } });
    const byKey = { bearer: key.key };
    for (const format of ["svc", "svc", "python"]) {
      const got = await call(
        service.url,
        "GET",
        `/api/v1/tests/${test.id}/export/${format}`,
        byKey,
      );
      expect(got.status).toBe(200);
    }
    expect((await ask("GET", `/tests/${test.id}/yaml`)).status).toBe(200);
    const exported = (some: Line[]) => some.filter(({ event }) => event === "DataExported");
    const items = exported(
      await until((some) => exported(some).some((one) => one.details.format === "yaml")),
    );
    // Two exports may fall into different minutes.
    const formats = [...new Set(items.map(({ details }) => details.format))];
    expect(formats).toEqual(["yaml", "python", "bundle"]);
    for (const { details } of items) expect(details).toMatchObject({ resource_id: test.id });
    expect(items.at(-1)?.actor).toMatchObject({ type: "api_key", id: key.id });
    expect(items.at(-1)?.actor.name).toMatch(/^ci/);
    const refused = await call(service.url, "GET", `/api/v1/tests/${newId()}/yaml`, byKey);
    expect(refused.status).toBe(404);
    expect(exported(await lines())).toHaveLength(items.length);
  });

  it("pages consistently and refuses a malformed cursor", async () => {
    const whole = await lines();
    const paged: Line[] = [];
    let cursor: string | null = null;
    do {
      const next: Awaited<ReturnType<typeof page>> = await page(
        `?limit=3${cursor ? `&cursor=${cursor}` : ""}`,
      );
      paged.push(...next.items);
      cursor = next.next_cursor;
    } while (cursor !== null);
    expect(paged.map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
    expect(whole.length).toBeGreaterThan(10);
    const path = `/organizations/${ann.organizationId}/audit`;
    for (const bad of ["-1", "x", "1e9", "9".repeat(40)]) {
      expect((await ask("GET", `${path}?cursor=${bad}`)).status).toBe(422);
    }
  });

  it("keeps actions of an erased member under an unresolvable id", async () => {
    const dora = await addMember(service, ann.organizationId, "editor");
    await logIn(dora);
    await until((some) => about(some, dora.userId).length > 1);
    const body = { password: dora.password };
    await call(service.url, "DELETE", "/api/v1/auth/me", { bearer: dora.accessToken, body });
    const items = await until((some) => about(some, dora.userId)[0]?.event === "MemberRemoved");
    for (const { user_name, user_email, actor } of about(items, dora.userId)) {
      expect([user_name, user_email]).toEqual([null, null]);
      if (actor.id === dora.userId) expect([actor.name, actor.email]).toEqual([null, null]);
    }
    expect(JSON.stringify(items)).not.toContain(dora.email);
  });
});
