import { parentPort, workerData } from "node:worker_threads";
import { startEmbeddedEventStore } from "../server.ts";
import type { EngineLogger } from "../write/writerState.ts";
import { plainError, type ThreadMessage, type ThreadOptions } from "./messages.ts";

/* The event store's thread: starts the server, reports its address, and stops on the first message. */
const post = (message: ThreadMessage): void => parentPort?.postMessage(message);

const logAt =
  (level: "info" | "warn") =>
  (fields: object, text: string): void => {
    const { err, ...rest } = fields as { err?: unknown };
    post({
      kind: "log",
      level,
      fields: err === undefined ? rest : { ...rest, err: plainError(err) },
      text,
    });
  };

const logger: EngineLogger = { info: logAt("info"), warn: logAt("warn") };

try {
  const server = await startEmbeddedEventStore({ ...(workerData as ThreadOptions), logger });
  parentPort?.once("message", async () => {
    await server.stop();
    parentPort?.close();
  });
  post({ kind: "ready", url: server.url });
} catch (error) {
  post({ kind: "failed", error: plainError(error) });
  parentPort?.close();
}
