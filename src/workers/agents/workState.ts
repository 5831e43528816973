import type { AnswerToAgent } from "../../domain/agents/protocol.ts";
import type { BrowserName } from "../../domain/runs/verdict.ts";
import type { BlobStore } from "../../platform/blobs/port.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Logger } from "../../platform/logger.ts";
import type { HealingMemory } from "../executor/healing/memory.ts";
import type { ReportSink } from "../executor/report.ts";
import type { Visuals } from "../executor/visual.ts";
import type { Claimed, Resumed } from "../runs/claim.ts";
import type { Resources } from "../runs/resources.ts";
import type { RunTest } from "../runs/runTest.ts";
import type { AgentEvidence } from "./evidence.ts";
import type { AgentPictures } from "./pictures.ts";
import type { ReportedTests } from "./reportedTests.ts";
import type { AgentResources } from "./resources.ts";

export type AgentWorkDeps = {
  readonly executionId: string;
  readonly delivery: number;
  readonly worker: string;
  readonly claimed: Claimed;
  /** Recorded progress of a resumed delivery; null for a new one. */
  readonly before: Pick<Resumed, "ended" | "endedSteps" | "compared" | "kept"> | null;
  /** Baselines of the test for a browser. */
  readonly visualsOf: (browser: BrowserName) => Visuals;
  /** Known elements of the steps. Undefined: no step is healed. */
  readonly healing: HealingMemory | undefined;
  readonly resources: Resources;
  /** Sends an answer to the agent. */
  readonly answer: (answer: AnswerToAgent) => void;
  readonly blobs: BlobStore;
  /** Runs one task at a time for all agents of this process. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Wraps each test with the telemetry of its reports. */
  readonly observeTests?: ((runTest: RunTest) => RunTest) | undefined;
};

/** The test that the agent runs now. */
export type CurrentTest = {
  readonly attempt: number;
  readonly browser: string;
  readonly report: ReportSink;
  readonly end: () => void;
  hasBrowser: boolean;
};

export type WorkState = AgentWorkDeps & {
  readonly reported: ReportedTests;
  /** Keys of the finished steps. */
  readonly endedSteps: Set<string>;
  readonly pictures: AgentPictures;
  readonly agentResources: AgentResources;
  readonly evidence: AgentEvidence;
  /** Uploads to the blob store under way. */
  readonly uploads: Set<Promise<unknown>>;
  current: CurrentTest | null;
  /** Aborted when the next test begins, then replaced. */
  began: AbortController;
  isOver: boolean;
};

export const nowOf = ({ clock }: Pick<WorkState, "clock">): string => clock().toISOString();

export const stepKeyOf = (attempt: number, browser: string, number: number): string =>
  `${attempt}/${browser}/${number}`;
