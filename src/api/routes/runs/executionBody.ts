import { diffSteps } from "../../../domain/catalogue/diff.ts";
import { CONTENT_VERSION } from "../../../domain/runs/content.ts";
import type { ExecutionDetail } from "../../../projections/runs/executions/queries.ts";
import type { Services } from "../../services.ts";
import { hasPictures, withVisuals } from "../baselines/withVisuals.ts";
import { differenceBody } from "../catalogue/differences.ts";

/** Renders an execution with its picture comparisons, lost pictures and retention. */
export const executionBody = async (
  services: Pick<Services, "runs" | "baselines" | "catalogue">,
  execution: ExecutionDetail,
) => {
  const { runs, baselines } = services;
  const { id } = execution;
  const comparisons = hasPictures(execution)
    ? await baselines.queries.comparisonsOfExecution(id)
    : [];
  const lost = await runs.queries.lostScreenshotsOf(id);
  const evidence_deleted = (await runs.queries.deletionsOf([id])).get(id) ?? null;
  const difference = await differenceOf(services, execution);
  const isDeleted = evidence_deleted !== null;
  return { ...withVisuals(execution, comparisons, lost, isDeleted), evidence_deleted, difference };
};

/** The changed steps of a file content; null if a stored version runs or the test is not stored. */
const differenceOf = async (
  { catalogue }: Pick<Services, "catalogue">,
  { test_id, content }: ExecutionDetail,
) => {
  if (content === null || content.stored_version === null) return null;
  const stored = await catalogue.queries.findVersion(test_id, content.stored_version);
  const sent = await catalogue.queries.findVersion(content.id, CONTENT_VERSION);
  return stored && sent && diffSteps(stored.steps, sent.steps).map(differenceBody);
};
