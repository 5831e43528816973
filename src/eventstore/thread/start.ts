import type { Worker, WorkerOptions } from "node:worker_threads";
import type { EmbeddedEventStore } from "../server.ts";
import type { EngineLogger } from "../write/writerState.ts";
import type { ThreadMessage, ThreadOptions } from "./messages.ts";

/** Starts a worker thread on the module `name` in the folder of `beside`, an `import.meta.url`. */
export type StartThread = (name: string, beside: string, options: WorkerOptions) => Worker;

/** The time after which a thread that does not stop is terminated. */
const STOP_MS = 5_000;

/**
 * Starts the event store in a worker thread, so that it can use a core of its own. Rejects as
 * `startEmbeddedEventStore` does. `onFailure` is called if the thread ends unexpectedly: acknowledged events
 * are safe, but the log is no longer served.
 */
export const startEventStoreThread = async (
  options: ThreadOptions & {
    readonly startThread: StartThread;
    readonly logger?: EngineLogger;
    readonly onFailure: (error: Error) => void;
  },
): Promise<EmbeddedEventStore> => {
  const { startThread, logger, onFailure, ...threadOptions } = options;
  const thread = startThread("eventStoreThread", import.meta.url, {
    name: "event log",
    workerData: threadOptions,
  });
  let isStopping = false;
  const exited = new Promise<void>((resolve) => thread.once("exit", () => resolve()));

  const url = await new Promise<string>((resolve, reject) => {
    let isReady = false;
    const fail = (error: Error): void => {
      if (isStopping) return;
      if (!isReady) reject(error);
      else {
        isStopping = true;
        onFailure(error);
      }
    };
    thread.on("message", (message: ThreadMessage) => {
      if (message.kind === "log") logger?.[message.level](message.fields, message.text);
      else if (message.kind === "failed") {
        const { message: text, code, stack } = message.error;
        void thread.terminate();
        reject(Object.assign(new Error(text), { stack, ...(code === undefined ? {} : { code }) }));
      } else {
        isReady = true;
        resolve(message.url);
      }
    });
    thread.on("error", fail);
    thread.on("messageerror", fail);
    thread.on("exit", (code) => fail(new Error(`The thread of the event log ended, with ${code}`)));
  });

  return {
    url,
    stop: async () => {
      isStopping = true;
      thread.postMessage("stop");
      const late = setTimeout(() => void thread.terminate(), STOP_MS);
      await exited;
      clearTimeout(late);
    },
  };
};
