import type { Clock } from "../../platform/clock.ts";
import type { Db } from "../../platform/database/database.ts";
import { runWhileLeader } from "../../platform/leases.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Place } from "../../platform/publishing/places.ts";
import type { PublishedText } from "../../platform/publishing/publish.ts";
import { sleep } from "../../platform/sleep.ts";
import { type Anchor, type AuditAnchorTables, anchors } from "../../stores/audit/anchors.ts";
import type { AuditTree } from "../../stores/audit/tree.ts";

const LOOK_EVERY_MS = 10_000;
const HOUR_MS = 3_600_000;
/** The interval of deliveries by kind of place. Mail is for people. */
const EVERY_MS = {
  folder: HOUR_MS,
  bucket: HOUR_MS,
  webhook: HOUR_MS,
  mail: 24 * HOUR_MS,
} as const;
const RETRY_MS = 300_000;

export type AnchoringDeps = {
  readonly db: Db<AuditAnchorTables>;
  readonly tree: Pick<AuditTree, "load">;
  readonly places: readonly Place[];
  readonly publish: (place: Place, published: PublishedText) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
};

/** Delivers the newest checkpoint to each place where one is due. A failure is recorded and retried later. */
export const deliverCheckpoints = async (deps: AnchoringDeps): Promise<void> => {
  const { db, tree, places, publish, clock, logger } = deps;
  const { size, checkpoint } = await tree.load();
  if (checkpoint === null) return;
  const held = new Map((await anchors(db).list()).map((anchor) => [anchor.target, anchor]));
  for (const place of places) {
    const now = clock();
    if (!isDue(held.get(place.name), place, size, now.getTime())) continue;
    try {
      await publish(place, { name: `${size}.checkpoint`, text: checkpoint });
      await anchors(db).noteDelivered(place.name, size, now.toISOString());
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      await anchors(db).noteFailed(place.name, reason, now.toISOString());
      logger.warn({ place: place.name, reason }, "delivering a checkpoint of the log failed");
    }
  }
};

const isDue = (anchor: Anchor | undefined, { kind }: Place, size: number, now: number): boolean => {
  if (!anchor) return true;
  const { deliveredAt, failedAt } = anchor;
  if (failedAt !== null && now - Date.parse(failedAt) < RETRY_MS) return false;
  if (anchor.size === size) return false;
  return deliveredAt === null || now - Date.parse(deliveredAt) >= EVERY_MS[kind];
};

/** Delivers checkpoints to places outside the service, in the leading process. */
export const startAnchoring = (
  deps: AnchoringDeps & { readonly holder: string },
): { stop(): Promise<void> } => {
  const { db, holder, logger } = deps;
  const work = async (over: AbortSignal): Promise<void> => {
    while (!over.aborted) {
      await deliverCheckpoints(deps);
      await sleep(LOOK_EVERY_MS, over);
    }
  };
  return runWhileLeader({ name: "audit-anchors", db, holder, logger, work });
};
