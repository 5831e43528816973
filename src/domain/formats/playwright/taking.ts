import type { Findings, Place } from "../imported.ts";
import type { Outcome } from "./actions.ts";
import type { Spot } from "./locatorCalls.ts";
import type { Tabs } from "./tabs.ts";

/** Takes over what calls come to, in the order in which they take place. */
export type Taking = {
  /** `spot`: where it takes place. */
  take(outcome: Outcome, place: Place, spot: Spot): void;
  /** An answer for the dialog that the next step opens. */
  announce(answer: Outcome, place: Place): void;
  /** Says what was announced and never took place. */
  end(): void;
};

export const createTaking = (findings: Findings, tabs: Tabs): Taking => {
  let pending: { readonly place: Place; readonly outcome: Outcome } | null = null;
  return {
    take: (outcome, place, spot) => {
      if (outcome.steps.length > 0) tabs.goTo(spot, place);
      let taken = false;
      for (const step of outcome.steps) {
        if (findings.step(place, { ...step, description: "" })) taken = true;
      }
      if (outcome.note !== null && (taken || outcome.steps.length === 0))
        findings.warn(place, outcome.note);
      if (taken && pending) {
        const { place: announced, outcome: answer } = pending;
        pending = null;
        for (const step of answer.steps) findings.step(announced, { ...step, description: "" });
      }
    },
    announce: (outcome, place) => {
      pending = { place, outcome };
    },
    end: () => {
      if (pending !== null)
        findings.warn(pending.place, "No step comes after it that could open a dialog.");
    },
  };
};
