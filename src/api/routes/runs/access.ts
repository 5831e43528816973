import { limitOf } from "../../../domain/billing/entitlements.ts";
import type { ExecutionSummary } from "../../../projections/executionQueries.ts";
import { ApiError } from "../../apiError.ts";
import type { Services } from "../../services.ts";

const DAY_MS = 86_400_000;

/**
 * What was looked up by an id of the path, if it is the caller's organisation's.
 * Throws 404 when there is none, 403 when it is another's. `what`: "run", "execution".
 */
export const owned = <Found extends { readonly organizationId: string }>(
  found: Found | null,
  principal: { readonly organizationId: string },
  what: string,
): Found => {
  if (!found) throw new ApiError(404, `There is no ${what} of this id.`);
  if (found.organizationId !== principal.organizationId) {
    throw new ApiError(403, `This ${what} belongs to another organisation.`);
  }
  return found;
};

/**
 * Throws 403, with the entitlement and the plan that allows more, when what an execution left (pictures, traces)
 * is older than the organisation's plan keeps it (domain.md, "Plans"). The results themselves stay.
 */
export const mustBeKept = async (
  services: Pick<Services, "billing" | "clock">,
  execution: Pick<ExecutionSummary, "organizationId" | "finished_at">,
): Promise<void> => {
  if (execution.finished_at === null) return;
  const { plan } = await services.billing.queries.planOf(execution.organizationId);
  const { limit, reason } = limitOf(plan, "retention_days");
  const age = services.clock().getTime() - Date.parse(execution.finished_at);
  if (age > limit * DAY_MS) throw new ApiError(403, reason ?? "It is not kept any more.");
};
