import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { sql } from "kysely";
import pino from "pino";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../../../src/platform/database/database.ts";
import { migrate } from "../../../src/platform/database/migrate.ts";
import { newId } from "../../../src/platform/ids.ts";
import { folderMailer } from "../../../src/platform/mail/fileMailer.ts";
import type { Mail } from "../../../src/platform/mail/port.ts";
import { smtpMailer } from "../../../src/platform/mail/smtpMailer.ts";
import { writeLetter } from "../../../src/platform/mail/template.ts";
import { type OutboxState, outboxState } from "../../../src/stores/notifications/outbox.ts";
import { delayAfter, startMailSender } from "../../../src/workers/identity/mailSender.ts";
import { createTestDatabase } from "../../support/postgres.ts";
import { startSmtpServer, type TestSmtpServer } from "../../support/smtpServer.ts";

const masterKey = Buffer.alloc(32, 7);
const NAME = 'Ann "<b>" O\'Neil, Jr.';

describe("outgoing mail", () => {
  let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
  let database: Database;
  let smtp: TestSmtpServer;
  let outbox: OutboxState;
  let ahead = 0;
  const clock = () => new Date(Date.now() + ahead);
  const lines: string[] = [];
  const logger = pino({ level: "trace" }, { write: (line: string) => lines.push(line) });

  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = openDatabase(testDatabase.url);
    await migrate(database.db);
    outbox = outboxState({ db: database.db, masterKey });
  });
  afterAll(async () => {
    await database?.close();
    await testDatabase?.drop();
  });
  beforeEach(async () => {
    smtp = await startSmtpServer();
    await database.db.deleteFrom("outbox").execute();
    lines.length = 0;
    return () => smtp.stop();
  });

  const mail = (id = newId()): Mail => ({
    id,
    to: { name: NAME, address: "ann@example.test" },
    ...writeLetter({
      subject: "Hello\r\nBcc: eve@example.test",
      paragraphs: [`Hello ${NAME}`],
      action: { label: "Open & read", url: "https://a.example/?token=t0ken&x=<1>" },
    }),
  });
  const put = async (message = mail()): Promise<string> => {
    await outbox.put({ mail: message, kind: "test", userId: null, at: clock().toISOString() });
    return message.id;
  };
  const stateOf = async (id: string) =>
    database.db.selectFrom("outbox").selectAll().where("id", "=", id).executeTakeFirst();
  /** Time limit for a silent mail server, long enough for a loaded machine. */
  const sending = (silenceMs = 20_000) =>
    startMailSender({
      db: database.db,
      holder: newId(),
      outbox,
      mailer: smtpMailer({ url: smtp.url, from: "Runledger <mail@service.test>", silenceMs }),
      clock,
      logger,
    });
  const patience = { timeout: 60_000 };

  it("is delivered as text and HTML with escaped names and no injected headers", async () => {
    const id = await put();
    const sender = sending();
    await expect.poll(() => smtp.received.length, patience).toBe(1);
    await expect.poll(async () => (await stateOf(id))?.status, patience).toBe("sent");
    await sender.stop();
    const [got] = smtp.received;
    expect(got).toMatchObject({
      messageId: `<${id}@runledger>`,
      subject: "Hello Bcc: eve@example.test",
      from: { name: "Runledger", address: "mail@service.test" },
      to: [{ name: NAME, address: "ann@example.test" }],
    });
    expect(got?.bcc).toBeUndefined();
    expect(got?.text).toContain(`Hello ${NAME}`);
    expect(got?.text).toContain("https://a.example/?token=t0ken&x=<1>");
    expect(got?.html).toContain("Hello Ann &quot;&lt;b&gt;&quot; O&#39;Neil, Jr.");
    expect(got?.html).toContain('href="https://a.example/?token=t0ken&amp;x=&lt;1&gt;"');
    expect((await stateOf(id))?.mail_sealed).toBeNull();
  });

  it("is sent once for a repeated request and two sending processes", async () => {
    const message = mail();
    await Promise.all([put(message), put(message), put(message)]);
    const senders = [sending(), sending()];
    await expect.poll(async () => (await stateOf(message.id))?.status, patience).toBe("sent");
    const last = await put();
    await expect.poll(async () => (await stateOf(last))?.status, patience).toBe("sent");
    await Promise.all(senders.map((sender) => sender.stop()));
    expect(smtp.received.map(({ messageId }) => messageId)).toEqual([
      `<${message.id}@runledger>`,
      `<${last}@runledger>`,
    ]);
  });

  it.each([421, 450, 451, "silence", "drop"] as const)(
    "waits while the server answers with %s, and arrives once afterwards",
    async (trouble) => {
      smtp.behave(trouble);
      const id = await put();
      const sender = trouble === "silence" ? sending(1_000) : sending();
      await expect.poll(async () => (await stateOf(id))?.attempts, patience).toBeGreaterThan(0);
      expect(await stateOf(id)).toMatchObject({ status: "due", ended_at: null });
      smtp.behave("take");
      ahead += delayAfter(30);
      await expect.poll(async () => (await stateOf(id))?.status, patience).toBe("sent");
      await sender.stop();
      expect(smtp.received.map(({ messageId }) => messageId)).toEqual([`<${id}@runledger>`]);
      expect(lines.join("")).toContain("a mail was postponed");
      expect(lines.join("")).not.toMatch(/example\.test|t0ken|Neil/);
      expect((await stateOf(id))?.last_error ?? "").not.toContain("example.test");
    },
  );

  it("waits without a server", async () => {
    await smtp.stop();
    const id = await put();
    const sender = sending();
    await expect.poll(async () => (await stateOf(id))?.attempts, patience).toBeGreaterThan(0);
    await sender.stop();
    expect(await stateOf(id)).toMatchObject({ status: "due" });
    smtp = await startSmtpServer();
  });

  it("is not retried for a permanently refused recipient, and other mail is sent", async () => {
    smtp.behave(550);
    const refused = await put();
    const sender = sending();
    await expect.poll(async () => (await stateOf(refused))?.status, patience).toBe("refused");
    smtp.behave("take");
    const next = await put();
    await expect.poll(async () => (await stateOf(next))?.status, patience).toBe("sent");
    await sender.stop();
    expect(await stateOf(refused)).toMatchObject({
      mail_sealed: null,
      last_error: "The mail server answered 550 to RCPT",
    });
    expect(lines.join("")).not.toContain("example.test");
  });

  it("is given up after days without a server", async () => {
    smtp.behave(451);
    const id = await put();
    ahead += 49 * 3_600_000;
    const sender = sending();
    await expect.poll(async () => (await stateOf(id))?.status, patience).toBe("given_up");
    await sender.stop();
  });

  it("is not sent for a decoy, which takes equal space", async () => {
    const pretended = mail();
    const at = clock().toISOString();
    await outbox.put({ mail: pretended, kind: "test", userId: null, at, pretence: true });
    const sender = sending();
    const id = await put();
    await expect.poll(async () => (await stateOf(id))?.status, patience).toBe("sent");
    await sender.stop();
    expect(smtp.received).toHaveLength(1);
  });

  it("is encrypted in the database", async () => {
    await put();
    const { rows } = await sql<{ text: string }>`select outbox::text as text from outbox`.execute(
      database.db,
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.text).not.toMatch(/example\.test|Neil|t0ken/);
  });

  it("is written to private files without a mail server, logged and removable", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "runledger-outbox-"));
    const inside = path.join(folder, "outbox");
    const message = mail();
    const mailer = folderMailer({ folder: inside, from: "mail@service.test", logger });
    await mailer.send(message);
    const [name = ""] = await readdir(inside);
    const file = path.join(inside, name);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(lines.join("")).toContain(file);
    expect(lines.join("")).not.toMatch(/example\.test|t0ken|Neil/);
    const got = await PostalMime.parse(await readFile(file));
    expect(got.to?.[0]).toMatchObject({ name: NAME, address: "ann@example.test" });
    expect(got.text).toContain("t0ken");
    await mailer.forget([message.id, newId()]);
    expect(await readdir(inside)).toEqual([]);
    await rm(folder, { recursive: true });
  });
});
