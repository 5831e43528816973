import { isTracingEnabled } from "../../platform/tracing/enabled.ts";
import type { Tracing } from "../../platform/tracing/port.ts";
import type { ReportSink } from "./report.ts";

/** Begins a span of a trace. */
export type BeginSpan = Tracing["begin"];

/** The attributes of a test's spans: ids, numbers and actions, nothing that the test types or sees. */
type Followed = {
  readonly executionId: string;
  readonly attempt: number;
  readonly browser: string;
  readonly steps: readonly { readonly action: string }[];
  /** The `traceparent` of what runs it; the span within which it begins, unless given. */
  readonly parent?: string | undefined;
};

/**
 * Runs a test with a span for its browser and one for each of its steps, by what it reports: its number and action,
 * and how it ended. `run` is given where to report to.
 */
export const withSpans = async <Result>(
  begin: BeginSpan,
  { executionId, attempt, browser: name, steps, parent }: Followed,
  report: ReportSink,
  run: (report: ReportSink) => Promise<Result>,
): Promise<Result> => {
  const browser = begin(`browser ${name}`, {
    parent,
    attributes: {
      "runledger.execution_id": executionId,
      "runledger.attempt": attempt,
      "runledger.browser": name,
    },
  });
  const open = new Map<number, ReturnType<BeginSpan>>();
  const end = (number: number, status: string): void => {
    const failed = status === "failed" ? { error: "step_failed" } : {};
    open.get(number)?.end({ attributes: { "runledger.status": status }, ...failed });
    open.delete(number);
  };
  let verdict = "stopped";
  const told: ReportSink = (each) => {
    if (each.type === "stepStarted") {
      // Who lost the connection may say it twice.
      if (!open.has(each.number)) open.set(each.number, beginStep(each.number));
    } else if (each.type === "stepPassed") end(each.number, "passed");
    else if (each.type === "stepFailed") end(each.number, "failed");
    else if (each.type === "stepSkipped") end(each.number, "skipped");
    else if (each.type === "browserFinished") verdict = each.status;
    report(each);
  };
  const beginStep = (number: number): ReturnType<BeginSpan> => {
    const action = steps[number - 1]?.action ?? "step";
    const attributes = { "runledger.step": number, "runledger.action": action };
    return begin(`step ${action}`, { parent: browser.traceparent, attributes });
  };
  return browser.within(async () => {
    try {
      return await run(told);
    } finally {
      for (const number of [...open.keys()]) end(number, "stopped");
      browser.end({ attributes: { "runledger.status": verdict } });
    }
  });
};

/**
 * Traces of a process that runs tests and is no service: where the environment asks for them, as for the service;
 * null otherwise, and then nothing of OpenTelemetry is loaded.
 */
export const openTraces = async (
  environment: Readonly<Record<string, string | undefined>>,
  named: { readonly service: string; readonly version: string },
  onTrouble: (message: string) => void,
): Promise<Tracing | null> => {
  if (!isTracingEnabled(environment)) return null;
  const { startTracing } = await import("../../platform/tracing/openTelemetry.ts");
  return startTracing({ ...named, logger: { warn: (_fields, message) => onTrouble(message) } });
};
