import type { Services } from "../../services.ts";

/** Where a test of a report ended, and what it looked like there. */
export type Ending = {
  readonly step: { readonly number: number; readonly description: string } | null;
  readonly error: string | null;
  /** A `data:` address; null where there is no picture. */
  readonly picture: string | null;
};

const MAX_PICTURES = 30;
const MAX_BYTES = 400_000;

/** The step at which each test ended, with its picture in it: of the first ones, as long as they are small. */
export const picturesOf = async (
  services: Services,
  problems: readonly { readonly execution_id: string }[],
): Promise<ReadonlyMap<string, Ending>> => {
  const endings = new Map<string, Ending>();
  for (const { execution_id } of problems) {
    const execution = await services.runs.queries.findExecution(execution_id);
    const browser = execution?.browsers.find(({ status }) => status !== "passed");
    const step = browser?.steps.find(({ status }) => status === "failed");
    if (!execution || !browser || !step) {
      const error = browser?.error ?? execution?.error ?? null;
      endings.set(execution_id, { step: null, error, picture: null });
      continue;
    }
    const shot =
      endings.size < MAX_PICTURES
        ? await services.runs.queries.findScreenshot(execution_id, browser.browser, step.number)
        : null;
    const blob = shot && (await services.blobs.get(shot.blob_key));
    const description = step.description || `${step.action} ${step.target} ${step.value}`.trim();
    endings.set(execution_id, {
      step: { number: step.number, description },
      error: step.error,
      picture:
        blob && blob.bytes.length <= MAX_BYTES
          ? `data:${blob.contentType};base64,${blob.bytes.toString("base64")}`
          : null,
    });
  }
  return endings;
};
