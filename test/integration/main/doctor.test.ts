import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runServerDoctor } from "../../../src/cli/operator/serverDoctor.ts";
import { createTerminal } from "../../../src/cli/terminal.ts";
import { lockForRestore } from "../../../src/main/backup/tableRows.ts";
import { clearMark, type StoreMark, setMark } from "../../../src/main/storeMarks.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { migrate } from "../../../src/platform/database/migrate.ts";
import { openKeyRing } from "../../../src/stores/identity/signingKeys.ts";
import { startTestLog, type TestLog } from "../../support/log.ts";
import { type NatsServer, startNatsServer } from "../../support/natsServer.ts";
import { startScriptedSmtp } from "../../support/scriptedSmtp.ts";
import { authorityFile } from "../../support/securedParts.ts";

type Check = {
  readonly type: string;
  readonly name?: string;
  readonly outcome?: "ok" | "note" | "bad";
  readonly found?: string;
  readonly advice?: string | null;
};

const PASSWORD = "hunter2hunter2";

/** The PostgreSQL of the tests is not durable, and the doctor reports that. */
const NOT_DURABLE = "writes are not durable";

/** The lines of `runledger server doctor --json` by the name of the check. */
const doctor = async (environment: Readonly<Record<string, string>>) => {
  const written: string[] = [];
  const output = { write: (text: string) => written.push(text) };
  const terminal = createTerminal({ json: true, output, environment: {} });
  const code = await runServerDoctor(environment, terminal);
  const text = written.join("");
  expect(text).not.toContain(PASSWORD);
  const checks = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Check);
  return {
    code,
    bad: checks.filter(({ outcome, found }) => outcome === "bad" && found !== NOT_DURABLE),
    of: (name: string) => checks.filter((check) => check.name === name),
  };
};

