import type { StepInput } from "../../catalogue/step.ts";

/** A step and its number in the test, counted from 1. */
export type Numbered = { readonly step: StepInput; readonly position: number };

const isDialog = ({ action }: StepInput): boolean =>
  action === "accept_dialog" || action === "dismiss_dialog";

/**
 * The steps in the order of a script: what answers a dialog must be there before the step that opens it,
 * which a person writes first.
 */
export const inScriptOrder = (steps: readonly StepInput[]): Numbered[] => {
  const ordered: Numbered[] = [];
  let opener = 0;
  for (const [index, step] of steps.entries()) {
    const numbered = { step, position: index + 1 };
    if (isDialog(step) && !step.disabled) {
      ordered.splice(opener, 0, numbered);
      opener += 1;
      continue;
    }
    if (!step.disabled) opener = ordered.length;
    ordered.push(numbered);
  }
  return ordered;
};

/** The variables that steps of a test store, once each. */
export const storedBy = (steps: readonly StepInput[]): string[] => [
  ...new Set(steps.flatMap(({ action, value }) => (action === "store" ? [value] : []))),
];

/** Whether elements are not always looked for in the page that the test began with. */
export const switches = (steps: readonly StepInput[]): boolean =>
  steps.some(({ action }) => action === "switch_frame" || action === "switch_tab");

const GOING: ReadonlySet<string> = new Set(["navigate", "reload", "go_back", "go_forward"]);

/** The numbers of the steps that leave a frame by going elsewhere: from there on it is the page that is looked at. */
export const leavingFrames = (ordered: readonly Numbered[]): ReadonlySet<number> => {
  const leaving = new Set<number>();
  let isInFrame = false;
  for (const { step, position } of ordered) {
    if (step.disabled) continue;
    if (step.action === "switch_frame") isInFrame = step.target.trim() !== "";
    if (step.action === "switch_tab") isInFrame = false;
    if (isInFrame && GOING.has(step.action)) {
      leaving.add(position);
      isInFrame = false;
    }
  }
  return leaving;
};
