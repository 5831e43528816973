import { BACKWARDS, END } from "@eventstore/db-client";
import { sleep } from "../sleep.ts";
import { disposeClient } from "./dispose.ts";
import { openClient } from "./openClient.ts";

/** What an event log turned out to be. */
export type EventLogFound = {
  /** As the server says it; "unknown" where it does not. */
  readonly version: string;
  /** The position of its newest event, the server's own among them; null when it is empty. */
  readonly newest: bigint | null;
};

/** Looks at the server of a connection string. Rejects when it cannot be reached, believed or read. */
export const inspectEventLog = async (url: string, patienceMs: number): Promise<EventLogFound> => {
  const client = openClient(url);
  const over = new AbortController();
  const late = sleep(patienceMs, over.signal).then(() => {
    throw new Error("It does not answer");
  });
  const look = async (): Promise<EventLogFound> => {
    // Protected in the client's types: there is no other way to its server's version.
    const asked = client as unknown as {
      readonly capabilities: Promise<{ serverVersion: string }>;
    };
    const { serverVersion } = await asked.capabilities;
    let newest: bigint | null = null;
    for await (const { event } of client.readAll({
      direction: BACKWARDS,
      fromPosition: END,
      maxCount: 1,
    })) {
      newest = event?.position.commit ?? null;
    }
    return { version: serverVersion, newest };
  };
  try {
    return await Promise.race([look(), late]);
  } finally {
    over.abort();
    await disposeClient(client);
  }
};
