import { createHash } from "node:crypto";
import { auditDecider } from "../../domain/audit/audit.ts";
import { planDecider } from "../../domain/billing/plan.ts";
import {
  type ExportFormat,
  HEAD_TYPE,
  type HeadClaims,
  preamble,
  writeHead,
  writeLine,
} from "../../domain/billing/planExport.ts";
import { historyStart, nextLine, type Seen } from "../../domain/billing/planLines.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import type { Statements } from "../../stores/billing/statements.ts";
import type { CommandContext, CommandLoop } from "../kernel/commandLoop.ts";

/** The minimum size of a chunk, in characters. */
const CHUNK = 65_536;

export type PlanAuditCommands = ReturnType<typeof planAuditCommands>;

/** Exports and replays of a plan's history, both recorded in the audit log. */
export const planAuditCommands = (deps: {
  readonly log: Pick<EventLog, "readStream">;
  readonly loop: CommandLoop;
  readonly statements: Statements;
  readonly clock: Clock;
}) => {
  const { log, loop, statements, clock } = deps;

  return {
    /** Records a replay of the history. */
    noteReplay: async (
      context: CommandContext,
      organizationId: string,
      { asOf, knownAt }: Seen,
      plan: string,
    ): Promise<void> => {
      const data = { asOf, knownAt, plan };
      const look = { type: "PlanHistoryReplayed", data } as const;
      await loop.execute(auditDecider, organizationId, { type: "record", look }, context);
    },

    /**
     * Writes a plan's history line by line, and finally the signed head. The export is recorded before the head is
     * returned, so every provable export is on record.
     */
    async *exportHistory(
      context: CommandContext,
      organizationId: string,
      format: ExportFormat,
    ): AsyncGenerator<string> {
      const sha256 = createHash("sha256");
      let chunk = preamble(format);
      let reached = historyStart;
      for await (const stored of log.readStream(`${planDecider.category}-${organizationId}`)) {
        const next = nextLine(reached, stored, digest);
        reached = next.reached;
        chunk += writeLine(next.line, format);
        if (chunk.length < CHUNK) continue;
        sha256.update(chunk);
        yield chunk;
        chunk = "";
      }
      const { sequence: count, hash } = reached;
      const claims: HeadClaims = {
        organization_id: organizationId,
        exported_at: clock().toISOString(),
        format,
        count,
        hash,
        sha256: sha256.update(chunk).digest("hex"),
      };
      const { jws, kid } = await statements.sign(HEAD_TYPE, claims);
      const data = { format, count, hash, sha256: claims.sha256, kid };
      const look = { type: "PlanHistoryExported", data } as const;
      await loop.execute(auditDecider, organizationId, { type: "record", look }, context);
      yield chunk + writeHead(jws, format);
    },
  };
};

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
