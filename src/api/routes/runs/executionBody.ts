import type { ExecutionDetail } from "../../../projections/runs/executions/queries.ts";
import type { Services } from "../../services.ts";
import { hasPictures, withVisuals } from "../baselines/withVisuals.ts";

/** Renders an execution with its picture comparisons, lost pictures and retention. */
export const executionBody = async (
  { runs, baselines }: Pick<Services, "runs" | "baselines">,
  execution: ExecutionDetail,
) => {
  const { id } = execution;
  const comparisons = hasPictures(execution)
    ? await baselines.queries.comparisonsOfExecution(id)
    : [];
  const lost = await runs.queries.lostScreenshotsOf(id);
  const evidence_deleted = (await runs.queries.deletionsOf([id])).get(id) ?? null;
  const isDeleted = evidence_deleted !== null;
  return { ...withVisuals(execution, comparisons, lost, isDeleted), evidence_deleted };
};
