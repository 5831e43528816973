import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startEmbeddedEventStore } from "../../../src/eventstore/server.ts";
import { startPlatform } from "../../../src/main/platform.ts";
import { createStops, type Stops } from "../../../src/main/stops.ts";
import { unavailablePart } from "../../../src/platform/availability.ts";
import { loadConfig } from "../../../src/platform/config.ts";
import { connectEventLog } from "../../../src/platform/eventLog/client.ts";
import { newId } from "../../../src/platform/ids.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import type { NatsServer } from "../../support/natsServer.ts";
import {
  authorityFile,
  startRefusingLog,
  startSecuredNats,
  startSecuredPostgres,
  startTlsFront,
} from "../../support/securedParts.ts";

/** It stands in every connection string, and must stand in nothing that is said. */
const PASSWORD = "s3cr:et@pass/word#1";
const inUrl = encodeURIComponent(PASSWORD);
const logger = createLogger({ level: "silent" });

type Front = Awaited<ReturnType<typeof startTlsFront>>;

/** PostgreSQL, NATS and an event log behind TLS and passwords, each as a setting names it. */
describe("parts with TLS and passwords", () => {
  let folder: string;
  let postgres: Awaited<ReturnType<typeof startSecuredPostgres>>;
  let nats: NatsServer;
  let log: Awaited<ReturnType<typeof startEmbeddedEventStore>>;
  let front: Front;
  let stops: Stops;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "runledger-secured-"));
    [postgres, nats] = await Promise.all([
      startSecuredPostgres(folder),
      startSecuredNats(PASSWORD),
    ]);
    await postgres.asOwner(
      `CREATE ROLE ann LOGIN PASSWORD '${PASSWORD}'`,
      "CREATE DATABASE ann OWNER ann",
      "CREATE DATABASE log",
    );
    const ofLog = new URL(postgres.url);
    ofLog.pathname = "/log";
    log = await startEmbeddedEventStore({ databaseUrl: ofLog.href });
    front = await startTlsFront(portOf(log.url));
  });
  afterAll(async () => {
    await front?.stop();
    await log?.stop();
    await Promise.all([postgres?.stop(), nats?.stop()]);
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    stops = createStops(logger);
  });
  afterEach(() => stops.all());

  const portOf = (url: string): number => Number(/:(\d+)/.exec(url.replace(/^\w+:/, ""))?.[1]);
  const databaseUrl = (query: string, user = `ann:${inUrl}`): string =>
    `postgres://${user}@127.0.0.1:${postgres.port}/ann${query}`;
  const trusted = `?sslmode=verify-full&sslrootcert=${authorityFile}`;
  const natsUrl = (query: string, user = `ann:${inUrl}`): string =>
    `tls://${user}@127.0.0.1:${portOf(nats.url)}${query}`;
  const logUrl = (query: string, port = front.port): string =>
    `esdb://admin:${inUrl}@127.0.0.1:${port}${query}`;
  const ca = `?tlsCAFile=${authorityFile}`;
  const logCa = `?tls=true&tlsCAFile=${encodeURIComponent(authorityFile)}`;

  const start = (settings: Readonly<Record<string, string>>, patienceMs = 500) => {
    const config = loadConfig({
      DATA_DIR: path.join(folder, "data"),
      MASTER_KEY: randomBytes(32).toString("hex"),
      DATABASE_URL: databaseUrl(trusted),
      ...settings,
    });
    return startPlatform(config, logger, stops, { patienceMs });
  };
  /** The failure of a ping that contains this text in its causes. The first ping may fail at the cut connection. */
  const failureSaying = async (
    { ping }: { ping(): Promise<unknown> },
    words: string,
  ): Promise<Error> => {
    let failure: Error | null = null;
    const says = async (): Promise<string> => {
      failure = await ping().then(
        () => null,
        (error: Error) => error,
      );
      return failure ? `${failure} ${failure.cause}` : "It answers";
    };
    await expect.poll(says).toContain(words);
    return failure ?? new Error("It answers");
  };
  const refusal = async (settings: Readonly<Record<string, string>>): Promise<string> => {
    const failure = await start(settings).then(
      () => new Error("It started"),
      (error) => error,
    );
    const said = failure instanceof Error ? failure.message : String(failure);
    expect(said).not.toContain(PASSWORD);
    expect(said).not.toContain(inUrl);
    return said;
  };

  it("work with a certificate authority and passwords", async () => {
    const platform = await start({ NATS_URL: natsUrl(ca), EVENTSTORE_URL: logUrl(logCa) }, 10_000);
    await platform.database.ping();
    await platform.bus.ping();
    await platform.bus.enqueue("secured", newId(), "work");
    const id = newId();
    await platform.log.append(
      `probe-${id}`,
      [{ id, type: "Probed", data: {}, metadata: {} as never }],
      "no_stream",
    );
    const read = [];
    for await (const event of platform.log.readStream(`probe-${id}`)) read.push(event.id);
    expect(read).toEqual([id]);
  });

  it.each([
    [
      "a wrong password",
      { DATABASE_URL: () => databaseUrl(trusted, "ann:wrong") },
      /^The PostgreSQL at DATABASE_URL \(postgres:\/\/127\.0\.0\.1:\d+\/ann\) refuses the service: the user.*pg_hba\.conf/,
    ],
    [
      "an authority that nobody named",
      { DATABASE_URL: () => databaseUrl("?sslmode=require") },
      /^The PostgreSQL at DATABASE_URL .*its certificate is signed by an unknown authority\. Set its certificate authority.*sslrootcert=/,
    ],
    [
      "no TLS where the server wants it",
      { DATABASE_URL: () => databaseUrl("") },
      /^The PostgreSQL at DATABASE_URL .*it requires TLS\. .*sslmode=verify-full/,
    ],
    [
      "a file that is not there",
      { DATABASE_URL: () => databaseUrl("?sslmode=verify-full&sslrootcert=/none/ca.crt") },
      /^DATABASE_URL .*cannot be used: it names the file \/none\/ca\.crt, which cannot be read \(ENOENT\)/,
    ],
    [
      "a wrong password for NATS",
      { NATS_URL: () => natsUrl(ca, "ann:wrong") },
      /^The NATS server at NATS_URL \(tls:\/\/127\.0\.0\.1:\d+\) refuses the service: the user/,
    ],
    [
      "no user for NATS",
      { NATS_URL: () => `nats://127.0.0.1:${portOf(nats.url)}${ca}` },
      /^The NATS server at NATS_URL .* refuses the service: the user/,
    ],
    [
      "an authority of NATS that nobody named",
      { NATS_URL: () => natsUrl("") },
      /^The NATS server at NATS_URL .*its certificate is signed by an unknown authority\. .*tlsCAFile/,
    ],
    [
      "a file of NATS that is not there",
      { NATS_URL: () => natsUrl("?tlsCAFile=/none/ca.crt") },
      /^NATS_URL .*names the file \/none\/ca\.crt/,
    ],
    [
      "an authority of the log that nobody named",
      { EVENTSTORE_URL: () => logUrl("?tls=true") },
      /^The event log at EVENTSTORE_URL \(esdb:\/\/127\.0\.0\.1:\d+\) cannot be connected to: its certificate is signed by an unknown authority\. .*tlsCAFile/,
    ],
    [
      "a file of the log that is not there",
      { EVENTSTORE_URL: () => logUrl("?tls=true&tlsCAFile=/none/ca.crt") },
      /^EVENTSTORE_URL .*cannot be used: it names a certificate file that does not exist/,
    ],
    [
      "TLS where the log has none",
      { EVENTSTORE_URL: () => logUrl(logCa, portOf(log.url)) },
      /^(No|The) event log .*EVENTSTORE_URL/,
    ],
  ] as const)(
    "report setting and problem without a password for %s",
    async (_name, settings, expected) => {
      const given = Object.entries(settings).map(([name, value]) => [name, value()] as const);
      expect(await refusal(Object.fromEntries(given))).toMatch(expected);
    },
  );

  it("report EVENTSTORE_URL if the log refuses the user", async () => {
    const refusing = await startRefusingLog();
    try {
      expect(await refusal({ EVENTSTORE_URL: logUrl(logCa, refusing.port) })).toMatch(
        /^The event log at EVENTSTORE_URL .* refuses the service: the user/,
      );
      const client = connectEventLog(logUrl(logCa, refusing.port));
      const event = { id: newId(), type: "Probed", data: {}, metadata: {} as never };
      const failure = await client.append("probe-1", [event], "any").catch((error) => error);
      await client.close();
      // Nothing was written, so the append can be repeated.
      expect(unavailablePart(failure)).toBe("event_log");
      expect(failure.name).toBe("LogUnavailableError");
    } finally {
      await refusing.stop();
    }
  });

  it.each([
    ["otherName", "its certificate is for another host name"],
    ["expired", "its certificate has expired"],
    ["selfSigned", "its certificate is self-signed"],
  ] as const)("report a certificate %s for each part", async (certificate, why) => {
    const [badFront, badNats] = await Promise.all([
      startTlsFront(portOf(log.url), certificate),
      startSecuredNats(PASSWORD, certificate),
    ]);
    try {
      expect(await refusal({ EVENTSTORE_URL: logUrl(logCa, badFront.port) })).toContain(why);
      const url = `tls://ann:${inUrl}@127.0.0.1:${portOf(badNats.url)}${ca}`;
      expect(await refusal({ NATS_URL: url })).toContain(why);
    } finally {
      await Promise.all([badFront.stop(), badNats.stop()]);
    }
  });

  it("recover without a restart after a temporarily changed database password", async () => {
    const { database } = await start({});
    await database.ping();
    await postgres.asOwner(
      "ALTER ROLE ann PASSWORD 'another'",
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'ann'",
    );
    try {
      const failure = await failureSaying(database, "The database refuses the service");
      expect(unavailablePart(failure)).toBe("database");
      expect(String(failure.cause)).toContain("DATABASE_URL");
      expect(`${failure.stack}${(failure.cause as Error).stack}`).not.toContain(PASSWORD);
    } finally {
      await postgres.asOwner(`ALTER ROLE ann PASSWORD '${PASSWORD}'`);
    }
    await expect.poll(() => database.ping().then(() => "there", String)).toBe("there");
  });

  it("recover without a restart after an outage of NATS", async () => {
    const { bus } = await start({ NATS_URL: natsUrl(ca) }, 10_000);
    await nats.kill();
    await expect.poll(() => bus.ping().then(() => "there", unavailablePart)).toBe("bus");
    await nats.start();
    await expect.poll(() => bus.ping().then(() => "there", String)).toBe("there");
    await bus.enqueue("secured-again", newId(), "work");
  });

  it("recover after a temporarily untrusted database certificate", async () => {
    const { database } = await start({});
    await database.ping();
    await postgres.certify("selfSigned");
    await postgres.asOwner(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'ann'",
    );
    try {
      const failure = await failureSaying(database, "its certificate is self-signed");
      expect(unavailablePart(failure)).toBe("database");
    } finally {
      await postgres.certify("good");
    }
    await expect.poll(() => database.ping().then(() => "there", String)).toBe("there");
  });
});
