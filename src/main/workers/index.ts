import { newId } from "../../platform/ids.ts";
import { startEventIndexer } from "../../workers/inspection/indexer.ts";
import { startPublisher } from "../../workers/runs/publisher.ts";
import { startApiWorkers } from "./api.ts";
import { startAuditWorkers } from "./audit.ts";
import { commonDeps, type WorkerContext } from "./context.ts";
import { startDispatcherWorkers } from "./dispatcher.ts";
import { startExecutorWorker } from "./executor.ts";
import { startNotifierWorkers } from "./notifier.ts";
import { startSchedulerWorker } from "./scheduler.ts";

/** Starts the workers of the roles that this process has. */
export const startWorkers = (deps: Omit<WorkerContext, "holder">): void => {
  const context: WorkerContext = { ...deps, holder: newId() };
  const { roles } = context.config;
  if (roles.includes("dispatcher")) startDispatcherWorkers(context);
  if (roles.includes("scheduler")) startSchedulerWorker(context);
  if (roles.includes("notifier")) startNotifierWorkers(context);
  if (roles.includes("api")) startApiWorkers(context);
  if (roles.includes("projections")) startProjectionWorkers(context);
  if (roles.includes("executor")) startExecutorWorker(context);
};

const startProjectionWorkers = (context: WorkerContext): void => {
  const { positions, stops } = context;
  const common = commonDeps(context);
  stops.add("publisher", startPublisher({ ...common, positions }).stop);
  stops.add("event indexer", startEventIndexer(common).stop);
  startAuditWorkers(context);
};
