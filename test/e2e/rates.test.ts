import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Account, call, makeKey, type Reply, signUp } from "../support/client.ts";
import { startTestService, type TestService } from "../support/service.ts";

/** The rates of operations.md, "Limits", on the service as it is started by default. */
describe("rates", () => {
  let service: TestService;
  let account: Account;
  beforeAll(async () => {
    service = await startTestService({ RATE_LIMIT: "on" }, ["api", "projections"]);
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

  it("given ten tries on one address in a minute, then the next is refused however it is written; another address is not", async () => {
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

  it("given 600 calls with one key in a minute, then the next is refused, and another credential is not", async () => {
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
});
