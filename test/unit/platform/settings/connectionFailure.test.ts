import { describe, expect, it } from "vitest";
import { diagnoseConnection } from "../../../../src/platform/connectionFailure.ts";
import { diagnoseSetting } from "../../../../src/platform/settingFailure.ts";

const coded = (code: string, message = "it failed", more = {}) =>
  Object.assign(new Error(message), { code, ...more });

describe("connection failures", () => {
  it.each([
    [coded("ECONNREFUSED"), "absent", "the connection is refused"],
    [coded("ENOTFOUND"), "absent", "its host name cannot be resolved"],
    [new AggregateError([coded("EHOSTUNREACH")]), "absent", "its network is unreachable"],
    [coded("CONNECTION_TIMEOUT"), "absent", "it does not answer"],
    [coded("57P03", "the database system is starting up"), "absent", "it is starting or stopping"],
    [coded("53100"), "absent", "its disk is full: free some space"],
    [coded("53300"), "absent", "it accepts no more connections"],
    [
      new Error("Failed to discover after 10 attempts."),
      "absent",
      "no server of the cluster answers",
    ],
    [
      new Error("14 UNAVAILABLE: No connection established. Last error: Protocol error (now)"),
      "absent",
      "another kind of server answers",
    ],
    [
      new Error("14 UNAVAILABLE: No connection established. Last error: Failed to connect (now)"),
      "absent",
      "it closes the connection at once, possibly because it requires TLS",
    ],
    [
      Object.assign(new Error("Access denied"), { type: "access-denied" }),
      "credentials",
      "the user is unknown or has no permission for all streams",
    ],
    [
      coded("BAD_PAYLOAD", "unexpected response from server"),
      "absent",
      "another kind of server answers",
    ],
    [
      coded("EPROTOCOL", "Invalid greeting. response=HTTP/1.1 400 Bad Request"),
      "absent",
      "another kind of server answers",
    ],
    [
      coded("EPROTOCOL", "Invalid greeting. response=421 too busy"),
      "unclear",
      "Invalid greeting. response=421 too busy",
    ],
    [coded("28P01"), "credentials", "the user, password or token is wrong"],
    [
      coded("28000", 'no pg_hba.conf entry for host "::1", user "ann", no encryption'),
      "tls",
      "it requires TLS",
    ],
    [new Error("The server does not support SSL connections"), "tls", "it does not support TLS"],
    [coded("SERVER_OPT_NA", "tls"), "tls", "it does not support TLS"],
    [coded("CERT_HAS_EXPIRED"), "certificate", "its certificate has expired"],
    [
      new Error("wrapped", {
        cause: new Error(
          "14 UNAVAILABLE: No connection established. Last error: self-signed certificate",
        ),
      }),
      "certificate",
      "its certificate is self-signed",
    ],
    [
      coded("TLS", "failed", { chainedError: coded("SELF_SIGNED_CERT_IN_CHAIN") }),
      "certificate",
      "its certificate is signed by an unknown authority",
    ],
    [
      coded("ENOENT", "no such file", { path: "/ca.pem" }),
      "file",
      "it names the file /ca.pem, which cannot be read (ENOENT)",
    ],
    [new Error('database "x" does not exist'), "unclear", 'database "x" does not exist'],
    [new Error("at nats://ann:hunter2@h"), "unclear", "at nats://ann:***@h"],
    ["nothing", "unclear", "the error has no message"],
  ])("%s is classified as %s: %s", (error, kind, why) => {
    expect(diagnoseConnection(error)).toEqual({ kind, why });
  });

  it("a cyclic error is classified without a loop", () => {
    const round = new Error("round");
    round.cause = round;
    expect(diagnoseConnection(round).why).toBe("round");
  });

  it.each(["EVENTSTORE_URL", "DATABASE_URL", "NATS_URL", "SMTP_URL"] as const)(
    "any failure of %s names the setting, its address and a remedy",
    (setting) => {
      for (const code of ["ECONNREFUSED", "28P01", "CERT_HAS_EXPIRED", "EPROTO"]) {
        const { what, advice } = diagnoseSetting(setting, "there:1", coded(code));
        expect(what).toContain(`${setting} (there:1)`);
        expect(advice).toBeTruthy();
      }
    },
  );
});
