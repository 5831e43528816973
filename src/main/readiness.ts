import { type BlobSettings, nameOfBlobStore } from "../platform/blobs/openBlobStore.ts";
import type { BlobStore } from "../platform/blobs/port.ts";
import { addressOf } from "../platform/credentials.ts";
import type { EventLog } from "../platform/eventLog/port.ts";
import type { Logger } from "../platform/logger.ts";
import { SettingError } from "../platform/settingError.ts";
import { diagnoseSetting, settingError } from "../platform/settingFailure.ts";
import { sleep } from "../platform/sleep.ts";

const RETRY_MS = 250;

/** Waits until the event log of EVENTSTORE_URL answers. Rejects with SettingError after `patienceMs`. */
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
      // A starting server may refuse valid credentials, so only these failures are permanent.
      const isPermanent = trouble.kind === "certificate" || trouble.kind === "file";
      if (isPermanent || performance.now() > deadline) {
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
 * Waits until the blob store is writable. Rejects with SettingError: for a folder at once, for a bucket after
 * `patienceMs`.
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
