import type { View } from "./matching/ask.ts";
import type { Stage } from "./stage.ts";

/** Actions on the browser or the page as a whole, whichever frame is in view. */
const BESIDE_FRAMES: ReadonlySet<string> = new Set([
  ...["navigate", "reload", "go_back", "go_forward", "switch_tab", "set_viewport", "wait"],
  ...["accept_dialog", "dismiss_dialog", "assert_url", "assert_title"],
]);

/** Actions that look at the whole page, or whose step names nothing. */
const OF_PAGE_WITHOUT_TARGET: ReadonlySet<string> = new Set([
  ...["screenshot", "visual_check", "switch_frame"],
]);

/** Judges what it sees: of nothing there is nothing to be said. */
const isJudging = (action: string): boolean =>
  action.startsWith("assert_") || action === "wait_for" || action === "visual_check";

/**
 * Why there is nothing that a step could look at: no page was opened yet, or the frame that an earlier step switched to
 * is gone, in whose place the whole page must not be taken. null where there is something.
 */
export const nothingToLookAt = (
  stage: Stage,
  { action, target }: { readonly action: string; readonly target: string },
): string | null => {
  if (isJudging(action) && stage.isUnopened()) {
    return "No page is open yet: there is nothing to look at. A step before this one should open one.";
  }
  if (BESIDE_FRAMES.has(action)) return null;
  if (OF_PAGE_WITHOUT_TARGET.has(action) && target.trim() === "") return null;
  const lost = stage.lostFrame();
  return lost === null
    ? null
    : `The frame that the test had switched to (${lost}) is gone: it was taken away, or the page around it went elsewhere. Switch back to the main page before looking at anything else.`;
};

/** Whether a frame is not there any more: nothing can be said of what is not seen in it. */
export const isGone = (view: View): boolean => "isDetached" in view && view.isDetached();

/** Whether the browser shows a page of its own in place of one that it could not open. */
export const isErrorPage = (view: View): boolean =>
  /^(?:chrome-error:|about:neterror)/.test(view.url());

/** The error of such a page. */
export const ERROR_PAGE =
  "The browser shows an error page of its own: what the test had led it to could not be opened.";
