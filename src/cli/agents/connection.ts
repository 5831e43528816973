import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import type { ToAgent } from "../../domain/agents/protocol.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import { dropAllAfterLease, dropExecution, heldExecutions, startExecution } from "./lifecycle.ts";
import { type AgentSocket, openSocket } from "./socket.ts";
import type { AgentState } from "./state.ts";

const LONGEST_PAUSE_MS = 15_000;

/**
 * Keeps the agent connected until `agent.ended`: reconnects with exponential backoff and jitter. While disconnected,
 * executions go on until their lease expires. Throws CommandError (usage) if the service rejects the key.
 */
export const keepConnected = async (agent: AgentState): Promise<void> => {
  const { options, outbox, ended } = agent;
  let leaseTimer: NodeJS.Timeout | undefined;
  while (!ended.signal.aborted) {
    const handlers = {
      open: (opened: AgentSocket) => {
        clearTimeout(leaseTimer);
        agent.socket = opened;
        opened.send(outbox.hello(helloOf(agent)));
      },
      message: (message: ToAgent) => handleMessage(agent, message),
    };
    const end = await openSocket(options.connection, handlers, ended.signal);
    outbox.closed();
    if (agent.socket) leaseTimer = dropAllAfterLease(agent);
    agent.socket = null;
    if (end.kind === "refused") {
      clearTimeout(leaseTimer);
      throw new CommandError(
        `The service rejects this key: ${end.detail}. Check that RUNLEDGER_API_KEY is a key of ${options.connection.server} and is not revoked.`,
        exitCodes.usage,
      );
    }
    if (ended.signal.aborted) break;
    agent.failures += 1;
    agent.report("disconnected", `Not connected (${end.detail}). Reconnecting.`, {
      detail: end.detail,
    });
    const waitMs = Math.min(LONGEST_PAUSE_MS, 100 * 2 ** agent.failures);
    const jittered = waitMs * (0.5 + Math.random() / 2);
    await pause(jittered, undefined, { signal: ended.signal }).catch(() => undefined);
  }
  clearTimeout(leaseTimer);
};

const helloOf = (agent: AgentState) => ({
  type: "hello" as const,
  agent_id: agent.agentId,
  name: agent.options.name ?? hostname(),
  version: agent.options.version,
  browsers: [...agent.options.browsers],
  capacity: agent.options.capacity,
  resume: heldExecutions(agent),
  traces: agent.options.begin !== undefined,
});

const handleMessage = (agent: AgentState, message: ToAgent): void => {
  const { options, outbox, requests } = agent;
  switch (message.type) {
    case "welcome": {
      agent.heartbeatMs = message.heartbeat_seconds * 1_000;
      agent.failures = 0;
      agent.report("connected", `Connected to ${options.connection.server} as ${agent.agentId}`, {
        agent_id: agent.agentId,
      });
      // The service accepts other messages only after it has answered the hello.
      if (agent.socket) outbox.open(agent.socket.send);
      return;
    }
    case "dispatch":
      startExecution(agent, message);
      return;
    case "cancel":
      dropExecution(agent, message.execution_id);
      return;
    case "visual":
    case "element":
    case "file":
      requests.answered(message);
      return;
    case "ack":
      outbox.acknowledged(message.seq);
      return;
    case "error":
      agent.report("refused", `The service rejects a message: ${message.detail}`, {
        detail: message.detail,
      });
  }
};
