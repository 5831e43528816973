import { afterEach, describe, expect, test } from "vitest";
import { type RunCommand, runDecider } from "../../../src/domain/runs/run.ts";
import { inProcessBus } from "../../../src/platform/bus/inProcess.ts";
import type { Bus } from "../../../src/platform/bus/port.ts";
import type { RunTest } from "../../../src/workers/runs/runTest.ts";
import { eventually } from "../../support/client.ts";
import { type Deployment, endless, passing, startDeployment } from "./deployment.ts";

type Queued = Awaited<ReturnType<Deployment["queueRun"]>>;

describe("cancelling runs", () => {
  let deployment: Deployment;
  afterEach(() => deployment.stop());

  const tell = (run: Queued, command: RunCommand) =>
    deployment.loop.execute(runDecider, run.runId, command, run.context);
  const cancel = (run: Queued) => tell(run, { type: "cancel", runId: run.runId, reason: "asked" });
  const cancelOne = (run: Queued, n: number) =>
    tell(run, {
      type: "cancelExecution",
      runId: run.runId,
      executionId: run.executionIds[n] ?? "",
    });
  const isOver = (run: { status: string }) =>
    ["passed", "failed", "errored", "cancelled"].includes(run.status);
  const endOf = async (run: Queued, n = 0) => (await run.executionEvents(n)).at(-1)?.type;

  test("prevents waiting tests and releases their quota", async () => {
    deployment = await startDeployment();
    deployment.startDispatcher();
    const run = await deployment.queueRun(3);
    await eventually(run.execution, ({ status }) => status === "queued");
    await cancel(run);
    expect(await eventually(run.run, isOver)).toMatchObject({ status: "cancelled" });
    await eventually(run.quota, ({ reserved }) => reserved === 0);
    expect(await run.quota()).toEqual({ used: 0, reserved: 0 });
    deployment.startWorker();
    const next = await deployment.queueRun(1, run.organizationId);
    expect(await eventually(next.run, isOver)).toMatchObject({ status: "passed" });
    expect((await run.executionEvents(1)).map(({ type }) => type)).toEqual([
      "ExecutionQueued",
      "ExecutionCancelled",
    ]);
  });

  test("stops running and waiting tests, of which only the running one uses a unit", async () => {
    deployment = await startDeployment();
    deployment.startDispatcher();
    let stopped = 0;
    deployment.startWorker({
      capacity: 1,
      runTest: async (input, report) => {
        await endless(input, report);
        stopped += 1;
      },
    });
    const run = await deployment.queueRun(2);
    await eventually(run.execution, ({ status }) => status === "running");
    await cancel(run);
    expect(await eventually(run.run, isOver)).toMatchObject({ status: "cancelled" });
    expect([await endOf(run, 0), await endOf(run, 1)]).toEqual([
      "ExecutionCancelled",
      "ExecutionCancelled",
    ]);
    await eventually(
      async () => stopped,
      (times) => times === 1,
    );
    await eventually(run.quota, ({ reserved }) => reserved === 0);
    expect(await run.quota()).toEqual({ used: 1, reserved: 0 });
  });

  test("works without messages of the bus", async () => {
    const bus = inProcessBus();
    const mute: Bus = { ...bus, publish: () => undefined };
    deployment = await startDeployment(mute);
    deployment.startDispatcher();
    deployment.startWorker({ runTest: endless });
    const run = await deployment.queueRun(1);
    await eventually(run.execution, ({ status }) => status === "running");
    await cancel(run);
    expect(await eventually(run.run, isOver)).toMatchObject({ status: "cancelled" });
  });

  test("cancels one test, and the run does not pass", async () => {
    deployment = await startDeployment();
    deployment.startDispatcher();
    let go: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    const run: Queued = await deployment.queueRun(2);
    deployment.startWorker({
      runTest: async (input, report) => {
        if (input.executionId === run.executionIds[0]) return endless(input, report);
        await held;
        return passing(input, report);
      },
    });
    await eventually(
      () => run.execution(0),
      ({ status }) => status === "running",
    );
    await cancelOne(run, 0);
    await eventually(
      () => endOf(run, 0),
      (type) => type === "ExecutionCancelled",
    );
    expect((await run.run()).status).toBe("running");
    go();
    expect(await eventually(run.run, isOver)).toMatchObject({ status: "cancelled" });
    expect(await endOf(run, 1)).toBe("ExecutionFinished");
  });

  test("is effective for a run whose worker leaves", async () => {
    deployment = await startDeployment();
    const dispatcher = deployment.startDispatcher();
    const first = deployment.startWorker({ runTest: endless });
    const run = await deployment.queueRun(1);
    await eventually(run.execution, ({ status }) => status === "running");
    // The worker does not know of the cancellation: it returns the execution, and the dispatcher receives both events at once.
    await dispatcher.stop();
    await cancel(run);
    await first.stop();
    deployment.startDispatcher();
    deployment.startWorker();
    expect(await eventually(run.run, isOver)).toMatchObject({ status: "cancelled" });
    const claims = (await run.executionEvents()).filter(({ type }) => type === "ExecutionClaimed");
    expect(claims).toHaveLength(1);
  });

  test("ends a run that exceeds its time limit as errored, with the reason", async () => {
    deployment = await startDeployment();
    deployment.startDispatcher();
    deployment.startWatchdog();
    deployment.startWorker({ runTest: endless, capacity: 1 });
    const limits = { stepMs: 1_000, testMs: 60_000, runMs: 300 };
    const run = await deployment.queueRun(2, undefined, { limits });
    expect(await eventually(run.run, isOver)).toMatchObject({ status: "errored" });
    const end = (await run.executionEvents()).at(-1);
    expect(end?.data).toMatchObject({
      status: "errored",
      error: expect.stringContaining("run_timeout_seconds"),
    });
  });
});

