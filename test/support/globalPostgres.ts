import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../../src/embeddedPostgres/server.ts";

/** Starts one PostgreSQL for the whole test run; each file makes a database of its own in it. */
const globalPostgres = async (project: TestProject): Promise<() => Promise<void>> => {
  const dataDir = await mkdtemp(path.join(tmpdir(), "runledger-test-"));
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
  project.provide("postgresUrl", postgres.url);
  return async () => {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
};

export default globalPostgres;
