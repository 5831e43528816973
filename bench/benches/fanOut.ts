import { setTimeout as delay } from "node:timers/promises";
import type { RunBench } from "../harness/bench.ts";
import { startHelper } from "../harness/helperProcess.ts";
import { plainRow } from "../harness/rows.ts";
import { startHostedService } from "../parts/host.ts";
import type { SubscriberProcedures } from "../parts/subscribers.ts";

const BENCH = "fan-out";
const RUNS = 100;
const SUBSCRIBERS = 100;
const PROCESSES = 2;
const WARM_UP_SECONDS = 2;
const SECONDS = 10;
/** One step event per run and second. */
const PER_SECOND = 100;
/** Frames count as lost after this time. */
const TIMEOUT_MS = 10_000;

/** Delay from a step event to the frames of its subscribers, with 10,000 sockets. */
export const run: RunBench = async (context) => {
  const service = await startHostedService(context, { roles: ["api", "projections"] });
  const { organizationId, cookie } = service.account;
  const { runIds } = await service.host.call("startRuns", { organizationId, runs: RUNS });
  const url = `${service.url.replace("http", "ws")}/api/v1/ws/execution`;
  const processes = Array.from({ length: PROCESSES }, () =>
    startHelper<SubscriberProcedures>(context, "subscribers.ts"),
  );
  context.log("connecting 10,000 subscribers …");
  await Promise.all(
    processes.map((each) =>
      each.call("connect", { url, cookie, runIds, each: SUBSCRIBERS / PROCESSES }),
    ),
  );
  const emit = (seconds: number) =>
    service.host.call("emitSteps", { organizationId, perSecond: PER_SECOND, seconds });
  await emit(WARM_UP_SECONDS);
  await delay(1_000);
  await Promise.all(processes.map((each) => each.call("reset", {})));
  const { emitted } = await emit(SECONDS);

  const expected = emitted * SUBSCRIBERS;
  const deadline = performance.now() + TIMEOUT_MS;
  let counts: number[] = [];
  let frames = 0;
  while (frames < expected && performance.now() < deadline) {
    await delay(200);
    const read = await Promise.all(processes.map((each) => each.call("read", {})));
    frames = read.reduce((sum, each) => sum + each.frames, 0);
    counts = (read[0]?.delays ?? []).map((_, ms) =>
      read.reduce((sum, each) => sum + (each.delays[ms] ?? 0), 0),
    );
  }
  if (frames !== expected) throw new Error(`Received ${frames} frames instead of ${expected}`);

  const [p50, p99] = [quantileOf(counts, 0.5), quantileOf(counts, 0.99)];
  const samples = Array.from({ length: 1_000 }, (_, n) => quantileOf(counts, (n + 0.5) / 1_000));
  const about = {
    bench: BENCH,
    unit: "ms",
    note: `${expected.toLocaleString("en-US")} frames of ${emitted.toLocaleString("en-US")} events, ${PER_SECOND} events a second; from before the append until the subscriber's process has the frame; the samples are the permilles of all frames`,
  };
  return [
    plainRow({ ...about, what: "step event to WebSocket frame, p50" }, samples, () => p50),
    plainRow(
      {
        ...about,
        what: "step event to WebSocket frame, p99",
        goal: { of: "value", atMost: 50 },
      },
      samples,
      () => p99,
    ),
  ];
};

/** The quantile of a histogram of delays. */
const quantileOf = (counts: readonly number[], share: number): number => {
  const wanted = share * counts.reduce((sum, count) => sum + count, 0);
  let seen = 0;
  for (const [ms, count] of counts.entries()) {
    seen += count;
    if (seen >= wanted) return ms;
  }
  return counts.length;
};