describe("retries", () => {
  let deployment: Deployment;
  afterEach(() => deployment.stop());

  /** Fails a number of times, then passes. */
  const failing = (times: number): RunTest => {
    let tries = 0;
    return async (input, report) => {
      tries += 1;
      if (tries > times) return passing(input, report);
      const at = new Date().toISOString();
      const { browser } = input;
      report({ type: "browserStarted", browser, browserVersion: "1", at });
      report({ type: "browserFinished", status: "failed", durationMs: 1, error: "No.", at });
    };
  };
  const attemptsOf = async (run: Queued) =>
    (await run.executionEvents()).flatMap((event) =>
      event.type === "AttemptFinished" ? [[event.data.attempt, event.data.status]] : [],
    );
  const verdictOf = async (run: Queued) => {
    const end = await eventually(
      async () => (await run.executionEvents()).at(-1),
      (event) => event?.type === "ExecutionFinished",
    );
    return end?.type === "ExecutionFinished" ? end.data.status : null;
  };

  test.each([
    [2, 3, "flaky", ["failed", "failed", "passed"], "passed"],
    [5, 1, "failed", ["failed", "failed"], "failed"],
    [0, 2, "passed", ["passed"], "passed"],
  ] as const)(
    "after %i failures and at most %i retries end %s and keep every attempt",
    async (times, retries, verdict, attempts, ofRun) => {
      deployment = await startDeployment();
      deployment.startDispatcher();
      deployment.startWorker({ runTest: failing(times) });
      const run = await deployment.queueRun(1, undefined, { retries });
      expect(await verdictOf(run)).toBe(verdict);
      expect(await attemptsOf(run)).toEqual(attempts.map((status, n) => [n + 1, status]));
      expect(await eventually(run.run, ({ status }) => status !== "running")).toMatchObject({
        status: ofRun,
      });
      await eventually(run.quota, ({ used }) => used === 1);
    },
  );

  test("end as errored when the time of the test is over and its executor hangs", async () => {
    deployment = await startDeployment();
    deployment.startDispatcher();
    // It ends without a verdict, as one that hangs does in the end.
    deployment.startWorker({ runTest: async () => undefined });
    const run = await deployment.queueRun(1, undefined, { retries: 1 });
    expect(await verdictOf(run)).toBe("errored");
    expect(await attemptsOf(run)).toEqual([
      [1, "errored"],
      [2, "errored"],
    ]);
  });
});
