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
  it("given secrets at any of three levels, when they are logged, then none is in the line", () => {
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

  it("given an error with a connection string, when it is logged, then the password is cut out, the code stays", () => {
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

  it("given a correlation id, when its child logs, then each line carries it", () => {
    const { logger, lines } = record();
    withCorrelation(logger, "c-1").info("said");
    expect(lines[0]).toMatchObject({ correlation_id: "c-1" });
  });
});

describe("credentials in texts", () => {
  it.each([
    ["nats://a:b@h:1, nats://c:d@i:2", "nats://a:***@h:1, nats://c:***@i:2"],
    ["postgres://u:p%40@h/d", "postgres://u:***@h/d"],
    ["esdb://admin:changeit@h:2113?tls=false", "esdb://admin:***@h:2113?tls=false"],
    ["http://host:80/a", "http://host:80/a"],
    ["nothing", "nothing"],
  ])("given %s, when credentials are cut, then it is %s", (text, expected) => {
    expect(withoutCredentials(text)).toBe(expected);
  });
});
