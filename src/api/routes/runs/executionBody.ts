import type { ExecutionDetail } from "../../../projections/executionQueries.ts";
import type { Services } from "../../services.ts";
import { hasPictures, withVisuals } from "../baselines/withVisuals.ts";

/** An execution as the API writes it: with what its pictures came to, and whether they are still there. */
export const executionBody = async (
  { runs, baselines }: Pick<Services, "runs" | "baselines">,
  execution: ExecutionDetail,
) => {
  const { id } = execution;
  const comparisons = hasPictures(execution)
    ? await baselines.queries.comparisonsOfExecution(id)
    : [];
  const evidence_deleted = (await runs.queries.deletionsOf([id])).get(id) ?? null;
  return { ...withVisuals(execution, comparisons), evidence_deleted };
};
