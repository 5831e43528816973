import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { runAgent } from "../../../../src/cli/agents/agent.ts";
import type { Terminal } from "../../../../src/cli/terminal.ts";
import type { Browsers } from "../../../../src/workers/executor/index.ts";

const ID = "0190c4f0-0000-7000-8000-0000000000a1";

// biome-ignore lint/suspicious/noExplicitAny: tests read messages of any type.
type Said = any;

/** A service that acknowledges every message and sends messages of the test. */
const serveAgents = async () => {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const heard: Said[] = [];
  let line: WebSocket | null = null;
  const say = (message: object) => line?.send(JSON.stringify(message));
  server.on("connection", (socket) => {
    line = socket;
    socket.on("message", (data) => {
      const message = JSON.parse(data.toString());
      heard.push(message);
      if (message.type === "hello") {
        say({ type: "welcome", agent_id: message.agent_id, heartbeat_seconds: 0.02 });
      }
      say({ type: "ack", seq: message.seq });
    });
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    say,
    close: () => server.close(),
  };
};

it("runs a new delivery of an execution while the earlier one is still stopping", async () => {
  const service = await serveAgents();
  const opening: { readonly fail: () => void }[] = [];
  const browsers = {
    of: () => ({
      open: () =>
        new Promise((_, reject) => {
          opening.push({ fail: () => reject(new Error("There is no browser")) });
        }),
    }),
    close: async () => undefined,
  } as unknown as Browsers;
  const told: Said[] = [];
  const terminal = {
    record: (record: object) => told.push(record),
    say: () => undefined,
  } as unknown as Terminal;
  const over = new AbortController();
  const ended = runAgent(
    {
      connection: { server: service.url, apiKey: "ak_live_x" },
      ...{ browsers: ["chromium"], capacity: 2, version: "1", signal: over.signal },
    },
    browsers,
    terminal,
  );
  await expect.poll(() => told.some(({ type }) => type === "connected")).toBe(true);
  const give = async (delivery: number) => {
    service.say({
      ...{ type: "dispatch", execution_id: ID, delivery, run_id: ID, lease_seconds: 10 },
      ...{ steps: [], browsers: ["chromium"], base_url: null, variables: {} },
    });
    const isTaken = ({ type, ...of }: Said) => type === "accept" && of.delivery === delivery;
    await expect.poll(() => service.heard.some(isTaken)).toBe(true);
  };
  await give(1);
  service.say({ type: "cancel", execution_id: ID });
  await give(2);
  await expect.poll(() => opening.length).toBe(2);
  opening[0]?.fail();
  await expect.poll(() => told.filter(({ type }) => type === "ended")).toHaveLength(1);
  const before = service.heard.length;
  const beatsSince = () => service.heard.slice(before).filter(({ type }) => type === "heartbeat");
  await expect.poll(() => beatsSince().length).toBeGreaterThan(2);
  expect(beatsSince().at(-1).execution_ids).toEqual([ID]);
  // On a stop the agent returns its execution.
  over.abort();
  opening[1]?.fail();
  expect(await ended).toBe(0);
  expect(service.heard).toContainEqual(expect.objectContaining({ type: "reject", delivery: 2 }));
  service.close();
});
