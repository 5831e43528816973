import { BACKWARDS, END } from "@eventstore/db-client";
import { within } from "../within.ts";
import { disposeClient } from "./dispose.ts";
import { openClient } from "./openClient.ts";

/** Properties of an event log. */
export type EventLogFound = {
  /** The version that the server reports; "unknown" without one. */
  readonly version: string;
  /** The position of the newest event, system events included; null if the log is empty. */
  readonly newest: bigint | null;
};

/** Inspects a server. Rejects if the connection or the read fails. */
export const inspectEventLog = async (url: string, timeoutMs: number): Promise<EventLogFound> => {
  const client = openClient(url);
  const look = async (): Promise<EventLogFound> => {
    // Protected in the client's types; there is no public access to the server's version.
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
    return await within(look(), timeoutMs, () => {
      throw new Error("It does not answer");
    });
  } finally {
    await disposeClient(client);
  }
};
