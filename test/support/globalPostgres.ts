import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../../src/embeddedPostgres/server.ts";
import { createSchema } from "../../src/eventstore/schema.ts";
import { projections } from "../../src/main/core/projections.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { prepareProjections } from "../../src/projections/kernel/schemas.ts";

const TEMPLATE = "service_template";

type SharedPostgres = { readonly url: string; stop(): Promise<void> };

/** The PostgreSQL of this test run, with the number of test projects that use it. */
const shared = globalThis as {
  runledgerPostgres?: { server: Promise<SharedPostgres>; users: number };
};

/** Starts one PostgreSQL for all projects of a test run. Each test file creates its own databases in it. */
const globalPostgres = async (project: TestProject): Promise<() => Promise<void>> => {
  shared.runledgerPostgres ??= { server: start(), users: 0 };
  const running = shared.runledgerPostgres;
  running.users += 1;
  const { url, stop } = await running.server;
  project.provide("postgresUrl", url);
  project.provide("postgresTemplate", TEMPLATE);
  return async () => {
    running.users -= 1;
    if (running.users > 0) return;
    delete shared.runledgerPostgres;
    await stop();
  };
};

const start = async (): Promise<SharedPostgres> => {
  const dataDir = await mkdtemp(path.join(tmpdir(), "runledger-test-"));
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
  const stop = async (): Promise<void> => {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await createTemplate(postgres.url);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: postgres.url, stop };
};

/** Creates the database that services of tests clone: every table exists and no event has been recorded. */
const createTemplate = async (url: string): Promise<void> => {
  await withClient(url, (client) => client.query(`CREATE DATABASE ${TEMPLATE}`));
  const templateUrl = new URL(url);
  templateUrl.pathname = `/${TEMPLATE}`;
  await withClient(templateUrl.href, createSchema);
  const { patient, close } = openDatabase(templateUrl.href, { max: 1 });
  try {
    await migrate(patient);
    await prepareProjections(patient, projections);
  } finally {
    await close();
  }
};

const withClient = async (
  url: string,
  use: (client: pg.Client) => Promise<unknown>,
): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
};

export default globalPostgres;
