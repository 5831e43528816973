import { setTimeout as delay } from "node:timers/promises";
import type { BenchContext, RunBench } from "../harness/bench.ts";
import { type Helper, startHelper } from "../harness/helperProcess.ts";
import { runPairs } from "../harness/pairs.ts";
import { pairedRow, plainRow } from "../harness/rows.ts";
import { median } from "../harness/statistics.ts";
import { startHostedService } from "../parts/host.ts";
import type { SocketPeerProcedures } from "../parts/socketPeer.ts";
import type { SubscriberProcedures } from "../parts/subscribers.ts";

const BENCH = "subscribers";
const SUBSCRIBERS = 10_000;
const PROCESSES = 2;
const EVENTS = 20;
const STALLED_SHARE = 0.01;
const REST_MS = 250;

type Subscribers = readonly Helper<SubscriberProcedures>[];

const connect = async (
  context: BenchContext,
  url: string,
  cookie: string,
  runId: string,
): Promise<Subscribers> => {
  const processes = Array.from({ length: PROCESSES }, () =>
    startHelper<SubscriberProcedures>(context, "subscribers.ts"),
  );
  const each = SUBSCRIBERS / PROCESSES;
  await Promise.all(
    processes.map((one) => one.call("connect", { url, cookie, runIds: [runId], each })),
  );
  return processes;
};

/** Milliseconds until every reading subscriber has every event of a burst. */
const timeBurst = async (
  subscribers: Subscribers,
  readers: number,
  sendBurst: () => Promise<unknown>,
): Promise<number> => {
  await Promise.all(subscribers.map((one) => one.call("reset", {})));
  const frames = (EVENTS * readers) / PROCESSES;
  const all = Promise.all(subscribers.map((one) => one.call("waitForFrames", { frames })));
  const started = performance.now();
  await Promise.all([sendBurst(), all]);
  const took = performance.now() - started;
  await delay(REST_MS);
  return took;
};

/** Time from the commands of 20 events to the last frame of 10,000 subscribers of one run, against a bare loop. */
export const run: RunBench = async (context) => {
  const service = await startHostedService(context, { roles: ["api", "projections"] });
  const { organizationId, cookie } = service.account;
  const { runIds } = await service.host.call("startRuns", { organizationId, runs: 1 });
  const peer = startHelper<SocketPeerProcedures>(context, "socketPeer.ts");
  const { url } = await peer.call("serve", {});
  context.log("connecting 20,000 subscribers …");
  const [runId = ""] = runIds;
  const socketUrl = `${service.url.replace("http", "ws")}/api/v1/ws/execution`;
  const ourSubscribers = await connect(context, socketUrl, cookie, runId);
  const peerSubscribers = await connect(context, url, "none=1", runId);

  const burst = { organizationId, perSecond: EVENTS * 1_000, seconds: 0.001 };
  const ours = (readers: number) => () =>
    timeBurst(ourSubscribers, readers, () => service.host.call("emitSteps", burst));
  const peerBurst = (readers: number) => () =>
    timeBurst(peerSubscribers, readers, () => peer.call("burst", { events: EVENTS }));
  const plan = { pairs: context.pairs(30), warmUps: 2, budgetMs: 60_000, random: context.random };
  const all = await runPairs({ ...plan, ours: ours(SUBSCRIBERS), peer: peerBurst(SUBSCRIBERS) });

  const stalled = await Promise.all(
    ourSubscribers.map((one) => one.call("stall", { share: STALLED_SHARE })),
  );
  const readers = SUBSCRIBERS - stalled.reduce((sum, one) => sum + one.stalled, 0);
  const whileStalled: number[] = [];
  for (let n = 0; n < Math.max(3, context.pairs(10)); n += 1)
    whileStalled.push(await ours(readers)());
  const before = median(all.ours);
  return [
    pairedRow(
      {
        bench: BENCH,
        what: `${EVENTS} events to 10,000 subscribers of one run`,
        unit: "ms",
        peerIs: "a bare loop that writes prebuilt frames to 10,000 sockets after the handshake",
        goal: { of: "ratio", atMost: 1.25 },
        note: "from the commands, with append, projection and bus, until the last frame is in the subscribers' processes",
      },
      all,
      context.random,
    ),
    plainRow(
      {
        bench: BENCH,
        what: "the same for the 99 % that read, while 1 % read nothing",
        unit: "ms",
        note: `${(median(whileStalled) / before).toFixed(2)}× the time while all read`,
      },
      whileStalled,
    ),
  ];
};
