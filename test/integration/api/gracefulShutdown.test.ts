import { once } from "node:events";
import { connect } from "node:net";
import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { z } from "zod";
import { defineOperation } from "../../../src/api/operation.ts";
import { openRaw, type RawAnswer } from "../../support/rawHttp.ts";
import { buildFakeApp, fakeOperations } from "../../unit/api/fakeApp.ts";

let app: FastifyInstance;
let url: string;
let finish: () => void;
let reached: Promise<void>;

beforeEach(async () => {
  let reach: () => void;
  reached = new Promise((resolve) => {
    reach = resolve;
  });
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const slow = defineOperation({
    id: "slow",
    method: "GET",
    path: "/slow",
    tag: "Tests",
    summary: "Answers when it is told to",
    auth: "none",
    permission: null,
    responses: { 200: z.object({ text: z.string() }) },
    handler: async () => {
      reach();
      await finished;
      return { status: 200, body: { text: "long ".repeat(400_000) } };
    },
  });
  app = await buildFakeApp({
    operations: [...fakeOperations, slow],
    sockets: [
      (api) => api.get("/ws/things", { websocket: true }, (socket) => socket.send("welcome")),
    ],
  });
  url = await app.listen({ host: "127.0.0.1", port: 0 });
});
afterEach(async () => {
  finish();
  await app.close();
});

const expectGoodbye = (answer: RawAnswer, status: number) => {
  expect(answer.status).toBe(status);
  expect(answer.headers.connection).toBe("close");
  expect(answer.headers["x-frame-options"]).toBe("DENY");
};

describe("a graceful shutdown", () => {
  it("completes a response in progress and then closes its connection", async () => {
    const connection = openRaw(url);
    connection.send("GET /api/v1/slow HTTP/1.1\r\nHost: x\r\n\r\n");
    await reached;
    const stopped = app.close();
    await refusedAt(url);
    finish();
    const answer = await connection.next();
    expectGoodbye(answer, 200);
    expect(JSON.parse(answer.body).text).toHaveLength(2_000_000);
    expect(await connection.closed).toBe("");
    await stopped;
  });

  it("completes an upload in progress", async () => {
    const body = JSON.stringify({ name: "uploaded" });
    const connection = openRaw(url);
    connection.send(
      `POST /api/v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer editor\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    // The request has passed the point at which a stop refuses requests.
    expect((await connection.next()).status).toBe(100);
    connection.send(body.slice(0, 5));
    const stopped = app.close();
    await refusedAt(url);
    connection.send(body.slice(5));
    expectGoodbye(await connection.next(), 201);
    expect(await connection.closed).toBe("");
    await stopped;
  });

  it("answers later requests on an open connection with 503 and Retry-After, and refuses connections", async () => {
    const late = openRaw(url);
    const slow = openRaw(url);
    slow.send("GET /api/v1/slow HTTP/1.1\r\nHost: x\r\n\r\n");
    late.send("GET /api/v1/things/x HTTP/1.1\r\nHost: x\r\n");
    await reached;
    const stopped = app.close();
    await refusedAt(url);
    late.send("Origin: https://app.example.org\r\n\r\n");
    const answer = await late.next();
    expectGoodbye(answer, 503);
    expect(answer.headers["retry-after"]).toBe("2");
    expect(answer.headers["access-control-allow-origin"]).toBe("https://app.example.org");
    expect(JSON.parse(answer.body).detail).toContain("shutting down");
    finish();
    expectGoodbye(await slow.next(), 200);
    await stopped;
  });

  it("closes a connection after its last response", async () => {
    const connection = openRaw(url);
    connection.send("GET /api/v1/slow HTTP/1.1\r\nHost: x\r\n\r\n");
    await reached;
    const stopped = app.close();
    finish();
    expect((await connection.next()).status).toBe(200);
    expect(await connection.closed).toBe("");
    await stopped;
  });

  it("closes WebSockets with 1001 and explains how to resume", async () => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/api/v1/ws/things`);
    await once(socket, "message");
    const closed = once(socket, "close");
    const stopped = app.close();
    const [code, reason] = await closed;
    expect([code, String(reason)]).toEqual([1001, expect.stringContaining("after")]);
    await stopped;
  });

  it("does not wait for an unresponsive WebSocket or an unfinished body", async () => {
    const deaf = openRaw(url);
    deaf.send(
      "GET /api/v1/ws/things HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    );
    expect((await deaf.next()).status).toBe(101);
    const hanging = openRaw(url);
    hanging.send(
      "POST /api/v1/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n{",
    );
    expect((await hanging.next()).status).toBe(100);
    await app.close();
    await Promise.all([deaf.closed, hanging.closed]);
  });
});

/** Waits until nothing listens there any more. */
const refusedAt = async (address: string): Promise<void> => {
  const { hostname, port } = new URL(address);
  for (;;) {
    const socket = connect({ host: hostname, port: Number(port) });
    const isRefused = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(false));
      socket.once("error", () => resolve(true));
    });
    socket.destroy();
    if (isRefused) return;
  }
};
