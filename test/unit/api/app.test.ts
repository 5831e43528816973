import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPositions } from "../../../src/projections/kernel/positions.ts";
import { buildFakeApp, organizationId, projectionOf } from "./fakeApp.ts";

let app: FastifyInstance;
const asEditor = { authorization: "Bearer editor" };
const asKey = { authorization: "Bearer key" };
const things = "/api/v1/things";

beforeEach(async () => {
  app = await buildFakeApp();
});
afterEach(() => app.close());

const securityHeaders = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "x-xss-protection": "1; mode=block",
  "referrer-policy": "strict-origin-when-cross-origin",
};

type Response = Awaited<ReturnType<FastifyInstance["inject"]>>;

/** What every error looks like: the status, one field, every standing header. */
const expectRefusal = (response: Response, status: number): string => {
  expect(response.statusCode).toBe(status);
  expect(Object.keys(response.json())).toEqual(["detail"]);
  expect(response.headers).toMatchObject({
    ...securityHeaders,
    "cache-control": "no-store, no-cache, must-revalidate",
    "content-type": expect.stringContaining("application/json"),
    "x-request-id": expect.stringMatching(/.+/),
  });
  return response.json().detail;
};

const post = (payload: unknown, headers: Record<string, string> = asEditor) =>
  app.inject({
    method: "POST",
    url: things,
    headers: { "content-type": "application/json", ...headers },
    payload: typeof payload === "string" ? payload : JSON.stringify(payload),
  });

