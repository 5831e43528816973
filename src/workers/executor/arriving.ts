import { askView } from "./askPage.ts";
import { StepError } from "./errors.ts";
import type { View } from "./matching/ask.ts";
import { isErrorPage, isGone } from "./nothingToLookAt.ts";

const DOCUMENT = `document.readyState === "loading" ? null : performance.timeOrigin`;

/** Which document is looked at; null while it is still arriving, or one takes the place of another. */
const documentOf = (view: View): Promise<number | null> =>
  askView<number | null>(view, DOCUMENT).catch(() => null);

/**
 * What a look gives, and whether all of it was there to be seen: of a document that is still arriving, gone before the
 * look was over, or not to be had, nobody can say what it does not have. Throws StepError when it is a frame that is gone for good.
 */
export const lookAtWhole = async <Seen>(
  view: View,
  look: () => Promise<Seen>,
): Promise<{ readonly seen: Seen; readonly isWhole: boolean }> => {
  const before = await documentOf(view);
  const seen = await look();
  if (isGone(view)) throw new StepError("The frame is gone.");
  const isWhole = before !== null && before === (await documentOf(view)) && !isErrorPage(view);
  return { seen, isWhole };
};
