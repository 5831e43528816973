import type { BlobStore } from "../platform/blobs/port.ts";
import { withoutCredentials } from "../platform/credentials.ts";
import type { EventLog } from "../platform/eventLog/port.ts";
import type { Logger } from "../platform/logger.ts";
import { SettingError } from "../platform/parts.ts";
import { pause } from "../platform/pause.ts";

const RETRY_MS = 250;

/** Waits until the event log of a connection string answers. Rejects with the setting's name when it does not in time. */
export const waitForEventLog = async (
  log: Pick<EventLog, "head">,
  url: string,
  { patienceMs, logger }: { readonly patienceMs: number; readonly logger: Logger },
): Promise<void> => {
  const deadline = performance.now() + patienceMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await log.head();
      return;
    } catch (cause) {
      if (performance.now() > deadline) {
        throw new SettingError(
          `No event log answers at EVENTSTORE_URL (${withoutCredentials(url)}). Start an EventStoreDB there, or unset EVENTSTORE_URL for the embedded one.`,
          cause,
        );
      }
      if (attempt === 1) logger.warn({ setting: "EVENTSTORE_URL" }, "waiting for the event log");
      await pause(RETRY_MS);
    }
  }
};

/** Rejects with the setting's name when the folder of screenshots cannot be written: no waiting mends that. */
export const checkBlobFolder = async (
  blobs: Pick<BlobStore, "ping">,
  folder: string,
): Promise<void> => {
  try {
    await blobs.ping();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SettingError(`Screenshots cannot be kept in ${folder} (BLOB_STORE): ${why}.`, cause);
  }
};
