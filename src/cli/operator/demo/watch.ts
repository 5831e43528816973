import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import { CommandError, exitCodes } from "../../exitCodes.ts";

/** An event of a run, as `/ws/execution` sends it. */
export type RunEvent = {
  readonly type: "event";
  readonly run_id: string;
  readonly execution_id: string | null;
  readonly sequence: number;
  readonly name: string;
  readonly step_number: number | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly at: string;
};

type Message =
  | RunEvent
  | { readonly type: "subscribed" | "pong" }
  | { readonly type: "error"; readonly detail: string };

/** Gives up after this time without a message. */
const SILENCE_MS = 120_000;
const MAX_RECONNECTS = 20;
const LAST_EVENTS = new Set(["run_finished", "run_cancelled"]);

export type WatchOptions = {
  readonly baseUrl: string;
  /** The session cookie, as a browser sends it with the handshake. */
  readonly cookie: string;
  readonly runId: string;
  readonly signal: AbortSignal;
  readonly onEvent: (event: RunEvent) => void;
};

/**
 * Watches a run over the WebSocket until it has ended. Reconnects after the last event seen, so that each event arrives
 * once. Throws CommandError (unavailable) if the run cannot be watched to its end.
 */
export const watchRun = async (options: WatchOptions): Promise<void> => {
  let last = 0;
  const onEvent = (event: RunEvent) => {
    last = event.sequence;
    options.onEvent(event);
  };
  for (let attempt = 0; attempt <= MAX_RECONNECTS; attempt += 1) {
    const isOver = await watchOnce({ ...options, onEvent }, last);
    if (isOver || options.signal.aborted) return;
    await delay(200, undefined, { signal: options.signal }).catch(() => {});
  }
  throw new CommandError(
    "The connection to the run's live events was lost too often.",
    exitCodes.unavailable,
  );
};

/** Watches over one connection. Resolves to true if the run has ended, false if the connection was lost. */
const watchOnce = (options: WatchOptions, after: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const { baseUrl, cookie, runId, signal, onEvent } = options;
    const address = `${baseUrl.replace(/^http/, "ws")}/api/v1/ws/execution`;
    const socket = new WebSocket(address, { headers: { cookie } });
    const fail = (message: string) => {
      socket.terminate();
      reject(new CommandError(message, exitCodes.unavailable));
    };
    const silence = setTimeout(
      () => fail(`The run ${runId} sent no event for ${SILENCE_MS / 1000} s.`),
      SILENCE_MS,
    );
    const stop = () => socket.close();
    signal.addEventListener("abort", stop, { once: true });
    let isOver = false;

    socket.on("open", () => {
      socket.send(JSON.stringify({ type: "subscribe", run_id: runId, after }));
    });
    socket.on("message", (data) => {
      silence.refresh();
      const message = JSON.parse(data.toString()) as Message;
      if (message.type === "error") return fail(`The run cannot be watched: ${message.detail}`);
      if (message.type !== "event") return;
      onEvent(message);
      if (!LAST_EVENTS.has(message.name)) return;
      isOver = true;
      socket.close();
    });
    socket.on("unexpected-response", (_, response) => {
      fail(`The WebSocket handshake failed with status ${response.statusCode}.`);
    });
    // A close event follows.
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(silence);
      signal.removeEventListener("abort", stop);
      resolve(isOver);
    });
  });
