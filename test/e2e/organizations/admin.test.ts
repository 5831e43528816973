import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogger } from "../../../src/platform/logger.ts";
import { adminOf, adminSettings, signUpAsAdmin, verifyAddress } from "../../support/admins.ts";
import { type Account, call, eventually, signUp } from "../../support/client.ts";
import { inviteOf } from "../../support/members.ts";
import { startTestService, type TestService } from "../../support/service.ts";

type Mail = { id: string; kind: string; status: string; to: string | null; text: string | null };

/** The views of administrators of the service, without a mail server. */
describe("administrators of the service", () => {
  let service: TestService;
  let admin: Account;
  const lines: string[] = [];

  beforeAll(async () => {
    const destination = { write: (line: string) => lines.push(line) };
    service = await startTestService(
      adminSettings,
      ["api", "projections"],
      createLogger({ level: "trace", destination }),
    );
    admin = await adminOf(service);
  });
  afterAll(() => service?.stop());

  const get = (path: string, { accessToken }: Account = admin) =>
    call(service.url, "GET", `/api/v1/admin${path}`, { bearer: accessToken });
  const outbox = async (): Promise<Mail[]> => (await get("/outbox?limit=100")).body.items;
  const keptFor = (email: string) =>
    eventually(
      async () => (await outbox()).filter(({ to }) => to === email),
      (some) => some.length > 0,
    );

  it("read stored mail without a mail server, and the log announces it without its content", async () => {
    const ann = await signUp(service.url);
    const [mail] = await keptFor(ann.email);
    expect(mail).toMatchObject({ kind: "verify_email", status: "kept" });
    const token = /token=([\w-]+)/.exec(mail?.text ?? "")?.[1] ?? "";
    const announced = lines.filter((line) => line.includes(mail?.id ?? "no id"));
    expect(announced.join("")).toContain("SMTP_URL is not set: a mail was stored");
    const body = { token };
    expect((await call(service.url, "POST", "/api/v1/auth/verify-email", { body })).status).toBe(
      204,
    );
    expect(lines.join("")).not.toContain(token);
    expect(lines.join("")).not.toContain(ann.email);
  });

  it("need a verified address from the next call on, until they are erased", async () => {
    const deputy = await signUpAsAdmin(service, 1);
    expect((await get("/users", deputy)).status).toBe(403);
    await verifyAddress(service, deputy.userId);
    expect((await get("/users", deputy)).status).toBe(200);
    const body = { password: deputy.password };
    await call(service.url, "DELETE", "/api/v1/auth/me", { bearer: deputy.accessToken, body });
    expect((await get("/users", deputy)).status).toBe(401);
    const again = await signUpAsAdmin(service, 1);
    expect((await get("/users", again)).status).toBe(403);
  });

  it("list all mail, accounts and organisations in pages, without names and addresses of persons", async () => {
    await signUp(service.url);
    for (const path of ["/outbox", "/users", "/organizations"]) {
      const whole = (await get(`${path}?limit=100`)).body.items;
      expect(whole.length).toBeGreaterThan(2);
      const paged: { id: string }[] = [];
      let cursor: string | null = null;
      do {
        const next = await get(`${path}?limit=2${cursor ? `&cursor=${cursor}` : ""}`);
        paged.push(...next.body.items);
        cursor = next.body.next_cursor;
      } while (cursor !== null);
      expect(paged.map(({ id }) => id)).toEqual(whole.map(({ id }: { id: string }) => id));
    }
    const users = await get("/users?limit=100");
    expect(Object.keys(users.body.items[0]).sort()).toEqual([
      "created_at",
      "email_verified",
      "id",
      "organizations",
    ]);
  });

  it("see no mail or invites of an erased person, also from before the signup, and their seats are free", async () => {
    const [ann, bob] = [await signUp(service.url), await signUp(service.url)];
    const invite = await inviteOf(service, ann, bob);
    await keptFor(bob.email);
    const body = { password: bob.password };
    await call(service.url, "DELETE", "/api/v1/auth/me", { bearer: bob.accessToken, body });
    expect((await outbox()).filter(({ to }) => to === bob.email)).toEqual([]);
    const left = await sql<{ row: string }>`
      select i::text as row from invite_addresses i where invite_id = ${invite.id}
      union all select o::text from outbox o where mail_sealed is not null and kind = 'invite'
    `.execute(service.platform.database.db);
    expect(left.rows).toEqual([]);
    const { body: seen } = await call(service.url, "GET", "/api/v1/invites", {
      bearer: ann.accessToken,
    });
    expect(seen.items).toEqual([]);
    // The second of the free plan's two seats is available again.
    await inviteOf(service, ann, await signUp(service.url));
    const now = await call(service.url, "GET", "/api/v1/invites", { bearer: ann.accessToken });
    expect(now.body.items).toHaveLength(1);
  });
});
