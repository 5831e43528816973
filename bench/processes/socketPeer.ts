import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setImmediate as nextTick } from "node:timers/promises";
import { frameText } from "../../src/api/ws/frames.ts";
import { serveParent } from "../harness/helperProcess.ts";
import type { SocketPeerProcedures } from "../parts/socketPeer.ts";

/** The peer of `subscribers`: a loop that writes prebuilt frames to sockets after the WebSocket handshake. */
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const sockets = new Set<Socket>();

const serve = async (): Promise<string> => {
  const server = createServer();
  const subscribed = frameText(JSON.stringify({ type: "subscribed", run_id: "", sequence: 0 }));
  server.on("upgrade", (request, stream) => {
    const socket = stream as Socket;
    const key = `${request.headers["sec-websocket-key"]}${GUID}`;
    const accept = createHash("sha1").update(key).digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.once("data", () => socket.write(subscribed));
    socket.on("data", () => undefined);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen({ port: 0, backlog: 4_096 }, resolve));
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const frameOf = (sequence: number): Buffer =>
  frameText(
    JSON.stringify({
      type: "event",
      run_id: "0199c2a1-0c4f-7a11-8b21-6f7e8d9c0b1a",
      name: "step_started",
      execution_id: "0199c2a1-0c4f-7d02-9e33-0a1b2c3d4e5f",
      browser: "chromium",
      attempt: 1,
      delivery: 1,
      step_number: sequence,
      data: {},
      sequence,
      at: new Date().toISOString(),
    }),
  );

serveParent<SocketPeerProcedures>({
  serve: async () => ({ url: await serve() }),
  burst: async ({ events }) => {
    for (let n = 1; n <= events; n += 1) {
      const frame = frameOf(n);
      for (const socket of sockets) socket.write(frame);
      await nextTick();
    }
    return {};
  },
});

process.on("disconnect", () => process.exit(0));
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => undefined);
