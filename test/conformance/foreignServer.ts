import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../../src/embeddedPostgres/server.ts";
import { runScript } from "../integration/eventstore/support.ts";

/**
 * A server that is nobody's own: a process behind TCP, whose log holds what others have written before,
 * system events among it, and into which others go on writing while the suite runs. Held against it, no
 * case can lean on an empty log, on positions without gaps or on being alone. A server that is named by
 * EVENTSTORE_URL takes its place.
 */
const foreignServer = async (project: TestProject): Promise<() => Promise<void>> => {
  if (process.env.EVENTSTORE_URL) return async () => {};
  const dataDir = await mkdtemp(path.join(tmpdir(), "runledger-conformance-"));
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
  const server = runScript("serverProcess.ts", [postgres.url, "0"]);
  const url = (await server.line("ready")).split(" ").at(-1) ?? "";
  const others = runScript(WRITER, [url]);
  await others.line("ready");
  project.provide("eventStoreUrl", url);
  return async () => {
    for (const { child, exited } of [others, server]) {
      child.kill("SIGKILL");
      await exited;
    }
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
};

const WRITER = new URL("foreignWriterProcess.ts", import.meta.url).href;

export default foreignServer;
