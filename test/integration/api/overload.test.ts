import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { healthOperations } from "../../../src/api/routes/kernel/health.ts";
import { openRaw, type RawAnswer } from "../../support/rawHttp.ts";
import { buildFakeApp, fakeOperations } from "../../unit/api/fakeApp.ts";

let app: FastifyInstance;
let url: string;
beforeEach(async () => {
  app = await buildFakeApp({ operations: [...fakeOperations, ...healthOperations] });
  url = await app.listen({ host: "127.0.0.1", port: 0 });
});
afterEach(() => app.close());

const expectRefused = (answer: RawAnswer, status: number) => {
  expect([answer.status, JSON.parse(answer.body)]).toEqual([
    status,
    { detail: expect.stringMatching(/\S/) },
  ]);
  expect(answer.headers).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "x-xss-protection": "1; mode=block",
    "referrer-policy": "strict-origin-when-cross-origin",
    "cache-control": "no-store, no-cache, must-revalidate",
    "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
};

describe("a slow client", () => {
  // The limits of the service are 15 s and 60 s, too long for a test.
  beforeEach(() => {
    app.server.headersTimeout = 100;
    app.server.requestTimeout = 300;
  });
  const post = "POST /api/v1/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";

  it.each([
    ["with its first line", "GET /api/v1/th"],
    ["with its headers", "GET /api/v1/things HTTP/1.1\r\nHost: x\r\nX-Slow: "],
    ["with its body", `${post}Content-Length: 100\r\n\r\n{"email"`],
    ["with its chunks", `${post}Transfer-Encoding: chunked\r\n\r\n20\r\n{"email"`],
    ["with its second request", `GET /openapi HTTP/1.1\r\nHost: x\r\n\r\n${post}Content-Le`],
  ])("%s receives 408, and the connection is closed", async (what, bytes) => {
    const connection = openRaw(url);
    connection.send(bytes);
    if (what.includes("second")) expect((await connection.next()).status).toBe(404);
    const answer = await connection.next();
    expectRefused(answer, 408);
    expect(answer.headers.connection).toBe("close");
    expect(await connection.closed).toBe("");
  });

  it("that sends nothing is disconnected", async () => {
    const connection = openRaw(url);
    expectRefused(await connection.next(), 408);
    expect(await connection.closed).toBe("");
  });
});

it("is limited by time-outs for headers and requests", () => {
  expect(app.server.headersTimeout).toBe(15_000);
  expect(app.server.requestTimeout).toBe(60_000);
});

