import type { Step } from "../../domain/catalogue/step.ts";
import { parseWaitFor } from "../../domain/catalogue/values.ts";
import type { Timeouts } from "./steps/context.ts";

/** The longest fixed pause (steps.md): `wait` has a time of its own. */
const LONGEST_WAIT_MS = 60_000;

/** Actions that poll the page until it is as wanted and leave it unchanged. */
const LOOKING: ReadonlySet<string> = new Set([
  ...["wait_for", "assert_visible", "assert_hidden", "assert_enabled", "assert_disabled"],
  ...["assert_checked", "assert_unchecked", "assert_text", "assert_contains", "assert_value"],
  ...["assert_count", "assert_attribute", "assert_url", "assert_title"],
]);

/** Whether a step asserts something of the page. */
export const isClaim = ({ action }: Step): boolean => LOOKING.has(action);

const RESTING: ReadonlySet<string> = new Set(["wait", "screenshot", "visual_check", "store"]);

/** Whether a step may change the page, so that problems after it are its own. */
export const isActing = (step: Step): boolean => !isClaim(step) && !RESTING.has(step.action);

/** Whether the first of these steps leaves the page alone. Not when a dialog is answered after it: that may open meanwhile, and stops the page. */
export const onlyLooksNext = ([next, afterNext]: readonly Step[]): boolean =>
  next !== undefined && LOOKING.has(next.action) && !isDialogStep(afterNext ?? null);

/** Whether a step answers a dialog. */
export const isDialogStep = (step: Step | null): boolean =>
  step?.action === "accept_dialog" || step?.action === "dismiss_dialog";

const PUTTING: ReadonlySet<string> = new Set(["fill", "type", "select", "press"]);

/** Whether a step puts its value into the element. */
export const putsValue = (step: Step): boolean => PUTTING.has(step.action);

const NAVIGATING = new Set(["navigate", "go_back", "go_forward", "reload"]);

/** Whether a step only opens a page or rests on it. */
export const isOpening = ({ action }: Step): boolean =>
  NAVIGATING.has(action) || RESTING.has(action) || action === "set_viewport";

/** The longest time that a step may take by its own time-outs, in milliseconds. */
export const longestOf = (step: Step, timeouts: Timeouts): number => {
  if (NAVIGATING.has(step.action)) return timeouts.navigationMs;
  if (step.action === "wait") return LONGEST_WAIT_MS;
  if (step.action === "wait_for") {
    return parseWaitFor(step.value)?.withinMs ?? Math.max(timeouts.actionMs, LONGEST_WAIT_MS);
  }
  // The page may take its time to hold still once the element is found.
  if (step.action === "visual_check") return timeouts.actionMs + timeouts.assertionMs;
  return Math.max(timeouts.actionMs, timeouts.assertionMs);
};
