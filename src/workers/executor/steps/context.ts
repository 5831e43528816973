import type { Page } from "playwright";
import type { Step } from "../../../domain/catalogue/step.ts";
import type { HealedFacts } from "../../../domain/healing/healing.ts";
import type { ReadFile } from "../files.ts";
import type { StepHealing } from "../healing/memory.ts";
import type { HiddenFields } from "../hiddenFields.ts";
import type { Box, View } from "../matching/ask.ts";
import type { NetworkPolicy } from "../networkPolicy.ts";
import type { Stage } from "../stage.ts";
import type { VisualReport, Visuals } from "../visual.ts";

/** How long a step may take, in milliseconds. */
export type Timeouts = {
  /** To find an element and act on it. */
  readonly actionMs: number;
  /** Until what is asserted is so. */
  readonly assertionMs: number;
  /** Until a page that was navigated to has loaded. */
  readonly navigationMs: number;
};

/** steps.md: 5 s for an assertion, 10 s for an action; 30 s is Playwright's own for a page to load. */
export const DEFAULT_TIMEOUTS: Timeouts = {
  actionMs: 10_000,
  assertionMs: 5_000,
  navigationMs: 30_000,
};

/** The times of a step whose actions may take so long: the same share of it as in DEFAULT_TIMEOUTS. */
export const timeoutsOf = (stepMs: number): Timeouts => ({
  actionMs: stepMs,
  assertionMs: stepMs / 2,
  navigationMs: stepMs * 3,
});

/** What a step has brought about, and how it is told that the page has not taken it back. */
export type Effect = { readonly said: string; readonly isStill: () => Promise<boolean> };

/** The dependencies of a performer. Fields of the step have their variables put in. */
export type StepContext = {
  readonly page: Page;
  /** The page, or the frame of it, in which elements are looked for. */
  readonly view: View;
  readonly stage: Stage;
  /** No other step comes after it. */
  readonly isLast: boolean;
  readonly step: Pick<Step, "action" | "target" | "value">;
  readonly stepId: string;
  readonly baseUrl: string | null;
  readonly timeouts: Timeouts;
  readonly networkPolicy: NetworkPolicy;
  /** Ends when the step is given up from outside: a loop that waits looks at it. */
  readonly signal: AbortSignal;
  /** How many requests of the test's pages are in flight. */
  requestsInFlight(): number;
  /** Called once an element is found and before the page is changed: the step before may still be having its picture taken. */
  beforeChange(): Promise<void>;
  /** Says how the element was found, so that a failing step reports it too. */
  foundBy(locator: string): void;
  /** Says what a person should know of the match or of the effect; it is shown with the step. */
  noted(note: string): void;
  /** Says where the element stands that satisfied a claim or was acted on. */
  sawAt(box: Box): void;
  /** Gives the picture of a `screenshot` step. */
  picture(bytes: Buffer, name: string | null): void;
  /** The baseline of the step's picture. */
  readonly visual: Visuals;
  /** Says what that picture came to. */
  compared(found: Omit<VisualReport, "passedOver">): void;
  /** Whether the step puts a secret where its target is. */
  readonly putsSecret: boolean;
  /** The fields that pictures must not show. */
  readonly hidden: HiddenFields;
  /** The contents of a file of the test's project; null if there is none of that name. */
  readonly files: ReadFile;
  /** The known element of the step; null where nothing is healed. */
  readonly healing: StepHealing | null;
  /** Says that the step goes on with another element. */
  healed(facts: HealedFacts): void;
  /** Says what must still be so when the test ends, unless another act comes before: a page may take it back. */
  lasts(effect: Effect): void;
  /** Keeps a text in a variable for the steps that follow. */
  store(name: string, text: string): void;
};

/** Performs one step; throws StepError or CannotJudgeError. */
export type PerformStep = (context: StepContext) => Promise<void>;
