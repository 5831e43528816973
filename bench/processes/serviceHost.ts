import { executionDecider } from "../../src/domain/runs/executions/execution.ts";
import { runDecider } from "../../src/domain/runs/run.ts";
import { type RunningService, startService } from "../../src/main.ts";
import { type Config, loadConfig } from "../../src/platform/config.ts";
import { newId } from "../../src/platform/ids.ts";
import { serveParent } from "../harness/helperProcess.ts";
import type { HostProcedures } from "../parts/host.ts";

/**
 * The service in its own process, with procedures that its API lacks: granting a plan without payment
 * and emitting events of runs without an executor.
 */
let service: RunningService | null = null;

const running = (): RunningService => {
  if (!service) throw new Error("The service has not started");
  return service;
};

const contextOf = (organizationId: string) => ({
  actor: { type: "system" as const, id: "bench" },
  organizationId,
  correlationId: newId(),
  causationId: newId(),
});

const WORKER = { worker: "bench", delivery: 1 } as const;

type SyntheticRun = { readonly runId: string; readonly executionId: string; step: number };
let syntheticRuns: SyntheticRun[] = [];

/** Starts a run with one test and claims its execution. The next events are its steps. */
const startSyntheticRun = async (organizationId: string): Promise<SyntheticRun> => {
  const { loop } = running().core;
  const context = contextOf(organizationId);
  const [runId, executionId] = [newId(), newId()];
  const pinned = { testId: newId(), testVersion: 1, testName: "synthetic", stepCount: 1_000 };
  const shared = {
    browsers: ["chromium" as const],
    baseUrl: null,
    variables: {},
    quotaPeriod: "202501",
  };
  const planned = { projectId: null, target: "cloud", grammarVersion: 1 } as const;
  const executions = [{ executionId, ...pinned }];
  await loop.execute(
    runDecider,
    runId,
    { type: "queue", runId, ...shared, ...planned, executions },
    context,
  );
  const execute = (command: Parameters<typeof executionDecider.decide>[0]) =>
    loop.execute(executionDecider, executionId, command, context);
  await execute({ type: "queue", runId, ...pinned, ...shared });
  await execute({ type: "claim", ...WORKER });
  return { runId, executionId, step: 0 };
};

/** Emits StepStarted for the next step of a run. */
const emitStep = async (organizationId: string, run: SyntheticRun): Promise<void> => {
  run.step += 1;
  const on = { runId: run.runId, attempt: 1, delivery: 1, browser: "chromium" } as const;
  await running().core.loop.execute(
    executionDecider,
    run.executionId,
    {
      type: "report",
      ...WORKER,
      progress: [{ type: "StepStarted", data: { ...on, number: run.step } }],
    },
    contextOf(organizationId),
  );
};

serveParent<HostProcedures>({
  start: async ({ roles, environment }) => {
    const config = loadConfig(environment);
    const some = roles ? { ...config, roles: roles as Config["roles"] } : config;
    service = await startService(some);
    if (!service.url) throw new Error("The service does not listen");
    return { url: service.url };
  },
  grantPlan: async ({ organizationId }) => {
    const { billing } = running().core.commands;
    const reason = "a benchmark";
    await billing.grantPlan(contextOf(organizationId), {
      organizationId,
      plan: "business",
      reason,
    });
    return {};
  },
  startRuns: async ({ organizationId, runs }) => {
    syntheticRuns = await Promise.all(
      Array.from({ length: runs }, () => startSyntheticRun(organizationId)),
    );
    return { runIds: syntheticRuns.map(({ runId }) => runId) };
  },
  emitSteps: async ({ organizationId, perSecond, seconds }) => {
    const started = performance.now();
    const emitted: Promise<void>[] = [];
    for (let n = 0; n < perSecond * seconds; n += 1) {
      const due = started + (n * 1_000) / perSecond;
      const wait = due - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      const run = syntheticRuns[n % syntheticRuns.length];
      if (run) emitted.push(emitStep(organizationId, run));
    }
    await Promise.all(emitted);
    return { emitted: emitted.length };
  },
});

process.on("disconnect", () => {
  void (service?.stop() ?? Promise.resolve()).finally(() => process.exit(0));
});
// Ctrl-C signals every process of the terminal. This one exits when the bench disconnects.
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => undefined);
