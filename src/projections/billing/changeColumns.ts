import { z } from "zod";
import { intervals } from "../../domain/billing/calendar.ts";
import { planCodes } from "../../domain/billing/catalog.ts";
import { type ChangeRequest, changeStatuses } from "../../domain/billing/planState.ts";

/**
 * A change request as stored: as columns of `plan_changes`, and as JSON in `open_change` columns. The mapping to and
 * from the decider's `ChangeRequest` is explicit, so that renaming a field of the state does not change stored rows.
 */
export const changeColumns = z.strictObject({
  id: z.string(),
  status: z.enum(changeStatuses),
  from_plan: z.enum(planCodes),
  from_interval: z.enum(intervals).nullable(),
  to_plan: z.enum(planCodes),
  to_interval: z.enum(intervals).nullable(),
  timing: z.enum(["now", "period_end"]),
  due_cents: z.int(),
  lines: z.array(z.strictObject({ what: z.enum(["credit", "charge"]), cents: z.int() })),
  effective_at: z.string(),
  expires_at: z.string(),
});
export type ChangeColumns = z.output<typeof changeColumns>;

export const columnsOfChange = (change: ChangeRequest): ChangeColumns => ({
  id: change.id,
  status: change.status,
  from_plan: change.from.plan,
  from_interval: change.from.interval,
  to_plan: change.to.plan,
  to_interval: change.to.interval,
  timing: change.timing,
  due_cents: change.dueCents,
  lines: change.lines.map(({ what, cents }) => ({ what, cents })),
  effective_at: change.effectiveAt,
  expires_at: change.expiresAt,
});

export const changeOfColumns = (columns: ChangeColumns): ChangeRequest => ({
  id: columns.id,
  status: columns.status,
  from: { plan: columns.from_plan, interval: columns.from_interval },
  to: { plan: columns.to_plan, interval: columns.to_interval },
  timing: columns.timing,
  dueCents: columns.due_cents,
  lines: columns.lines,
  effectiveAt: columns.effective_at,
  expiresAt: columns.expires_at,
});
