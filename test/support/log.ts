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

/** The embedded log on a database of its own, and a client of it. */
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