describe("an overloaded service", () => {
  let isFull: boolean;
  let inside: number;
  let away: number;
  beforeEach(async () => {
    isFull = false;
    inside = 0;
    away = 0;
    await app.close();
    app = await buildFakeApp({
      operations: [...fakeOperations, ...healthOperations],
      concurrencyLimit: {
        isFull: () => isFull,
        enter: () => {
          inside += 1;
        },
        leave: () => {
          inside -= 1;
        },
      },
      observer: {
        turnedAway: () => {
          away += 1;
        },
      },
    });
    url = await app.listen({ host: "127.0.0.1", port: 0 });
  });
  const head = (line: string) =>
    `${line} HTTP/1.1\r\nHost: x\r\nOrigin: https://app.example.org\r\nAuthorization: Bearer key\r\n`;
  const post = `${head("POST /api/v1/things")}Content-Type: application/json\r\n`;

  it("answers 503 with Retry-After, keeps the connection and still answers health checks", async () => {
    isFull = true;
    const connection = openRaw(url);
    for (const [bytes, isHead] of [
      [`${head("GET /api/v1/things/x")}\r\n`, false],
      [`${post}Content-Length: 13\r\n\r\n{"name":"one"}`.slice(0, -1), false],
      [`${head("GET /nowhere")}X-Request-Id: mine\r\n\r\n`, false],
      [`${head("HEAD /api/v1/things/x")}\r\n`, true],
    ] as const) {
      connection.send(bytes);
      const answer = await connection.next(isHead);
      expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "1"]);
      expect(answer.headers["access-control-allow-origin"]).toBe("https://app.example.org");
      expect(answer.headers.connection).not.toBe("close");
      if (isHead || bytes.includes("mine")) continue;
      expectRefused(answer, 503);
    }
    connection.send(`${head("GET /api/v1/health/live")}\r\n`);
    expect((await connection.next()).status).toBe(200);
    isFull = false;
    connection.send(`${head("GET /api/v1/things/x")}\r\n`);
    expect((await connection.next()).status).not.toBe(503);
    connection.socket.destroy();
    expect(away).toBe(4);
    await expect.poll(() => inside).toBe(0);
  });

  it("answers pipelined requests in order with 503, also after other clients have left", async () => {
    isFull = true;
    const lines = Array.from({ length: 20 }, () => openRaw(url));
    const asks = (n: number, turn: number) =>
      `${head("GET /api/v1/things/x")}X-Request-Id: ${n}-${turn}\r\n\r\n`;
    for (const [n, line] of lines.entries()) {
      line.send([0, 1, 2].map((turn) => asks(n, turn)).join(""));
      if (n % 5 === 4) line.socket.destroy();
    }
    for (const [n, line] of lines.entries()) {
      if (n % 5 === 4) continue;
      for (const turn of [0, 1, 2]) {
        const { status, headers } = await line.next();
        expect([status, headers["x-request-id"]]).toEqual([503, `${n}-${turn}`]);
      }
    }
    isFull = false;
    for (const line of lines.slice(0, 4)) {
      line.send(asks(0, 3));
      expect((await line.next()).status).not.toBe(503);
      line.socket.destroy();
    }
    for (const { socket } of lines) socket.destroy();
    await expect.poll(() => inside).toBe(0);
  });

  it("closes a connection that sends more than is read", async () => {
    isFull = true;
    for (const more of ["Content-Length: 500000\r\n", "Transfer-Encoding: chunked\r\n"]) {
      const connection = openRaw(url);
      connection.send(`${post}${more}\r\n`);
      const answer = await connection.next();
      expectRefused(answer, 503);
      expect(answer.headers.connection).toBe("close");
      connection.socket.destroy();
    }
  });

  it("counts only complete requests without a response", async () => {
    const [slow, gone, asking] = [openRaw(url), openRaw(url), openRaw(url)];
    slow.send(`${post}Content-Length: 100\r\n\r\n{"name"`);
    gone.send(`${post}Content-Length: 100\r\n\r\n{"name"`);
    asking.send(`${head("GET /api/v1/things/x")}\r\n`);
    await asking.next();
    expect(inside).toBe(0);
    gone.socket.destroy();
    slow.send(`:"a"}${" ".repeat(100)}`.slice(0, 93));
    expect((await slow.next()).status).toBeLessThan(500);
    await expect.poll(() => inside).toBe(0);
    for (const { socket } of [slow, asking]) socket.destroy();
  });
});

describe("health of an overloaded service", () => {
  it("is not ready, with 503 and Retry-After, but alive", async () => {
    const ask = async (path: string): Promise<RawAnswer> => {
      const connection = openRaw(url);
      connection.send(`GET ${path} HTTP/1.1\r\nHost: x\r\nOrigin: https://app.example.org\r\n\r\n`);
      const answer = await connection.next();
      connection.socket.destroy();
      return answer;
    };
    let answer: RawAnswer | null = null;
    for (let tries = 0; tries < 20 && answer?.status !== 503; tries += 1) {
      const until = Date.now() + 2_500;
      while (Date.now() < until);
      // Late connections are found at the next check.
      await new Promise((resolve) => setTimeout(resolve, 20));
      answer = await ask("/api/v1/things/x");
      expect((await ask("/api/v1/health/live")).status).toBe(200);
    }
    if (!answer) throw new Error("nothing was asked");
    expectRefused(answer, 503);
    expect(answer.headers["retry-after"]).toBe("5");
    expect(answer.headers["access-control-allow-origin"]).toBe("https://app.example.org");
  });
});
