import { z } from "zod";
import type { Dispatch } from "../../stores/runs/dispatchQueue.ts";

/** The work queue of executions on the bus. */
export const EXECUTIONS_QUEUE = "executions";

const executionJob = z.object({
  execution_id: z.uuid(),
  run_id: z.uuid(),
  organization_id: z.uuid(),
  delivery: z.int().positive(),
});

/** The content of a message of the work queue: ids only. */
export type ExecutionJob = z.output<typeof executionJob>;

/**
 * The id under which an execution is put in the work queue. The first offer of a delivery has the
 * plain id, so that the bus drops a repeat of it; an offer because the bus lost the last one must not
 * be dropped as that one's repeat, so it is numbered.
 */
export const jobIdOf = ({ executionId, delivery, offers }: Dispatch): string =>
  offers <= 1 ? `${executionId}:${delivery}` : `${executionId}:${delivery}:${offers}`;

export const encodeJob = (dispatch: Dispatch): string =>
  JSON.stringify({
    execution_id: dispatch.executionId,
    run_id: dispatch.runId,
    organization_id: dispatch.organizationId,
    delivery: dispatch.delivery,
  } satisfies ExecutionJob);

/** null when the payload is not a job: it came from elsewhere and no repeat makes it one. */
export const decodeJob = (payload: string): ExecutionJob | null => {
  try {
    return executionJob.parse(JSON.parse(payload));
  } catch {
    return null;
  }
};
