import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startPlatform } from "../../../src/main/platform.ts";
import { createStops, type Stops } from "../../../src/main/stops.ts";
import { loadConfig } from "../../../src/platform/config.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

const logger = createLogger({ level: "silent" });
/** An address without a server. */
const NOBODY = "127.0.0.1:1";

describe("unavailable parts at the start of the service", () => {
  let folder: string;
  let database: TestDatabase;
  let stops: Stops;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "runledger-absent-"));
    database = await createTestDatabase();
    stops = createStops(logger);
  });
  afterEach(async () => {
    await stops.all();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const start = (settings: Readonly<Record<string, string>>) => {
    const environment = { DATA_DIR: folder, MASTER_KEY: randomBytes(32).toString("hex") };
    const config = loadConfig({ ...environment, DATABASE_URL: database.url, ...settings });
    return startPlatform(config, logger, stops, { patienceMs: 500 });
  };

  it("names the setting of a missing database without its password", async () => {
    const failure = await start({ DATABASE_URL: `postgres://ann:hidden@${NOBODY}/none` }).catch(
      String,
    );
    expect(failure).toContain("No PostgreSQL answers at DATABASE_URL");
    expect(failure).not.toContain("hidden");
  });

  it("names the setting of a refusing database at once", async () => {
    const url = new URL(database.url);
    url.pathname = "/no_such_database";
    await expect(start({ DATABASE_URL: url.href })).rejects.toThrow(
      /^The PostgreSQL at DATABASE_URL .* refuses the service: .*does not exist/,
    );
  });

  it("names the setting of a missing event log", async () => {
    await expect(start({ EVENTSTORE_URL: `esdb://${NOBODY}?tls=false` })).rejects.toThrow(
      "No event log answers at EVENTSTORE_URL",
    );
  });

  it("names the setting of a missing NATS server", async () => {
    await expect(start({ NATS_URL: `nats://${NOBODY}` })).rejects.toThrow(
      "No NATS server answers at NATS_URL",
    );
  });

  it("names the setting of an invalid screenshot folder", async () => {
    await writeFile(path.join(folder, "file"), "");
    await expect(start({ BLOB_STORE: `file://${folder}/file` })).rejects.toThrow(
      /BLOB_STORE\): The store of screenshots is gone: its folder is not a folder/,
    );
  });
});
