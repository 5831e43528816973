import type { StepInput } from "../catalogue/step.ts";
import { plainData, type TestData } from "../catalogue/testData.ts";

/** An exported test: its source text and its compiled steps. */
export type TestDocument = {
  readonly name: string;
  /** The source text. Empty if the steps were given as structured data. */
  readonly text: string;
  /** The language of `text`, such as `en`. */
  readonly language: string;
  /** Such as `web`. */
  readonly platform: string;
  readonly steps: readonly StepInput[];
  readonly data?: TestData | undefined;
};

/** The `data` field of the formats. No field if there are no rows. */
export const plainDataOf = ({ data }: Pick<TestDocument, "data">) =>
  data === undefined || data.rows.length === 0 ? {} : { data: plainData(data) };

/** A step with the field order of the formats. Leaves out flags that are false. */
export const plainStep = (step: StepInput) => ({
  action: step.action,
  target: step.target,
  value: step.value,
  description: step.description,
  ...(step.optional && { optional: true }),
  ...(step.disabled && { disabled: true }),
});
