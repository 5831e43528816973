import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CommandContext } from "../../../src/commands/kernel/commandLoop.ts";
import { executionDecider } from "../../../src/domain/runs/executions/execution.ts";
import { runDecider } from "../../../src/domain/runs/run.ts";
import { newId } from "../../../src/platform/ids.ts";
import { keyContext, type RunsKit, startRunsKit } from "../../support/runsKit.ts";

describe("results of runs", () => {
  let kit: RunsKit;
  beforeAll(async () => {
    kit = await startRunsKit();
  });
  afterAll(() => kit.stop());

  /** A run of one test with two steps, its execution on offer. */
  const queueOne = async (context: CommandContext) => {
    const testId = await kit.createTest(context, "signs in");
    const { runIds, executions } = await kit.commands.runs.queueRuns(context, {
      selection: { testIds: [testId] },
      browsers: ["chromium"],
      baseUrl: "https://shop.example",
      variables: {},
    });
    const [runId = "", executionId = ""] = [runIds[0], executions[0]?.id];
    await kit.commands.loop.execute(
      executionDecider,
      executionId,
      {
        type: "queue",
        runId,
        testId,
        testVersion: 1,
        testName: "signs in",
        stepCount: 2,
        browsers: ["chromium"],
        baseUrl: "https://shop.example",
        variables: {},
        quotaPeriod: "202511",
      },
      context,
    );
    return { testId, runId, executionId };
  };

  it("contain the last delivery's steps once if a worker was lost", async () => {
    const context = keyContext(newId(), "nightly");
    const { runId, executionId, testId } = await queueOne(context);
    const first = kit.worker(runId, executionId, 1, context);
    await first.claim();
    await kit.commands.loop.execute(runDecider, runId, { type: "start", runId }, context);
    await first.startBrowser();
    await first.startStep(1);
    await first.passStep(1);
    await first.shoot(1);
    await first.startStep(2);
    await kit.caughtUp();
    const under = await kit.queries.executions.findExecution(executionId);
    expect(under).toMatchObject({ status: "running", delivery: 1, attempts: [{ number: 1 }] });
    expect(under?.browsers[0]?.steps.map(({ status }) => status)).toEqual(["passed", "running"]);

    await first.loseLease();
    const second = kit.worker(runId, executionId, 2, context);
    await second.claim();
    await kit.caughtUp();
    expect(await kit.queries.executions.findExecution(executionId)).toMatchObject({
      status: "claimed",
      delivery: 2,
      attempts: [],
      browsers: [],
    });
    expect(await kit.queries.executions.screenshotsOf(executionId)).toEqual([]);

    await second.startBrowser();
    for (const number of [1, 2]) {
      await second.startStep(number);
      await second.passStep(number);
      await second.shoot(number);
    }
    await second.finish();
    await kit.caughtUp();
    const result = await kit.queries.executions.findExecution(executionId);
    expect(result).toMatchObject({
      status: "passed",
      delivery: 2,
      duration_ms: 30,
      test_id: testId,
    });
    expect(result?.attempts).toHaveLength(1);
    expect(result?.browsers[0]).toMatchObject({ browser_version: "140.0", status: "passed" });
    expect(result?.browsers[0]?.steps).toEqual(
      [1, 2].map((number) => ({
        number,
        action: "click",
        target: `button ${number}`,
        value: "",
        description: `step ${number}`,
        status: "passed",
        duration_ms: 12,
        error: null,
        locator: "role=button",
        healed_target: null,
        is_gap: false,
        reason: null,
        notes: [],
        evidence: null,
        page_problems: null,
        screenshot_url: `/api/v1/tests/${executionId}/screenshots/chromium/${number}?attempt=1`,
      })),
    );
    const run = await kit.queries.runs.findRun(runId);
    expect(run).toMatchObject({
      status: "passed",
      triggered_by: "api:nightly",
      totals: { passed: 1, failed: 0, flaky: 0, errored: 0, cancelled: 0, quarantined: 0 },
      tests: [
        { steps_done: 2, steps_total: 2, status: "passed", browsers: [{ status: "passed" }] },
      ],
    });
    expect(run?.finished_at).not.toBeNull();
    expect(await kit.queries.executions.findScreenshot(executionId, "chromium", 2)).toMatchObject({
      blob_key: `${executionId}/2.jpg`,
    });
    expect(await kit.queries.executions.findScreenshot(executionId, "chromium", 2, 7)).toBeNull();
  });

  it("number the events of each of two concurrent runs from 1 in log order", async () => {
    const context = keyContext(newId());
    const runs = await Promise.all([queueOne(context), queueOne(context)]);
    await Promise.all(
      runs.map(async ({ runId, executionId }) => {
        const worker = kit.worker(runId, executionId, 1, context);
        await worker.claim();
        await worker.startBrowser();
        for (const number of [1, 2]) {
          await worker.startStep(number);
          await worker.passStep(number);
        }
        await worker.finish();
      }),
    );
    await kit.caughtUp();
    for (const { runId, executionId } of runs) {
      const events = await kit.queries.runs.runEventsAfter(runId, 0, 100);
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
      expect(events.map(({ name }) => name)).toEqual([
        "run_queued",
        "execution_queued",
        "execution_started",
        "browser_started",
        "step_started",
        "step_passed",
        "step_started",
        "step_passed",
        "browser_finished",
        "execution_finished",
        "run_finished",
      ]);
      expect(events[5]).toEqual({
        run_id: runId,
        sequence: 6,
        name: "step_passed",
        execution_id: executionId,
        browser: "chromium",
        attempt: 1,
        delivery: 1,
        step_number: 1,
        data: { duration_ms: 12, locator: "role=button" },
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      });
      expect(await kit.queries.runs.runEventsAfter(runId, 8, 2)).toEqual(events.slice(8, 10));
      expect(await kit.queries.runs.lastSequence(runId)).toBe(events.length);
    }
    const published = await kit.queries.runs.runEventsAfterPosition(null, 1_000);
    const positions = published.map(({ position }) => position);
    expect(positions).toEqual([...positions].sort((a, b) => (a < b ? -1 : 1)));
    const [, second] = positions;
    expect(await kit.queries.runs.runEventsAfterPosition(second ?? null, 1)).toEqual([
      published[2],
    ]);
  });

  it("list runs newest first in pages, filtered by status and requester", async () => {
    const organizationId = newId();
    const ci = keyContext(organizationId, "ci");
    const other = keyContext(organizationId, "laptop");
    const runIds: string[] = [];
    for (const context of [ci, other, ci]) runIds.unshift((await queueOne(context)).runId);
    await kit.caughtUp();
    const { listRuns } = kit.queries.runs;
    const idsOf = async (...args: Parameters<typeof listRuns>) =>
      (await listRuns(...args)).map(({ id }) => id);
    expect(await idsOf(organizationId, { limit: 10 })).toEqual(runIds);
    expect(await idsOf(organizationId, { limit: 1 })).toEqual(runIds.slice(0, 2));
    const after = runIds[0];
    expect(await idsOf(organizationId, { limit: 10, cursor: after })).toEqual(runIds.slice(1));
    expect(await idsOf(organizationId, { limit: 10 }, { triggeredBy: "api:laptop" })).toEqual([
      runIds[1],
    ]);
    expect(await idsOf(organizationId, { limit: 10 }, { status: "passed" })).toEqual([]);
    expect(
      await idsOf(organizationId, { limit: 10 }, { triggeredBy: "user:ada@example.test" }),
    ).toEqual([]);
    expect(await idsOf(newId(), { limit: 10 })).toEqual([]);

    const executions = await kit.queries.executions.listExecutions(organizationId, { limit: 2 });
    expect(executions).toHaveLength(3);
    const [execution] = await kit.queries.executions.runExecutions(runIds[0] ?? "", { limit: 5 });
    expect(
      await kit.queries.executions.runExecutions(runIds[0] ?? "", {
        limit: 5,
        cursor: execution?.id ?? "",
      }),
    ).toEqual([]);
  });

  it("show the address of the requester, which is in no event", async () => {
    const organizationId = newId();
    const userId = newId();
    const email = `${userId}@example.test`;
    await kit.database.db
      .insertInto("persons")
      .values({
        id: userId,
        address_hmac: Buffer.from(userId),
        email,
        name: "Ada",
        signup_organization_id: organizationId,
        created_at: new Date().toISOString(),
      })
      .execute();
    const context: CommandContext = {
      ...keyContext(organizationId),
      actor: { type: "user", id: userId },
    };
    const { runId } = await queueOne(context);
    await kit.caughtUp();
    expect((await kit.queries.runs.findRun(runId))?.triggered_by).toBe(`user:${email}`);
    const found = await kit.queries.runs.listRuns(
      organizationId,
      { limit: 5 },
      { triggeredBy: `user:${email.toUpperCase()}` },
    );
    expect(found.map(({ id }) => id)).toEqual([runId]);
    for await (const event of kit.log.readAll({ after: null })) {
      expect(JSON.stringify([event.data, event.metadata])).not.toContain(email);
    }
  });
});
