import type { CommandContext, CommandLoop } from "../../src/commands/kernel/commandLoop.ts";
import { executionDecider } from "../../src/domain/runs/executions/execution.ts";
import type { ProgressEvent } from "../../src/domain/runs/executions/progress.ts";
import { runDecider } from "../../src/domain/runs/run.ts";

/** Records the events of a worker for a delivery of an execution. */
export const playWorker = (
  loop: CommandLoop,
  {
    runId,
    executionId,
    delivery,
    context,
  }: {
    readonly runId: string;
    readonly executionId: string;
    readonly delivery: number;
    readonly context: CommandContext;
  },
) => {
  const held = { worker: `worker ${delivery}`, delivery };
  const on = { runId, attempt: 1, delivery, browser: "chromium" } as const;
  const tell = (command: Parameters<typeof executionDecider.decide>[0]) =>
    loop.execute(executionDecider, executionId, command, context);
  const report = (...progress: ProgressEvent[]) => tell({ type: "report", ...held, progress });
  return {
    claim: () => tell({ type: "claim", ...held }),
    loseLease: () => tell({ type: "expireLease", delivery }),
    startBrowser: () =>
      report({ type: "BrowserStarted", data: { ...on, browserVersion: "140.0" } }),
    startStep: (number: number) => report({ type: "StepStarted", data: { ...on, number } }),
    passStep: (number: number) =>
      report({
        type: "StepPassed",
        data: { ...on, number, durationMs: 12, locator: "role=button" },
      }),
    shoot: (number: number) =>
      report({
        type: "ScreenshotTaken",
        data: { ...on, number, format: "jpeg", key: `${executionId}/${number}.jpg`, name: null },
      }),
    finish: async () => {
      const end = { status: "passed", durationMs: 30, error: null } as const;
      await report(
        { type: "BrowserFinished", data: { ...on, ...end } },
        { type: "AttemptFinished", data: { runId, attempt: 1, delivery, ...end } },
      );
      await tell({ type: "finish", ...held, ...end });
      await loop.execute(
        runDecider,
        runId,
        { type: "recordOutcome", runId, executionId, status: "passed" },
        context,
      );
    },
  };
};
