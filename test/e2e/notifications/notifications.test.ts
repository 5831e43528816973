import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyProjection } from "../../../src/projections/kernel/verify.ts";
import { notificationsProjection } from "../../../src/projections/notifications/notifications.ts";
import { type Account, type CallOptions, call, eventually, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";
import {
  type ReceivedMail,
  startSmtpServer,
  type TestSmtpServer,
} from "../../support/smtpServer.ts";

/** From a run that ends to the mailbox, and out again. */
describe("run notifications", () => {
  let smtp: TestSmtpServer;
  let service: TestService;
  let site: Server;
  let siteUrl: string;
  let says = "Closed";
  let ann: Account;
  let eve: Account;
  let scheduleId: string;

  beforeAll(async () => {
    smtp = await startSmtpServer();
    site = createServer((_request, response) => {
      response.setHeader("content-type", "text/html").end(`<title>Shop</title><h1>${says}</h1>`);
    });
    await new Promise<void>((resolve) => {
      site.listen(0, "127.0.0.1", resolve);
    });
    siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const settings = {
      SMTP_URL: smtp.url,
      MAIL_FROM: "Runledger <mail@service.test>",
      WEB_BASE_URL: "https://app.example.test",
    };
    service = await startTestService(settings);
    [ann, eve] = await Promise.all([signUp(service.url), signUp(service.url)]);
    // A missing element is waited for half as long.
    const quick = { settings: { step_timeout_seconds: 3 } };
    await asAnn("PUT", `/organizations/${ann.organizationId}`, quick);
    const text = 'Go to /\nI should see "Open <all> day"';
    const test = await asAnn("POST", "/tests", { name: "Opening <hours>", text });
    const schedule = await asAnn("POST", "/schedules", {
      name: "Every night",
      cron: "0 0 1 1 *",
      test_ids: [test.body.id],
      base_url: siteUrl,
      notification_emails: ["night@example.test", "NIGHT@example.test"],
    });
    scheduleId = schedule.body.id;
  });
  afterAll(async () => {
    await service?.stop();
    await smtp?.stop();
    site?.close();
  });

  const asAnn = (method: string, path: string, body?: unknown, options: CallOptions = {}) =>
    call(service.url, method, `/api/v1${path}`, { bearer: ann.accessToken, body, ...options });
  const runNow = async (): Promise<string> => {
    const queued = await asAnn("POST", `/schedules/${scheduleId}/run-now`);
    expect([queued.status, queued.body]).toEqual([202, queued.body]);
    const id: string = queued.body.run_ids[0];
    await eventually(
      async () => (await asAnn("GET", `/runs/${id}`)).body,
      (run) => run.finished_at !== null,
      60_000,
    );
    return id;
  };
  const mailsTo = (address: string): ReceivedMail[] =>
    smtp.received.filter((mail) => mail.to?.[0]?.address === address);
  const mailTo = async (address: string, subject: RegExp): Promise<ReceivedMail> => {
    await expect
      .poll(() => mailsTo(address).map((mail) => mail.subject ?? ""), { timeout: 60_000 })
      .toContainEqual(expect.stringMatching(subject));
    const found = mailsTo(address).findLast((mail) => subject.test(mail.subject ?? ""));
    if (!found) throw new Error("It has come, and is not there");
    return found;
  };
  const headerOf = (mail: ReceivedMail, name: string): string =>
    mail.headers.find((header) => header.key === name)?.value ?? "";
  /** Every mail that was asked for has left. */
  const allSent = () =>
    eventually(
      async () => (await asAnn("GET", "/notifications?limit=100")).body.items,
      (items: { status: string }[]) =>
        items.length > 0 && items.every(({ status }) => status === "sent"),
      30_000,
    );

  it("report a failed scheduled run first, once per address, with step, error, screenshot and link", async () => {
    const runId = await runNow();
    const mail = await mailTo("night@example.test", /^Every night: failed, 1 of 1 test$/);
    expect(mail.text).toMatch(/^The run failed\. It was started by schedule:Every night\./);
    expect(mail.text).toContain("Opening <hours>: failed");
    expect(mail.text).toContain('Step 2: I should see "Open <all> day"');
    expect(mail.text).toContain(`?run=${runId}`);
    expect(mail.html).toContain("Opening &lt;hours&gt;");
    expect(mail.html).not.toContain("<hours>");
    expect(mail.html).toContain('src="cid:shot1"');
    expect(mail.attachments).toMatchObject([{ mimeType: "image/jpeg", disposition: "inline" }]);
    expect(headerOf(mail, "list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
    await allSent();
    expect(mailsTo("night@example.test")).toHaveLength(1);
    const { items } = (await asAnn("GET", "/notifications")).body;
    expect(items).toMatchObject([
      {
        kind: "run",
        run_id: runId,
        schedule_id: scheduleId,
        email: "night@example.test",
        status: "sent",
      },
    ]);
  });

  it("ask a contact for confirmation first, then report the first failure and the recovery", async () => {
    const body = { email: "bob@example.test", name: "Bob\r\nBcc: eve@example.test" };
    expect((await asAnn("POST", "/notifications/contacts", body)).status).toBe(422);
    const added = await asAnn("POST", "/notifications/contacts", { ...body, name: "Bob" });
    expect(added.body).toMatchObject({ verified: false, enabled: true, version: 1 });
    const again = await asAnn("POST", "/notifications/contacts", { email: "BOB@example.test" });
    expect(again.status).toBe(409);
    await runNow();
    const question = await mailTo("bob@example.test", /Confirm/);
    const token = /token=([\w-]+)/.exec(question.text ?? "")?.[1] ?? "";
    const verify = `/notifications/contacts/${added.body.id}/verify`;
    const post = (sent: string) =>
      call(service.url, "POST", `/api/v1${verify}`, { body: { token: sent } });
    expect((await post(`${token}x`)).status).toBe(422);
    expect((await post(token)).status).toBe(204);
    expect((await post(token)).status).toBe(204);

    const twice = { sources: ["schedule", "schedule", "schedule"] };
    const said = await asAnn("PUT", "/notifications/preferences", twice);
    expect(said.body.sources).toEqual(["schedule"]);
    const carol = { email: "carol@example.test" };
    const other = (await asAnn("POST", "/notifications/contacts", carol)).body.id;
    const bob = `/notifications/contacts/${added.body.id}`;
    const refused = await asAnn("PUT", bob, { ...carol, enabled: false });
    expect(refused.status).toBe(409);
    const listed = (await asAnn("GET", "/notifications/contacts")).body.items;
    expect(listed).toContainEqual(
      expect.objectContaining({ email: body.email, verified: true, enabled: true, version: 2 }),
    );
    expect((await asAnn("DELETE", `/notifications/contacts/${other}`)).status).toBe(204);

    says = "Open &lt;all&gt; day";
    await runNow();
    const recovery = await mailTo("bob@example.test", /^Every night: passes again$/);
    expect(recovery.text).toContain("The run passed, after one that did not.");
    await runNow();
    says = "Closed";
    await runNow();
    await mailTo("bob@example.test", /failed/);
    await runNow();
    await expect.poll(() => mailsTo("night@example.test").length, { timeout: 60_000 }).toBe(6);
    await allSent();
    expect(mailsTo("bob@example.test").map(({ subject }) => subject)).toEqual([
      "Confirm that you want to hear of test runs",
      "Every night: passes again",
      "Every night: failed, 1 of 1 test",
    ]);
  });

  it("end with a one-click unsubscribe, while opening the link only asks", async () => {
    const mail = await mailTo("night@example.test", /failed/);
    const link = headerOf(mail, "list-unsubscribe").slice(1, -1);
    expect(link).toContain(`${service.url}/api/v1/notifications/unsubscribe?token=`);
    expect(mail.text).toContain(link);
    const asked = await fetch(link);
    expect([asked.status, await asked.text()]).toEqual([200, expect.stringContaining("<button>")]);
    const before = await asAnn("GET", `/schedules/${scheduleId}`);
    expect(before.body.notification_emails).toHaveLength(1);
    const left = await fetch(link, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "List-Unsubscribe=One-Click",
    });
    expect(left.status).toBe(200);
    expect((await fetch(link, { method: "POST" })).status).toBe(200);
    expect((await fetch(`${link.slice(0, -3)}xyz`, { method: "POST" })).status).toBe(422);
    const after = await asAnn("GET", `/schedules/${scheduleId}`);
    expect(after.body.notification_emails).toEqual([]);

    const bobs = await mailTo("bob@example.test", /failed/);
    await fetch(headerOf(bobs, "list-unsubscribe").slice(1, -1), { method: "POST" });
    const { items } = (await asAnn("GET", "/notifications/contacts")).body;
    expect(items).toMatchObject([{ name: "Bob", email: "bob@example.test", enabled: false }]);
  });

  it("are hidden from another organisation", async () => {
    const [contact] = (await asAnn("GET", "/notifications/contacts")).body.items;
    const asEve = (method: string, path: string, body?: unknown) =>
      call(service.url, method, `/api/v1${path}`, { bearer: eve.accessToken, body });
    expect((await asEve("GET", "/notifications")).body.items).toEqual([]);
    expect((await asEve("GET", "/notifications/contacts")).body.items).toEqual([]);
    const path = `/notifications/contacts/${contact.id}`;
    expect((await asEve("PUT", path, { enabled: true })).status).toBe(403);
    expect((await asEve("DELETE", path)).status).toBe(403);
    expect((await asAnn("DELETE", path)).status).toBe(204);
    expect((await asAnn("GET", "/notifications/contacts")).body.items).toEqual([]);
  });

  it("equal a rebuild of their read models, which sends nothing", async () => {
    const sent = smtp.received.length;
    const { log, database } = service.platform;
    const verified = await verifyProjection(
      { log, db: database.patient },
      notificationsProjection,
      new AbortController().signal,
    );
    expect(verified).toMatchObject({ outcome: "equal", refused: 0 });
    expect(smtp.received).toHaveLength(sent);
  });
});
