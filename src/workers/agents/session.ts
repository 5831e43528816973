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
  /** The steps of a version of a test; null if the read model does not have them (yet). */
  readonly stepsOfVersion: ClaimDeps["stepsOfVersion"];
  readonly resourcesOf: ResourcesOf;
  readonly visualsOf: VisualsOf;
  /** Absent: no step is healed. */
  readonly healingOf?: HealingOf;
  /** Starts a span. Absent: executions are not traced. */
  readonly begin?: Tracing["begin"] | undefined;
  /** Wraps a test with the telemetry of its reports, for agents that send none. */
  readonly observeTests?: (runTest: RunTest) => RunTest;
};

/** A delivery held by an agent, and the session of the agent; null while it is disconnected. */
export type HostedWork = AgentWork & {
  readonly worker: string;
  /** Undefined: not traced. */
  readonly traceparent: string | undefined;
  session: Session | null;
  isAccepted: boolean;
  /** Aborted by a message of the agent; see `unlessHeard`. */
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
  /** No offers before this time (`performance.now()`), after refused ones. */
  pausedUntil: number;
};
