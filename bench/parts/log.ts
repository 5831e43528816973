import { startEventStoreThread } from "../../src/eventstore/thread/start.ts";
import { startWorkerThread } from "../../src/platform/workerThread.ts";
import type { BenchContext } from "../harness/bench.ts";
import { createDatabase } from "./postgres.ts";

export type BenchLog = { readonly url: string; readonly databaseUrl: string };

/** Starts the embedded event log in a worker thread, as in the service. `database` defaults to a new one. */
export const startLog = async (
  context: Pick<BenchContext, "postgresUrl" | "defer">,
  database?: string,
): Promise<BenchLog> => {
  const databaseUrl = database ?? (await createDatabase(context));
  const server = await startEventStoreThread({
    startThread: startWorkerThread,
    databaseUrl,
    onFailure: (error) => {
      throw error;
    },
  });
  context.defer(server.stop);
  return { url: server.url, databaseUrl };
};
