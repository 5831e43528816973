import { once } from "node:events";
import { connect } from "node:net";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildFakeApp, organizationId } from "../../unit/api/fakeApp.ts";

let app: FastifyInstance;
let port: number;

beforeAll(async () => {
  app = await buildFakeApp();
  port = Number(new URL(await app.listen({ host: "127.0.0.1", port: 0 })).port);
});
afterAll(() => app.close());

/** Sends bytes and reads until the service closes the connection. */
const exchange = async (
  request: string,
): Promise<{ status: number; head: string; body: string }> => {
  const socket = connect(port, "127.0.0.1");
  socket.setEncoding("utf8");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.write(request);
  await once(socket, "close");
  const [head = "", body = ""] = text.split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), head: head.toLowerCase(), body };
};

const host = "Host: x\r\nConnection: close\r\n";

describe("malformed HTTP requests", () => {
  it.each([
    ["not HTTP", "hello\r\n\r\n", 400],
    ["a bad method", `F@O / HTTP/1.1\r\n${host}\r\n`, 400],
    ["a bad header", `GET /api/v1/things HTTP/1.1\r\n${host}no colon\r\n\r\n`, 400],
    [
      "headers over 16 KiB",
      `GET /api/v1/things HTTP/1.1\r\n${host}X: ${"a".repeat(20_000)}\r\n\r\n`,
      431,
    ],
    ["no Host", "GET /api/v1/things HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
    ["a bad % in the path", `GET /api/v1/things/%zz HTTP/1.1\r\n${host}\r\n`, 400],
    [
      "a path that is too long",
      `GET /api/v1/things/${"a".repeat(9_000)} HTTP/1.1\r\n${host}\r\n`,
      414,
    ],
    [
      "two lengths",
      `POST /api/v1/things HTTP/1.1\r\n${host}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc`,
      400,
    ],
    [
      "an expectation that nobody meets",
      `GET /api/v1/things HTTP/1.1\r\n${host}Expect: cake\r\n\r\n`,
      417,
    ],
  ])("%s is answered with {detail} and the standard headers", async (_, request, status) => {
    const answer = await exchange(request);
    expect(answer.status).toBe(status);
    expect(Object.keys(JSON.parse(answer.body))).toEqual(["detail"]);
    for (const header of [
      "x-content-type-options: nosniff",
      "x-frame-options: deny",
      "x-xss-protection: 1; mode=block",
      "referrer-policy: strict-origin-when-cross-origin",
      "cache-control: no-store, no-cache, must-revalidate",
      "x-request-id: ",
    ]) {
      expect(answer.head).toContain(header);
    }
  });
});

describe("a client that offers an upgrade to HTTP/2", () => {
  const offer =
    "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n";

  it("receives an HTTP/1.1 response to a request with a body", async () => {
    const body = JSON.stringify({ email: "a@b.c" });
    const answer = await exchange(
      `POST /api/v1/login HTTP/1.1\r\nHost: x\r\n${offer}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(answer.status).toBe(200);
  });

  it("receives a response to a request without a body", async () => {
    const url = `/api/v1/things/${organizationId}`;
    const answer = await exchange(
      `GET ${url} HTTP/1.1\r\nHost: x\r\n${offer}Authorization: Bearer key\r\n\r\n`,
    );
    expect(answer.status).toBe(200);
  });
});
