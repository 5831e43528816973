import { describe, expect, it } from "vitest";
import { ConfigError, loadConfig, SETTING_NAMES } from "../../../src/platform/config.ts";

const problemsOf = (environment: Record<string, string>): readonly string[] => {
  try {
    loadConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
};

describe("settings", () => {
  it("default to embedded parts on loopback", () => {
    expect(loadConfig({ PATH: "/bin" })).toMatchObject({
      port: 3000,
      host: "127.0.0.1",
      roles: ["api", "projections", "dispatcher", "scheduler", "notifier", "executor"],
      databaseUrl: null,
      eventstoreUrl: null,
      natsUrl: null,
      masterKey: null,
      executionNetwork: "open",
      rateLimit: true,
      cookieSameSite: "lax",
    });
  });

  it("treat empty values as unset", () => {
    const empty = Object.fromEntries(SETTING_NAMES.map((name) => [name, "  "]));
    expect(loadConfig(empty)).toEqual(loadConfig({}));
  });

  it("name each invalid setting once with the expected value", () => {
    const wrong = {
      PORT: "99999",
      HOST: "not a host",
      ROLES: "api,king",
      PUBLIC_URL: "runledger",
      WEB_BASE_URL: "ftp://x",
      CORS_ORIGINS: "*",
      COOKIE_SAMESITE: "maybe",
      EVENTSTORE_URL: "http://x",
      DATABASE_URL: "mysql://root:hunter2@x/y",
      NATS_URL: "localhost",
      BLOB_STORE: "s3://Bucket",
      MASTER_KEY: "hunter2",
      EXECUTION_NETWORK: "closed",
      EXECUTOR_CONCURRENCY: "0",
      TRUST_PROXY: "yes",
      RATE_LIMIT: "600",
      LOG_LEVEL: "loud",
    };
    const problems = problemsOf(wrong);
    expect(problems.map((problem) => problem.split(" ")[0]).sort()).toEqual(
      Object.keys(wrong).sort(),
    );
    expect(problems.join("\n")).not.toContain("hunter2");
    expect(problems).toContain(
      "BLOB_STORE should be a folder, as file:///path, or a bucket, as s3://bucket/prefix",
    );
  });

  it("reject credentials in a displayed address without repeating the password", () => {
    for (const name of ["PUBLIC_URL", "S3_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"]) {
      for (const address of ["https://me:open-sesame@host.example", "https://open-sesame@host"]) {
        expect(problemsOf({ [name]: address })).toEqual([
          `${name} should be an address without user and password`,
        ]);
      }
    }
    expect(problemsOf({ PUBLIC_URL: "https://host.example/@me" })).toEqual([]);
  });

  it("read bucket and credentials only from the S3 settings", () => {
    const AWS_ACCESS_KEY_ID = "AKIA";
    const AWS_SECRET_ACCESS_KEY = "hunter2";
    const S3_ENDPOINT = "http://minio:9000";
    const blobs = (more: Record<string, string>) =>
      loadConfig({ BLOB_STORE: "s3://shots/runledger/eu/", ...more }).blobStore;
    const at = { kind: "s3", bucket: "shots", prefix: "runledger/eu", region: "us-east-1" };
    expect(blobs({})).toEqual({ ...at, endpoint: null, pathStyle: false, credentials: null });
    expect(blobs({ S3_ENDPOINT, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY })).toEqual({
      ...{ ...at, endpoint: S3_ENDPOINT, pathStyle: true },
      credentials: { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY },
    });
    expect(blobs({ S3_ENDPOINT, S3_PATH_STYLE: "false" })).toMatchObject({ pathStyle: false });
    expect(problemsOf({ BLOB_STORE: "s3://shots", AWS_SECRET_ACCESS_KEY })).toEqual([
      "AWS_ACCESS_KEY_ID should be set, as AWS_SECRET_ACCESS_KEY is: one is of no use without the other",
    ]);
    for (const BLOB_STORE of ["s3://", "s3://a", "s3://shots//x", "s3://shots?x", "s3:shots"]) {
      expect(problemsOf({ BLOB_STORE })).toHaveLength(1);
    }
  });

  it("default to the public network policy beyond loopback and refuse an open one", () => {
    expect(loadConfig({ HOST: "0.0.0.0" }).executionNetwork).toBe("public");
    expect(loadConfig({ HOST: "::1" }).executionNetwork).toBe("open");
    expect(problemsOf({ HOST: "0.0.0.0", EXECUTION_NETWORK: "open" })).toEqual([
      expect.stringContaining("EXECUTION_NETWORK should be public"),
    ]);
  });

  it("name roles that are missing for an embedded part", () => {
    expect(problemsOf({ ROLES: "executor", DATABASE_URL: "postgres://x/y" })).toEqual([
      expect.stringContaining("EVENTSTORE_URL should be set"),
      expect.stringContaining("NATS_URL should be set"),
    ]);
    const apart = loadConfig({
      ROLES: "executor, api",
      DATABASE_URL: "postgresql://u:p@h:5432/d?sslmode=require",
      EVENTSTORE_URL: "esdb+discover://a:2113,b:2113?tls=true",
      NATS_URL: "nats://a:4222, nats://b:4222",
    });
    expect(apart).toMatchObject({ roles: ["api", "executor"], executionNetwork: "public" });
  });

  it("reject cross-site cookies without an https address", () => {
    expect(problemsOf({ COOKIE_SAMESITE: "none" })).toHaveLength(1);
    expect(
      loadConfig({ COOKIE_SAMESITE: "none", PUBLIC_URL: "https://a.example/" }).publicUrl,
    ).toBe("https://a.example");
  });

  it.each([
    ["true", true],
    ["false", false],
    ["2", 2],
    ["10.0.0.0/8, ::1", ["10.0.0.0/8", "::1"]],
  ])("read TRUST_PROXY=%s as %j", (text, expected) => {
    expect(loadConfig({ TRUST_PROXY: text }).trustProxy).toEqual(expected);
  });
});
