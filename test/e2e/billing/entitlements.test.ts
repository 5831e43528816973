import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { executionDecider } from "../../../src/domain/runs/executions/execution.ts";
import { newId } from "../../../src/platform/ids.ts";
import { type Account, call, eventually, makeKey, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";

/** Refusals at plan limits, and success on the plan that they name. */
describe("entitlements in use", () => {
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

  /** A run from eight days ago with a picture, reported by a simulated executor. */
  const runLongAgo = async ({ account, ask, testId }: Started): Promise<void> => {
    const { body } = await ask("POST", "/runner/runs", { test_ids: [testId] });
    const [executionId, runId] = [body.executions[0].id, body.run_ids[0]];
    const { loop } = service.core;
    await eventually(
      async () => (await loop.load(executionDecider, executionId)).state.status,
      (status) => status === "queued",
    );
    const occurredAt = new Date(Date.now() - 8 * 86_400_000).toISOString();
    const tell = (command: Parameters<typeof executionDecider.decide>[0]) =>
      loop.execute(executionDecider, executionId, command, { ...context(account), occurredAt });
    const key = `${executionId}/1.jpg`;
    const bytes = Buffer.from([0xff, 0xd8, 0xff]);
    await service.platform.blobs.put(key, { bytes, contentType: "image/jpeg" });
    const held = { worker: "test", delivery: 1 };
    const on = { runId, attempt: 1, delivery: 1, browser: "chromium" } as const;
    const end = { status: "passed", durationMs: 12, error: null } as const;
    await tell({ type: "claim", ...held });
    await tell({
      type: "report",
      ...held,
      progress: [
        { type: "BrowserStarted", data: { ...on, browserVersion: "140.0" } },
        { type: "StepStarted", data: { ...on, number: 1 } },
        { type: "StepPassed", data: { ...on, number: 1, durationMs: 12, locator: null } },
        { type: "ScreenshotTaken", data: { ...on, number: 1, format: "jpeg", key, name: null } },
        { type: "BrowserFinished", data: { ...on, ...end } },
      ],
    });
    await tell({ type: "finish", ...held, ...end });
    await eventually(
      async () => (await ask("GET", `/executions/${executionId}`)).body,
      ({ finished_at }) => finished_at !== null,
    );
  };

  const uses: readonly {
    readonly name: string;
    readonly status: number;
    /** Exhausts the limit of the free plan. */
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
      name: "retention_days",
      status: 403,
      fill: (started) => runLongAgo(started),
      oneMore: async ({ ask }) => {
        const { body } = await ask("GET", "/executions");
        return ask("GET", `/tests/${body.items[0].id}/screenshots/chromium/1`);
      },
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
    "refuses use beyond $name with the plan that allows it, and accepts it on that plan",
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
