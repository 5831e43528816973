import { createCommandLoop } from "../../../src/commands/kernel/commandLoop.ts";
import { usageCommands } from "../../../src/commands/usage/index.ts";
import type { Step } from "../../../src/domain/catalogue/step.ts";
import type { ExecutionEvent } from "../../../src/domain/runs/executions/events.ts";
import { executionDecider } from "../../../src/domain/runs/executions/execution.ts";
import type { EvidenceKind, RunLimits, RunTarget } from "../../../src/domain/runs/pinned.ts";
import { runDecider } from "../../../src/domain/runs/run.ts";
import { usageDecider } from "../../../src/domain/usage/usage.ts";
import type { Blob, BlobStore } from "../../../src/platform/blobs/port.ts";
import { inProcessBus } from "../../../src/platform/bus/inProcess.ts";
import type { Bus } from "../../../src/platform/bus/port.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { migrate } from "../../../src/platform/database/migrate.ts";
import { newId } from "../../../src/platform/ids.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { startAgentHost } from "../../../src/workers/agents/host.ts";
import type { AgentHostDeps } from "../../../src/workers/agents/session.ts";
import { noSecrets } from "../../../src/workers/executor/secrets.ts";
import { noVisuals } from "../../../src/workers/executor/visual.ts";
import { startDispatcher } from "../../../src/workers/runs/dispatcher.ts";
import { startQueueWorker } from "../../../src/workers/runs/queueWorker.ts";
import type { RunTest } from "../../../src/workers/runs/runTest.ts";
import { startWatchdog } from "../../../src/workers/runs/watchdog.ts";
import { startTestLog } from "../../support/log.ts";

export const step = {
  id: "0190a000-0000-7000-8000-0000000000aa",
  action: "wait",
  target: "",
  value: "0 ms",
  description: "Wait",
  optional: false,
  disabled: false,
};

/** A test that does nothing but report that its steps passed, with a picture of each. */
export const passing: RunTest = async ({ browser, steps }, report) => {
  const at = () => new Date().toISOString();
  report({ type: "browserStarted", browser, browserVersion: "1", at: at() });
  for (let number = 1; number <= steps.length; number += 1) {
    report({ type: "stepStarted", number, at: at() });
    report({ type: "stepPassed", number, durationMs: 1, locator: null, at: at() });
    const bytes = Buffer.from(`picture ${number}`);
    report({ type: "screenshotTaken", number, format: "jpeg", bytes, name: null, at: at() });
  }
  report({ type: "browserFinished", status: "passed", durationMs: 1, error: null, at: at() });
};

/** A test that runs until it is stopped. */
export const endless: RunTest = async ({ browser, signal }, report) => {
  const at = () => new Date().toISOString();
  report({ type: "browserStarted", browser, browserVersion: "1", at: at() });
  report({ type: "stepStarted", number: 1, at: at() });
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
};

