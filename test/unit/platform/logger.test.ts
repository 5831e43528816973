import { describe, expect, it } from "vitest";
import { withoutCredentials } from "../../../src/platform/credentials.ts";
import { createLogger, withCorrelation } from "../../../src/platform/logger.ts";

const record = () => {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({
    level: "debug",
    destination: { write: (line: string) => lines.push(JSON.parse(line)) },
  });
  return { logger, lines };
};

describe("log lines", () => {
  it("redact secrets at any of three levels", () => {
    const { logger, lines } = record();
    logger.info(
      {
        password: "hunter2",
        token: "hunter2",
        body: { password: "hunter2", key: "hunter2", name: "kept" },
        req: { headers: { authorization: "hunter2", cookie: "hunter2", host: "kept" } },
        res: { headers: { "set-cookie": "hunter2" } },
      },
      "said",
    );
    expect(JSON.stringify(lines)).not.toContain("hunter2");
    expect(lines[0]).toMatchObject({
      level: "info",
      msg: "said",
      body: { name: "kept" },
      req: { headers: { authorization: "[redacted]", host: "kept" } },
    });
  });

  it("redact the password of a connection string in an error and keep its code", () => {
    const { logger, lines } = record();
    const error = Object.assign(new Error("cannot reach postgres://me:hunter2@host/db"), {
      code: "ECONNREFUSED",
      parameters: ["hunter2"],
    });
    logger.error({ err: error }, "failed");
    expect(JSON.stringify(lines)).not.toContain("hunter2");
    expect(lines[0]).toMatchObject({
      err: { message: "cannot reach postgres://me:***@host/db", code: "ECONNREFUSED" },
    });
  });

  it("include the correlation id of a child logger", () => {
    const { logger, lines } = record();
    withCorrelation(logger, "c-1").info("said");
    expect(lines[0]).toMatchObject({ correlation_id: "c-1" });
  });
});

describe("credentials in text", () => {
  it.each([
    ["nats://a:b@h:1, nats://c:d@i:2", "nats://a:***@h:1, nats://c:***@i:2"],
    ["postgres://u:p%40@h/d", "postgres://u:***@h/d"],
    ["esdb://admin:changeit@h:2113?tls=false", "esdb://admin:***@h:2113?tls=false"],
    ["http://host:80/a", "http://host:80/a"],
    ["nothing", "nothing"],
  ])("%s is redacted to %s", (text, expected) => {
    expect(withoutCredentials(text)).toBe(expected);
  });
});
