import pino from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CommandLoop, createCommandLoop } from "../../../src/commands/kernel/commandLoop.ts";
import { notificationDecider } from "../../../src/domain/notifications/notification.ts";
import { type Database, openDatabase } from "../../../src/platform/database/database.ts";
import { migrate } from "../../../src/platform/database/migrate.ts";
import { newId } from "../../../src/platform/ids.ts";
import { smtpMailer } from "../../../src/platform/mail/smtpMailer.ts";
import { writeLetter } from "../../../src/platform/mail/template.ts";
import { type OutboxState, outboxState } from "../../../src/stores/notifications/outbox.ts";
import { delayAfter, startMailSender } from "../../../src/workers/identity/mailSender.ts";
import { NOTIFICATION, startRecorder } from "../../../src/workers/notifications/recorder.ts";
import { startTestLog, type TestLog } from "../../support/log.ts";
import {
  type Certificate,
  type Fault,
  type ScriptedSmtp,
  startScriptedSmtp,
  testAuthority,
} from "../../support/scriptedSmtp.ts";

const ADDRESS = "ann@example.test";
const patience = { timeout: 60_000, interval: 20 };

/** A notification from the log to a mail server that misbehaves, and back into the log. */
describe("a mail server that misbehaves", () => {
  let started: TestLog;
  let database: Database;
  let loop: CommandLoop;
  let outbox: OutboxState;
  /** The service's clock: it stands, unless a test lets time pass. */
  let now = Date.parse("2026-03-01T10:00:00.000Z");
  const clock = () => new Date(now);
  const lines: string[] = [];
  const logger = pino({ level: "info" }, { write: (line: string) => lines.push(line) });

  beforeAll(async () => {
    started = await startTestLog();
    database = openDatabase(started.databaseUrl);
    await migrate(database.db);
    loop = createCommandLoop({ log: started.log, clock });
    outbox = outboxState({ db: database.db, masterKey: Buffer.alloc(32, 7) });
  });
  afterAll(async () => {
    await database?.close();
    await started?.stop();
  });

  const ask = async (): Promise<string> => {
    const id = newId();
    const context = {
      actor: { type: "system", id: "test" },
      organizationId: newId(),
      correlationId: id,
      causationId: id,
    } as const;
    const about = { kind: "run", runId: newId(), scheduleId: null } as const;
    const recipient = { kind: "contact", contactId: newId() } as const;
    const request = { type: "request", notificationId: id, about, recipient } as const;
    await loop.execute(notificationDecider, id, request, context);
    const letter = writeLetter({ subject: "Failed", paragraphs: ["It failed.", ".", "..end"] });
    const mail = { id, to: { name: "Ann", address: ADDRESS }, ...letter };
    await outbox.put({ mail, kind: NOTIFICATION, userId: null, at: clock().toISOString() });
    return id;
  };

  /** A server that stands still is given up soon; of a good one an answer may be late on a busy machine. */
  const working = (url: string, isSilent = false) => {
    const { db } = database;
    const mailer = smtpMailer({
      url,
      from: "Runledger <mail@service.test>",
      silenceMs: isSilent ? 1_000 : 20_000,
      wholeMs: isSilent ? 2_000 : 60_000,
    });
    const parts = [
      startMailSender({ db, holder: newId(), outbox, mailer, clock, logger }),
      startRecorder({ db, holder: newId(), loop, logger }),
    ];
    return {
      stop: async () => {
        for (const part of parts) await part.stop();
        await mailer.close();
      },
    };
  };

  const rowOf = (id: string) =>
    database.db.selectFrom("outbox").selectAll().where("id", "=", id).executeTakeFirst();
  const recordedOf = async (id: string) => {
    const events: { type: string; data: unknown }[] = [];
    for await (const { type, data } of started.log.readStream(`notification-${id}`)) {
      if (type !== "NotificationRequested") events.push({ type, data });
    }
    return events;
  };
  const inLog = (id: string, count: number) =>
    expect.poll(async () => (await recordedOf(id)).length, patience).toBe(count);

  /** A mail meets the fault a number of times and waits for the given delay each time; then the server works. */
  const failsThenArrives = async (
    {
      smtp,
      reason,
      times = 1,
      isSilent = false,
    }: { smtp: ScriptedSmtp; reason: string; times?: number; isSilent?: boolean },
    heal: () => Promise<unknown>,
  ): Promise<void> => {
    lines.length = 0;
    const id = await ask();
    const work = working(smtp.url, isSilent);
    try {
      for (let attempts = 1; attempts <= times; attempts += 1) {
        await inLog(id, attempts);
        const dueAt = new Date(now + delayAfter(attempts - 1)).toISOString();
        expect(await rowOf(id)).toMatchObject({
          ...{ status: "due", attempts, last_error: reason },
          ...{ due_at: dueAt, ended_at: null },
        });
        expect((await recordedOf(id)).at(-1)).toEqual({
          type: "NotificationFailed",
          data: { notificationId: id, attempts, reason, nextTryAt: dueAt },
        });
        if (attempts === times) await heal();
        // A mail is not tried before it is due.
        now = Date.parse(dueAt);
      }
      await inLog(id, times + 1);
      expect((await recordedOf(id)).at(-1)?.type).toBe("NotificationSent");
      expect(await rowOf(id)).toMatchObject({ status: "sent", mail_sealed: null });
      expect(new Set(smtp.taken)).toEqual(new Set([`${id}@runledger`]));
      expect(lines.join("")).not.toContain(ADDRESS);
    } finally {
      await work.stop();
    }
    await expect.poll(smtp.connections, patience).toBe(0);
  };

  const onServer = async (
    options: Parameters<typeof startScriptedSmtp>[0],
    work: (smtp: ScriptedSmtp) => Promise<unknown>,
  ): Promise<void> => {
    const smtp = await startScriptedSmtp(options);
    try {
      await work(smtp);
    } finally {
      await smtp.stop();
    }
  };

  /** The fault, its log message, and the number of copies at the server in the end. */
  const passing: readonly (readonly [string, Fault, string, number])[] = [
    [
      "421 as soon as somebody connects",
      { at: "greeting", says: "421 later" },
      "The mail server answered 421 to CONN",
      1,
    ],
    [
      "421 to RCPT",
      { at: "RCPT", says: `421 ${ADDRESS} later` },
      "The mail server answered 421 to RCPT",
      1,
    ],
    [
      "450 to RCPT",
      { at: "RCPT", says: `450 ${ADDRESS} later` },
      "The mail server answered 450 to RCPT",
      1,
    ],
    [
      "451 once it has read the message",
      { at: "message", says: "451 later" },
      "The mail server answered 451 to DATA",
      1,
    ],
    [
      "550 to the sender, which the operator can mend",
      { at: "MAIL", says: "550 who are you" },
      "The mail server answered 550 to MAIL",
      1,
    ],
    [
      "silence from the beginning",
      { at: "greeting", silent: true },
      "The mail server could not be reached (ETIMEDOUT)",
      1,
    ],
    [
      "silence after RCPT",
      { at: "RCPT", silent: true },
      "The mail server could not be reached (ETIMEDOUT)",
      1,
    ],
    [
      "silence after DATA",
      { at: "DATA", silent: true },
      "The mail server could not be reached (ETIMEDOUT)",
      1,
    ],
    // It has the message each time, and never said so: at least once, and each time the same Message-ID.
    [
      "silence after the whole message",
      { at: "message", silent: true },
      "The mail server could not be reached (ETIMEDOUT)",
      2,
    ],
    [
      "hanging up after the whole message",
      { at: "message", drops: true },
      "The mail server could not be reached (ECONNECTION)",
      2,
    ],
    [
      "hanging up in the middle of the message",
      { at: "middle", drops: true },
      "The mail server could not be reached (ECONNECTION)",
      1,
    ],
    [
      "a greeting that comes byte by byte",
      { at: "greeting", tricklesMs: 50 },
      "The mail server could not be reached (ETIMEDOUT)",
      1,
    ],
    [
      "an answer to the message that comes byte by byte",
      { at: "message", tricklesMs: 50 },
      "The mail server took too long",
      2,
    ],
  ];

  it.each(passing)(
    "delays a mail for %s and receives it afterwards",
    async (_, fault, reason, times) => {
      await onServer({}, async (smtp) => {
        smtp.behave(fault);
        const isSilent = "silent" in fault || "tricklesMs" in fault;
        await failsThenArrives({ smtp, reason, isSilent }, async () => smtp.behave(null));
        expect(smtp.taken).toHaveLength(times);
      });
    },
  );

  it("is retried with growing delays until it is available", async () => {
    await onServer({}, async (smtp) => {
      await smtp.stop();
      const reason = "The mail server could not be reached (ESOCKET)";
      await failsThenArrives({ smtp, reason, times: 3 }, smtp.listenAgain);
    });
  });

  it.each([
    ["550 to RCPT", { at: "RCPT", says: `550 ${ADDRESS} unknown` }, "RCPT"],
    ["554 to DATA", { at: "DATA", says: "554 no" }, "DATA"],
    ["552 once it has read the message", { at: "message", says: "552 too large" }, "DATA"],
  ] as const)("causes no retry for %s", async (_, fault, command) => {
    await onServer({}, async (smtp) => {
      smtp.behave(fault);
      const id = await ask();
      const work = working(smtp.url);
      const reason = `The mail server answered ${fault.says.slice(0, 3)} to ${command}`;
      await inLog(id, 1);
      expect(await recordedOf(id)).toEqual([
        { type: "NotificationAbandoned", data: { notificationId: id, reason } },
      ]);
      expect(await rowOf(id)).toMatchObject({
        ...{ status: "refused", attempts: 0, last_error: reason, mail_sealed: null },
      });
      smtp.behave(null);
      now += delayAfter(20);
      const next = await ask();
      await inLog(next, 1);
      await work.stop();
      expect(smtp.taken).toEqual([`${next}@runledger`]);
    });
  });

  const trusting = (smtp: ScriptedSmtp): string =>
    `${smtp.url}?tls.ca=${encodeURIComponent(testAuthority())}`;

  it.each([
    ["at once", "selfSigned", "is self-signed"],
    ["at once", "expired", "has expired"],
    ["at once", "otherName", "is for another host name"],
    ["starttls", "selfSigned", "is self-signed"],
    ["starttls", "expired", "has expired"],
    ["starttls", "otherName", "is for another host name"],
  ] as const)(
    "receives nothing with TLS %s and a certificate %s, and the reason is recorded",
    async (tls, certificate: Certificate, said) => {
      await onServer({ tls, certificate }, async (smtp) => {
        const id = await ask();
        const work = working(trusting(smtp));
        const reason = `The mail server's certificate ${said}`;
        await inLog(id, 1);
        expect(await recordedOf(id)).toMatchObject([
          { type: "NotificationFailed", data: { attempts: 1, reason } },
        ]);
        await work.stop();
        expect(smtp.taken).toEqual([]);
        await database.db.deleteFrom("outbox").where("id", "=", id).execute();
      });
    },
  );

  it.each(["at once", "starttls"] as const)(
    "receives mail with TLS %s and a trusted certificate only",
    async (tls) => {
      await onServer({ tls }, async (smtp) => {
        const id = await ask();
        const strange = working(smtp.url);
        await inLog(id, 1);
        await strange.stop();
        expect(await rowOf(id)).toMatchObject({
          status: "due",
          last_error: "The mail server's certificate is signed by an unknown authority",
        });
        now += delayAfter(0);
        const work = working(trusting(smtp));
        await inLog(id, 2);
        await work.stop();
        expect(smtp.taken).toEqual([`${id}@runledger`]);
      });
    },
  );
});
