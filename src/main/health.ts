import type { Health, PartHealth } from "../api/health.ts";
import { within } from "../platform/within.ts";
import type { Platform } from "./platform.ts";

/** Time limit of a check. */
const PATIENCE_MS = 2_000;

/** Checks all parts concurrently. Never rejects. The result contains no address and no secret. */
export const checkHealth = async (
  platform: Pick<Platform, "database" | "log" | "bus" | "blobs">,
): Promise<Health> => {
  const checks = {
    database: () => platform.database.ping(),
    event_log: () => platform.log.head(),
    bus: () => platform.bus.ping(),
    blob_store: () => platform.blobs.ping(),
  };
  const parts = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await runCheck(check)] as const),
  );
  return Object.fromEntries(parts);
};

/** Names the unhealthy parts; null if all are healthy. */
export const describeUnhealthyParts = async (
  platform: Parameters<typeof checkHealth>[0],
): Promise<string | null> => {
  const down = Object.entries(await checkHealth(platform)).filter(([, { ok }]) => !ok);
  return down.length === 0
    ? null
    : down.map(([name, { detail }]) => (detail ? `${name} (${detail})` : name)).join(", ");
};

const runCheck = (check: () => Promise<unknown>): Promise<PartHealth> =>
  within(
    check().then(
      (): PartHealth => ({ ok: true }),
      (): PartHealth => ({ ok: false, detail: "cannot be reached" }),
    ),
    PATIENCE_MS,
    () => ({ ok: false, detail: "does not answer" }),
  );
