import { z } from "zod";
import type { StepDifference } from "../../../domain/catalogue/diff.ts";
import { id } from "../../schemas.ts";
import { step } from "./shapes.ts";

const bareStep = step
  .omit({ id: true, position: true })
  .meta({ id: "StepContent", description: "A step without its id and position." });

/** The change of a step, with its positions and contents before and after. */
export const stepDifference = z
  .object({
    kind: z.enum(["added", "removed", "changed", "moved"]),
    step_id: id,
    from_position: z.int().positive().nullable(),
    to_position: z.int().positive().nullable(),
    fields: z.array(z.string()),
    before: bareStep.nullable(),
    after: bareStep.nullable(),
  })
  .meta({ id: "StepDifference", description: "The change of a step between two versions." });

export const differenceBody = ({
  kind,
  stepId,
  from,
  to,
  fields,
  before,
  after,
}: StepDifference) => ({
  kind,
  step_id: stepId,
  from_position: from,
  to_position: to,
  fields: [...fields],
  before,
  after,
});
