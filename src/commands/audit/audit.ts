import { auditDecider } from "../../domain/audit/audit.ts";
import type { Clock } from "../../platform/clock.ts";
import type { CommandContext, CommandLoop } from "../kernel/commandLoop.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";

export type AuditCommands = ReturnType<typeof auditCommands>;

const MINUTE_MS = 60_000;

/** What is noted for an organisation's admins besides what its members change. */
export const auditCommands = ({
  loop,
  clock,
}: {
  readonly loop: CommandLoop;
  readonly clock: Clock;
}) => ({
  /** Notes that a file is handed out, before it is: what cannot be noted is not handed out. */
  noteExport: async (
    context: CommandContext,
    exported: {
      readonly organizationId: string;
      readonly what: string;
      readonly format: string;
      readonly resourceId: string | null;
    },
  ): Promise<Receipt> => {
    const { organizationId, ...rest } = exported;
    const now = clock().getTime();
    const minute = new Date(now - (now % MINUTE_MS)).toISOString();
    const command = { type: "noteExport", ...rest, by: context.actor.id, minute } as const;
    return receiptOf(await loop.execute(auditDecider, organizationId, command, context));
  },
});
