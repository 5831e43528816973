import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeKey, signUp } from "../../support/client.ts";
import { openRaw, type RawAnswer } from "../../support/rawHttp.ts";
import { startTestService, type TestService } from "../../support/service.ts";

/** Raw bytes that no HTTP client would send, and the responses before any handler runs. */
let service: TestService;
let key: string;
let cookie: string;
beforeAll(async () => {
  service = await startTestService({ CORS_ORIGINS: "https://app.example" }, ["api", "projections"]);
  const account = await signUp(service.url);
  key = (await makeKey(service.url, account)).key;
  cookie = account.cookie;
});
afterAll(() => service?.stop());

const H = "Host: runledger.test\r\n";
const JSON_TYPE = "Content-Type: application/json\r\n";
const api = "/api/v1";
const none = "/api/v1/catalog/nothing";

/** Headers that stand on every answer of all. */
const expectStanding = ({ headers }: RawAnswer) =>
  expect(headers).toMatchObject({
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "x-xss-protection": "1; mode=block",
    "referrer-policy": "strict-origin-when-cross-origin",
    "cache-control": "no-store, no-cache, must-revalidate",
    "x-request-id": expect.stringMatching(/^[A-Za-z0-9._:-]{1,128}$/),
  });

/** Words of the framework, the runtime, the parser: none is anybody's business. */
const LEAKS = /fastify|FST_|HPE_|ERR_|node:|\.js\b|\.ts\b|stack|SyntaxError|undefined|\[object/i;

const expectRefused = (answer: RawAnswer, status: number, isHead = false): string => {
  expect([answer.status, answer.body]).toEqual([status, expect.anything()]);
  expectStanding(answer);
  expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(answer.headers.server ?? answer.headers["x-powered-by"]).toBeUndefined();
  if (isHead) return "";
  const body = JSON.parse(answer.body);
  expect(body).toEqual({ detail: expect.stringMatching(/\S/) });
  expect(body.detail).not.toMatch(LEAKS);
  return body.detail;
};

/** Sends bytes, reads one answer. */
const ask = async (bytes: string | Buffer, isHead = false): Promise<RawAnswer> => {
  const connection = openRaw(service.url);
  connection.send(bytes);
  try {
    return await connection.next(isHead);
  } finally {
    connection.socket.destroy();
  }
};

const get = (target: string, headers = "") => `GET ${target} HTTP/1.1\r\n${H}${headers}\r\n`;
const post = (target: string, headers: string, body = "") =>
  `POST ${target} HTTP/1.1\r\n${H}${headers}\r\n${body}`;
const login = (headers: string, body = "") =>
  post(`${api}/auth/login`, `${JSON_TYPE}${headers}`, body);

describe("malformed HTTP", () => {
  it.each<readonly [string, string | Buffer, number]>([
    ["a method that is no token", `G@T / HTTP/1.1\r\n${H}\r\n`, 400],
    ["a method that nobody knows", `FOO / HTTP/1.1\r\n${H}\r\n`, 400],
    ["a header name with a space", get("/", "Bad Header: x\r\n"), 400],
    ["a header without a colon", get("/", "nothing\r\n"), 400],
    ["a NUL in a header", get("/", "X-A: a\0b\r\n"), 400],
    ["a NUL in the target", get("/a\0b"), 400],
    ["a folded header", get("/", "X-A: a\r\n b\r\n"), 400],
    ["lines that end with LF alone", "GET / HTTP/1.1\nHost: a\n\n", 400],
    ["HTTP/2 without an upgrade", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
    ["a version that there is not", `GET / HTTP/3.7\r\n${H}\r\n`, 400],
    ["HTTP/0.9", "GET /\r\n\r\n", 400],
    ["TLS", Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, 13, 10, 13, 10]), 400],
    ["a target in authority form", get("runledger.test:80"), 400],
    ["no Host", "GET / HTTP/1.1\r\n\r\n", 400],
    ["two Hosts", get("/", H), 400],
    ["a Host that names none", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400],
    ["a bad Content-Length", login("Content-Length: x\r\n"), 400],
    ["a negative Content-Length", login("Content-Length: -1\r\n"), 400],
    ["two Content-Lengths", login("Content-Length: 2\r\nContent-Length: 2\r\n", "{}"), 400],
    [
      "Content-Length with Transfer-Encoding",
      login("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
      400,
    ],
    ["a bad chunk", login("Transfer-Encoding: chunked\r\n", "zz\r\n{}\r\n0\r\n\r\n"), 400],
    ["another transfer coding", login("Transfer-Encoding: gzip\r\n", "2\r\n{}\r\n0\r\n\r\n"), 400],
    [
      "a transfer coding before chunked",
      login("Transfer-Encoding: gzip, chunked\r\n", "2\r\n{}\r\n0\r\n\r\n"),
      400,
    ],
    ["headers over 16 KiB", get("/", `X: ${"a".repeat(20_000)}\r\n`), 431],
    [
      "too many chunk extensions",
      login("Transfer-Encoding: chunked\r\n", `2;${"a".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`),
      413,
    ],
    ["a URL over 16 KiB", get(`/${"a".repeat(20_000)}`), 414],
  ])("is answered with {detail} and a closed connection: %s", async (_, bytes, status) => {
    const connection = openRaw(service.url);
    connection.send(bytes);
    const answer = await connection.next();
    expectRefused(answer, status);
    if (answer.headers.connection !== "close") connection.socket.end();
    expect(await connection.closed).toBe("");
  });
});

describe("requests refused before a handler", () => {
  it.each<readonly [string, string, number]>([
    ["a bad % in the path", get(`${api}/tests/%zz`), 400],
    ["half a character in the path", get(`${api}/tests/%ed%a0%80`), 400],
    ["a bad % in the query", get(`${api}/health/live?x=%zz`), 400],
    ["half a character in the query", get(`${api}/health/live?x=%ed%a0%80`), 400],
    ["a part of the path that is too long", get(`${api}/tests/${"a".repeat(300)}`), 414],
    ["a URL over 8 KiB", get(`${api}/health/live?x=${"a".repeat(9_000)}`), 414],
    ["an unknown path", get("/nothing"), 404],
    ["an unknown path of the API", get(none), 404],
    ["a path that leads out", get(`${api}/../../etc/passwd`), 404],
    ["a target that is no path", get("*"), 404],
    ["a NUL in the path", get(`${api}/tests/%00`, "Authorization: Bearer x\r\n"), 401],
    [
      "two Authorizations",
      get(none, "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n"),
      400,
    ],
    ["two X-Org-Ids", get(none, "X-Org-Id: a\r\nX-Org-Id: b\r\n"), 400],
    ["two Content-Types", login(`${JSON_TYPE}Content-Length: 2\r\n`, "{}"), 400],
    ["two Idempotency-Keys", get(none, "Idempotency-Key: a\r\nIdempotency-Key: b\r\n"), 400],
    ["an expectation that nobody meets", get(none, "Expect: cake\r\n"), 417],
    ["a body that is gzipped", login("Content-Encoding: gzip\r\nContent-Length: 2\r\n", "{}"), 415],
    [
      "a body of another type",
      post(`${api}/auth/login`, "Content-Type: text/plain\r\nContent-Length: 2\r\n", "{}"),
      415,
    ],
    ["a body of no type", post(`${api}/auth/login`, "Content-Length: 2\r\n", "{}"), 415],
    [
      "a body in UTF-16",
      post(
        `${api}/auth/login`,
        "Content-Type: application/json; charset=utf-16\r\nContent-Length: 2\r\n",
        "{}",
      ),
      415,
    ],
    ["a body that says that it is too large", login("Content-Length: 99999999\r\n"), 413],
    ["a body that is no JSON", login("Content-Length: 1\r\n", "{"), 400],
    ["no file of that name", get(`${api}/docs/static/nothing.js`), 404],
    ["a file outside", get(`${api}/docs/static/..%2f..%2fpackage.json`), 404],
    [
      "a range that a file has not",
      get(`${api}/docs/static/index.css`, "Range: bytes=99999999-\r\n"),
      416,
    ],
    ["a WebSocket without an upgrade", get(`${api}/ws/execution`), 426],
  ])("answer {detail} for %s", async (_, bytes, status) => {
    expectRefused(await ask(bytes), status);
  });

  it.each<readonly [string, string, string]>([
    ["PATCH", `${api}/catalog/plans`, "GET, HEAD, OPTIONS"],
    ["TRACE", `${api}/auth/login`, "OPTIONS, POST"],
    ["PURGE", `${api}/auth/login`, "OPTIONS, POST"],
    ["DELETE", "/openapi.json", "GET, HEAD, OPTIONS"],
    ["POST", `${api}/docs/static/index.css`, "GET, HEAD, OPTIONS"],
    ["PUT", `${api}/ws/execution`, "GET, HEAD, OPTIONS"],
  ])("answer 405 with Allow for %s %s", async (method, path, allow) => {
    const answer = await ask(`${method} ${path} HTTP/1.1\r\n${H}Content-Length: 0\r\n\r\n`);
    expectRefused(answer, 405);
    expect(answer.headers.allow).toBe(allow);
  });

  it("answer 405 for CONNECT", async () => {
    const answer = await ask(`CONNECT example.test:443 HTTP/1.1\r\n${H}\r\n`);
    expectRefused(answer, 405);
    expect(answer.headers.allow).toContain("GET");
  });

  it("are readable by pages of listed origins", async () => {
    const origin = "Origin: https://app.example\r\n";
    for (const bytes of [
      get(`${api}/tests/%zz`, origin),
      get(`${api}/health/live?x=%zz`, origin),
      get(`${api}/health/live?x=${"a".repeat(9_000)}`, origin),
      get(none, origin),
      get(`${api}/tests`, origin),
    ]) {
      const { headers } = await ask(bytes);
      expect(headers["access-control-allow-origin"]).toBe("https://app.example");
      expect(headers["access-control-allow-credentials"]).toBe("true");
      expect(headers["access-control-expose-headers"]).toContain("X-Request-Id");
      expect(headers.vary).toContain("Origin");
    }
    const foreign = await ask(get(`${api}/tests/%zz`, "Origin: https://evil.example\r\n"));
    expect(foreign.headers["access-control-allow-origin"]).toBeUndefined();
    expect(foreign.headers.vary).toContain("Origin");
  });
});

describe("responses without our handler", () => {
  it.each<readonly [string, string, number]>([
    ["OPTIONS *", `OPTIONS * HTTP/1.1\r\n${H}\r\n`, 204],
    ["OPTIONS of a path", `OPTIONS ${api}/tests HTTP/1.1\r\n${H}\r\n`, 204],
    ["a target in absolute form", get(`http://elsewhere.test${api}/health/live`), 200],
    ["HTTP/1.0", `GET ${api}/health/live HTTP/1.0\r\n\r\n`, 200],
    ["openapi.json", get("/openapi.json"), 200],
    ["the docs page", get(`${api}/docs/`), 200],
    ["a file of the docs page", get(`${api}/docs/static/index.css`), 200],
    ["a part of a file", get(`${api}/docs/static/index.css`, "Range: bytes=0-9\r\n"), 206],
    [
      "a file that has not changed",
      get(`${api}/docs/static/index.css`, "If-Modified-Since: Sat, 21 Nov 2099 00:00:00 GMT\r\n"),
      304,
    ],
  ])("have every standard header for %s", async (_, bytes, status) => {
    const answer = await ask(bytes);
    expect(answer.status).toBe(status);
    expectStanding(answer);
  });

  it.each([
    [`${api}/health/live`, 200],
    ["/openapi.json", 200],
    [`${api}/docs/`, 200],
    ["/nothing", 404],
    [`${api}/tests`, 401],
    [`${api}/ws/execution`, 426],
  ])("have the headers of GET and no body for HEAD %s", async (path, status) => {
    const connection = openRaw(service.url);
    connection.send(`HEAD ${path} HTTP/1.1\r\n${H}Connection: close\r\n\r\n`);
    const answer = await connection.next(true);
    expect(answer.status).toBe(status);
    expectStanding(answer);
    expect(await connection.closed).toBe("");
  });

  it("ignore the body of a GET and keep the connection", async () => {
    const connection = openRaw(service.url);
    for (let time = 0; time < 2; time += 1) {
      connection.send(`${get(`${api}/health/live`, `${JSON_TYPE}Content-Length: 5\r\n`)}hello`);
      expect((await connection.next()).status).toBe(200);
    }
    connection.socket.destroy();
  });
});

describe("a client with Expect: 100-continue", () => {
  const expecting = (length: number, authorization = `Authorization: Bearer ${key}\r\n`) =>
    post(
      `${api}/projects`,
      `${authorization}${JSON_TYPE}Expect: 100-continue\r\nContent-Length: ${length}\r\n`,
    );

  it("is told to continue if its body will be read", async () => {
    const connection = openRaw(service.url);
    const body = '{"name":"Awaited"}';
    connection.send(expecting(body.length));
    expect((await connection.next()).status).toBe(100);
    connection.send(body);
    expect((await connection.next()).status).toBe(201);
    connection.socket.destroy();
  });

  it("is refused at once if its body would not be read", async () => {
    expectRefused(await ask(expecting(10, "")), 401);
    expectRefused(await ask(expecting(2 << 20)), 413);
  });
});

describe("a body over 1 MiB", () => {
  const big = Buffer.alloc(8 << 20, "a");

  it.each([
    ["that says so", `Content-Length: ${big.length}\r\n`, big],
    [
      "that comes in chunks",
      "Transfer-Encoding: chunked\r\n",
      Buffer.concat([
        Buffer.from(`${big.length.toString(16)}\r\n`),
        big,
        Buffer.from("\r\n0\r\n\r\n"),
      ]),
    ],
  ])("by %s is answered with 413 that a sending client can read", async (_, headers, body) => {
    for (let time = 0; time < 5; time += 1) {
      const connection = openRaw(service.url);
      connection.send(Buffer.concat([Buffer.from(login(headers)), body]));
      expectRefused(await connection.next(), 413);
      connection.socket.destroy();
    }
  });
});

describe("pipelined requests", () => {
  const live = get(`${api}/health/live`);

  it("are answered in order", async () => {
    const connection = openRaw(service.url);
    connection.send(live + get(none) + live + get(`${api}/tests`));
    const statuses: number[] = [];
    for (let n = 0; n < 4; n += 1) statuses.push((await connection.next()).status);
    expect(statuses).toEqual([200, 404, 200, 401]);
    connection.socket.destroy();
  });

  it.each<readonly [string, string, number]>([
    ["rubbish", "RUBBISH\r\n\r\n", 400],
    ["CONNECT", `CONNECT a:1 HTTP/1.1\r\n${H}\r\n`, 405],
    ["an expectation that nobody meets", get("/", "Expect: cake\r\n"), 417],
    ["headers over 16 KiB", get("/", `X: ${"a".repeat(20_000)}\r\n`), 431],
    [
      "an upgrade to what is no WebSocket",
      get("/nothing", "Connection: Upgrade\r\nUpgrade: websocket\r\n"),
      404,
    ],
  ])("include %s as the third", async (_, bytes, status) => {
    const connection = openRaw(service.url);
    connection.send(get(`${api}/health/ready`) + get(`${api}/health/ready`) + bytes);
    expect((await connection.next()).status).toBe(200);
    expect((await connection.next()).status).toBe(200);
    expectRefused(await connection.next(), status);
    expect(await connection.closed).toBe("");
  });

  it("are not confused with the rest of a refused body", async () => {
    const connection = openRaw(service.url);
    connection.send(
      post(`${api}/tests`, `${JSON_TYPE}Transfer-Encoding: chunked\r\n`, "2\r\n{}\r\n"),
    );
    expectRefused(await connection.next(), 401);
    connection.send("rubbish\r\n\r\n");
    expect(await connection.closed).toBe("");
  });
});

describe("a protocol upgrade", () => {
  const handshake = (path: string, change: Readonly<Record<string, string>> = {}) => {
    const headers = {
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
      ...change,
    };
    return get(
      path,
      Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join(""),
    );
  };
  const socketPath = `${api}/ws/execution`;

  it.each<readonly [string, string, number]>([
    ["to an unknown path", handshake("/nothing"), 404],
    ["without a session", handshake(socketPath), 401],
    ["from a foreign page", handshake(socketPath, { Origin: "https://evil.example" }), 403],
    ["with a key that is none", handshake(socketPath, { "Sec-WebSocket-Key": "short" }), 400],
    ["with a list of nothing", handshake(socketPath, { "Sec-WebSocket-Protocol": ",," }), 400],
    ["of another version", handshake(socketPath, { "Sec-WebSocket-Version": "12" }), 426],
    ["of another protocol", handshake(socketPath, { Upgrade: "tls/1.3" }), 426],
    ["to h2c", handshake(socketPath, { Upgrade: "h2c", "HTTP2-Settings": "AAMAAABk" }), 426],
  ])("for %s is refused in HTTP", async (_, bytes, status) => {
    const connection = openRaw(service.url);
    connection.send(bytes);
    const answer = await connection.next();
    expectRefused(answer, status);
    if (status === 426) expect(answer.headers["sec-websocket-version"]).toBe("13");
    expect(await connection.closed).toBe("");
  });

  it("of a WebSocket has every standard header", async () => {
    const answer = await ask(handshake(socketPath, { Cookie: cookie, "X-Request-Id": "shake-1" }));
    expect([answer.status, answer.headers["x-request-id"]]).toEqual([101, "shake-1"]);
    expectStanding(answer);
  });

  it("to another protocol is ignored and the request answered", async () => {
    const answer = await ask(handshake(`${api}/health/live`));
    expect([answer.status, answer.body]).toEqual([200, '{"status":"live"}']);
    const body = '{"email":"a@b.example","password":"wrong password"}';
    const posted = login(
      `Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: ${body.length}\r\n`,
      body,
    );
    expectRefused(await ask(posted), 401);
  });
});

describe("a disconnecting client", () => {
  it.each([
    ["of its headers", `GET ${api}/health/live HTTP/1.1\r\nHos`],
    ["of its body", login("Content-Length: 100\r\n", "{")],
    ["of a chunk", login("Transfer-Encoding: chunked\r\n", "10\r\n{")],
    ["of an upgrade", get("/nothing", "Connection: Upgrade\r\nUpgrade: websocket\r\n")],
  ])("%s does no harm", async (_, bytes) => {
    for (let time = 0; time < 5; time += 1) {
      const { socket, send, closed } = openRaw(service.url);
      send(bytes);
      if (time % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
      await closed;
    }
    expect((await ask(get(`${api}/health/live`))).status).toBe(200);
  });
});
