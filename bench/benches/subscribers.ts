import { setTimeout as delay } from "node:timers/promises";
import { type Helper, startHelper } from "../harness/helperProcess.ts";
import type { BenchContext, RunBench } from "../harness/bench.ts";
import { runPairs } from "../harness/pairs.ts";
import { pairedRow, plainRow } from "../harness/rows.ts";
import { median } from "../harness/statistics.ts";
import { startHostedService } from "../parts/host.ts";
import type { SocketPeerRequests } from "../parts/socketPeer.ts";
import type { SubscriberRequests } from "../parts/subscribers.ts";

const BENCH = "subscribers";
const SUBSCRIBERS = 10_000;
const PROCESSES = 2;
const EVENTS = 20;
const STALLED_SHARE = 0.01;
const REST_MS = 250;

type Subscribers = readonly Helper<SubscriberRequests>[];

const connect = async (
  context: BenchContext,
  url: string,
  cookie: string,
  runId: string,
): Promise<Subscribers> => {
  const processes = Array.from({ length: PROCESSES }, () =>
    startHelper<SubscriberRequests>(context, "subscribers.ts"),
  );
  const each = SUBSCRIBERS / PROCESSES;
  await Promise.all(
    processes.map((one) => one.ask("connect", { url, cookie, runIds: [runId], each })),
  );
  return processes;
};

/** How long it takes, in milliseconds, until all who read have every event of a burst. */
const timed = async (
  subscribers: Subscribers,
  readers: number,
  burst: () => Promise<unknown>,
): Promise<number> => {
  await Promise.all(subscribers.map((one) => one.ask("count", {})));
  const frames = (EVENTS * readers) / PROCESSES;
  const all = Promise.all(subscribers.map((one) => one.ask("reach", { frames })));
  const started = performance.now();
  await Promise.all([burst(), all]);
  const took = performance.now() - started;
  await delay(REST_MS);
  return took;
};

/** Ten thousand who watch one run: from an event's command to the last of their frames, against a bare loop. */
export const run: RunBench = async (context) => {
  const service = await startHostedService(context, { roles: ["api", "projections"] });
  const { organizationId, cookie } = service.account;
  const { runIds } = await service.host.ask("play", { organizationId, runs: 1 });
  const peer = startHelper<SocketPeerRequests>(context, "socketPeer.ts");
  const { url } = await peer.ask("serve", {});
  context.say("connecting 20,000 subscribers …");
  const [runId = ""] = runIds;
  const socketUrl = `${service.url.replace("http", "ws")}/api/v1/ws/execution`;
  const mine = await connect(context, socketUrl, cookie, runId);
  const theirs = await connect(context, url, "none=1", runId);

  const told = { organizationId, perSecond: EVENTS * 1_000, seconds: 0.001 };
  const ours = (readers: number) => () =>
    timed(mine, readers, () => service.host.ask("steps", told));
  const bare = (readers: number) => () =>
    timed(theirs, readers, () => peer.ask("burst", { events: EVENTS }));
  const plan = { pairs: context.pairs(30), warmUps: 2, budgetMs: 60_000, random: context.random };
  const all = await runPairs({ ...plan, ours: ours(SUBSCRIBERS), peer: bare(SUBSCRIBERS) });

  const stalled = await Promise.all(mine.map((one) => one.ask("stall", { share: STALLED_SHARE })));
  const readers = SUBSCRIBERS - stalled.reduce((sum, one) => sum + one.stalled, 0);
  const beside: number[] = [];
  for (let n = 0; n < Math.max(3, context.pairs(10)); n += 1) beside.push(await ours(readers)());
  const before = median(all.ours);
  return [
    pairedRow(
      {
        bench: BENCH,
        what: `${EVENTS} events to 10,000 who watch one run`,
        unit: "ms",
        peerIs:
          "a bare loop that writes frames, made before, to 10,000 sockets that only shook hands",
        goal: { of: "ratio", atMost: 1.25 },
        note: "ours begins with the commands: append, projection and bus are in it; until the last frame is in the subscribers' processes",
      },
      all,
      context.random,
    ),
    plainRow(
      {
        bench: BENCH,
        what: "the same to the 99 % who read, while 1 % read nothing",
        unit: "ms",
        note: `${(median(beside) / before).toFixed(2)}× of what it took while all read`,
      },
      beside,
    ),
  ];
};
