import type { checkServerIdentity, PeerCertificate } from "node:tls";
import { describe, expect, it } from "vitest";
import { natsConnection } from "../../../../src/platform/bus/natsUrl.ts";
import { readNatsUrl } from "../../../../src/platform/bus/readNatsUrl.ts";
import { ConfigError, loadConfig } from "../../../../src/platform/config.ts";
import { addressOf } from "../../../../src/platform/credentials.ts";
import { withExplicitTls } from "../../../../src/platform/database/connectionString.ts";
import { forClient } from "../../../../src/platform/eventLog/connectionString.ts";
import { openClient } from "../../../../src/platform/eventLog/openClient.ts";

const SECRET = "hunter2";

const problemOf = (environment: Record<string, string>): string => {
  try {
    loadConfig(environment);
    return "";
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.join("\n");
    throw error;
  }
};

describe("connection strings", () => {
  it.each([
    ["NATS_URL", `nats://ann:${SECRET}@h:4222?colour=red`, "without colour"],
    ["NATS_URL", `nats://ann:${SECRET}@h:4222?tls=yes`, "tls is true or false"],
    ["NATS_URL", `nats://ann:${SECRET}@h?userCertFile=/a`, "both userCertFile and userKeyFile"],
    ["NATS_URL", `nats://ann:${SECRET}@h:no`, "one or more addresses"],
    ["EVENTSTORE_URL", `esdb://ann:${SECRET}@h:2113?tlsCaFiel=/a`, "without tlsCaFiel"],
    ["EVENTSTORE_URL", `esdb://ann:${SECRET}@h?tls=maybe`, "tls is true or false"],
    ["EVENTSTORE_URL", `esdb://ann:${SECRET}@h?tls=true&tlsVerifyCert=false`, "tlsCAFile="],
    ["EVENTSTORE_URL", `esdb://ann:${SECRET}@h?userKeyFile=/a`, "both userCertFile and"],
    ["DATABASE_URL", `postgres://ann:${SECRET}@h/d?sslmode=maybe`, "sslmode is one of disable"],
  ])("%s with an invalid option is rejected without the password", (name, value, expected) => {
    const said = problemOf({ [name]: value });
    expect(said).toContain(`${name} should be`);
    expect(said).toContain(expected);
    expect(said).not.toContain(SECRET);
  });

  it.each([
    [`postgres://ann:${SECRET}@h:5432/d?password=${SECRET}`, "postgres://h:5432/d"],
    [`nats://${SECRET}@h:1, tls://ann:${SECRET}@[::1]:2?credsFile=/a`, "nats://h:1, tls://[::1]:2"],
    [`esdb+discover://ann:${SECRET}@a:2113,b:2113?tls=true`, "esdb+discover://a:2113,b:2113"],
    [`esdb://a?user=x@${SECRET}`, "esdb://a"],
    [`postgres://ann:x#${SECRET}@h/d`, "…"],
    [`smtp://ann:a@${SECRET}@h`, "…"],
    [SECRET, "…"],
  ])("%s is displayed as %s", (url, expected) => {
    expect(addressOf(url)).toBe(expected);
  });

  it.each([
    [
      "nats://ann:p%40ss@a:4222, nats://b",
      { servers: ["a:4222", "b:4222"], user: "ann", password: "p@ss", token: null, tls: false },
    ],
    ["nats://t0ken@a", { user: null, password: null, token: "t0ken" }],
    ["tls://[::1]:4333", { servers: ["[::1]:4333"], hosts: ["::1"], tls: true }],
    ["nats://a?tlsCAFile=/ca.pem", { tls: true, files: { tlsCAFile: "/ca.pem" } }],
    ["nats://a?credsFile=/a.creds", { tls: false, files: { credsFile: "/a.creds" } }],
  ])("NATS_URL=%s sets servers, credentials and TLS", (url, expected) => {
    expect(readNatsUrl(url)).toMatchObject(expected);
  });

  it("a NATS server with an IP address must have a certificate for that address", () => {
    const { tls } = natsConnection("tls://10.0.0.1:4222, tls://b:4222");
    const { checkServerIdentity: check } = tls as {
      checkServerIdentity: typeof checkServerIdentity;
    };
    const of = (names: string) => ({ subject: {}, subjectaltname: names }) as PeerCertificate;
    // The client says localhost where it has a number.
    expect(check("localhost", of("IP Address:10.0.0.1"))).toBeUndefined();
    expect(check("localhost", of("DNS:localhost"))).toBeInstanceOf(Error);
    expect(check("b", of("DNS:b"))).toBeUndefined();
    expect(check("b", of("IP Address:10.0.0.1"))).toBeInstanceOf(Error);
  });

  it.each([
    ["", ""],
    ["?sslmode=disable", "?sslmode=disable"],
    ["?sslmode=require", "?sslmode=verify-full"],
    ["?sslmode=prefer&x=1", "?sslmode=verify-full&x=1"],
    ["?sslmode=verify-ca", "?sslmode=verify-full"],
    [
      "?sslmode=verify-ca&sslrootcert=%2Fca.pem",
      "?sslmode=verify-ca&sslrootcert=%2Fca.pem&uselibpqcompat=true",
    ],
    ["?sslmode=no-verify", "?sslmode=no-verify"],
  ])("DATABASE_URL with %s means %s, independent of the client's version", (query, expected) => {
    expect(withExplicitTls(`postgres://ann:p%40ss@h/d${query}`)).toBe(
      `postgres://ann:p%40ss@h/d${expected}`,
    );
  });

  it.each([
    ["esdb://h:2113?tls=false&tlsVerifyCert=false", "esdb://h:2113?tls=false"],
    ["kurrentdb+discover://a,b?tls=true", "esdb+discover://a,b?tls=true"],
    ["esdb://h", "esdb://h"],
  ])("EVENTSTORE_URL=%s is passed to the client as %s", (url, expected) => {
    expect(forClient(url)).toBe(expected);
  });

  it("an invalid connection string is not repeated in the error", () => {
    let failure: unknown;
    try {
      openClient(`esdb://ann:${SECRET}@h:port:${SECRET}`);
    } catch (error) {
      failure = error;
    }
    expect(failure).toBeInstanceOf(Error);
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain(SECRET);
  });
});
