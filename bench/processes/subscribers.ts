import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import { serveParent } from "../harness/helperProcess.ts";
import type { SubscriberProcedures } from "../parts/subscribers.ts";

/** Subscribers of /ws/execution. They record the delay from event to frame in whole milliseconds, the resolution of event timestamps. */
const sockets: WebSocket[] = [];
/** The number of frames by delay in milliseconds. The last element also counts longer delays. */
const delays = new Float64Array(10_001);
let frames = 0;
let isCounting = false;
/** The pending call of `waitForFrames`. */
let waiting: { readonly frames: number; readonly reached: () => void } | null = null;

/** Concurrent connection attempts. */
const CONCURRENT_CONNECTS = 20;
/** A busy service rejects handshakes, so clients retry. */
const MAX_ATTEMPTS = 20;
const RETRY_MS = 250;

const TIMESTAMP_KEY = '"at":"';

/** Reads only the timestamp, because decoding the frame would slow this process down. */
const recordFrame = (data: Buffer): void => {
  const now = Date.now();
  if (!isCounting) return;
  const text = data.toString("latin1");
  const at = text.lastIndexOf(TIMESTAMP_KEY);
  if (at < 0) return;
  const stamp = Date.parse(text.slice(at + TIMESTAMP_KEY.length, at + TIMESTAMP_KEY.length + 24));
  const delayMs = Math.min(delays.length - 1, Math.max(0, now - stamp));
  delays[delayMs] = (delays[delayMs] ?? 0) + 1;
  frames += 1;
  if (waiting && frames >= waiting.frames) waiting.reached();
};

/** Connects and subscribes. Resolves on the acknowledgement. */
const connect = (url: string, cookie: string, runId: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { headers: { cookie }, perMessageDeflate: false });
    socket.on("error", reject);
    socket.on("open", () => sockets.push(socket));
    socket.on("open", () => socket.send(JSON.stringify({ type: "subscribe", run_id: runId })));
    const onAcknowledgement = (data: Buffer): void => {
      if (!data.includes('"subscribed"')) return;
      socket.off("message", onAcknowledgement);
      resolve();
    };
    socket.on("message", onAcknowledgement);
    socket.on("message", recordFrame);
  });

const connectWithRetries = async (url: string, cookie: string, runId: string): Promise<void> => {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await connect(url, cookie, runId);
    } catch (error) {
      if (attempts === MAX_ATTEMPTS) throw error;
      await delay(RETRY_MS);
    }
  }
};

serveParent<SubscriberProcedures>({
  connect: async ({ url, cookie, runIds, each }) => {
    const waiting = runIds.flatMap((runId) => Array.from({ length: each }, () => runId));
    const work = async (): Promise<void> => {
      for (let runId = waiting.pop(); runId; runId = waiting.pop())
        await connectWithRetries(url, cookie, runId);
    };
    await Promise.all(Array.from({ length: CONCURRENT_CONNECTS }, work));
    return { connected: sockets.length };
  },
  reset: async () => {
    delays.fill(0);
    frames = 0;
    isCounting = true;
    return {};
  },
  waitForFrames: async (wanted) => {
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
