import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { notificationCommands } from "../../../src/commands/notifications/notifications.ts";
import { scheduleDecider, type TickOutcome } from "../../../src/domain/schedules/schedule.ts";
import { newId } from "../../../src/platform/ids.ts";
import { type Account, type CallOptions, call, eventually, signUp } from "../../support/client.ts";
import { addMember, grant, letIn } from "../../support/members.ts";
import { startTestService, type TestService } from "../../support/service.ts";

type Item = { kind: string; email: string | null; schedule_id: string | null };

/** The recipients of notifications, and the number of their mails. */
describe("recipients of notifications", () => {
  let service: TestService;
  let ann: Account;
  let testId: string;

  beforeAll(async () => {
    service = await startTestService({}, ["api", "projections", "notifier"]);
  });
  afterAll(() => service?.stop());
  beforeEach(async () => {
    ann = await signUp(service.url);
    await grant(service, ann.organizationId, "team");
    const body = { name: "Sign in", steps: [{ action: "navigate", value: "/login" }] };
    testId = (await asAnn("POST", "/tests", body)).body.id;
  });

  const asAnn = (method: string, path: string, body?: unknown, options: CallOptions = {}) =>
    call(service.url, method, `/api/v1${path}`, { bearer: ann.accessToken, body, ...options });
  const contextOf = (organizationId: string) => ({
    actor: { type: "system" as const, id: "test" },
    organizationId,
    correlationId: newId(),
    causationId: newId(),
  });
  const scheduleFor = async (addresses: readonly string[]): Promise<string> => {
    const body = { name: "Night", cron: "0 0 1 1 *", test_ids: [testId] };
    const made = await asAnn("POST", "/schedules", { ...body, notification_emails: addresses });
    return made.body.id;
  };
  const toldOf = async (): Promise<Item[]> =>
    (await asAnn("GET", "/notifications?limit=100")).body.items;
  const address = (): string => `${randomUUID()}@example.test`;
  const contact = (email: string, options?: CallOptions) =>
    asAnn("POST", "/notifications/contacts", { email }, options);

  it("receive one mail per day and reason for refused ticks, and one when the schedule runs again", async () => {
    const who = address();
    const scheduleId = await scheduleFor([who]);
    const settle = (minutes: number, outcome: TickOutcome) => {
      const tick = new Date(Date.UTC(2100, 0, 1, 0, minutes)).toISOString();
      const command = { type: "settleTick", scheduleId, tick, outcome } as const;
      const context = contextOf(ann.organizationId);
      return service.core.loop.execute(scheduleDecider, scheduleId, command, context);
    };
    const refused = (code: string) => ({ kind: "refused", code, reason: "No quota." }) as const;
    for (let minute = 0; minute < 6; minute += 1) {
      await settle(minute, refused("run.quotaExceeded"));
    }
    await settle(6, refused("testSet.unknownInRequest"));
    await settle(7, { kind: "fired", runIds: [newId()] });
    await settle(8, { kind: "fired", runIds: [newId()] });
    await settle(9, refused("run.quotaExceeded"));
    await settle(24 * 60, refused("run.quotaExceeded"));
    const told = await eventually(toldOf, (items) => items.length >= 4);
    expect(told.map(({ kind, email }) => [kind, email]).reverse()).toEqual([
      ["tick_refused", who],
      ["tick_refused", who],
      ["runs_again", who],
      ["tick_refused", who],
    ]);
    const subjects = async () =>
      (await service.core.outbox.list({ limit: 100 }))
        .filter(({ mail }) => mail?.to.address === who)
        .map(({ mail }) => mail?.subject);
    const mailed = await eventually(subjects, (all) => all.length === 4);
    expect(mailed.sort()).toEqual([...Array(3).fill("Night: not run"), "Night: runs again"]);
  });

  it("lose their subscriptions and access to the report when they leave the organisation", async () => {
    const bob = await addMember(service, ann.organizationId, "viewer");
    const other = address();
    const scheduleId = await scheduleFor([other, bob.email.toUpperCase()]);
    expect((await contact(bob.email)).status).toBe(201);
    expect((await contact(other)).status).toBe(201);
    const queued = await asAnn("POST", `/schedules/${scheduleId}/run-now`);
    const report = `/reports/runs/${queued.body.run_ids[0]}`;
    const asBob = (path: string) =>
      call(service.url, "GET", `/api/v1${path}`, {
        bearer: bob.accessToken,
        headers: { "x-org-id": ann.organizationId },
      });
    expect((await asBob(report)).status).toBe(200);

    const members = `/organizations/${ann.organizationId}/members`;
    expect((await asAnn("DELETE", `${members}/${bob.userId}`)).status).toBe(204);
    await eventually(
      async () => (await asAnn("GET", `/schedules/${scheduleId}`)).body.notification_emails,
      (emails) => emails.length === 1 && emails[0] === other,
    );
    await eventually(
      async () => (await asAnn("GET", "/notifications/contacts")).body.items,
      (items) => items.length === 1 && items[0].email === other,
    );
    expect((await asBob(report)).status).toBe(403);

    // An address that is added again gets mail again.
    await letIn(service, ann.organizationId, bob.userId, "viewer");
    expect((await contact(bob.email)).status).toBe(201);
  });

  it("receive at most five confirmation mails per hour, after which 429 gives the retry time", async () => {
    const who = address();
    for (let time = 0; time < 5; time += 1) {
      const added = await contact(who);
      expect(added.status).toBe(201);
      await asAnn("DELETE", `/notifications/contacts/${added.body.id}`);
    }
    const sixth = await contact(who);
    expect([sixth.status, sixth.body.detail]).toEqual([
      429,
      expect.stringContaining("5 confirmation"),
    ]);
    expect(Number(sixth.headers.get("retry-after"))).toBeGreaterThan(0);
    ann = await signUp(service.url);
    expect((await contact(who.toUpperCase())).status).toBe(429);
    const mine = await contact(address());
    const moved = await asAnn("PUT", `/notifications/contacts/${mine.body.id}`, { email: who });
    expect(moved.status).toBe(429);
    // Counted as they were taken, delivered or not.
    const all = { address: who, kind: "verify_contact", since: new Date(0), limit: 100 };
    expect(await service.core.outbox.takenSince(all)).toHaveLength(5);
  });

  it("are added on a repeat of an interrupted request, and after a minute by anybody", async () => {
    const {
      notificationAddresses: addresses,
      loop,
      clock,
      outbox,
      scheduleRecipients,
    } = service.core;
    const { organizationId } = ann;
    let late = 0;
    const commands = notificationCommands({
      ...{ loop, addresses, outbox, recipients: scheduleRecipients },
      clock: () => new Date(clock().getTime() + late),
      webBase: () => "https://app.example.test",
    });
    const who = { name: "Bob", email: address() };
    const cutOff = notificationCommands({
      ...{ addresses, outbox, clock, recipients: scheduleRecipients },
      loop: {
        ...loop,
        execute: async () => {
          throw new Error("The log is away");
        },
      },
      webBase: () => "https://app.example.test",
    });
    const id = newId();
    const request = { ...contextOf(organizationId), ids: () => id };
    await expect(cutOff.addContact(request, who)).rejects.toThrow("The log is away");
    const others = () => commands.addContact(contextOf(organizationId), who);
    // It may be about to be recorded.
    await expect(others()).rejects.toMatchObject({ code: "contact.addressTaken" });
    late = 61_000;
    const added = await others();
    expect(added).toMatchObject({ email: who.email, verified: false });
    await expect(others()).rejects.toMatchObject({ code: "contact.addressTaken" });

    const another = { name: "Eve", email: address() };
    await expect(cutOff.addContact(request, another)).rejects.toThrow("The log is away");
    const again = { ...request, again: true as const };
    expect(await commands.addContact(again, another)).toMatchObject({ id, version: 1 });
    expect(await commands.addContact(again, another)).toMatchObject({ id, version: 1 });
    await expect(commands.addContact(contextOf(organizationId), another)).rejects.toMatchObject({
      code: "contact.addressTaken",
    });
  });

  it.each([
    ["a header", "a@b.test\r\nBcc: x@y.test"],
    ["a line", "a@b.test\nx"],
    ["two addresses", "a@b.test,x@y.test"],
    ["a name", "Ann <a@b.test>"],
    ["no host", "ann@"],
  ])("with %s in the address are refused with 422 and receive nothing", async (_, email) => {
    const before = (await service.core.outbox.list({ limit: 100 })).length;
    const refused = await contact(email);
    expect([refused.status, refused.body.detail]).toEqual([422, expect.stringContaining("email")]);
    expect((await service.core.outbox.list({ limit: 100 })).length).toBe(before);
  });
});
