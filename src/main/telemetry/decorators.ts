import type { CommandLoop } from "../../commands/kernel/commandLoop.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { Bus } from "../../platform/bus/port.ts";
import {
  AppendOutcomeUnknownError,
  LogUnavailableError,
  WrongRevisionError,
} from "../../platform/eventLog/errors.ts";
import type { EventLog, NewEvent } from "../../platform/eventLog/port.ts";
import { errorName, type Tracing } from "../../platform/tracing/port.ts";
import { withSpans } from "../../workers/executor/index.ts";
import type { RunTest } from "../../workers/runs/runTest.ts";
import type { Instruments } from "./instruments.ts";

/** Where to report: metrics, traces or both. */
export type Observing = {
  readonly instruments: Instruments | null;
  readonly tracing: Tracing | null;
};

const secondsSince = (began: number): number => (performance.now() - began) / 1_000;

/** The category of a stream name. */
const categoryOf = (stream: string): string => stream.slice(0, stream.indexOf("-"));

/** Counts, times and traces appends. */
export const observedLog = (log: EventLog, { instruments, tracing }: Observing): EventLog => {
  const count = (slice: string, outcome: string, began: number): void => {
    if (!instruments) return;
    instruments.appends.inc({ slice, outcome });
    instruments.appendSeconds.observe(secondsSince(began));
    if (outcome === "conflict") instruments.conflicts.inc({ slice });
  };
  return {
    ...log,
    append: (stream, events, expected) => {
      const began = performance.now();
      const slice = categoryOf(stream);
      const parent = events[0]?.metadata.traceparent;
      const span =
        parent === undefined
          ? null
          : (tracing?.begin("append", {
              kind: "client",
              parent,
              attributes: { "runledger.slice": slice, "runledger.events": events.length },
            }) ?? null);
      const appending = log.append(stream, events, expected);
      appending.then(
        () => {
          span?.end();
          count(slice, "appended", began);
          if (instruments) for (const event of events) countEvent(instruments, event);
        },
        (error: unknown) => {
          const outcome = appendOutcome(error);
          span?.end({ error: outcome });
          count(slice, outcome, began);
        },
      );
      return appending;
    },
  };
};

const appendOutcome = (error: unknown): string => {
  if (error instanceof WrongRevisionError) return "conflict";
  if (error instanceof LogUnavailableError) return "unavailable";
  return error instanceof AppendOutcomeUnknownError ? "unknown" : "failed";
};

/** Counts an event, the verdict of an execution, and the age of a provider's event. */
const countEvent = (instruments: Instruments, { type, data, metadata }: NewEvent): void => {
  instruments.events.inc({ type });
  if (type === "ExecutionFinished") {
    const { status: verdict, durationMs } = data as { status: string; durationMs: number };
    instruments.executions.inc({ verdict });
    instruments.executionSeconds.observe({ verdict }, durationMs / 1_000);
  } else if (type === "ExecutionCancelled") {
    instruments.executions.inc({ verdict: "cancelled" });
  } else if (type === "WebhookReceived") {
    const { provider, occurredAt } = data as { provider: string; occurredAt: string };
    const ageMs = Date.parse(metadata.recorded_at) - Date.parse(occurredAt);
    instruments.webhookAge.observe({ provider }, Math.max(0, ageMs) / 1_000);
  }
};

/** Counts, times and traces commands by outcome. */
export const observedLoop = (
  loop: CommandLoop,
  { instruments, tracing }: Observing,
): CommandLoop => ({
  ...loop,
  execute: (decider, id, command, context, options) => {
    const began = performance.now();
    const slice = decider.category;
    const { type } = command as { type?: unknown };
    const name = typeof type === "string" ? type : "command";
    const span = tracing?.begin(`${slice}.${name}`, {
      ...(tracing.active() === undefined && { parent: context.traceparent }),
      attributes: { "runledger.slice": slice, "runledger.command": name },
    });
    const traced = span ? { ...context, traceparent: span.traceparent } : context;
    const executing = loop.execute(decider, id, command, traced, options);
    const settle = (outcome: string, error?: string): void => {
      span?.end({
        attributes: { "runledger.outcome": outcome },
        ...(error !== undefined && { error }),
      });
      instruments?.commands.inc({ slice, command: name, outcome });
      instruments?.commandSeconds.observe({ slice }, secondsSince(began));
    };
    executing.then(
      ({ events }) => settle(events.length > 0 ? "recorded" : "unchanged"),
      (error: unknown) => settle(commandOutcome(error), errorName(error)),
    );
    return executing;
  },
});

const commandOutcome = (error: unknown): string => {
  if (error instanceof DomainError)
    return error.code === "stream.contended" ? "contended" : "refused";
  const isUnavailable =
    error instanceof LogUnavailableError || error instanceof AppendOutcomeUnknownError;
  return isUnavailable ? "unavailable" : "failed";
};

/** Passes the trace of queued work on to its consumer. */
export const tracedBus = (bus: Bus, tracing: Tracing): Bus => ({
  ...bus,
  enqueue: async (queue, id, payload, headers = {}) => {
    const parent = headers.traceparent;
    if (parent === undefined) return bus.enqueue(queue, id, payload, headers);
    const span = tracing.begin(`send ${queue}`, { kind: "producer", parent });
    try {
      const { traceparent } = span;
      await bus.enqueue(queue, id, payload, { ...headers, traceparent });
      span.end();
    } catch (error) {
      span.end({ error: errorName(error) });
      throw error;
    }
  },
});

/** Traces tests, with a span for the browser and one for each step. */
export const tracedRunTest =
  (runTest: RunTest, { begin }: Pick<Tracing, "begin">): RunTest =>
  (test, report) =>
    withSpans(begin, test, report, (tracedReport) => runTest(test, tracedReport));
