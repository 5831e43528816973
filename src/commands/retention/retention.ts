import { planDecider } from "../../domain/billing/plan.ts";
import { planInForce } from "../../domain/billing/planState.ts";
import { evidenceFolder } from "../../domain/runs/executions/evidence.ts";
import { executionDecider } from "../../domain/runs/executions/execution.ts";
import type { BlobStore } from "../../platform/blobs/port.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import { derivedId } from "../../platform/ids.ts";
import type { CommandContext, CommandLoop } from "../kernel/commandLoop.ts";

const ENDINGS: ReadonlySet<string> = new Set(["ExecutionFinished", "ExecutionCancelled"]);
/** The initial number of last events to search for an execution's end. Few events follow it. */
const PAGE = 50;

export type RetentionCommands = ReturnType<typeof retentionCommands>;

/** Deletes the evidence of executions after the plan's retention period. Results and reports remain. */
export const retentionCommands = (deps: {
  readonly loop: CommandLoop;
  readonly log: Pick<EventLog, "readStreamBackwards">;
  readonly blobs: Pick<BlobStore, "deleteUnder">;
  readonly clock: Clock;
}) => {
  const { loop, log, blobs, clock } = deps;

  /** When an execution ended according to the log, null if it has not. */
  const endOf = async (executionId: string): Promise<string | null> => {
    const stream = `${executionDecider.category}-${executionId}`;
    for (let limit = PAGE; ; limit *= 10) {
      let read = 0;
      for await (const { type, metadata } of log.readStreamBackwards(stream, { limit })) {
        if (ENDINGS.has(type)) return metadata.occurred_at;
        read += 1;
      }
      if (read < limit) return null;
    }
  };

  return {
    /**
     * Deletes the evidence of an execution after the retention period of the current plan: records the expiry, deletes
     * the blobs, records the deletion. Resumes after a crash. Resolves to whether it deleted anything.
     */
    deleteExpired: async (executionId: string, organizationId: string): Promise<boolean> => {
      const context = contextOf(executionId, organizationId);
      const found = (await loop.load(executionDecider, executionId)).state;
      if (found.status !== "finished" || found.evidence.status === "deleted") return false;
      if (found.evidence.status === "kept") {
        const endedAt = await endOf(executionId);
        if (endedAt === null) return false;
        const { plan } = planInForce((await loop.load(planDecider, organizationId)).state);
        const at = clock().toISOString();
        const expire = { type: "expireEvidence", plan, endedAt, at } as const;
        const { state } = await loop.execute(executionDecider, executionId, expire, context);
        if (state.status !== "finished" || state.evidence.status !== "expired") return false;
      }
      // Deletes all blobs of the execution, also those that a crashed delivery stored but did not record.
      await blobs.deleteUnder(evidenceFolder(found.runId, executionId));
      const note = { type: "noteEvidenceDeleted", at: clock().toISOString() } as const;
      await loop.execute(executionDecider, executionId, note, context);
      return true;
    },
  };
};

const contextOf = (executionId: string, organizationId: string): CommandContext => {
  const correlationId = derivedId(executionId, "retention");
  return {
    actor: { type: "system", id: "retention" },
    organizationId,
    correlationId,
    causationId: correlationId,
  };
};
