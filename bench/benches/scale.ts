import type { RunBench } from "../harness/bench.ts";
import { growEvents } from "../scale/events.ts";
import { growRuns } from "../scale/runs.ts";
import { growSubscribers } from "../scale/subscribers.ts";
import { growTests } from "../scale/tests.ts";

/** Latency and disk space at several sizes (docs/scale.md). */
export const run: RunBench = async (context) => [
  ...(await growEvents(context)),
  ...(await growTests(context)),
  ...(await growRuns(context)),
  ...(await growSubscribers(context)),
];
