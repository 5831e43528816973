import { createHash } from "node:crypto";
import type { PlanCode } from "../domain/billing/catalog.ts";
import { heldBy, type OrganizationPlan, planDecider } from "../domain/billing/plan.ts";
import {
  applyStored,
  atTheStart,
  isSeen,
  nextLine,
  type PlanLine,
  type Reached,
  type Seen,
} from "../domain/billing/planLines.ts";
import type { Terms } from "../domain/billing/proration.ts";
import type { EventLog } from "../platform/eventLog/port.ts";

/** Which lines: what had happened and was known, and of that what happened `from` (inclusive) `to` (exclusive). */
export type HistoryRange = Seen & { readonly from: string | null; readonly to: string | null };

export type PlanHistory = {
  readonly lines: readonly PlanLine[];
  /** The plan at `asOf`, as far as it was known at `knownAt`. */
  readonly planAt: { readonly plan: PlanCode; readonly own: Terms };
};

export type BillingHistory = ReturnType<typeof billingHistory>;

/** The history of plans, read from the log itself: what is shown is what is stored. */
export const billingHistory = (log: Pick<EventLog, "readStream">) => ({
  historyOf: async (organizationId: string, range: HistoryRange): Promise<PlanHistory> => {
    const lines: PlanLine[] = [];
    let reached: Reached = atTheStart;
    let known: OrganizationPlan = planDecider.initial;
    for await (const stored of log.readStream(`${planDecider.category}-${organizationId}`)) {
      const next = nextLine(reached, stored, digest);
      reached = next.reached;
      if (!isSeen(stored, range)) continue;
      known = applyStored(known, stored);
      const { occurred_at: occurredAt } = stored.metadata;
      const isAsked =
        (range.from === null || occurredAt >= range.from) &&
        (range.to === null || occurredAt < range.to);
      if (isAsked) lines.push(next.line);
    }
    const { plan, own } = heldBy(known);
    return { lines, planAt: { plan, own: own.terms } };
  },
});

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
