import type { Services } from "../../services.ts";
import { whyNotKept } from "../runs/access.ts";

/** Where a test of a report ended, and what it looked like there. */
export type Ending = {
  readonly step: { readonly number: number; readonly description: string } | null;
  readonly error: string | null;
  /** A `data:` address; null where there is no picture. */
  readonly picture: string | null;
  /** The same of what differs from the baseline, where the step compared a picture. */
  readonly difference: string | null;
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
      endings.set(execution_id, { step: null, error, picture: null, difference: null });
      continue;
    }
    const { number } = step;
    const isShown = endings.size < MAX_PICTURES && (await whyNotKept(services, execution)) === null;
    const shot =
      isShown &&
      (await services.runs.queries.findScreenshot(execution_id, browser.browser, number));
    const compared =
      isShown && step.action === "visual_check"
        ? await services.baselines.queries.comparisonsOfExecution(execution_id)
        : [];
    const diff = compared.findLast(
      (one) => one.browser === browser.browser && one.number === number,
    )?.diffKey;
    const description = step.description || `${step.action} ${step.target} ${step.value}`.trim();
    endings.set(execution_id, {
      step: { number, description },
      error: step.error,
      picture: shot ? await dataOf(services, shot.blob_key) : null,
      difference: diff ? await dataOf(services, diff) : null,
    });
  }
  return endings;
};

/** A picture as an address that holds it; null when it is gone, or too large for a page. */
const dataOf = async ({ blobs }: Pick<Services, "blobs">, key: string): Promise<string | null> => {
  const blob = await blobs.get(key);
  if (!blob || blob.bytes.length > MAX_BYTES) return null;
  return `data:${blob.contentType};base64,${blob.bytes.toString("base64")}`;
};
