import type { RunEvent } from "./runs.ts";

export type Connection = "connecting" | "live" | "interrupted";

type Watch = {
  readonly runId: string;
  /** The last event that the watcher has seen. */
  readonly after: number;
  readonly onEvent: (event: RunEvent) => void;
  readonly onConnection: (connection: Connection) => void;
  /** Called when the service refuses the subscription. */
  readonly onRefused: (detail: string) => void;
};

type Message =
  | { readonly type: "subscribed" }
  | ({ readonly type: "event" } & RunEvent)
  | { readonly type: "error"; readonly detail: string };

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 10_000;

/**
 * Watches the events of a run over the WebSocket, each once and in order. After a cut it connects again and continues
 * after the last event. Returns the function that ends it.
 */
export const watchRun = ({ runId, after, onEvent, onConnection, onRefused }: Watch) => {
  let last = after;
  let delay = FIRST_DELAY_MS;
  let isEnded = false;
  let socket: WebSocket | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const receive = (message: Message): void => {
    if (message.type === "subscribed") {
      delay = FIRST_DELAY_MS;
      onConnection("live");
    } else if (message.type === "error") {
      onRefused(message.detail);
    } else if (message.type === "event" && message.sequence > last) {
      last = message.sequence;
      onEvent(message);
    }
  };
  const connect = (): void => {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}/api/v1/ws/execution`);
    socket.onopen = () =>
      socket?.send(JSON.stringify({ type: "subscribe", run_id: runId, after: last }));
    socket.onmessage = ({ data }) => receive(JSON.parse(String(data)) as Message);
    socket.onclose = () => {
      if (isEnded) return;
      onConnection("interrupted");
      timer = setTimeout(connect, delay);
      delay = Math.min(delay * 2, MAX_DELAY_MS);
    };
  };

  onConnection("connecting");
  connect();
  return (): void => {
    isEnded = true;
    clearTimeout(timer);
    socket?.close();
  };
};
