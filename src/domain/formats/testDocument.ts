import type { StepInput } from "../catalogue/step.ts";
import { plainData, type TestData } from "../catalogue/testData.ts";

/** A test as it leaves the service: what it was written as, and what that came to. */
export type TestDocument = {
  readonly name: string;
  /** The person's own words; empty when the steps were given as such. */
  readonly text: string;
  /** The language of `text`, such as `en`. */
  readonly language: string;
  /** What it runs on, such as `web`. */
  readonly platform: string;
  readonly steps: readonly StepInput[];
  /** What it runs with, once for each row; absent like none. */
  readonly data?: TestData | undefined;
};

/** The field of the formats that has a test's data; none where there is none. */
export const plainDataOf = ({ data }: Pick<TestDocument, "data">) =>
  data === undefined || data.rows.length === 0 ? {} : { data: plainData(data) };

/** A step in the order of fields of the formats; what is not the rule is said, what is the rule is left out. */
export const plainStep = (step: StepInput) => ({
  action: step.action,
  target: step.target,
  value: step.value,
  description: step.description,
  ...(step.optional && { optional: true }),
  ...(step.disabled && { disabled: true }),
});
