import type { Step } from "../../domain/catalogue/step.ts";
import { hasVariables } from "../../domain/catalogue/values.ts";
import { sessionOf } from "./askPage.ts";
import { lookAt } from "./look.ts";
import type { Stage } from "./stage.ts";

/** Steps that bring about what the claims after them say. */
const ACTING: ReadonlySet<string> = new Set([
  ...["click", "double_click", "right_click", "press", "select", "check", "uncheck", "fill"],
  ...["type", "clear", "drag", "upload"],
]);
const CLAIMING: ReadonlySet<string> = new Set(["assert_visible", "wait_for"]);
/** So many claims after a step are looked at. */
const MAX_CLAIMS = 3;

/** Knows which claims the page satisfied before the step that should bring them about. */
export type Foresight = {
  /** Looks at the claims that follow a step before it begins; nobody waits for it. */
  look(step: Step, following: readonly (readonly [number, Step])[]): void;
  /** Whether the claim at a number was so before. */
  wasSo(number: number): boolean;
};

/** The foresight of one test. It asks in one message each, and only pages that answer beside their own scripts. */
export const createForesight = (stage: Stage): Foresight => {
  const known = new Set<number>();
  return {
    look: (step, following) => {
      const view = stage.view();
      if (!ACTING.has(step.action) || stage.isDialogOpen()) return;
      if (!("context" in view) || sessionOf(view) === null) return;
      const end = following.findIndex(([, one]) => !isPositive(one));
      for (const [number, claim] of following.slice(
        0,
        end < 0 ? MAX_CLAIMS : Math.min(end, MAX_CLAIMS),
      )) {
        lookAt(view, claim.target, "claim").then(
          (seen) => seen.kind === "some" && known.add(number),
          () => {},
        );
      }
    },
    wasSo: (number) => known.has(number),
  };
};

const isPositive = ({ action, target, value }: Step): boolean =>
  CLAIMING.has(action) && !hasVariables(target) && !/^(?:hidden|enabled)/.test(value.trim());
