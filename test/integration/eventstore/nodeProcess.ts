import pino from "pino";
import { startEmbeddedPostgres } from "../../../src/embeddedPostgres/server.ts";
import { startEmbeddedEventStore } from "../../../src/eventstore/server.ts";

/* A node as the service has it: the event log, and the Postgres under it, in a data folder. */
const [dataDir = "", port = "0"] = process.argv.slice(2);
// What it went through is read when a test fails.
const logger = pino({ level: "info" }, pino.destination(2));
const postgres = await startEmbeddedPostgres({ dataDir, logger });
// Who was killed may still be known to the database as the writer for a moment.
const server = await startEmbeddedEventStore({
  databaseUrl: postgres.url,
  logger,
  port: Number(port),
  lockTimeoutMs: 60_000,
});
process.stdout.write(`ready ${server.url}\n`);
process.once("SIGTERM", async () => {
  await server.stop();
  await postgres.stop();
  process.exit(0);
});
