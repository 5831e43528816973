import { startNotifier } from "../../workers/notifications/notifier.ts";
import { startRecorder } from "../../workers/notifications/recorder.ts";
import { commonDeps, type WorkerContext } from "./context.ts";

/** Starts the workers of the role `notifier`. */
export const startNotifierWorkers = (context: WorkerContext): void => {
  const { core, positions, stops } = context;
  const { loop, clock, queries } = core;
  const common = commonDeps(context);
  const notifier = startNotifier({
    ...common,
    loop,
    clock,
    positions,
    runs: queries.runs,
    executions: queries.executions,
    notifications: queries.notifications,
    addresses: core.notificationAddresses,
    recipients: core.scheduleRecipients,
    commands: core.commands.notifications,
    outbox: core.outbox,
    webBase: core.webBase,
    apiBase: core.apiBase,
  });
  stops.add("notifier", notifier.stop);
  stops.add("notification recorder", startRecorder({ ...common, loop }).stop);
};
