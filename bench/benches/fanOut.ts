import { setTimeout as delay } from "node:timers/promises";
import { startHelper } from "../harness/helperProcess.ts";
import type { RunBench } from "../harness/bench.ts";
import { plainRow } from "../harness/rows.ts";
import { startHostedService } from "../parts/host.ts";
import type { SubscriberRequests } from "../parts/subscribers.ts";

const BENCH = "fan-out";
const RUNS = 100;
const SUBSCRIBERS = 100;
const PROCESSES = 2;
const WARM_UP_SECONDS = 2;
const SECONDS = 10;
/** Each run has a step event a second, evenly spread over the runs. */
const PER_SECOND = 100;
/** How long a frame may take before it is counted as lost. */
const PATIENCE_MS = 10_000;

/** From a step event to the frames of all who watch its run, 10,000 sockets in all. */
export const run: RunBench = async (context) => {
  const service = await startHostedService(context, { roles: ["api", "projections"] });
  const { organizationId, cookie } = service.account;
  const { runIds } = await service.host.ask("play", { organizationId, runs: RUNS });
  const url = `${service.url.replace("http", "ws")}/api/v1/ws/execution`;
  const processes = Array.from({ length: PROCESSES }, () =>
    startHelper<SubscriberRequests>(context, "subscribers.ts"),
  );
  context.say("connecting 10,000 subscribers …");
  await Promise.all(
    processes.map((each) =>
      each.ask("connect", { url, cookie, runIds, each: SUBSCRIBERS / PROCESSES }),
    ),
  );
  const tell = (seconds: number) =>
    service.host.ask("steps", { organizationId, perSecond: PER_SECOND, seconds });
  await tell(WARM_UP_SECONDS);
  await delay(1_000);
  await Promise.all(processes.map((each) => each.ask("count", {})));
  const { told } = await tell(SECONDS);

  const expected = told * SUBSCRIBERS;
  const deadline = performance.now() + PATIENCE_MS;
  let counts: number[] = [];
  let frames = 0;
  while (frames < expected && performance.now() < deadline) {
    await delay(200);
    const read = await Promise.all(processes.map((each) => each.ask("read", {})));
    frames = read.reduce((sum, each) => sum + each.frames, 0);
    counts = (read[0]?.delays ?? []).map((_, ms) =>
      read.reduce((sum, each) => sum + (each.delays[ms] ?? 0), 0),
    );
  }
  if (frames !== expected)
    throw new Error(`${frames} frames came instead of ${expected}: something was lost or doubled`);

  const [p50, p99] = [shareOf(counts, 0.5), shareOf(counts, 0.99)];
  const samples = Array.from({ length: 1_000 }, (_, n) => shareOf(counts, (n + 0.5) / 1_000));
  const about = {
    bench: BENCH,
    unit: "ms",
    note: `${expected.toLocaleString("en-US")} frames of ${told.toLocaleString("en-US")} events, ${PER_SECOND} events a second; the clock runs from before the append until the subscriber's process has the frame; samples are the thousandths of all frames`,
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

/** The delay within which a share of all frames came. */
const shareOf = (counts: readonly number[], share: number): number => {
  const wanted = share * counts.reduce((sum, count) => sum + count, 0);
  let seen = 0;
  for (const [ms, count] of counts.entries()) {
    seen += count;
    if (seen >= wanted) return ms;
  }
  return counts.length;
};
