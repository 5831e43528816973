import { catalog } from "../../../domain/billing/catalog.ts";
import { limitOf } from "../../../domain/billing/entitlements.ts";
import { isPast } from "../../../domain/runs/executions/evidence.ts";
import type { EvidenceDeletion } from "../../../projections/runs/evidence.ts";
import type { ExecutionSummary } from "../../../projections/runs/executions/summaries.ts";
import { ApiError } from "../../apiError.ts";
import type { Services } from "../../services.ts";

/** The message for deleted evidence: when and why. */
export const deletedText = ({ at, plan, days }: EvidenceDeletion): string =>
  `Pictures and files of this execution were deleted ${at.slice(0, 10)}: the plan ${catalog[plan].name} kept them ${days} days. Its results stay.`;

type KeptServices = Pick<Services, "billing" | "clock" | "runs">;
type Left = Pick<ExecutionSummary, "id" | "organizationId" | "finished_at">;

/**
 * Throws ApiError 410 if the evidence of an execution (pictures, traces) was deleted; 403 with the entitlement and the
 * next plan if it is older than the retention of the organisation's plan. Results are always kept.
 */
export const mustBeKept = async (services: KeptServices, execution: Left): Promise<void> => {
  const refusal = await whyNotKept(services, execution);
  if (refusal) throw refusal;
};

/** The error for unavailable evidence; null if it is available. */
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
  return isOver
    ? new ApiError(403, reason ?? "The evidence is older than the plan's retention.")
    : null;
};
