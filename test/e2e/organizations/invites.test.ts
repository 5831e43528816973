import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Account, call, type Reply, signUp } from "../../support/client.ts";
import { grant, inviteOf } from "../../support/members.ts";
import { startTestService, type TestService } from "../../support/service.ts";

/** Invites, over HTTP. */
describe("invites", () => {
  let service: TestService;
  let ann: Account;
  let bob: Account;

  beforeAll(async () => {
    service = await startTestService({}, ["api", "projections", "dispatcher"]);
    [ann, bob] = await Promise.all([signUp(service.url), signUp(service.url)]);
    await grant(service, ann.organizationId, "business");
  });
  afterAll(() => service?.stop());

  const as = (account: Account, method: string, path: string, body?: unknown): Promise<Reply> =>
    call(service.url, method, `/api/v1${path}`, { bearer: account.accessToken, body });
  const accept = (account: Account, token: string) =>
    as(account, "POST", "/invites/accept", { token });
  const lookUp = (token: string) =>
    call(service.url, "GET", `/api/v1/invites/lookup?token=${token}`);
  const rows = (id: string) =>
    service.platform.database.db
      .selectFrom("invite_addresses")
      .selectAll()
      .where("invite_id", "=", id)
      .execute();

  it("make a person a member once for concurrent acceptances, and verify the address", async () => {
    const guest = await signUp(service.url);
    const { id, token } = await inviteOf(service, ann, guest);
    expect((await as(ann, "GET", "/invites")).body.items[0]).toMatchObject({
      id,
      email: guest.email,
      role: "editor",
    });
    expect((await lookUp(token)).body).toMatchObject({
      organization: { id: ann.organizationId, name: "Example" },
      role: "editor",
      email: guest.email,
    });
    const replies = await Promise.all([accept(guest, token), accept(guest, token)]);
    for (const { status } of replies) expect([200, 422]).toContain(status);
    expect(replies.some(({ status }) => status === 200)).toBe(true);
    const me = await as(guest, "GET", "/auth/me");
    expect(me.body.user.email_verified).toBe(true);
    const roles = me.body.organizations.map((one: { role: string }) => one.role);
    expect(roles.sort()).toEqual(["editor", "owner"]);
    // Replayed, by anybody.
    expect((await accept(guest, token)).status).toBe(422);
    expect((await accept(bob, token)).status).toBe(422);
    expect((await lookUp(token)).status).toBe(404);
    expect(await rows(id)).toEqual([]);
    expect((await as(ann, "GET", "/invites")).body.items).toEqual([]);
  });

  it("are refused to another person and remain valid", async () => {
    const guest = await signUp(service.url);
    const { token } = await inviteOf(service, ann, guest);
    expect((await accept(bob, token)).status).toBe(403);
    expect((await accept(guest, "0".repeat(64))).status).toBe(422);
    expect((await accept(guest, token)).status).toBe(200);
  });

  it("invalidate earlier links when revoked or resent", async () => {
    const guest = await signUp(service.url);
    const first = await inviteOf(service, ann, guest);
    const again = await as(ann, "POST", `/invites/${first.id}/resend`);
    expect(again.status).toBe(200);
    expect((await accept(guest, first.token)).status).toBe(422);
    expect((await as(ann, "DELETE", `/invites/${first.id}`)).status).toBe(204);
    const { inviteAddresses } = service.core;
    const second = inviteAddresses.tokenOf({
      inviteId: first.id,
      expiresAt: again.body.expires_at,
    });
    expect((await accept(guest, second)).status).toBe(422);
    const anew = await inviteOf(service, ann, guest);
    expect((await accept(guest, anew.token)).status).toBe(200);
  });

  it("answer 409 for an invited or existing member, also for concurrent requests", async () => {
    const guest = await signUp(service.url);
    const body = { email: guest.email.toUpperCase(), role: "viewer" };
    const replies = await Promise.all([1, 2, 3].map(() => as(ann, "POST", "/invites", body)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect((await as(ann, "POST", "/invites", { ...body, email: ann.email })).status).toBe(409);
    const { id } = replies.find(({ status }) => status === 201)?.body ?? {};
    expect((await as(bob, "DELETE", `/invites/${id}`)).status).toBe(403);
    expect((await as(bob, "POST", `/invites/${id}/resend`)).status).toBe(403);
  });

  it("send at most five mails per hour, also if revoked and created again, and answer 429 with Retry-After", async () => {
    const guest = await signUp(service.url);
    const { id } = await inviteOf(service, ann, guest);
    const resend = () => as(ann, "POST", `/invites/${id}/resend`);
    // Concurrent requests may all be accepted.
    await Promise.all(Array.from({ length: 20 }, resend));
    const reply = await resend();
    expect([reply.status, Object.keys(reply.body)]).toEqual([429, ["detail"]]);
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(3_000);
    await as(ann, "DELETE", `/invites/${id}`);
    const anew = await as(ann, "POST", "/invites", { email: guest.email, role: "viewer" });
    expect(anew.status).toBe(429);
    const digest = service.core.persons.addressDigest(guest.email);
    const { db } = service.platform.database;
    const mails = await db
      .selectFrom("outbox")
      .select("id")
      .where("address_hmac", "=", digest)
      .where("status", "!=", "none")
      .where("kind", "=", "invite")
      .execute();
    expect(mails).toHaveLength(5);
    expect(
      (await as(ann, "POST", "/invites", { email: `x-${guest.email}`, role: "viewer" })).status,
    ).toBe(201);
  });

  it("name the entitlement and the plan without a free seat, and store nothing", async () => {
    const invite = (email: string) => as(bob, "POST", "/invites", { email, role: "viewer" });
    expect((await invite("one@example.test")).status).toBe(201);
    const refused = await invite("two@example.test");
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      expect.stringMatching(/seats.*Starter/),
    ]);
    await grant(service, bob.organizationId, "starter");
    expect((await invite("two@example.test")).status).toBe(201);
  });

  it.each([
    ["the owner's role", { email: "x@example.test", role: "owner" }],
    [
      "an address with a line break",
      { email: "x@example.test\r\nBcc: y@example.test", role: "viewer" },
    ],
    ["another organisation", { email: "x@example.test", role: "viewer", organization_id: "x" }],
    [
      "an expiry of one's own",
      { email: "x@example.test", role: "viewer", expires_at: "2099-01-01" },
    ],
  ])("answer 422 for %s", async (_, body) => {
    expect((await as(ann, "POST", "/invites", body)).status).toBe(422);
  });

  it("keep addresses and tokens out of the log, and tokens out of the table", async () => {
    const guest = await signUp(service.url);
    const { id, token } = await inviteOf(service, ann, guest);
    let text = "";
    for await (const { data, metadata } of service.platform.log.readAll({ after: null })) {
      text += JSON.stringify({ data, metadata });
    }
    expect(text).toContain(id);
    const kept = JSON.stringify(await rows(id), (_, value) =>
      value?.type === "Buffer" ? Buffer.from(value.data).toString("utf8") : value,
    );
    for (const where of [text, kept]) {
      expect(where).not.toContain(guest.email);
      expect(where).not.toContain(token);
    }
  });
});
