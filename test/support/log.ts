import { startEmbeddedEventStore } from "../../src/eventstore/server.ts";
import { connectEventLog } from "../../src/platform/eventLog/client.ts";
import type { EventLog } from "../../src/platform/eventLog/port.ts";
import { createTestDatabase } from "./postgres.ts";

export type TestLog = {
  readonly log: EventLog;
  readonly logUrl: string;
  readonly databaseUrl: string;
  stop(): Promise<void>;
};

/** Starts the embedded log on a database of its own, with a client. */
export const startTestLog = async (): Promise<TestLog> => {
  const database = await createTestDatabase();
  const server = await startEmbeddedEventStore({ databaseUrl: database.url });
  const log = connectEventLog(server.url);
  return {
    log,
    logUrl: server.url,
    databaseUrl: database.url,
    stop: async () => {
      await log.close();
      await server.stop();
      await database.drop();
    },
  };
};
