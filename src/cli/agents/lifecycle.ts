import { type Dispatched, runDispatched } from "./execution.ts";
import type { AgentState } from "./state.ts";

/** Accepts a dispatched execution and starts it; rejects it if the agent is stopping or has no free slot. */
export const startExecution = (agent: AgentState, dispatched: Dispatched): void => {
  const { options, outbox, running } = agent;
  const { execution_id: executionId, delivery } = dispatched;
  const of = { execution_id: executionId, delivery };
  const isSame = running.get(executionId)?.dispatched.delivery === delivery;
  if (isSame) {
    outbox.post({ type: "accept", ...of });
    return;
  }
  if (options.signal.aborted || running.size >= options.capacity) {
    outbox.post({ type: "reject", ...of, reason: "The agent has no free slot." });
    return;
  }
  agent.leaseMs = dispatched.lease_seconds * 1_000;
  outbox.post({ type: "accept", ...of });
  agent.report("started", `Runs ${executionId}`, of);
  const stop = new AbortController();
  // The service has given up the earlier delivery of the same execution.
  running.get(executionId)?.stop.abort();
  const done = runToEnd(agent, dispatched, stop);
  running.set(executionId, { dispatched, stop, done });
};

/** Runs an execution and reports its end. Never rejects. */
const runToEnd = (
  agent: AgentState,
  dispatched: Dispatched,
  stop: AbortController,
): Promise<void> => {
  const { executors, outbox, requests, running, report } = agent;
  const { execution_id, delivery } = dispatched;
  const { begin } = agent.options;
  return runDispatched(dispatched, executors, outbox.post, requests, stop.signal, begin)
    .then((verdict) => {
      const status = verdict ?? "stopped";
      report("ended", `${execution_id} ${status}`, { execution_id, status });
    })
    .catch((error: unknown) => {
      const reason = "The agent's executor failed.";
      outbox.post({ type: "reject", execution_id, delivery, reason });
      report("trouble", String(error), { execution_id, error: String(error) });
    })
    .finally(() => {
      if (running.get(execution_id)?.stop === stop) running.delete(execution_id);
    });
};

/** Stops an execution that the service has taken back and discards its unsent messages. */
export const dropExecution = ({ running, outbox }: AgentState, executionId: string): void => {
  running.get(executionId)?.stop.abort();
  outbox.forget(executionId);
};

/** The executions that run or have unacknowledged messages. */
export const heldExecutions = ({ running, outbox }: AgentState): string[] => [
  ...new Set([...running.keys(), ...outbox.executions()]),
];

/** Drops all executions once their lease has expired: the service has then given them to another agent. */
export const dropAllAfterLease = (agent: AgentState): NodeJS.Timeout =>
  setTimeout(() => {
    for (const executionId of heldExecutions(agent)) dropExecution(agent, executionId);
  }, agent.leaseMs);

/** Returns the running executions to the service and waits until it has acknowledged that. */
export const returnExecutions = async (agent: AgentState): Promise<void> => {
  const { running, outbox } = agent;
  for (const [executionId, { dispatched, stop, done }] of [...running]) {
    stop.abort();
    await done;
    outbox.forget(executionId);
    const { delivery } = dispatched;
    const reason = "The agent is shutting down.";
    outbox.post({ type: "reject", execution_id: executionId, delivery, reason });
  }
  if (agent.socket) await outbox.empty();
};
