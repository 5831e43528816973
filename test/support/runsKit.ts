import pino from "pino";
import { billingCommands } from "../../src/commands/billing/index.ts";
import { noPayments } from "../../src/commands/billing/paymentProviders.ts";
import { catalogueCommands } from "../../src/commands/catalogue/index.ts";
import { type CommandContext, createCommandLoop } from "../../src/commands/kernel/commandLoop.ts";
import { runCommands } from "../../src/commands/runs/runs.ts";
import { usageCommands } from "../../src/commands/usage/index.ts";
import type { BlobStore } from "../../src/platform/blobs/port.ts";
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import { type Database, openDatabase } from "../../src/platform/database/database.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import type { EventLog } from "../../src/platform/eventLog/port.ts";
import { newId } from "../../src/platform/ids.ts";
import { billingProjection } from "../../src/projections/billing/projection.ts";
import { billingQueries } from "../../src/projections/billing/queries.ts";
import { catalogueProjection } from "../../src/projections/catalogue/catalogue.ts";
import { environmentsProjection } from "../../src/projections/catalogue/environments.ts";
import {
  type CatalogueQueries,
  catalogueQueries,
} from "../../src/projections/catalogue/queries.ts";
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
import { playWorker } from "./playedWorker.ts";

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

/** Commands, read models and queries of runs on a real log and database. The test records the events of the worker. */
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
  const shared = { db: database.db, catalogue, blobs: memoryBlobStore() };
  const startProcess = (log: EventLog = started.log) => commandsOf(shared, log, clock);
  const commands = startProcess();

  /** Resolves when every read model has reached the current head of the log. */
  const caughtUp = async (): Promise<void> => {
    const head = await started.log.head();
    const names = projections.map(({ name }) => name);
    if (head !== null && !(await positions.waitFor(names, head, 60_000))) {
      throw new Error("The read models did not catch up");
    }
  };

  return {
    log: started.log,
    database,
    commands,
    startProcess,
    caughtUp,
    createTest: async (context: CommandContext, name: string, steps?: number): Promise<string> => {
      const { id } = await commands.catalogue.createTest(context, testOf(name, steps));
      await caughtUp();
      return id;
    },
    worker: (runId: string, executionId: string, delivery: number, context: CommandContext) =>
      playWorker(commands.loop, { runId, executionId, delivery, context }),
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

/** The commands of one process, with a state cache of its own. */
const commandsOf = (
  {
    db,
    catalogue,
    blobs,
  }: {
    readonly db: Database["db"];
    readonly catalogue: CatalogueQueries;
    readonly blobs: BlobStore;
  },
  log: EventLog,
  clock: Clock,
) => {
  const loop = createCommandLoop({ log, clock });
  const usage = usageCommands({ loop, clock });
  const secrets = environmentSecrets({ db, masterKey: Buffer.alloc(32, 7) });
  return {
    loop,
    usage,
    billing: billingCommands({ loop, clock, payment: noPayments }),
    catalogue: catalogueCommands({
      ...{ loop, clock, findTests: catalogue.pinTests, secrets, blobs },
      findCallable: catalogue.findCallable,
      imports: importsState(db),
    }),
    runs: runCommands({
      ...{ loop, clock, usage, pinTests: catalogue.pinTests },
      findCallable: catalogue.findCallable,
      findSources: catalogue.findSources,
      checkProject: async () => {},
      environments: catalogue,
    }),
  };
};

const testOf = (name: string, steps = 2) => ({
  name,
  projectId: null,
  folderId: null,
  language: "en" as const,
  platform: "web" as const,
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

/** The context of a command by an API key. */
export const keyContext = (organizationId: string, name = "ci"): CommandContext => ({
  actor: { type: "api_key", id: newId(), name },
  organizationId,
  correlationId: newId(),
  causationId: newId(),
});
