import { allowing, createBrowsers } from "../../workers/executor/index.ts";
import { runInBrowsers } from "../../workers/runs/executorAdapter.ts";
import { startQueueWorker } from "../../workers/runs/queueWorker.ts";
import { testDependencies } from "../testDependencies.ts";
import { commonDeps, type WorkerContext } from "./context.ts";

/** Starts the worker of the role `executor`, which runs queued tests in the browsers of this machine. */
export const startExecutorWorker = (context: WorkerContext): void => {
  const { config, platform, core, logger, stops, telemetry } = context;
  const network = allowing(config.executionNetwork, config.executionAllow);
  const browsers = createBrowsers({
    paths: config.browserPaths,
    network,
    onLog: (message) => logger.info({ part: "browser" }, message),
  });
  stops.add("browsers", browsers.close);
  const worker = startQueueWorker({
    ...commonDeps(context),
    blobs: platform.blobs,
    clock: core.clock,
    capacity: config.executorConcurrency,
    runTest: telemetry.observeTests(runInBrowsers(browsers, network)),
    ...testDependencies(core, platform, logger),
  });
  stops.add("executor", worker.stop);
};