describe("runledger doctor for a service", () => {
  let folder: string;
  let log: TestLog;
  let nats: NatsServer;
  let mail: SMTPServer;
  let taken: Server;
  const masterKey = randomBytes(32);
  const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "runledger-doctor-"));
    [log, nats] = await Promise.all([startTestLog(), startNatsServer()]);
    const database = openDatabase(log.databaseUrl, { max: 1 });
    await migrate(database.db);
    await openKeyRing({ db: database.db, masterKey, at: new Date().toISOString() });
    await database.close();
    mail = new SMTPServer({
      disabledCommands: ["STARTTLS"],
      allowInsecureAuth: true,
      logger: false,
      onAuth: ({ username, password }, _session, done) =>
        username === "ann" && password === PASSWORD
          ? done(null, { user: username })
          : done(new Error("no")),
    });
    mail.on("error", () => undefined);
    taken = createServer((socket) => socket.destroy());
    await Promise.all([
      new Promise<void>((resolve) => mail.listen(0, "127.0.0.1", resolve)),
      new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve)),
    ]);
  });
  afterAll(async () => {
    await Promise.all([
      new Promise<void>((resolve) => mail.close(() => resolve())),
      new Promise<void>((resolve) => taken.close(() => resolve())),
      nats?.stop(),
      log?.stop(),
    ]);
    await rm(folder, { recursive: true, force: true });
  });

  const whole = () => ({
    DATA_DIR: folder,
    PORT: "0",
    MASTER_KEY: masterKey.toString("hex"),
    DATABASE_URL: log.databaseUrl,
    EVENTSTORE_URL: log.logUrl,
    NATS_URL: nats.url,
    SMTP_URL: `smtp://ann:${PASSWORD}@127.0.0.1:${portOf(mail.server)}`,
    MAIL_FROM: "mail@example.test",
    ADMIN_EMAILS: "ops@example.test",
  });

  it("lists each healthy part with its version, and warns about a database without fsync", async () => {
    const { code, bad, of } = await doctor(whole());
    expect(bad).toEqual([]);
    expect(code).toBe(1);
    expect(of("database")[0]?.found).toBe(NOT_DURABLE);
    expect(of("migrations")[0]?.found).toMatch(
      /applied, (none pending|0 pending until the next start)/,
    );
    expect(of("event log")[0]?.found).toMatch(/^EventStoreDB 23\.10/);
    expect(of("bus")[0]?.found).toMatch(
      /^NATS 2\.\d+\.\d+ at nats:\/\/127\.0\.0\.1:\d+, \d+ ms, JetStream/,
    );
    expect(of("mail")[0]?.found).toContain("no TLS, signed in, from mail@example.test");
    expect(of("clock")[0]?.outcome).toBe("ok");
    expect(of("chromium")[0]?.outcome).toBe("ok");
    expect(of("master key")).toEqual([expect.objectContaining({ found: "set with MASTER_KEY" })]);
  });

  it("reports no problem for an unused folder and creates nothing", async () => {
    const empty = await mkdtemp(path.join(tmpdir(), "runledger-doctor-"));
    const { code, bad, of } = await doctor({ DATA_DIR: path.join(empty, "data"), PORT: "0" });
    expect(bad).toEqual([]);
    expect(code).toBe(0);
    expect(of("database")[0]?.found).toMatch(/^embedded, PostgreSQL \d+\.\d+\.\d+, created at the/);
    expect(await readdir(empty)).toEqual([]);
    await rm(empty, { recursive: true });
  });

  it("names setting and remedy of each missing part and of a port in use, and exits with 1", async () => {
    const nobody = "127.0.0.1:1";
    const { code, of, bad } = await doctor({
      ...whole(),
      DATABASE_URL: `postgres://ann:${PASSWORD}@${nobody}/d`,
      EVENTSTORE_URL: `esdb://ann:${PASSWORD}@${nobody}?tls=true`,
      NATS_URL: `nats://ann:${PASSWORD}@${nobody}`,
      SMTP_URL: `smtp://ann:${PASSWORD}@${nobody}`,
      PORT: String(portOf(taken)),
      METRICS_PORT: String(portOf(taken)),
    });
    expect(code).toBe(1);
    for (const [name, setting] of [
      ["database", "DATABASE_URL"],
      ["event log", "EVENTSTORE_URL"],
      ["bus", "NATS_URL"],
      ["mail", "SMTP_URL"],
    ] as const) {
      const [check] = of(name);
      expect(check?.outcome).toBe("bad");
      expect(check?.found).toMatch(
        new RegExp(`^No .* answers at ${setting} \\(.*\\): the connection is refused\\.$`),
      );
      expect(check?.advice).toBeTruthy();
    }
    expect(of("port")[0]).toMatchObject({
      outcome: "bad",
      found: expect.stringContaining("is used by another program"),
    });
    expect(of("metrics")[0]?.found).toContain("cannot be listened on (EADDRINUSE)");
    expect(bad).toHaveLength(6);
  });

  it("reports a master key that does not match the database and a wrong mail password", async () => {
    const url = `smtp://ann:${PASSWORD}-not@127.0.0.1:${portOf(mail.server)}`;
    const { code, bad } = await doctor({
      ...whole(),
      MASTER_KEY: randomBytes(32).toString("hex"),
      SMTP_URL: url,
    });
    expect(code).toBe(1);
    expect(bad.map(({ name, found }) => `${name}: ${found}`)).toEqual([
      "master key: the key does not match this database",
      expect.stringMatching(/^mail: The mail server at SMTP_URL .* refuses the service: the user/),
    ]);
  });

  it("trusts a mail server only by the authority in SMTP_URL", async () => {
    const server = await startScriptedSmtp({ tls: "at once" });
    try {
      const trusted = await doctor({
        ...whole(),
        SMTP_URL: `${server.url}?tlsCAFile=${authorityFile}`,
      });
      expect(trusted.of("mail")[0]?.found).toMatch(
        /^mail\.test at smtps:\/\/127\.0\.0\.1:\d+, TLS, no user/,
      );
      const { bad } = await doctor({ ...whole(), SMTP_URL: server.url });
      expect(bad.map(({ found }) => found)).toEqual([
        expect.stringContaining("its certificate is signed by an unknown authority"),
      ]);
    } finally {
      await server.stop();
    }
  });

  it("reports contradictory settings and checks no part with them", async () => {
    const { code, bad, of } = await doctor({ PORT: "no", ROLES: "king" });
    expect(code).toBe(1);
    expect(bad.map(({ name }) => name)).toEqual(["settings", "settings"]);
    expect(of("database")).toEqual([]);
  });

  it("reports addresses that browsers and people cannot use", async () => {
    const { bad } = await doctor({
      ...whole(),
      ROLES: "api",
      HOST: "0.0.0.0",
      PUBLIC_URL: "http://tests.example.test",
      WEB_BASE_URL: "https://app.elsewhere.test",
    });
    expect(bad.map(({ name }) => name)).toEqual(["address", "cookie"]);
  });

  it("reports an unfinished restore or migration with the remedy, and one in progress", async () => {
    const database = openDatabase(log.databaseUrl, { max: 2 });
    const name = "restore, move";
    const withMark = async (mark: StoreMark, change: Readonly<Record<string, string>> = {}) => {
      await setMark(database.pool, mark);
      const found = await doctor({ ...whole(), ...change });
      await clearMark(database.pool, mark.name);
      return found.of(name);
    };
    const restoring = { name: "restoring", backup: "b1", folder: "/backups/monday" } as const;
    expect((await doctor(whole())).of(name)).toEqual([]);
    expect(await withMark(restoring)).toEqual([
      expect.objectContaining({
        outcome: "bad",
        found: "A restore into this database has not finished",
        advice:
          "Run the same `runledger restore /backups/monday` again. Until then no service starts.",
      }),
    ]);
    const unlock = await lockForRestore(database.pool);
    expect(await withMark(restoring)).toEqual([
      expect.objectContaining({ outcome: "note", found: "a restore is running" }),
    ]);
    await unlock?.();

    const moved = { name: "log_moved", to: "esdb://logs.example.test:2113" } as const;
    const { EVENTSTORE_URL: _, ...embedded } = whole();
    await setMark(database.pool, moved);
    const left = await doctor(embedded);
    expect(left.of(name)).toEqual([
      expect.objectContaining({
        outcome: "bad",
        found: "The event log of this database was moved to esdb://logs.example.test:2113",
        advice: "Set EVENTSTORE_URL to it. Until then no service starts.",
      }),
    ]);
    expect(await withMark(moved)).toEqual([
      expect.objectContaining({ outcome: "note", found: expect.stringContaining("was moved to") }),
    ]);

    // The copied log ends before the checkpoints of the tables: the move was not finished.
    await database.pool.query(
      "insert into reactor_checkpoints (name, position) values ('far', 1000000)",
    );
    expect((await doctor(whole())).of(name)).toEqual([
      expect.objectContaining({
        outcome: "bad",
        found: expect.stringMatching(/are at log position 1000000, .* ends at no event$/),
      }),
    ]);
    await database.pool.query("delete from reactor_checkpoints where name = 'far'");
    await database.close();
  });

  it("reports the unfinished operation of a stopped embedded database from its folder", async () => {
    const stopped = await mkdtemp(path.join(tmpdir(), "runledger-doctor-"));
    await writeFile(
      path.join(stopped, "postgres.json"),
      JSON.stringify({ folder: "postgres", port: 5432, password: "x", complete: true }),
    );
    const mark: StoreMark = { name: "restoring", backup: "b1", folder: "/backups/monday" };
    await writeFile(path.join(stopped, "marks.json"), JSON.stringify([mark]));
    const { of } = await doctor({ DATA_DIR: stopped, PORT: "0" });
    expect(of("restore, move")).toEqual([
      expect.objectContaining({
        outcome: "bad",
        advice: expect.stringContaining("/backups/monday"),
      }),
    ]);
    await rm(stopped, { recursive: true });
  });

  it("names DATABASE_URL and the remedy if the database does not exist", async () => {
    const url = new URL(log.databaseUrl);
    url.pathname = "/nowhere_at_all";
    const { of } = await doctor({ ...whole(), DATABASE_URL: url.href });
    expect(of("database")).toEqual([
      expect.objectContaining({
        outcome: "bad",
        found: expect.stringMatching(
          /^The PostgreSQL at DATABASE_URL \(.*\) refuses the service: database "nowhere_at_all" does not exist\.$/,
        ),
        advice: expect.stringContaining("CREATE DATABASE"),
      }),
    ]);
  });

  it("reports an unusable data folder and a key file that others can read", async () => {
    const other = path.join(folder, "other");
    await writeFile(other, "");
    const settings = { PORT: "0", ADMIN_EMAILS: "ops@example.test" };
    const none = await doctor({ ...settings, DATA_DIR: other });
    expect(none.bad.map(({ name }) => name)).toContain("data folder");

    const file = path.join(folder, "master.key");
    await writeFile(file, `${randomBytes(32).toString("hex")}\n`);
    await chmod(file, 0o644);
    const { bad } = await doctor({ ...settings, DATA_DIR: folder });
    expect(bad).toEqual([
      expect.objectContaining({
        name: "master key",
        found: expect.stringContaining("other accounts"),
      }),
    ]);
  });
});
