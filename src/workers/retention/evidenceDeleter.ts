import type { RetentionCommands } from "../../commands/retention/retention.ts";
import { catalog } from "../../domain/billing/catalog.ts";
import { endedBefore } from "../../domain/runs/evidence.ts";
import { logTrouble } from "../../platform/availability.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { whileLeading } from "../../platform/leading.ts";
import type { Logger } from "../../platform/logger.ts";
import { pause } from "../../platform/pause.ts";
import type { RetentionQueries, Waiting } from "../../projections/retention/retention.ts";

/** So often it is looked what is due: days are counted here, not seconds. */
const LOOK_MS = 30_000;
const AT_ONCE = 100;
/** When so many in a row cannot be deleted the store or the log is away: the next look tries again. */
const FAILURES = 5;

/** What every plan keeps: nothing younger is due. */
const SHORTEST_DAYS = Math.min(...Object.values(catalog).map(({ retentionDays }) => retentionDays));

export type EvidenceDeleterDeps = {
  readonly retention: Pick<RetentionCommands, "deleteExpired">;
  readonly queries: RetentionQueries;
  /** How many days the organisation's plan keeps evidence, as far as the read model knows. */
  readonly daysOf: (organizationId: string) => Promise<number>;
  readonly clock: Clock;
  readonly logger: Logger;
};

/**
 * Deletes the evidence that plans keep no longer, in one process among any number. The read model says where to look;
 * what is due is decided by the log. Nothing rests on there being one process.
 */
export const startEvidenceDeleter = (
  deps: EvidenceDeleterDeps & { readonly db: Database["db"]; readonly holder: string },
): { stop(): Promise<void> } =>
  whileLeading({
    name: "evidence-deletion",
    db: deps.db,
    holder: deps.holder,
    logger: deps.logger,
    work: async (over) => {
      while (!over.aborted) {
        const deleted = await deleteDue(deps, over);
        if (deleted > 0) deps.logger.info({ executions: deleted }, "evidence was deleted");
        await pause(LOOK_MS, over);
      }
    },
  });

/** Looks once through all that is due: first what was begun, then organisation by organisation. Answers of how many executions. */
export const deleteDue = async (deps: EvidenceDeleterDeps, over: AbortSignal): Promise<number> => {
  const { queries } = deps;
  const now = deps.clock().toISOString();
  let deleted = await deleteAll(deps, queries.listBegun, over);
  for (const organizationId of await queries.organizationsWaiting(
    endedBefore(SHORTEST_DAYS, now),
  )) {
    if (over.aborted) break;
    const before = endedBefore(await deps.daysOf(organizationId), now);
    deleted += await deleteAll(
      deps,
      (page) => queries.listWaiting(organizationId, before, page),
      over,
    );
  }
  return deleted;
};

/** Deletes page by page. One that fails does not hold up the others, nor the next look those after it. */
const deleteAll = async (
  { retention, logger }: EvidenceDeleterDeps,
  list: RetentionQueries["listBegun"],
  over: AbortSignal,
): Promise<number> => {
  let deleted = 0;
  let failures = 0;
  let after: string | null = null;
  for (;;) {
    const page: readonly Waiting[] = await list({ limit: AT_ONCE, after });
    for (const { executionId, organizationId } of page) {
      if (over.aborted || failures >= FAILURES) return deleted;
      after = executionId;
      try {
        if (await retention.deleteExpired(executionId, organizationId)) deleted += 1;
        failures = 0;
      } catch (error) {
        failures += 1;
        logTrouble(logger, error, { execution: executionId }, "evidence was not deleted");
      }
    }
    if (page.length < AT_ONCE) return deleted;
  }
};
