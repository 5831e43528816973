import { WebSocket } from "ws";
import { z } from "zod";
import { outgoing } from "../../src/api/ws/messages.ts";
import { toAgent } from "../../src/domain/agents/protocol.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the service said.
export type Message = any;

export type WatcherSocket = {
  /** All received messages in order. */
  readonly messages: readonly Message[];
  /** Returns the received events of a run. */
  events(runId: string): Message[];
  say(message: unknown): void;
  /** Waits for a matching message. Fails after 60 s with all received messages. */
  until(fits: (message: Message) => boolean): Promise<Message>;
  /** The close code of the connection. */
  readonly closed: Promise<number>;
  /** Drops the connection without a close frame. */
  drop(): void;
};

/** The messages that asyncapi.json describes. Any other fails the test. */
const described = { execution: z.union(Object.values(outgoing)), agent: toAgent };

/** Connects to /ws/execution like a browser, or to another channel. Rejects with the status of a refused handshake. */
export const watch = (
  serviceUrl: string,
  headers: Readonly<Record<string, string>>,
  channel: "execution" | "agent" = "execution",
  protocols: readonly string[] = [],
): Promise<WatcherSocket> =>
  new Promise((resolve, reject) => {
    const url = `${serviceUrl.replace("http", "ws")}/api/v1/ws/${channel}`;
    const socket = new WebSocket(url, [...protocols], { headers });
    const messages: Message[] = [];
    const waiting = new Set<() => void>();
    const closed = new Promise<number>((done) => socket.on("close", done));
    socket.on("message", (data) => {
      messages.push(described[channel].parse(JSON.parse(String(data))));
      for (const look of waiting) look();
    });
    socket.on("error", reject);
    socket.on("unexpected-response", (_request, response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const body = Buffer.concat(chunks).toString();
        reject(Object.assign(new Error(`refused: ${body}`), { status: response.statusCode, body }));
      });
    });
    socket.on("open", () =>
      resolve({
        messages,
        events: (runId) =>
          messages.filter((message) => message.type === "event" && message.run_id === runId),
        say: (message) =>
          socket.send(typeof message === "string" ? message : JSON.stringify(message)),
        until: (fits) =>
          new Promise((found, failed) => {
            const timer = setTimeout(() => {
              waiting.delete(look);
              failed(new Error(`Not said in time: ${JSON.stringify(messages.slice(-5))}`));
            }, 60_000);
            const look = () => {
              const message = messages.find(fits);
              if (!message) return;
              clearTimeout(timer);
              waiting.delete(look);
              found(message);
            };
            waiting.add(look);
            look();
          }),
        closed,
        drop: () => socket.terminate(),
      }),
    );
  });
