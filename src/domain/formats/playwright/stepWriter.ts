import type { Findings, Place } from "../imported.ts";
import type { Spot } from "./locatorCalls.ts";
import type { Outcome } from "./outcome.ts";
import type { Tabs } from "./tabs.ts";

/** Writes the steps of calls in the order of their execution. */
export type StepWriter = {
  /** Writes the steps of a call, after steps that switch to the tab and frame of `spot`. */
  write(outcome: Outcome, place: Place, spot: Spot): void;
  /** Sets the answer to the dialog that the next step opens. */
  announce(answer: Outcome, place: Place): void;
  /** Warns if an announced answer was not used. */
  end(): void;
};

export const createStepWriter = (findings: Findings, tabs: Tabs): StepWriter => {
  let pending: { readonly place: Place; readonly answer: Outcome } | null = null;
  return {
    write: (outcome, place, spot) => {
      if (outcome.steps.length > 0) tabs.goTo(spot, place);
      let isAdded = false;
      for (const step of outcome.steps) {
        if (findings.step(place, { ...step, description: "" })) isAdded = true;
      }
      if (outcome.note !== null && (isAdded || outcome.steps.length === 0)) {
        findings.warn(place, outcome.note);
      }
      if (isAdded && pending) {
        const { place: announced, answer } = pending;
        pending = null;
        for (const step of answer.steps) findings.step(announced, { ...step, description: "" });
      }
    },
    announce: (answer, place) => {
      pending = { place, answer };
    },
    end: () => {
      if (pending !== null) {
        findings.warn(pending.place, "No later step could open a dialog.");
      }
    },
  };
};
