import type { RetentionCommands } from "../../commands/retention/retention.ts";
import { catalog } from "../../domain/billing/catalog.ts";
import { endedBefore } from "../../domain/runs/executions/evidence.ts";
import { logFailure } from "../../platform/availability.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { runWhileLeader } from "../../platform/leases.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import type { RetentionQueries, Waiting } from "../../projections/retention/retention.ts";

/** The interval between runs. */
const INTERVAL_MS = 30_000;
const PAGE_SIZE = 100;
/** Consecutive failures after which a run stops, because the store or the log is unavailable. */
const MAX_FAILURES = 5;

/** The shortest retention of any plan, in days. */
const SHORTEST_DAYS = Math.min(...Object.values(catalog).map(({ retentionDays }) => retentionDays));

export type EvidenceDeleterDeps = {
  readonly retention: Pick<RetentionCommands, "deleteExpired">;
  readonly queries: RetentionQueries;
  /** The retention of the organisation's plan in the read model, in days. */
  readonly daysOf: (organizationId: string) => Promise<number>;
  readonly clock: Clock;
  readonly logger: Logger;
};

/**
 * Deletes evidence after the retention period of plans. Runs in the leading process, though concurrent runs would be
 * harmless. The read model names candidates, and the log decides which are due.
 */
export const startEvidenceDeleter = (
  deps: EvidenceDeleterDeps & { readonly db: Database["db"]; readonly holder: string },
): { stop(): Promise<void> } =>
  runWhileLeader({
    name: "evidence-deletion",
    db: deps.db,
    holder: deps.holder,
    logger: deps.logger,
    work: async (stopped) => {
      while (!stopped.aborted) {
        const deleted = await deleteDue(deps, stopped);
        if (deleted > 0) deps.logger.info({ executions: deleted }, "deleted evidence");
        await sleep(INTERVAL_MS, stopped);
      }
    },
  });

/** Runs once: first resumes interrupted deletions, then deletes per organisation. Resolves to the number of executions. */
export const deleteDue = async (
  deps: EvidenceDeleterDeps,
  stopped: AbortSignal,
): Promise<number> => {
  const { queries } = deps;
  const now = deps.clock().toISOString();
  let deleted = await deleteAll(deps, queries.listBegun, stopped);
  for (const organizationId of await queries.organizationsWaiting(
    endedBefore(SHORTEST_DAYS, now),
  )) {
    if (stopped.aborted) break;
    const before = endedBefore(await deps.daysOf(organizationId), now);
    deleted += await deleteAll(
      deps,
      (page) => queries.listWaiting(organizationId, before, page),
      stopped,
    );
  }
  return deleted;
};

/** Deletes page by page. A failure does not delay other executions or later runs. */
const deleteAll = async (
  { retention, logger }: EvidenceDeleterDeps,
  list: RetentionQueries["listBegun"],
  stopped: AbortSignal,
): Promise<number> => {
  let deleted = 0;
  let failures = 0;
  let after: string | null = null;
  for (;;) {
    const page: readonly Waiting[] = await list({ limit: PAGE_SIZE, after });
    for (const { executionId, organizationId } of page) {
      if (stopped.aborted || failures >= MAX_FAILURES) return deleted;
      after = executionId;
      try {
        if (await retention.deleteExpired(executionId, organizationId)) deleted += 1;
        failures = 0;
      } catch (error) {
        failures += 1;
        logFailure(logger, error, { execution: executionId }, "deleting evidence failed");
      }
    }
    if (page.length < PAGE_SIZE) return deleted;
  }
};
