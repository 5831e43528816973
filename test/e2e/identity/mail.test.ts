import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogger } from "../../../src/platform/logger.ts";
import { call, eventually, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";
import { startSmtpServer, type TestSmtpServer } from "../../support/smtpServer.ts";

const post = (service: TestService, where: string, body: unknown, headers = {}) =>
  call(service.url, "POST", `/api/v1${where}`, { body, headers });
const tokenIn = (text: string | undefined): string => /token=([\w-]+)/.exec(text ?? "")?.[1] ?? "";

/** From the call to the mailbox and back, at the whole service. */
describe("mail of the service", () => {
  let smtp: TestSmtpServer;
  let service: TestService;
  const lines: string[] = [];

  beforeAll(async () => {
    smtp = await startSmtpServer();
    const destination = { write: (line: string) => lines.push(line) };
    service = await startTestService(
      {
        SMTP_URL: smtp.url,
        MAIL_FROM: "Runledger <mail@service.test>",
        WEB_BASE_URL: "https://app.example.test",
        RATE_LIMIT: "on",
      },
      ["api", "projections"],
      createLogger({ level: "trace", destination }),
    );
  });
  afterAll(async () => {
    await service?.stop();
    await smtp?.stop();
  });

  const mailTo = async (email: string, subject: string) => {
    const mails = await eventually(
      async () =>
        smtp.received.filter((mail) => mail.to?.[0]?.address === email && mail.subject === subject),
      (found) => found.length > 0,
    );
    return mails.at(-1);
  };

  it("is delivered after an outage of the mail server and verifies the address of a signup", async () => {
    smtp.behave(421);
    const ann = await signUp(service.url);
    await eventually(
      async () => lines.join(""),
      (said) => said.includes("a mail was postponed"),
    );
    smtp.behave("take");
    const mail = await mailTo(ann.email, "Confirm your e-mail address");
    expect(mail?.text).toContain("https://app.example.test/verify-email?token=");
    const token = tokenIn(mail?.text);
    expect((await post(service, "/auth/verify-email", { token })).status).toBe(204);
    const me = await call(service.url, "GET", "/api/v1/auth/me", { bearer: ann.accessToken });
    expect(me.body.user.email_verified).toBe(true);
    expect(lines.join("")).not.toContain(token);
    expect(lines.join("")).not.toContain(ann.email);
  });

  it("resets a forgotten password and limits guesses of the new one", async () => {
    const ann = await signUp(service.url);
    expect((await post(service, "/auth/password/forgot", { email: ann.email })).status).toBe(202);
    const token = tokenIn((await mailTo(ann.email, "Set a new password"))?.text);
    const password = "an entirely new one";
    expect((await post(service, "/auth/password/reset", { token, password })).status).toBe(204);
    const login = await post(service, "/auth/login", { email: ann.email, password });
    expect(login.status).toBe(200);
    await mailTo(ann.email, "Your password was changed");
    const guess = () => post(service, "/auth/login", { email: ann.email, password: "guessing" });
    let reply = await guess();
    for (let i = 0; i < 20 && reply.status === 401; i += 1) reply = await guess();
    expect(reply.status).toBe(429);
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("cannot be requested with a cookie by a page of another origin", async () => {
    const ann = await signUp(service.url);
    const origin = "https://evil.example.test";
    const preflight = await call(service.url, "OPTIONS", "/api/v1/auth/refresh", {
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "x-requested-with",
      },
    });
    expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
    // A form needs no preflight, and cannot send the header.
    const form = await call(service.url, "POST", "/api/v1/auth/refresh", {
      cookie: ann.cookie,
      headers: { origin, "content-type": "application/x-www-form-urlencoded" },
    });
    expect([403, 415]).toContain(form.status);
  });
});

describe("mail without a mail server", () => {
  it("is written to a file named in the log and removed on erasure", async () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => lines.push(line) };
    const service = await startTestService(
      {},
      ["api", "projections"],
      createLogger({ level: "info", destination }),
    );
    try {
      // A busy machine turns calls away for a moment after the start.
      const ann = await eventually(
        () => signUp(service.url).catch(() => null),
        (account) => account !== null,
      );
      if (!ann) throw new Error("nobody signed up");
      const said = await eventually(
        async () => lines.find((line) => line.includes("a mail was stored")),
        (line) => line !== undefined,
      );
      const { file } = JSON.parse(said ?? "{}") as { file: string };
      const mail = await PostalMime.parse(await readFile(file));
      expect(mail.to?.[0]?.address).toBe(ann.email);
      const token = tokenIn(mail.text);
      expect(lines.join("")).not.toContain(token);
      expect((await post(service, "/auth/verify-email", { token })).status).toBe(204);
      const erased = await call(service.url, "DELETE", "/api/v1/auth/me", {
        bearer: ann.accessToken,
        body: { password: ann.password },
      });
      expect(erased.status).toBe(204);
      await eventually(
        () => readdir(path.dirname(file)),
        (files) => files.length === 0,
      );
    } finally {
      await service.stop();
    }
  });
});