/** The parts that execute runs, on a real log and a real database. */
export const startDeployment = async (bus: Bus = inProcessBus()) => {
  const { log, databaseUrl, stop } = await startTestLog();
  const database = openDatabase(databaseUrl);
  const { db } = database;
  await migrate(db);
  const clock = systemClock;
  const logger = createLogger({ level: "silent" });
  const loop = createCommandLoop({ log, clock });
  const usage = usageCommands({ loop, clock });
  const stored = new Map<string, Blob>();
  const blobs = {
    put: async (key: string, blob: Blob) => {
      stored.set(key, blob);
    },
    get: async (key: string) => stored.get(key) ?? null,
    delete: async (key: string) => {
      stored.delete(key);
    },
    deleteUnder: async (folder: string) => {
      for (const key of stored.keys()) if (key.startsWith(`${folder}/`)) stored.delete(key);
    },
    list: async function* () {
      yield* [...stored.keys()];
    },
    ping: async () => undefined,
  };
  const running = new Set<{ stop(): Promise<void> }>();
  const started = <Part extends { stop(): Promise<void> }>(part: Part): Part => {
    const once = { ...part, stop: () => (running.delete(once) ? part.stop() : Promise.resolve()) };
    running.add(once);
    return once;
  };
  const common = { log, db, logger, clock };

  const eventsOf = async (stream: string) => {
    const events = [];
    for await (const event of log.readStream(stream)) events.push(event);
    return events;
  };

  return {
    ...common,
    loop,
    usage,
    blobs,
    stored,
    eventsOf,
    startDispatcher: (options: { bus?: Bus; parallelism?: number; holder?: string } = {}) =>
      started(
        startDispatcher({
          ...common,
          bus: options.bus ?? bus,
          commands: loop,
          usage,
          parallelismOf: async () => options.parallelism ?? 5,
          holder: options.holder ?? newId(),
        }),
      ),
    startWorker: (
      options: {
        bus?: Bus;
        capacity?: number;
        runTest?: RunTest;
        holder?: string;
        hasSteps?: boolean;
        blobs?: BlobStore;
      } = {},
    ) =>
      started(
        startQueueWorker({
          resourcesOf: () => ({ secrets: noSecrets, showsSecrets: false, files: async () => null }),
          visualsOf: () => noVisuals,
          ...common,
          bus: options.bus ?? bus,
          blobs: options.blobs ?? blobs,
          holder: options.holder ?? newId(),
          capacity: options.capacity ?? 2,
          stepsOfVersion: async () => (options.hasSteps === false ? null : [step, step]),
          runTest: options.runTest ?? passing,
        }),
      ),
    /** Starts the host of connected agents, as an api process has it. */
    startAgentHost: (
      options: Partial<Pick<AgentHostDeps, "visualsOf" | "healingOf" | "resourcesOf">> & {
        steps?: readonly Step[];
      } = {},
    ) =>
      started(
        startAgentHost({
          ...common,
          bus,
          blobs,
          stepsOfVersion: async () => options.steps ?? [step, step],
          resourcesOf:
            options.resourcesOf ??
            (() => ({ secrets: noSecrets, showsSecrets: false, files: async () => null })),
          visualsOf: options.visualsOf ?? (() => noVisuals),
          ...(options.healingOf && { healingOf: options.healingOf }),
        }),
      ),
    startWatchdog: (options: { holder?: string; alone?: boolean } = {}) =>
      started(
        startWatchdog({
          ...common,
          usage,
          holder: options.holder ?? newId(),
          alone: options.alone ?? false,
        }),
      ),
    /** Queues a run of `tests` tests as the API does. */
    queueRun: async (
      tests: number,
      organizationId = newId(),
      asked: {
        readonly retries?: number;
        readonly limits?: RunLimits;
        readonly target?: RunTarget;
        readonly evidence?: EvidenceKind[];
      } = {},
    ) => {
      const runId = newId();
      const context = {
        actor: { type: "system" as const, id: "test" },
        organizationId,
        correlationId: newId(),
        causationId: newId(),
      };
      const { period } = await usage.reserveRuns(context, organizationId, [
        { runId, units: tests },
      ]);
      const executions = Array.from({ length: tests }, (_, n) => ({
        executionId: newId(),
        testId: newId(),
        testVersion: 1,
        testName: `Test ${n + 1}`,
        stepCount: 2,
      }));
      await loop.execute(
        runDecider,
        runId,
        {
          type: "queue",
          runId,
          projectId: null,
          target: "cloud",
          browsers: ["chromium"],
          baseUrl: null,
          variables: {},
          grammarVersion: 1,
          quotaPeriod: period,
          executions,
          ...asked,
        },
        context,
      );
      const usageStream = `${organizationId}_${period}`;
      return {
        runId,
        organizationId,
        context,
        executionIds: executions.map((one) => one.executionId),
        run: async () => (await loop.load(runDecider, runId)).state,
        execution: async (n = 0) =>
          (await loop.load(executionDecider, executions[n]?.executionId ?? "")).state,
        executionEvents: async (n = 0) =>
          (await eventsOf(`execution-${executions[n]?.executionId}`)) as unknown as (Awaited<
            ReturnType<typeof eventsOf>
          >[number] &
            ExecutionEvent)[],
        quota: async () => {
          const { used, reserved } = (await loop.load(usageDecider, usageStream)).state;
          return { used, reserved };
        },
      };
    },
    stop: async () => {
      await Promise.all([...running].map((part) => part.stop()));
      await bus.close();
      await database.close();
      await stop();
    },
  };
};

export type Deployment = Awaited<ReturnType<typeof startDeployment>>;
