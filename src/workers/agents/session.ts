import type { AgentLine, FromAgent } from "../../domain/agents/protocol.ts";
import type { BlobStore } from "../../platform/blobs/port.ts";
import type { Bus } from "../../platform/bus/port.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Tracing } from "../../platform/tracing/port.ts";
import type { VisualsOf } from "../baselines/visuals.ts";
import type { HealingOf } from "../healing/memory.ts";
import type { ClaimDeps } from "../runs/claim.ts";
import type { startLeaseKeeper } from "../runs/leaseKeeper.ts";
import type { ResourcesOf } from "../runs/resources.ts";
import type { RunTest } from "../runs/runTest.ts";
import type { AgentWork } from "./work.ts";

export type AgentHostDeps = {
  readonly log: EventLog;
  readonly db: Database["db"];
  readonly bus: Bus;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The steps of a test as they were in a version; null when they are not there (yet). */
  readonly stepsOfVersion: ClaimDeps["stepsOfVersion"];
  /** What a test may use that is in no event. */
  readonly resourcesOf: ResourcesOf;
  /** What pictures are compared with. */
  readonly visualsOf: VisualsOf;
  /** Absent: nothing is healed. */
  readonly healingOf?: HealingOf;
  /** Given: what agents run is part of the trace of who asked for it. */
  readonly begin?: Tracing["begin"] | undefined;
  /** Follows a test by what its agent tells, where the agent does not do so itself. */
  readonly observeTests?: (runTest: RunTest) => RunTest;
};

/** A delivery that an agent has, and by which connection; null while it has none. */
export type HostedWork = AgentWork & {
  readonly worker: string;
  /** The `traceparent` of its span; undefined where it is of no trace. */
  readonly traceparent: string | undefined;
  session: Session | null;
  isAccepted: boolean;
  /** Ends the wait for a word of the agent: that it takes it, or that it is back. */
  waiting: AbortController;
};

/** A connection of an agent. */
export type Session = {
  readonly id: string;
  readonly worker: string;
  readonly organizationId: string;
  readonly hello: Extract<FromAgent, { type: "hello" }>;
  readonly line: AgentLine;
  readonly keeper: ReturnType<typeof startLeaseKeeper>;
  ready: Promise<void>;
  isReady: boolean;
  isEnded: boolean;
  claiming: number;
  heardAt: number;
  refusals: number;
  sulksUntil: number;
};
