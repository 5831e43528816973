import { setTimeout as pause } from "node:timers/promises";
import type { Browsers } from "../../workers/executor/index.ts";
import { exitCodes } from "../exitCodes.ts";
import type { Terminal } from "../terminal.ts";
import { keepConnected } from "./connection.ts";
import { returnExecutions } from "./lifecycle.ts";
import { type AgentOptions, type AgentState, createAgentState } from "./state.ts";

/** Time limit for returning the running executions at the stop, in milliseconds. */
const STOP_MS = 8_000;

/**
 * `runledger agent`: runs on this machine the tests queued for agents of the key's organisation, until it is asked
 * to stop; then it returns what runs. After a lost connection it reconnects and sends unacknowledged messages again;
 * executions go on meanwhile. Returns the exit code.
 */
export const runAgent = async (
  options: AgentOptions,
  executors: Browsers,
  terminal: Terminal,
): Promise<number> => {
  const agent = createAgentState(options, executors, terminal);
  const beating = sendHeartbeats(agent);
  const connected = keepConnected(agent);
  const stopAsked = new Promise<void>((resolve) => {
    options.signal.addEventListener("abort", () => resolve(), { once: true });
    if (options.signal.aborted) resolve();
  });
  try {
    await Promise.race([stopAsked, connected]);
    agent.report("stopping", "Stopping: returns running tests to the service.");
    await Promise.race([returnExecutions(agent), pause(STOP_MS)]);
    return exitCodes.passed;
  } finally {
    agent.ended.abort();
    for (const { stop } of agent.running.values()) stop.abort();
    await Promise.all([connected.catch(() => undefined), beating]);
    await executors.close();
  }
};

const sendHeartbeats = async (agent: AgentState): Promise<void> => {
  const { ended, outbox, running } = agent;
  while (!ended.signal.aborted) {
    await pause(agent.heartbeatMs, undefined, { signal: ended.signal }).catch(() => undefined);
    outbox.mention({ type: "heartbeat", execution_ids: [...running.keys()] });
  }
};
