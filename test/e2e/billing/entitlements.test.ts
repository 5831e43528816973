import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { type Account, call, makeKey, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";

/** Where a plan's limits are met: what each refusal says, and that the plan it names lets one go on. */
describe("entitlements where they are used", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({}, ["api", "projections", "dispatcher"]);
  });
  afterAll(() => service?.stop());

  const begin = async () => {
    const account = await signUp(service.url);
    const ask = (method: string, path: string, body?: unknown) =>
      call(service.url, method, `/api/v1${path}`, { bearer: account.accessToken, body });
    const { body: test } = await ask("POST", "/tests", { name: "opens", text: "Go to /login" });
    return { account, ask, testId: test.id as string };
  };
  type Started = Awaited<ReturnType<typeof begin>>;
  const context = ({ userId, organizationId }: Account) => ({
    actor: { type: "user" as const, id: userId },
    organizationId,
    correlationId: newId(),
    causationId: newId(),
  });

  const uses: readonly {
    readonly name: string;
    readonly status: number;
    /** Uses up what the free plan allows. */
    readonly fill: (started: Started) => Promise<unknown>;
    readonly oneMore: (started: Started) => Promise<{ status: number; body: { detail?: string } }>;
  }[] = [
    {
      name: "api_keys",
      status: 403,
      fill: ({ account }) => makeKey(service.url, account, "one"),
      oneMore: ({ ask }) => ask("POST", "/api-keys", { name: "two" }),
    },
    {
      name: "seats",
      status: 403,
      fill: ({ ask }) => ask("POST", "/invites", { email: "one@example.test", role: "viewer" }),
      oneMore: ({ ask }) => ask("POST", "/invites", { email: "two@example.test", role: "viewer" }),
    },
    {
      name: "schedules",
      status: 403,
      fill: ({ ask, testId }) =>
        ask("POST", "/schedules", { name: "one", cron: "0 0 1 1 *", test_ids: [testId] }),
      oneMore: ({ ask, testId }) =>
        ask("POST", "/schedules", { name: "two", cron: "0 0 1 1 *", test_ids: [testId] }),
    },
    {
      name: "monthly_runs",
      status: 429,
      fill: ({ account }) =>
        service.core.commands.usage.reserveRuns(context(account), account.organizationId, [
          { runId: newId(), units: 50 },
        ]),
      oneMore: ({ ask, testId }) => ask("POST", "/runner/runs", { test_ids: [testId] }),
    },
  ];

  it.each(uses)(
    "given $name used up, when one more is asked for, then the refusal names it and the plan that allows it; on that plan it works",
    async ({ name, status, fill, oneMore }) => {
      const started = await begin();
      const { ask } = started;
      await fill(started);
      const refused = await oneMore(started);
      expect([refused.status, refused.body.detail]).toEqual([
        status,
        expect.stringMatching(new RegExp(`\\(${name}\\)\\. Starter allows \\d+\\.`)),
      ]);
      const { body: entitlements } = await ask("GET", "/entitlements");
      const named = entitlements.items.find((one: { name: string }) => one.name === name);
      expect(named.more_on).toBe("starter");
      expect(refused.body.detail).toContain(named.reason);
      const { body: change } = await ask("POST", "/plan/change", { plan: named.more_on });
      await ask("POST", `/plan/change/${change.id}/confirm`);
      const allowed = await oneMore(started);
      expect(allowed.status).toBeLessThan(300);
    },
  );
});
