import type { Step } from "../../domain/catalogue/step.ts";
import type { BrowserName } from "../../domain/runs/verdict.ts";
import type { EvidenceWish } from "./evidence.ts";
import type { ReadFile } from "./files.ts";
import type { HealingMemory } from "./healing/memory.ts";
import type { NetworkPolicy } from "./networkPolicy.ts";
import type { Verdict } from "./report.ts";
import type { ReadSecrets } from "./secrets.ts";
import type { Timeouts } from "./steps/context.ts";
import type { Visuals } from "./visual.ts";

/** A test and the conditions that it runs under. */
export type RunTestInput = {
  readonly executionId: string;
  readonly browserName: BrowserName;
  readonly steps: readonly Step[];
  readonly baseUrl?: string | undefined;
  readonly variables: Readonly<Record<string, string>>;
  /** Time limits that differ from DEFAULT_TIMEOUTS. */
  readonly timeouts?: Partial<Timeouts> | undefined;
  /** How much memory the test's browser may have, in bytes; 2 GiB unless it is said. */
  readonly mostBytes?: number | undefined;
  /** The longest that the test may take, in milliseconds; as long as it likes unless it is said. */
  readonly limitMs?: number | undefined;
  /** Addresses that steps may open. The pool decides which addresses pages may reach. */
  readonly networkPolicy: NetworkPolicy;
  /** The baselines of pictures; none by default. */
  readonly visuals?: Visuals | undefined;
  /** The secrets of the environment; none unless it is said. */
  readonly secrets?: ReadSecrets | undefined;
  /** Whether pictures show secrets in the fields that they were put into: the organisation says so. */
  readonly showsSecrets?: boolean | undefined;
  /** The files of the test's project. */
  readonly files?: ReadFile | undefined;
  /** The known elements of the steps; without them nothing is healed. */
  readonly healing?: HealingMemory | undefined;
  /** Further recordings; by default none that costs time or space. */
  readonly evidence?: EvidenceWish | undefined;
  /**
   * Called with the verdict once the last step is over and all that is still to come of the browser is that step's
   * picture: another test may begin beside it. Not called of a test that is stopped, or of which more is recorded.
   */
  readonly stepsOver?: ((status: Verdict) => void) | undefined;
  /** Ends the test: its context is closed and nothing more is reported. */
  readonly signal: AbortSignal;
};

/** Records no evidence that costs anything. */
export const NO_WISH: EvidenceWish = { trace: false, har: false, video: false };

/** Whether a trace, a HAR or a video is recorded. */
export const isMoreRecorded = ({ evidence: wish = NO_WISH }: RunTestInput): boolean =>
  wish.trace || wish.har || wish.video;
