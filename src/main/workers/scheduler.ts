import { startScheduler } from "../../workers/schedules/scheduler.ts";
import { commonDeps, type WorkerContext } from "./context.ts";

/** Starts the worker of the role `scheduler`. */
export const startSchedulerWorker = (context: WorkerContext): void => {
  const { core, stops } = context;
  const { runs } = core.commands;
  const scheduler = startScheduler({
    ...commonDeps(context),
    loop: core.loop,
    clock: core.clock,
    slots: core.scheduleSlots,
    queries: core.queries.schedules,
    runs,
    cancelRun: runs.cancelRun,
  });
  stops.add("scheduler", scheduler.stop);
};
