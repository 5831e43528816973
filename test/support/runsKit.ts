import pino from "pino";
import { billingCommands } from "../../src/commands/billing/index.ts";
import { noPayments } from "../../src/commands/billing/paymentProviders.ts";
import { catalogueCommands } from "../../src/commands/catalogue/index.ts";
import { type CommandContext, createCommandLoop } from "../../src/commands/kernel/commandLoop.ts";
import { runCommands } from "../../src/commands/runs/runs.ts";
import { usageCommands } from "../../src/commands/usage/index.ts";
import { executionDecider } from "../../src/domain/runs/executions/execution.ts";
import type { ProgressEvent } from "../../src/domain/runs/executions/progress.ts";
import { runDecider } from "../../src/domain/runs/run.ts";
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import type { EventLog } from "../../src/platform/eventLog/port.ts";
import { newId } from "../../src/platform/ids.ts";
import { billingProjection } from "../../src/projections/billing/projection.ts";
import { billingQueries } from "../../src/projections/billing/queries.ts";
import { catalogueProjection } from "../../src/projections/catalogue/catalogue.ts";
import { environmentsProjection } from "../../src/projections/catalogue/environments.ts";
import { catalogueQueries } from "../../src/projections/catalogue/queries.ts";
import { tagsProjection } from "../../src/projections/catalogue/tags.ts";
import { testSetsProjection } from "../../src/projections/catalogue/testSets.ts";
import { createPositions } from "../../src/projections/kernel/positions.ts";
import { startProjector } from "../../src/projections/kernel/projector.ts";
import { prepareProjections } from "../../src/projections/kernel/schemas.ts";
import { executionsProjection } from "../../src/projections/runs/executions/projection.ts";
import { executionQueries } from "../../src/projections/runs/executions/queries.ts";
import { runQueries } from "../../src/projections/runs/queries.ts";
import { runsProjection } from "../../src/projections/runs/runs.ts";
import { runEventsProjection } from "../../src/projections/runs/watchedEvents.ts";
import { usageProjection, usageQueries } from "../../src/projections/usage/usage.ts";
import { environmentSecrets } from "../../src/stores/catalogue/environmentSecrets.ts";
import { importsState } from "../../src/stores/catalogue/imports.ts";
import { memoryBlobStore } from "./blobs.ts";
import { startTestLog } from "./log.ts";

const projections = [
  catalogueProjection,
  environmentsProjection,
  tagsProjection,
  testSetsProjection,
  runsProjection,
  executionsProjection,
  runEventsProjection,
  usageProjection,
  billingProjection,
];

export type RunsKit = Awaited<ReturnType<typeof startRunsKit>>;

/** Commands, read models and queries of runs on a real log and database; a test plays the worker. */
export const startRunsKit = async (clock: Clock = systemClock) => {
  const started = await startTestLog();
  const database = openDatabase(started.databaseUrl);
  await migrate(database.db);
  await prepareProjections(database.db, projections);
  const positions = createPositions();
  const projector = startProjector({
    log: started.log,
    db: database.db,
    projections,
    positions,
    logger: pino({ level: "silent" }),
    holder: newId(),
  });
  const catalogue = catalogueQueries(database.db);
  const secrets = environmentSecrets({ db: database.db, masterKey: Buffer.alloc(32, 7) });
  const blobs = memoryBlobStore();

  /** The commands of one process; every process has its own memory of streams. */
  const startProcess = (log: EventLog = started.log) => {
    const loop = createCommandLoop({ log, clock });
    const usage = usageCommands({ loop, clock });
    return {
      loop,
      usage,
      billing: billingCommands({ loop, clock, payment: noPayments }),
      catalogue: catalogueCommands({
        ...{ loop, clock, findTests: catalogue.pinTests, secrets, blobs },
        findCallable: catalogue.findCallable,
        imports: importsState(database.db),
      }),
      runs: runCommands({
        ...{ loop, clock, usage, pinTests: catalogue.pinTests },
        findCallable: catalogue.findCallable,
        environments: catalogue,
      }),
    };
  };
  const commands = startProcess();

  /** Resolves once every read model has everything that the log has now. */
  const caughtUp = async (): Promise<void> => {
    const head = await started.log.head();
    const names = projections.map(({ name }) => name);
    if (head !== null && !(await positions.waitFor(names, head, 60_000))) {
      throw new Error("The read models did not catch up");
    }
  };

  const createTest = async (context: CommandContext, name: string, steps = 2): Promise<string> => {
    const { id } = await commands.catalogue.createTest(context, {
      name,
      projectId: null,
      folderId: null,
      language: "en",
      platform: "web",
      text: "",
      steps: Array.from({ length: steps }, (_, n) => ({
        action: "click",
        target: `button ${n + 1}`,
        value: "",
        description: `step ${n + 1}`,
        optional: false,
        disabled: false,
      })),
    });
    await caughtUp();
    return id;
  };

  /** What a worker records of an execution that it has claimed. */
  const worker = (
    runId: string,
    executionId: string,
    delivery: number,
    context: CommandContext,
  ) => {
    const held = { worker: `worker ${delivery}`, delivery };
    const on = { runId, attempt: 1, delivery, browser: "chromium" } as const;
    const { loop } = commands;
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

  return {
    log: started.log,
    database,
    commands,
    startProcess,
    caughtUp,
    createTest,
    worker,
    queries: {
      runs: runQueries(database.db),
      executions: executionQueries(database.db, { stepsOfVersion: catalogue.stepsOfVersion }),
      usage: usageQueries(database.db),
      billing: billingQueries(database.db),
    },
    stop: async () => {
      await projector.stop();
      await database.close();
      await started.stop();
    },
  };
};

/** An API key of an organisation as the caller. */
export const keyContext = (organizationId: string, name = "ci"): CommandContext => ({
  actor: { type: "api_key", id: newId(), name },
  organizationId,
  correlationId: newId(),
  causationId: newId(),
});
