import { parentPort, workerData } from "node:worker_threads";
import { startEmbeddedEventStore } from "../server.ts";
import { plainError, type ThreadMessage, type ThreadOptions } from "./messages.ts";
import type { EngineLogger } from "../write/writer.ts";

/*
 * The thread of the event log: it starts the log, says where it listens, and ends when it is told anything.
 */
const say = (message: ThreadMessage): void => parentPort?.postMessage(message);

const sayer =
  (level: "info" | "warn") =>
  (fields: object, text: string): void => {
    const { err, ...rest } = fields as { err?: unknown };
    say({
      kind: "log",
      level,
      fields: err === undefined ? rest : { ...rest, err: plainError(err) },
      text,
    });
  };

const logger: EngineLogger = { info: sayer("info"), warn: sayer("warn") };

try {
  const server = await startEmbeddedEventStore({ ...(workerData as ThreadOptions), logger });
  parentPort?.once("message", async () => {
    await server.stop();
    parentPort?.close();
  });
  say({ kind: "ready", url: server.url });
} catch (error) {
  say({ kind: "failed", error: plainError(error) });
  parentPort?.close();
}
