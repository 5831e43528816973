import { catalog } from "../../../domain/billing/catalog.ts";
import { limitOf } from "../../../domain/billing/entitlements.ts";
import { isPast } from "../../../domain/runs/executions/evidence.ts";
import type { EvidenceDeletion } from "../../../projections/runs/evidence.ts";
import type { ExecutionSummary } from "../../../projections/runs/executions/queries.ts";
import { ApiError } from "../../apiError.ts";
import type { Services } from "../../services.ts";

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

/** What is said of evidence that is deleted: when, and why. */
export const deletedText = ({ at, plan, days }: EvidenceDeletion): string =>
  `Pictures and files of this execution were deleted ${at.slice(0, 10)}: the plan ${catalog[plan].name} kept them ${days} days. Its results stay.`;

type KeptServices = Pick<Services, "billing" | "clock" | "runs">;
type Left = Pick<ExecutionSummary, "id" | "organizationId" | "finished_at">;

/**
 * Throws 410 when what an execution left (pictures, traces) is deleted; 403, with the entitlement and the plan that
 * allows more, when it is older than the organisation's plan keeps it (domain.md, "Plans"). The results themselves stay.
 */
export const mustBeKept = async (services: KeptServices, execution: Left): Promise<void> => {
  const refusal = await whyNotKept(services, execution);
  if (refusal) throw refusal;
};

/** Why nobody gets what an execution left; null where they do. */
export const whyNotKept = async (
  services: KeptServices,
  execution: Left,
): Promise<ApiError | null> => {
  if (execution.finished_at === null) return null;
  const deletion = (await services.runs.queries.deletionsOf([execution.id])).get(execution.id);
  if (deletion) return new ApiError(410, deletedText(deletion));
  const { plan } = await services.billing.queries.planOf(execution.organizationId);
  const { limit, reason } = limitOf(plan, "retention_days");
  const isOver = isPast(execution.finished_at, limit, services.clock().toISOString());
  return isOver ? new ApiError(403, reason ?? "It is not kept any more.") : null;
};
