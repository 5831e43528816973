import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { healthOperations } from "../../../../src/api/routes/kernel/health.ts";
import type { Services } from "../../../../src/api/services.ts";
import { buildFakeApp, fakeOperations, organizationId } from "../fakeApp.ts";

type Trust = boolean | number | string[];

let app: FastifyInstance;
let asked = 0;
const services = {
  health: async () => {
    asked += 1;
    await new Promise((resolve) => setImmediate(resolve));
    return { database: { ok: true } };
  },
} as unknown as Services;

const build = (trustProxy: Trust = false) =>
  buildFakeApp({
    operations: [...fakeOperations, ...healthOperations],
    services,
    settings: {
      corsOrigins: ["https://app.example.org"],
      cookieSameSite: "lax",
      cookieSecure: false,
      rateLimit: true,
      trustProxy,
    },
  });

beforeEach(() => {
  asked = 0;
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(async () => {
  vi.useRealTimers();
  await app.close();
});

const thing = `/api/v1/things/${organizationId}`;
const read = (authorization: string) => app.inject({ url: thing, headers: { authorization } });
const open = (headers: Record<string, string> = {}, remoteAddress = "203.0.113.9") =>
  app.inject({ method: "POST", url: "/api/v1/ignored", headers, remoteAddress });
const times = async (count: number, call: (n: number) => Promise<unknown>) => {
  for (let n = 0; n < count; n += 1) await call(n);
};

describe("rate limits", () => {
  it("start a new count after a minute, also for a client that keeps calling", async () => {
    app = await build();
    await times(600, () => read("Bearer editor"));
    const refused = await read("Bearer editor");
    expect(refused.statusCode).toBe(429);
    const wait = Number(refused.headers["retry-after"]);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    vi.setSystemTime(Date.now() + 30_000);
    await times(50, () => read("Bearer editor"));
    expect((await read("Bearer editor")).statusCode).toBe(429);
    vi.setSystemTime(Date.now() + 30_001);
    expect((await read("Bearer editor")).statusCode).toBe(200);
  });

  it("name the limit and the retry time in a response that a page of another origin can read", async () => {
    app = await build();
    await times(600, () => open());
    const { statusCode, headers, body } = await open({ origin: "https://app.example.org" });
    expect([statusCode, JSON.parse(body)]).toEqual([
      429,
      { detail: expect.stringMatching(/600 calls per caller per minute\. Try again in \d+ s\.$/) },
    ]);
    expect(headers["access-control-allow-origin"]).toBe("https://app.example.org");
    expect(headers["access-control-expose-headers"]).toContain("Retry-After");
    expect(headers["x-frame-options"]).toBe("DENY");
  });

  it("count each credential and address separately", async () => {
    app = await build();
    await times(601, () => read("Bearer editor"));
    expect((await read("Bearer editor")).statusCode).toBe(429);
    expect((await read("Bearer key")).statusCode).toBe(200);
    await times(601, () => open());
    expect((await open()).statusCode).toBe(429);
    expect((await open({}, "203.0.113.10")).statusCode).toBe(200);
  });

  it("exclude health checks, which share one check of the parts", async () => {
    app = await build();
    await times(601, () => open());
    expect((await open()).statusCode).toBe(429);
    const ask = (path: string) =>
      app.inject({ url: `/api/v1/health/${path}`, remoteAddress: "203.0.113.9" });
    await times(700, async () => expect((await ask("live")).statusCode).toBe(200));
    const many = await Promise.all(Array.from({ length: 50 }, () => ask("ready")));
    expect(new Set(many.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    expect(asked).toBeLessThan(10);
  });
});

describe("X-Forwarded-For", () => {
  const forwarded = (addresses: string) => ({ "x-forwarded-for": addresses });
  /** Whether a caller can pass for another by what it writes in the header. */
  const escapes = async (addresses: (n: number) => string, remote = "203.0.113.9") => {
    await times(600, (n) => open(forwarded(addresses(n)), remote));
    return (await open(forwarded(addresses(600)), remote)).statusCode === 200;
  };
  const made = (n: number) => `198.51.${n >> 8}.${n & 255}`;

  it("is ignored by default", async () => {
    app = await build();
    expect(await escapes(made)).toBe(false);
  });

  it("uses the address added by one trusted proxy", async () => {
    app = await build(1);
    expect(await escapes((n) => `${made(n)}, 192.0.2.7`)).toBe(false);
    expect((await open(forwarded("192.0.2.8"))).statusCode).toBe(200);
  });

  it("uses the address before the last with two trusted proxies", async () => {
    app = await build(2);
    expect(await escapes((n) => `${made(n)}, 192.0.2.7, 10.0.0.1`)).toBe(false);
    expect((await open(forwarded("192.0.2.8, 10.0.0.1"))).statusCode).toBe(200);
  });

  it("is used only from listed proxy addresses", async () => {
    app = await build(["10.0.0.0/8"]);
    expect(await escapes(made, "203.0.113.9")).toBe(false);
    expect(await escapes((n) => `${made(n)}, 192.0.2.7`, "10.1.2.3")).toBe(false);
    expect((await open(forwarded("192.0.2.8"), "10.1.2.3")).statusCode).toBe(200);
  });

  it.each(["nonsense", "::", ",,,", "1".repeat(4_000), "\u0080", "127.0.0.1:99999"])(
    "tolerates invalid values (%s)",
    async (rubbish) => {
      app = await build(true);
      expect((await open(forwarded(rubbish))).statusCode).toBe(200);
    },
  );
});
