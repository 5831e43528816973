import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Account, call, makeKey, type Reply, signUp } from "../../support/client.ts";
import { providerSettings, signedByProviderA } from "../../support/providers.ts";
import { startTestService, type TestService } from "../../support/service.ts";

/** The rates of operations.md, "Limits", on the service as it is started by default. */
describe("rate limits of the service", () => {
  let service: TestService;
  let account: Account;
  beforeAll(async () => {
    service = await startTestService({ ...providerSettings, RATE_LIMIT: "on" }, [
      "api",
      "projections",
    ]);
    account = await signUp(service.url);
  });
  afterAll(() => service?.stop());

  const logIn = (email: string, password: string, authorization?: string) =>
    call(service.url, "POST", "/api/v1/auth/login", {
      body: { email, password },
      ...(authorization === undefined ? {} : { headers: { authorization } }),
    });
  const expectTooMany = ({ status, body, headers }: Reply) => {
    expect([status, body]).toEqual([429, { detail: expect.stringContaining("Try again in") }]);
    const wait = Number(headers.get("retry-after"));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
  };

  it("refuse the eleventh attempt on an address in any spelling within a minute, and no other address", async () => {
    const { email, password } = account;
    // Right ones: wrong ones are slowed down earlier, which is another rule (test/integration/identity/account.test.ts).
    for (let tried = 0; tried < 10; tried += 1) {
      expect((await logIn(email, password, `Bearer ${tried}`)).status).toBe(200);
    }
    expectTooMany(await logIn(email, password));
    expectTooMany(await logIn(email.toUpperCase(), password, `Bearer ${randomUUID()}`));
    expect((await logIn(`${randomUUID()}@example.test`, password)).status).toBe(401);
    const { bearer } = { bearer: account.accessToken };
    expect((await call(service.url, "GET", "/api/v1/auth/me", { bearer })).status).toBe(200);
  });

  it("refuses more than ten sign-ups per minute from one network address", async () => {
    const sign = () =>
      call(service.url, "POST", "/api/v1/auth/signup", {
        body: {
          email: `${randomUUID()}@example.test`,
          password: "correct horse battery staple",
          name: "Ann",
        },
      });
    const replies = [];
    for (let times = 0; times < 11; times += 1) replies.push(await sign());
    expect(replies.slice(0, 8).map(({ status }) => status)).toEqual(Array(8).fill(201));
    expectTooMany(replies[10] as Reply);
  });

  it("refuse the 601st call of a key within a minute, and no other credential", async () => {
    const { key } = await makeKey(service.url, account);
    const ask = () => call(service.url, "GET", "/api/v1/catalog/plans/nothing");
    const use = (bearer: string) => call(service.url, "GET", "/api/v1/auth/connection", { bearer });
    const statuses = new Set<number>();
    for (let round = 0; round < 30; round += 1) {
      const replies = await Promise.all(Array.from({ length: 20 }, () => use(key)));
      for (const { status } of replies) statuses.add(status);
    }
    expect([...statuses]).toEqual([200]);
    expectTooMany(await use(key));
    expect((await use(account.accessToken)).status).toBe(200);
    expect((await ask()).status).toBe(404);
  });

  it("never refuse signed provider events, but unsigned ones", async () => {
    const send = ({ body, headers }: ReturnType<typeof signedByProviderA>) =>
      fetch(`${service.url}/api/v1/webhooks/provider-a`, {
        method: "POST",
        body,
        headers: { "content-type": "application/json", ...headers },
      });
    const event = signedByProviderA({ event_type: "price.updated", data: {} });
    const statuses = async (count: number, one: typeof event) => {
      const met: Record<number, number> = {};
      const ask = async (): Promise<void> => {
        const { status, headers } = await send(one);
        // A busy machine's own refusal says nothing here.
        if (status === 503) return ask();
        met[status] = (met[status] ?? 0) + 1;
        if (status === 429) expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      };
      for (let sent = 0; sent < count; sent += 20) {
        await Promise.all(Array.from({ length: 20 }, ask));
      }
      return met;
    };
    expect(await statuses(620, event)).toEqual({ 200: 620 });
    const unsigned = { ...event, headers: { "paddle-signature": "ts=1;h1=00" } };
    expect(Object.keys(await statuses(620, unsigned))).toEqual(["400", "429"]);
    expect(await statuses(20, event)).toEqual({ 200: 20 });
  });
});
