import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import { answerParent } from "../harness/helperProcess.ts";
import type { SubscriberRequests } from "../parts/subscribers.ts";

/**
 * Many subscribers of /ws/execution in a process of its own: each notes how long after its event a
 * frame came, in whole milliseconds, for events are stamped in those.
 */
const sockets: WebSocket[] = [];
/** How many frames came after so many milliseconds; the last place holds all that took longer. */
const delays = new Float64Array(10_001);
let frames = 0;
let isCounting = false;
/** Who waits until so many frames have come. */
let waiting: { readonly frames: number; readonly reached: () => void } | null = null;

/** Connections that are being made at a time. */
const AT_ONCE = 20;
/** A service that is busy with handshakes says so: a client comes again. */
const MOST_TRIES = 20;
const AGAIN_MS = 250;

const STAMP = '"at":"';

/** Reads the stamp alone: decoding the whole frame would measure this process. */
const note = (data: Buffer): void => {
  const now = Date.now();
  if (!isCounting) return;
  const text = data.toString("latin1");
  const at = text.lastIndexOf(STAMP);
  if (at < 0) return;
  const stamp = Date.parse(text.slice(at + STAMP.length, at + STAMP.length + 24));
  const late = Math.min(delays.length - 1, Math.max(0, now - stamp));
  delays[late] = (delays[late] ?? 0) + 1;
  frames += 1;
  if (waiting && frames >= waiting.frames) waiting.reached();
};

/** Connects, subscribes, and resolves once the service has said so. */
const connect = (url: string, cookie: string, runId: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { headers: { cookie }, perMessageDeflate: false });
    socket.on("error", reject);
    socket.on("open", () => sockets.push(socket));
    socket.on("open", () => socket.send(JSON.stringify({ type: "subscribe", run_id: runId })));
    const waitForWord = (data: Buffer): void => {
      if (!data.includes('"subscribed"')) return;
      socket.off("message", waitForWord);
      resolve();
    };
    socket.on("message", waitForWord);
    socket.on("message", note);
  });

const connectAtLast = async (url: string, cookie: string, runId: string): Promise<void> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await connect(url, cookie, runId);
    } catch (error) {
      if (tries === MOST_TRIES) throw error;
      await delay(AGAIN_MS);
    }
  }
};

answerParent<SubscriberRequests>({
  connect: async ({ url, cookie, runIds, each }) => {
    const waiting = runIds.flatMap((runId) => Array.from({ length: each }, () => runId));
    const work = async (): Promise<void> => {
      for (let runId = waiting.pop(); runId; runId = waiting.pop())
        await connectAtLast(url, cookie, runId);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return { connected: sockets.length };
  },
  count: async () => {
    delays.fill(0);
    frames = 0;
    isCounting = true;
    return {};
  },
  reach: async (wanted) => {
    if (frames >= wanted.frames) return {};
    await new Promise<void>((reached) => {
      waiting = { frames: wanted.frames, reached };
    });
    waiting = null;
    return {};
  },
  stall: async ({ share }) => {
    const stalled = sockets.slice(0, Math.round(sockets.length * share));
    for (const socket of stalled) socket.pause();
    return { stalled: stalled.length };
  },
  read: async () => ({ frames, delays: [...delays] }),
});

process.on("disconnect", () => process.exit(0));
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => undefined);
