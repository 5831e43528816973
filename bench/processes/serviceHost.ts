import { executionDecider } from "../../src/domain/runs/executions/execution.ts";
import { runDecider } from "../../src/domain/runs/run.ts";
import { type RunningService, startService } from "../../src/main.ts";
import { type Config, loadConfig } from "../../src/platform/config.ts";
import { newId } from "../../src/platform/ids.ts";
import { answerParent } from "../harness/helperProcess.ts";
import type { HostRequests } from "../parts/host.ts";

/**
 * The service in a process of its own, as `npm start` runs it, which the bench can also ask for what
 * no API gives: a plan without payment, and events of runs that no executor runs.
 */
let service: RunningService | null = null;

const running = (): RunningService => {
  if (!service) throw new Error("The service is not started");
  return service;
};

const contextOf = (organizationId: string) => ({
  actor: { type: "system" as const, id: "bench" },
  organizationId,
  correlationId: newId(),
  causationId: newId(),
});

const WORKER = { worker: "bench", delivery: 1 } as const;

type Playing = { readonly runId: string; readonly executionId: string; step: number };
let playing: Playing[] = [];

/** A run with one test, up to where a browser has started: what comes next are its steps. */
const startPlaying = async (organizationId: string): Promise<Playing> => {
  const { loop } = running().core;
  const context = contextOf(organizationId);
  const [runId, executionId] = [newId(), newId()];
  const pinned = { testId: newId(), testVersion: 1, testName: "played", stepCount: 1_000 };
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
  const tell = (command: Parameters<typeof executionDecider.decide>[0]) =>
    loop.execute(executionDecider, executionId, command, context);
  await tell({ type: "queue", runId, ...pinned, ...shared });
  await tell({ type: "claim", ...WORKER });
  return { runId, executionId, step: 0 };
};

/** The next step of a run begins: the event is stamped with the moment in which it is told. */
const tellStep = async (organizationId: string, played: Playing): Promise<void> => {
  played.step += 1;
  const on = { runId: played.runId, attempt: 1, delivery: 1, browser: "chromium" } as const;
  await running().core.loop.execute(
    executionDecider,
    played.executionId,
    {
      type: "report",
      ...WORKER,
      progress: [{ type: "StepStarted", data: { ...on, number: played.step } }],
    },
    contextOf(organizationId),
  );
};

answerParent<HostRequests>({
  start: async ({ roles, environment }) => {
    const config = loadConfig(environment);
    const some = roles ? { ...config, roles: roles as Config["roles"] } : config;
    service = await startService(some);
    if (!service.url) throw new Error("The service does not listen");
    return { url: service.url };
  },
  grant: async ({ organizationId }) => {
    const { billing } = running().core.commands;
    const reason = "a benchmark";
    await billing.grantPlan(contextOf(organizationId), {
      organizationId,
      plan: "business",
      reason,
    });
    return {};
  },
  play: async ({ organizationId, runs }) => {
    playing = await Promise.all(Array.from({ length: runs }, () => startPlaying(organizationId)));
    return { runIds: playing.map(({ runId }) => runId) };
  },
  steps: async ({ organizationId, perSecond, seconds }) => {
    const started = performance.now();
    const told: Promise<void>[] = [];
    for (let n = 0; n < perSecond * seconds; n += 1) {
      const due = started + (n * 1_000) / perSecond;
      const early = due - performance.now();
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
      const played = playing[n % playing.length];
      if (played) told.push(tellStep(organizationId, played));
    }
    await Promise.all(told);
    return { told: told.length };
  },
});

process.on("disconnect", () => {
  void (service?.stop() ?? Promise.resolve()).finally(() => process.exit(0));
});
// Ctrl-C reaches every process of the terminal: this one ends when the bench lets go of it.
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => undefined);
