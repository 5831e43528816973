import { startEmbeddedPostgres } from "../../src/embeddedPostgres/server.ts";

/** A process that runs the embedded PostgreSQL of a folder until it is killed. Argument: the folder. */
const { url } = await startEmbeddedPostgres({ dataDir: process.argv[2] ?? "" });
process.stdout.write(`${JSON.stringify({ url })}\n`);
setInterval(() => undefined, 60_000);