describe("a response", () => {
  it("contains only fields of the schema, with the standard headers and the ETag", async () => {
    const response = await post({ name: "one" });
    expect(response.statusCode).toBe(201);
    expect(response.headers).toMatchObject({
      ...securityHeaders,
      "cache-control": "no-store, no-cache, must-revalidate",
      etag: '"1"',
      "x-log-position": "7",
    });
    expect(response.json()).toEqual({
      id: organizationId,
      name: "one",
      version: 1,
      created_at: "2026-01-02T03:04:05.678Z",
      owner: { name: "user" },
    });
  });

  it("sets HttpOnly cookies for the API path only", async () => {
    const cookie = (await post({ name: "one" })).headers["set-cookie"];
    expect(cookie).toBe("refresh_token=abc; Max-Age=60; Path=/api/v1; HttpOnly; SameSite=Lax");
  });

  it("encodes a bare string as a JSON string", async () => {
    const response = await app.inject({ method: "POST", url: "/api/v1/ignored" });
    expect(response.body).toBe('"ignored"');
    expect(response.headers["content-type"]).toContain("application/json");
  });

  it("returns a file unchanged with its content type and name", async () => {
    const url = `${things}/${organizationId}/file`;
    const response = await app.inject({ url, headers: asKey });
    expect(response.rawPayload).toEqual(Buffer.from([1, 2, 3]));
    expect(response.headers["content-type"]).toBe("application/zip");
    expect(response.headers["content-disposition"]).toContain("a.zip");
  });

  it("echoes a valid X-Request-Id and replaces an invalid one", async () => {
    const sound = await post({ name: "one" }, { ...asEditor, "x-request-id": "build-17" });
    expect(sound.headers["x-request-id"]).toBe("build-17");
    const unsound = await post({ name: "one" }, { ...asEditor, "x-request-id": "a b<script>" });
    expect(unsound.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("a rejected request", () => {
  it("answers 401 with WWW-Authenticate without a credential, before it reads the body", async () => {
    const response = await post("{not json", {});
    expectRefusal(response, 401);
    expect(response.headers["www-authenticate"]).toBe("Bearer");
  });

  it("answers 403 with the reason without the required role", async () => {
    const url = `${things}/${organizationId}`;
    const response = await app.inject({ method: "DELETE", url, headers: asEditor });
    expect(expectRefusal(response, 403)).toContain("editor");
  });

  it.each([
    ["a field that is missing", {}, "name: is required"],
    ["a field of the wrong type", { name: 1 }, "name: expected string"],
    [
      "a field of a later release",
      { name: "a", folder_id: "x" },
      "folder_id: is not available yet",
    ],
    ["a wrong item", { name: "a", tags: ["x", 5] }, "tags[1]: expected string"],
    ["a NUL character", { name: "a\0b" }, "name: contains a NUL character"],
    ["half a character", { name: "a\ud800" }, "name: contains an unpaired surrogate"],
    ["a list for an object", [], "body: expected object"],
  ])("answers 422 and names the field for %s", async (_, payload, detail) => {
    expect(expectRefusal(await post(payload), 422)).toContain(detail);
  });

  it("shortens a name of 100,000 letters in the 422 message", async () => {
    const response = await app.inject({
      method: "POST",
      url: "/api/v1/strict",
      headers: asEditor,
      payload: { ["x".repeat(100_000)]: 1 },
    });
    expect(expectRefusal(response, 422).length).toBeLessThan(2_100);
  });

  it("answers 422 without a body", async () => {
    expectRefusal(await app.inject({ method: "POST", url: things, headers: asEditor }), 422);
  });

  it.each([
    ["broken JSON", "{", 400],
    ["a poisoned prototype", '{"__proto__": {"x": 1}, "name": "a"}', 400],
    ["a body over 1 MiB", JSON.stringify({ name: "x".repeat(1024 * 1024) }), 413],
    ["nesting without end", `{"name":"a","tags":${"[".repeat(200)}${"]".repeat(200)}}`, 400],
    ["more nesting than a body has", `{"name":"a","tags":${"[".repeat(50)}${"]".repeat(50)}}`, 422],
  ])("with %s answers %s", async (_, payload, status) => {
    expectRefusal(await post(payload), status);
  });

  it.each(["text/plain", "application/xml", "multipart/form-data; boundary=x", "nonsense"])(
    "answers 415 for a body of type %s",
    async (type) => {
      expectRefusal(await post('{"name":"a"}', { ...asEditor, "content-type": type }), 415);
    },
  );

  it("answers 404 for a malformed id in the path", async () => {
    expectRefusal(await app.inject({ url: `${things}/not-an-id`, headers: asEditor }), 404);
  });

  it("answers 422 and names the invalid query parameter", async () => {
    const url = `${things}/${organizationId}?limit=1000`;
    expect(expectRefusal(await app.inject({ url, headers: asEditor }), 422)).toContain("limit");
  });

  it("answers 404 for an unknown path inside and outside of the API", async () => {
    expectRefusal(await app.inject({ url: "/api/v1/nothing" }), 404);
    expect((await app.inject({ url: "/nothing" })).json()).toEqual({ detail: expect.any(String) });
  });

  it("answers 405 with Allow for another method", async () => {
    const response = await app.inject({ method: "PATCH", url: `${things}/${organizationId}` });
    expectRefusal(response, 405);
    expect(response.headers.allow).toBe("DELETE, GET, HEAD, OPTIONS, PUT");
  });

  it.each([
    ["a bad % in the URL", `${things}/%zz`, 400],
    ["a part of the path that is too long", `${things}/${"a".repeat(300)}`, 414],
    ["a URL that is too long", `${things}?q=${"a".repeat(9000)}`, 414],
  ])("with %s", async (_, url, status) => {
    expectRefusal(await app.inject({ url, headers: asEditor }), status);
  });

  it("answers 400 for an If-Match header that is not an ETag", async () => {
    const url = `${things}/${organizationId}`;
    const headers = { ...asKey, "if-match": "yesterday" };
    expectRefusal(await app.inject({ method: "PUT", url, headers }), 400);
  });
});

describe("an error thrown by a handler", () => {
  const fail = (kind: string) => app.inject({ method: "POST", url: `/api/v1/fail/${kind}` });

  it("maps a domain error to the status of its code", async () => {
    expect(expectRefusal(await fail("domain"), 404)).toBe("There is no such run.");
  });

  it("keeps the status of an API error", async () => {
    expect(expectRefusal(await fail("edge"), 409)).toBe("Not now.");
  });

  it.each(["unmapped", "sql"])("hides the message of a fault (%s) behind a 500", async (kind) => {
    expect(expectRefusal(await fail(kind), 500)).not.toContain("hunter2");
  });

  it.each(["log", "database"])(
    "answers 503 with Retry-After if the %s is unavailable",
    async (kind) => {
      const response = await fail(kind);
      expect(expectRefusal(response, 503)).not.toContain("10.0.0");
      expect(response.headers["retry-after"]).toBe("1");
    },
  );
});

describe("the context of a call", () => {
  it("has the API key as its actor and the version from If-Match", async () => {
    const url = `${things}/${organizationId}`;
    const headers = { ...asKey, "if-match": '"3"' };
    const response = await app.inject({ method: "PUT", url, headers });
    expect(response.json()).toMatchObject({ asked: [3], actor: { type: "api_key", name: "ci" } });
  });
});

describe("a write", () => {
  it("reports that the read models did not catch up in time", async () => {
    await app.close();
    app = await buildFakeApp({ projections: [projectionOf("things", "ThingMade")] });
    const response = await post({ name: "one" });
    expect(response.statusCode).toBe(201);
    expect(response.headers).toMatchObject({ "x-log-position": "7", "x-read-model-lag": "true" });
  });

  it("waits only for the projections of its events", async () => {
    await app.close();
    const positions = createPositions();
    const projections = [projectionOf("things", "ThingMade"), projectionOf("other", "OtherMade")];
    app = await buildFakeApp({ positions, projections });
    const answered = post({ name: "one" });
    positions.advance("things", 7n);
    expect((await answered).headers["x-read-model-lag"]).toBeUndefined();
  });
});

describe("a read", () => {
  it("waits for X-Min-Position and rejects an invalid one", async () => {
    const url = `${things}/${organizationId}`;
    const good = await app.inject({ url, headers: { ...asEditor, "x-min-position": "7" } });
    expect(good.statusCode).toBe(200);
    const bad = await app.inject({ url, headers: { ...asEditor, "x-min-position": "-1" } });
    expectRefusal(bad, 400);
  });
});

describe("CORS", () => {
  const listed = "https://app.example.org";
  const preflight = (origin: string, url = things) =>
    app.inject({
      method: "OPTIONS",
      url,
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "x-anything, authorization",
      },
    });
  const namesIn = (header: unknown) => String(header).split(", ");

  it("allows a listed origin with credentials, methods and headers of the contract", async () => {
    const { statusCode, headers, body } = await preflight(listed);
    expect([statusCode, body]).toEqual([204, ""]);
    expect(headers["access-control-allow-origin"]).toBe(listed);
    expect(headers["access-control-allow-credentials"]).toBe("true");
    expect(headers["access-control-allow-methods"]).toBe("GET, POST, PUT, DELETE, OPTIONS");
    expect(namesIn(headers["access-control-allow-headers"])).toEqual([
      ...["Authorization", "Content-Type", "X-Org-Id", "X-Requested-With", "Idempotency-Key"],
      ...["If-Match", "X-Min-Position", "X-Request-Id", "traceparent"],
    ]);
    expect(Number(headers["access-control-max-age"])).toBeGreaterThan(0);
    expect(headers.vary).toContain("Origin");
    expect(headers).toMatchObject(securityHeaders);
  });

  it.each([
    "https://evil.example.org",
    "null",
    "https://app.example.org.evil.example",
    "http://app.example.org",
    "https://app.example.org:444",
    "HTTPS://APP.EXAMPLE.ORG",
    "*",
  ])("refuses %s and never echoes its name", async (origin) => {
    const answers = [
      await preflight(origin),
      await app.inject({ url: things, headers: { origin } }),
      await app.inject({ url: `${things}/%zz`, headers: { origin } }),
      await app.inject({ url: "/openapi.json", headers: { origin } }),
    ];
    for (const { headers } of answers) {
      expect(headers["access-control-allow-origin"]).toBeUndefined();
      expect(headers.vary).toContain("Origin");
      expect(Object.values(headers)).not.toContain(origin);
    }
  });

  it.each([
    ["400", { method: "POST", url: things, payload: "{" }],
    ["401", { url: `${things}/x`, headers: {} }],
    ["404", { url: "/api/v1/nothing" }],
    ["405", { method: "PATCH", url: things }],
    ["400 of a bad URL", { url: `${things}/%zz` }],
    ["414", { url: `${things}/${"a".repeat(300)}` }],
    ["500", { method: "POST", url: "/api/v1/fail/sql" }],
    ["503", { method: "POST", url: "/api/v1/fail/log" }],
  ])("lets a listed origin read a %s", async (status, request) => {
    const { statusCode, headers } = await app.inject({
      ...(request as { url: string }),
      headers: {
        origin: listed,
        "content-type": "application/json",
        ...(status === "401" ? {} : asEditor),
      },
    });
    expect(String(statusCode)).toBe(status.slice(0, 3));
    expect(headers["access-control-allow-origin"]).toBe(listed);
    expect(headers["access-control-allow-credentials"]).toBe("true");
    expect(namesIn(headers["access-control-expose-headers"])).toEqual([
      ...["ETag", "X-Log-Position", "X-Read-Model-Lag", "X-Request-Id", "Retry-After"],
      ...["Content-Disposition", "Link"],
    ]);
    expect(headers.vary).toContain("Origin");
  });

  it("is disabled without listed origins", async () => {
    await app.close();
    const settings = { corsOrigins: [], cookieSameSite: "lax", cookieSecure: false } as const;
    app = await buildFakeApp({ settings: { ...settings, rateLimit: true, trustProxy: false } });
    const { headers } = await preflight(listed);
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  });
});

describe("rate limits", () => {
  it("answer 429 with Retry-After to the 601st call of a credential within a minute", async () => {
    const url = `${things}/${organizationId}`;
    for (let call = 0; call < 600; call += 1) await app.inject({ url, headers: asEditor });
    const response = await app.inject({ url, headers: asEditor });
    expectRefusal(response, 429);
    expect(Number(response.headers["retry-after"])).toBeGreaterThan(0);
    expect((await app.inject({ url, headers: asKey })).statusCode).toBe(200);
  });

  it("allow ten password attempts per address and minute", async () => {
    const login = (email: string) =>
      app.inject({ method: "POST", url: "/api/v1/login", payload: { email } });
    for (let call = 0; call < 10; call += 1) expect((await login("a@b.c")).statusCode).toBe(200);
    expectRefusal(await login(" A@B.C "), 429);
    expect((await login("other@b.c")).statusCode).toBe(200);
  });

  it("count calls to public operations by network address, whatever credential is sent", async () => {
    const open = (n: number) =>
      app.inject({
        method: "POST",
        url: "/api/v1/ignored",
        headers: { authorization: `Bearer ${n}`, cookie: `refresh_token=${n}` },
      });
    for (let call = 0; call < 600; call += 1) await open(call);
    expectRefusal(await open(601), 429);
    expect(
      (await app.inject({ url: `${things}/${organizationId}`, headers: asKey })).statusCode,
    ).toBe(200);
  });

  it("count equal credentials in differently written headers together", async () => {
    const url = `${things}/${organizationId}`;
    const ways = ["Bearer key", "bearer key", "BEARER   key", "Bearer key  "];
    for (let call = 0; call < 600; call += 1) {
      await app.inject({ url, headers: { authorization: ways[call % ways.length] ?? "" } });
    }
    expectRefusal(await app.inject({ url, headers: asKey }), 429);
  });

  it("are disabled by RATE_LIMITS=off", async () => {
    await app.close();
    const settings = { corsOrigins: [], cookieSameSite: "lax", cookieSecure: false } as const;
    app = await buildFakeApp({ settings: { ...settings, rateLimit: false, trustProxy: false } });
    const login = () =>
      app.inject({ method: "POST", url: "/api/v1/login", payload: { email: "a@b.c" } });
    for (let call = 0; call < 30; call += 1) expect((await login()).statusCode).toBe(200);
  });
});

describe("a list", () => {
  const list = (query: string, headers: Record<string, string> = {}) =>
    app.inject({
      url: `/api/v1/things/${organizationId}?${query}`,
      headers: { authorization: "Bearer editor", ...headers },
    });

  it("rejects an unknown parameter and names the known ones", async () => {
    const response = await list("limit=2&staus=failed");
    expect([response.statusCode, response.json().detail]).toEqual([
      400,
      "staus: is not a parameter of this list. Use limit.",
    ]);
  });

  it("responds 304 to If-None-Match while its content is the same", async () => {
    const { etag } = (await list("limit=2")).headers;
    const again = await list("limit=2", { "if-none-match": `"other", ${etag}` });
    expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, "", etag]);
    const other = await list("limit=3", { "if-none-match": String(etag) });
    expect([other.statusCode, other.json().limit]).toEqual([200, 3]);
  });
});

describe("documents", () => {
  it("serve openapi.json at the root and the reference page under the API", async () => {
    const document = await app.inject({ url: "/openapi.json" });
    expect(document.json().openapi).toBe("3.1.0");
    const page = await app.inject({ url: "/api/v1/docs/" });
    expect(page.statusCode).toBe(200);
    expect(page.body).not.toMatch(/(src|href)="https?:/);
  });

  it.each([
    ["gzip, br", "br", brotliDecompressSync],
    ["gzip, br;q=0", "gzip", gunzipSync],
  ] as const)(
    "are compressed for Accept-Encoding: %s, with an entity tag",
    async (accept, encoding, open) => {
      const ask = (headers: Record<string, string>) =>
        app.inject({ url: "/openapi.json", headers: { "accept-encoding": accept, ...headers } });
      const document = await ask({});
      expect(document.headers["content-encoding"]).toBe(encoding);
      expect(document.rawPayload.length).toBeLessThan(100_000);
      expect(JSON.parse(open(document.rawPayload).toString()).openapi).toBe("3.1.0");
      const again = await ask({ "if-none-match": String(document.headers.etag) });
      expect([again.statusCode, again.body]).toEqual([304, ""]);
    },
  );
});

describe("the path of a WebSocket", () => {
  it("answers 426 to a plain GET", async () => {
    await app.close();
    app = await buildFakeApp({
      sockets: [(api) => api.get("/ws/things", { websocket: true }, () => undefined)],
    });
    expectRefusal(await app.inject({ url: "/api/v1/ws/things" }), 426);
  });
});
