import { auditDecider } from "../../domain/audit/audit.ts";
import type { Clock } from "../../platform/clock.ts";
import type { CommandContext, CommandLoop } from "../kernel/commandLoop.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";

export type AuditCommands = ReturnType<typeof auditCommands>;

const MINUTE_MS = 60_000;

/** Records reads that an organisation's admins may audit. */
export const auditCommands = ({
  loop,
  clock,
}: {
  readonly loop: CommandLoop;
  readonly clock: Clock;
}) => ({
  /** Records a download before it starts, so that an unrecorded download is impossible. */
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
