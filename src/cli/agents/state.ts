import { randomUUID } from "node:crypto";
import { HEARTBEAT_SECONDS } from "../../domain/agents/protocol.ts";
import type { BrowserName } from "../../domain/runs/verdict.ts";
import type { BeginSpan, Browsers } from "../../workers/executor/index.ts";
import type { Connection } from "../connection.ts";
import type { Terminal } from "../terminal.ts";
import type { Dispatched } from "./execution.ts";
import { createOutbox, type Outbox } from "./outbox.ts";
import { createRequests, type Requests } from "./requests.ts";
import type { AgentSocket } from "./socket.ts";

export type AgentOptions = {
  readonly connection: Connection;
  readonly browsers: readonly BrowserName[];
  /** The number of executions that run at the same time. */
  readonly capacity: number;
  readonly name?: string;
  readonly version: string;
  /** Aborted when the agent is asked to stop. */
  readonly signal: AbortSignal;
  /** Begins a trace span; absent if traces are not exported. */
  readonly begin?: BeginSpan;
};

type RunningExecution = {
  readonly dispatched: Dispatched;
  readonly stop: AbortController;
  readonly done: Promise<void>;
};

/** The state of an agent that outlives its connections. */
export type AgentState = {
  readonly agentId: string;
  readonly options: AgentOptions;
  readonly executors: Browsers;
  readonly outbox: Outbox;
  readonly requests: Requests;
  /** The running executions by id. */
  readonly running: Map<string, RunningExecution>;
  /** Aborted once the agent has returned its executions: ends the connection and the heartbeat. */
  readonly ended: AbortController;
  /** Writes a JSON line, or `text` for people. */
  report(type: string, text: string, fields?: Readonly<Record<string, unknown>>): void;
  /** The open connection; null while the agent is disconnected. */
  socket: AgentSocket | null;
  heartbeatMs: number;
  leaseMs: number;
  /** Consecutive connections that ended before the service answered. */
  failures: number;
};

export const createAgentState = (
  options: AgentOptions,
  executors: Browsers,
  terminal: Terminal,
): AgentState => {
  const outbox = createOutbox();
  return {
    agentId: randomUUID(),
    options,
    executors,
    outbox,
    requests: createRequests(outbox.post),
    running: new Map(),
    ended: new AbortController(),
    report: (type, text, fields = {}) => {
      terminal.record({ type, ...fields });
      terminal.say(text);
    },
    socket: null,
    heartbeatMs: HEARTBEAT_SECONDS * 1_000,
    leaseMs: 0,
    failures: 0,
  };
};
