import type { StepInput } from "../../catalogue/step.ts";

/** `position` counts from 1. */
export type Numbered = { readonly step: StepInput; readonly position: number };

const isDialog = ({ action }: StepInput): boolean =>
  action === "accept_dialog" || action === "dismiss_dialog";

/** Moves steps that answer a dialog before the step that opens it, as a script must register its handler first. */
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

/** Distinct names of stored variables. */
export const storedBy = (steps: readonly StepInput[]): string[] => [
  ...new Set(steps.flatMap(({ action, value }) => (action === "store" ? [value] : []))),
];

/** Whether the test switches to another frame or tab. */
export const switches = (steps: readonly StepInput[]): boolean =>
  steps.some(({ action }) => action === "switch_frame" || action === "switch_tab");

const NAVIGATIONS: ReadonlySet<string> = new Set(["navigate", "reload", "go_back", "go_forward"]);

/** Positions of steps that leave a frame by navigation. Later steps act on the page. */
export const leavingFrames = (ordered: readonly Numbered[]): ReadonlySet<number> => {
  const leaving = new Set<number>();
  let isInFrame = false;
  for (const { step, position } of ordered) {
    if (step.disabled) continue;
    if (step.action === "switch_frame") isInFrame = step.target.trim() !== "";
    if (step.action === "switch_tab") isInFrame = false;
    if (isInFrame && NAVIGATIONS.has(step.action)) {
      leaving.add(position);
      isInFrame = false;
    }
  }
  return leaving;
};
