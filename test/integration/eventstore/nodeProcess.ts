import pino from "pino";
import { startEmbeddedPostgres } from "../../../src/embeddedPostgres/server.ts";
import { startEmbeddedEventStore } from "../../../src/eventstore/server.ts";

/* A node as the service has it: the event log, and the Postgres under it, in a data folder. */
const [dataDir = "", port = "0"] = process.argv.slice(2);
// Its output is printed if a test fails.
const logger = pino({ level: "info" }, pino.destination(2));
const postgres = await startEmbeddedPostgres({ dataDir, logger });
// The database may hold the lock of the killed writer for a moment.
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
