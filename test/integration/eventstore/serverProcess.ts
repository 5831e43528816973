import { startEmbeddedEventStore } from "../../../src/eventstore/server.ts";

const [databaseUrl = "", port = "0", idleMs] = process.argv.slice(2);
const server = await startEmbeddedEventStore({
  databaseUrl,
  port: Number(port),
  ...(idleMs === undefined ? {} : { idleMs: Number(idleMs) }),
});
process.stdout.write(`ready ${server.url}\n`);
