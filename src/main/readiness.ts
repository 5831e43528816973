import { type BlobSettings, nameOfBlobStore } from "../platform/blobs/openBlobStore.ts";
import type { BlobStore } from "../platform/blobs/port.ts";
import { addressOf } from "../platform/credentials.ts";
import type { EventLog } from "../platform/eventLog/port.ts";
import type { Logger } from "../platform/logger.ts";
import { SettingError } from "../platform/partHealth.ts";
import { settingError, diagnoseSetting } from "../platform/settingFailure.ts";
import { sleep } from "../platform/sleep.ts";

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
      const trouble = diagnoseSetting("EVENTSTORE_URL", addressOf(url), cause);
      // A server that comes up may refuse everybody until it knows its users.
      const isForGood = trouble.kind === "certificate" || trouble.kind === "file";
      if (isForGood || performance.now() > deadline) {
        throw settingError("EVENTSTORE_URL", addressOf(url), cause, trouble);
      }
      if (attempt === 1) {
        logger.warn({ setting: "EVENTSTORE_URL", why: trouble.why }, "waiting for the event log");
      }
      await sleep(RETRY_MS);
    }
  }
};

/**
 * Waits until blobs can be kept where the settings say. Rejects with the setting's name: of a folder at once, for no
 * waiting mends that; of a bucket when its server is not there, or refuses us, for so long.
 */
export const waitForBlobStore = async (
  blobs: Pick<BlobStore, "ping">,
  settings: BlobSettings,
  { patienceMs, logger }: { readonly patienceMs: number; readonly logger: Logger },
): Promise<void> => {
  const deadline = performance.now() + patienceMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await blobs.ping();
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      if (settings.kind === "folder" || performance.now() > deadline) {
        throw new SettingError(
          `Screenshots cannot be kept in ${nameOfBlobStore(settings)} (BLOB_STORE): ${why}.`,
          cause,
        );
      }
      if (attempt === 1) logger.warn({ setting: "BLOB_STORE", why }, "waiting for the blob store");
      await sleep(RETRY_MS);
    }
  }
};
