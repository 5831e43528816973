import { startEventStoreThread } from "../../src/eventstore/thread/start.ts";
import { startWorkerThread } from "../../src/platform/workerThread.ts";
import type { BenchContext } from "../harness/bench.ts";
import { createDatabase } from "./postgres.ts";

export type BenchLog = { readonly url: string; readonly databaseUrl: string };

/** The embedded log in a thread of this process, as in the service, on a database of its own unless one is given. */
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
