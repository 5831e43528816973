import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { HEARTBEAT_SECONDS, type ToAgent } from "../../domain/agents/protocol.ts";
import type { BrowserName } from "../../domain/runs/run.ts";
import type { BeginSpan, Browsers } from "../../workers/executor/index.ts";
import type { Connection } from "../connection.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import type { Terminal } from "../terminal.ts";
import { type Line, openLine } from "./line.ts";
import { createOutbox } from "./outbox.ts";
import { createQuestions } from "./questions.ts";
import { type Dispatched, runDispatched } from "./work.ts";

export type AgentOptions = {
  readonly connection: Connection;
  readonly browsers: readonly BrowserName[];
  readonly capacity: number;
  readonly name?: string;
  readonly version: string;
  readonly signal: AbortSignal;
  /** Given: what it runs is told to whoever takes traces. */
  readonly begin?: BeginSpan;
};

type Running = {
  readonly dispatched: Dispatched;
  readonly stop: AbortController;
  readonly done: Promise<void>;
};

const LONGEST_PAUSE_MS = 15_000;
/** Giving back what runs takes no longer than this. */
const STOP_MS = 8_000;

/**
 * `runledger agent`: runs what waits for agents of the key's organisation on this machine, until it is asked
 * to end; then it gives back what runs. A lost connection is made again; what runs goes on meanwhile, and
 * what was not acknowledged is told again. Answers the exit code.
 */
export const runAgent = async (
  options: AgentOptions,
  executors: Browsers,
  terminal: Terminal,
): Promise<number> => {
  const agentId = randomUUID();
  const outbox = createOutbox();
  const questions = createQuestions(outbox.post);
  const running = new Map<string, Running>();
  const ended = new AbortController();
  let heartbeatMs = HEARTBEAT_SECONDS * 1_000;
  let leaseMs = 0;
  let failures = 0;
  let line: Line | null = null;

  const log = (type: string, say: string, fields: Readonly<Record<string, unknown>> = {}): void => {
    terminal.record({ type, ...fields });
    terminal.say(say);
  };

  const start = (dispatched: Dispatched): void => {
    const { execution_id: executionId, delivery } = dispatched;
    const of = { execution_id: executionId, delivery };
    const isSame = running.get(executionId)?.dispatched.delivery === delivery;
    if (isSame) {
      outbox.post({ type: "accept", ...of });
      return;
    }
    if (options.signal.aborted || running.size >= options.capacity) {
      outbox.post({ type: "reject", ...of, reason: "The agent has no place free." });
      return;
    }
    leaseMs = dispatched.lease_seconds * 1_000;
    outbox.post({ type: "accept", ...of });
    log("started", `Runs ${executionId}`, { execution_id: executionId, delivery });
    const stop = new AbortController();
    // A delivery of before is nobody's any more.
    running.get(executionId)?.stop.abort();
    const { begin } = options;
    const done = runDispatched(dispatched, executors, outbox.post, questions, stop.signal, begin)
      .then((verdict) => {
        const status = verdict ?? "stopped";
        log("ended", `${executionId} ${status}`, { execution_id: executionId, status });
      })
      .catch((error: unknown) => {
        outbox.post({ type: "reject", ...of, reason: "The agent's executor failed." });
        log("trouble", String(error), { execution_id: executionId, error: String(error) });
      })
      .finally(() => {
        if (running.get(executionId)?.stop === stop) running.delete(executionId);
      });
    running.set(executionId, { dispatched, stop, done });
  };

  /** Stops what is another's now, and says nothing more of it. */
  const drop = (executionId: string): void => {
    running.get(executionId)?.stop.abort();
    outbox.forget(executionId);
  };

  const hear = (message: ToAgent): void => {
    switch (message.type) {
      case "welcome": {
        heartbeatMs = message.heartbeat_seconds * 1_000;
        failures = 0;
        log("connected", `Connected to ${options.connection.server} as ${agentId}`, {
          agent_id: agentId,
        });
        // The service has read who we are: now what it has missed.
        if (line) outbox.open(line.send);
        return;
      }
      case "dispatch":
        start(message);
        return;
      case "cancel":
        drop(message.execution_id);
        return;
      case "visual":
      case "element":
      case "file":
        questions.heard(message);
        return;
      case "ack":
        outbox.acknowledged(message.seq);
        return;
      case "error":
        log("refused", `The service refuses: ${message.detail}`, { detail: message.detail });
    }
  };

  const beat = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await pause(heartbeatMs, undefined, { signal: ended.signal }).catch(() => undefined);
      outbox.mention({ type: "heartbeat", execution_ids: [...running.keys()] });
    }
  };
  const beating = beat();

  /** Once another has what we held, going on with it is of no use. */
  const dropAllAfterLease = (): NodeJS.Timeout =>
    setTimeout(() => {
      for (const executionId of new Set([...running.keys(), ...outbox.executions()])) {
        drop(executionId);
      }
    }, leaseMs);

  const goOn = async (): Promise<void> => {
    let lateness: NodeJS.Timeout | undefined;
    while (!ended.signal.aborted) {
      const end = await openLine(
        options.connection,
        {
          open: (opened) => {
            clearTimeout(lateness);
            line = opened;
            const resume = [...new Set([...running.keys(), ...outbox.executions()])];
            opened.send(outbox.hello(introduction(resume)));
          },
          message: hear,
        },
        ended.signal,
      );
      outbox.closed();
      if (line) lateness = dropAllAfterLease();
      line = null;
      if (end.kind === "refused") {
        clearTimeout(lateness);
        throw new CommandError(
          `The service does not take this key: ${end.detail}. Is RUNLEDGER_API_KEY a key of ${options.connection.server} that was not revoked?`,
          exitCodes.usage,
        );
      }
      if (ended.signal.aborted) break;
      failures += 1;
      const waitMs = Math.min(LONGEST_PAUSE_MS, 100 * 2 ** failures) * (0.5 + Math.random() / 2);
      log("disconnected", `Not connected (${end.detail}); tries again.`, { detail: end.detail });
      await pause(waitMs, undefined, { signal: ended.signal }).catch(() => undefined);
    }
    clearTimeout(lateness);
  };

  const introduction = (resume: readonly string[]) => ({
    type: "hello" as const,
    agent_id: agentId,
    name: options.name ?? hostname(),
    version: options.version,
    browsers: [...options.browsers],
    capacity: options.capacity,
    resume: [...resume],
    traces: options.begin !== undefined,
  });

  /** Gives back what runs, and waits until the service has heard it. */
  const giveBack = async (): Promise<void> => {
    for (const [executionId, { dispatched, stop, done }] of [...running]) {
      stop.abort();
      await done;
      outbox.forget(executionId);
      const { delivery } = dispatched;
      outbox.post({
        ...{ type: "reject", execution_id: executionId, delivery },
        reason: "The agent is shutting down.",
      });
    }
    if (line) await outbox.empty();
  };

  const asked = new Promise<void>((resolve) => {
    options.signal.addEventListener("abort", () => resolve(), { once: true });
    if (options.signal.aborted) resolve();
  });
  const lines = goOn();
  try {
    await Promise.race([asked, lines]);
    log("stopping", "Stops: gives back what runs.");
    await Promise.race([giveBack(), pause(STOP_MS)]);
    return exitCodes.passed;
  } finally {
    ended.abort();
    for (const { stop } of running.values()) stop.abort();
    await Promise.all([lines.catch(() => undefined), beating]);
    await executors.close();
  }
};
