import { type Period, usageId } from "../../domain/usage/period.ts";
import { usageDecider } from "../../domain/usage/usage.ts";
import { type MonthUnder, usageUnder } from "../../domain/usage/whatIf.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";

export type UsageReplay = ReturnType<typeof usageReplay>;

/** Past usage, read from the log. */
export const usageReplay = (log: Pick<EventLog, "readStream">) => ({
  /** Replays a month under another limit. */
  monthUnder: async (
    organizationId: string,
    period: Period,
    limit: number,
  ): Promise<MonthUnder> => {
    const { category, codec } = usageDecider;
    const recorded = [];
    for await (const { type, data, metadata } of log.readStream(
      `${category}-${usageId(organizationId, period)}`,
    )) {
      const event = codec.decode({ type, data, schemaVersion: metadata.schema_version });
      recorded.push({ event, at: metadata.occurred_at });
    }
    return usageUnder(recorded, limit);
  },
});
