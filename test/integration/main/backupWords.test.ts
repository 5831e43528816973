import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { backUp, restore } from "../../../src/cli/operator/backup.ts";
import { createTerminal } from "../../../src/cli/terminal.ts";
import { makeBackup } from "../../../src/main/backup/backup.ts";
import { loadConfig } from "../../../src/platform/config.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { migrate } from "../../../src/platform/database/migrate.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { startTestLog, type TestLog } from "../../support/log.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

const PASSWORD = "hunter2hunter2";
const NOBODY = "127.0.0.1:1";

/** The messages of `runledger backup` and `restore` for wrong settings. */
describe("messages of backup and restore", () => {
  let folder: string;
  let log: TestLog;
  let unused: TestDatabase;
  const terminal = createTerminal({
    ...{ json: true, output: { write: () => undefined }, environment: {} },
  });
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "runledger-words-"));
    log = await startTestLog();
    const database = openDatabase(log.databaseUrl, { max: 1 });
    await migrate(database.db);
    await database.close();
    unused = await createTestDatabase();
  });
  afterAll(async () => {
    await Promise.all([log?.stop(), unused?.drop()]);
    await rm(folder, { recursive: true, force: true });
  });

  const whole = () => ({
    ...{ DATA_DIR: path.join(folder, "data"), MASTER_KEY: randomBytes(32).toString("hex") },
    ...{ DATABASE_URL: log.databaseUrl, EVENTSTORE_URL: log.logUrl },
  });
  const nowhere = () => {
    const url = new URL(log.databaseUrl);
    url.pathname = "/nowhere_at_all";
    return url.href;
  };
  const cases: readonly (readonly [string, () => Record<string, string>, RegExp])[] = [
    [
      "a database that nobody serves",
      () => ({ DATABASE_URL: `postgres://ann:${PASSWORD}@${NOBODY}/runledger` }),
      /^No PostgreSQL answers at DATABASE_URL \(.*\): the connection is refused\. Start it/,
    ],
    [
      "a database that the server does not have",
      () => ({ DATABASE_URL: nowhere() }),
      /DATABASE_URL \(.*\) refuses the service: database "nowhere_at_all" does not exist\. Create it/,
    ],
    [
      "an event log that nobody serves",
      () => ({ EVENTSTORE_URL: `esdb://ann:${PASSWORD}@${NOBODY}?tls=true` }),
      /^No event log answers at EVENTSTORE_URL \(.*\): the connection is refused\./,
    ],
  ];
  const refusal = async (work: Promise<unknown>) =>
    work.then(
      () => expect.unreachable(),
      (error: Error & { exitCode?: number }) => ({
        message: error.message,
        exitCode: error.exitCode,
      }),
    );

  it.each(cases)("name the setting for %s, and leave no folder", async (_, change, words) => {
    const said = await refusal(
      backUp({ ...whole(), ...change() }, path.join(folder, "backup"), terminal),
    );
    expect(said).toEqual({ message: expect.stringMatching(words), exitCode: 3 });
    expect(said.message).not.toContain(PASSWORD);
    expect((await readdir(folder)).filter((name) => name.startsWith("backup"))).toEqual([]);
  });

  it("name missing data or settings for a backup", async () => {
    const environment = { DATA_DIR: path.join(folder, "nothing") };
    const said = await refusal(backUp(environment, path.join(folder, "backup"), terminal));
    expect(said).toEqual({
      message: expect.stringMatching(
        /DATA_DIR .* contains no service data, and DATABASE_URL is not set\.$/,
      ),
      exitCode: 3,
    });
  });

  it("name the path of an existing target, and no setting", async () => {
    const partial = path.join(folder, "odd.partial");
    await writeFile(partial, "");
    const said = await refusal(backUp(whole(), path.join(folder, "odd"), terminal));
    expect(said.message).toMatch(/odd cannot be created: .*odd\.partial/);
    expect(said.message).not.toContain("DATA_DIR");
    await rm(partial);
  });

  it("name DATABASE_URL for a database without a service's tables", async () => {
    const environment = { ...whole(), DATABASE_URL: unused.url };
    const said = await refusal(backUp(environment, path.join(folder, "backup"), terminal));
    expect(said).toEqual({
      message: expect.stringMatching(
        /^The database of DATABASE_URL .* has no tables of a service\./,
      ),
      exitCode: 3,
    });
  });

  it.each(cases)("name the setting for %s on a restore", async (_, change, words) => {
    const from = path.join(folder, "whole");
    const settings = whole();
    const options = { folder: from, onProgress: () => undefined };
    await makeBackup(loadConfig(settings), createLogger({ level: "silent" }), options);
    const none = { replace: false, check: false };
    const said = await refusal(restore({ ...settings, ...change() }, from, none, terminal));
    expect(said).toEqual({ message: expect.stringMatching(words), exitCode: 3 });
    await rm(from, { recursive: true });
  });
});
