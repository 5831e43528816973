import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { executionDecider } from "../../../src/domain/runs/executions/execution.ts";
import { runDecider } from "../../../src/domain/runs/run.ts";
import { inProcessBus } from "../../../src/platform/bus/inProcess.ts";
import { natsBus } from "../../../src/platform/bus/nats.ts";
import type { Bus } from "../../../src/platform/bus/port.ts";
import { newId } from "../../../src/platform/ids.ts";
import { dispatchQueue } from "../../../src/stores/runs/dispatchQueue.ts";
import { executorSlots } from "../../../src/stores/runs/executorSlots.ts";
import { executionLeases } from "../../../src/stores/runs/leases.ts";
import type { RunTest } from "../../../src/workers/runs/runTest.ts";
import { eventually } from "../../support/client.ts";
import { type NatsServer, startNatsServer } from "../../support/natsServer.ts";
import { type Deployment, endless, passing, startDeployment } from "./deployment.ts";

let nats: NatsServer;
beforeAll(async () => {
  nats = await startNatsServer();
});
afterAll(() => nats.stop());

const ended = (run: { status: string }) => ["passed", "failed", "errored"].includes(run.status);

describe.each(["in the process", "on NATS"])("dispatching runs with the bus %s", (where) => {
  let deployment: Deployment;
  const openBus = async (): Promise<Bus> =>
    where === "on NATS" ? natsBus({ url: nats.url }) : inProcessBus();

  afterEach(() => deployment.stop());

  test("executes three tests once each, in order", async () => {
    deployment = await startDeployment(await openBus());
    deployment.startDispatcher();
    deployment.startWorker();
    const run = await deployment.queueRun(3);

    expect(await eventually(run.run, ended)).toMatchObject({ status: "passed" });
    for (const n of [0, 1, 2]) {
      const events = await run.executionEvents(n);
      const types = events.map((event) => event.type);
      expect(types.filter((type) => type !== "ScreenshotTaken")).toEqual([
        "ExecutionQueued",
        "ExecutionClaimed",
        "BrowserStarted",
        "StepStarted",
        "StepPassed",
        "StepStarted",
        "StepPassed",
        "BrowserFinished",
        "AttemptFinished",
        "ExecutionFinished",
      ]);
      expect(types.indexOf("ExecutionFinished")).toBe(types.length - 1);
      for (const shot of events.filter((event) => event.type === "ScreenshotTaken"))
        expect(deployment.stored.has((shot.data as { key: string }).key)).toBe(true);
      expect(types.filter((type) => type === "ScreenshotTaken")).toHaveLength(2);
      expect(new Set(events.map((event) => event.metadata.$correlationId))).toEqual(
        new Set([run.context.correlationId]),
      );
    }
    expect(await eventually(run.quota, ({ used }) => used === 3)).toEqual({ used: 3, reserved: 0 });
  });

  test("executes one test at a time on a plan without parallelism", async () => {
    deployment = await startDeployment(await openBus());
    let underWay = 0;
    let most = 0;
    const counted: RunTest = async (input, report) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await passing(input, report);
      await new Promise((resolve) => setTimeout(resolve, 30));
      underWay -= 1;
    };
    deployment.startDispatcher({ parallelism: 1 });
    deployment.startWorker({ capacity: 4, runTest: counted });
    const run = await deployment.queueRun(4);
    expect(await eventually(run.run, ended)).toMatchObject({ status: "passed" });
    expect(most).toBe(1);
  });

  test("starts the next test while a screenshot is being stored", async () => {
    deployment = await startDeployment(await openBus());
    deployment.startDispatcher();
    let store: () => void = () => undefined;
    const stored = new Promise<void>((resolve) => {
      store = resolve;
    });
    const begun: string[] = [];
    deployment.startWorker({
      capacity: 1,
      blobs: { ...deployment.blobs, put: () => stored },
      runTest: (input, report) => {
        begun.push(input.executionId);
        return passing(input, report);
      },
    });
    const run = await deployment.queueRun(2);
    await eventually(
      async () => begun.length,
      (count) => count === 2,
    );
    const first = begun[0] === run.executionIds[0] ? 0 : 1;
    // Reports of a test are written once a second while nobody watches.
    const storing = await eventually(
      () => run.execution(first),
      ({ status }) => status !== "claimed",
    );
    expect(storing).toMatchObject({ status: "running" });
    store();
    expect(await eventually(run.run, ended)).toMatchObject({ status: "passed" });
  });

  test("starts the next test while the last screenshot of a test is being taken", async () => {
    deployment = await startDeployment(await openBus());
    deployment.startDispatcher();
    let take: () => void = () => undefined;
    const taken = new Promise<void>((resolve) => {
      take = resolve;
    });
    const begun: string[] = [];
    deployment.startWorker({
      capacity: 1,
      runTest: async (input, report) => {
        begun.push(input.executionId);
        input.stepsOver?.("passed");
        await taken;
        await passing(input, report);
      },
    });
    const run = await deployment.queueRun(2);
    await eventually(
      async () => begun.length,
      (count) => count === 2,
    );
    take();
    expect(await eventually(run.run, ended)).toMatchObject({ status: "passed" });
  });

  test("keeps the slot of a test that is retried", async () => {
    deployment = await startDeployment(await openBus());
    deployment.startDispatcher();
    const begun: string[] = [];
    deployment.startWorker({
      capacity: 1,
      runTest: async (input, report) => {
        begun.push(input.executionId);
        input.stepsOver?.("failed");
        // Long enough for another to begin, which would be wrong.
        await new Promise((resolve) => setTimeout(resolve, 200));
        const at = new Date().toISOString();
        report({ type: "browserStarted", browser: input.browser, browserVersion: "1", at });
        report({ type: "browserFinished", status: "failed", durationMs: 1, error: "No.", at });
      },
    });
    const run = await deployment.queueRun(2, undefined, { retries: 1 });
    expect(await eventually(run.run, ended)).toMatchObject({ status: "failed" });
    const [first, second, third, fourth] = begun;
    expect([second, fourth]).toEqual([first, third]);
    expect(third).not.toBe(first);
  });

  test("prefetches one execution and runs no more than there are slots", async () => {
    deployment = await startDeployment(await openBus());
    deployment.startDispatcher({ parallelism: 20 });
    const underWay = new Set<string>();
    let most = 0;
    let mostAdmitted = 0;
    deployment.startWorker({
      capacity: 2,
      runTest: async (input, report) => {
        underWay.add(input.executionId);
        most = Math.max(most, underWay.size);
        const rows = await deployment.db
          .selectFrom("dispatch_queue")
          .select("execution_id")
          .where("state", "!=", "queued")
          .execute();
        mostAdmitted = Math.max(mostAdmitted, rows.length);
        underWay.delete(input.executionId);
        await passing(input, report);
      },
    });
    const run = await deployment.queueRun(12);
    expect(await eventually(run.run, ended)).toMatchObject({ status: "passed" });
    expect(most).toBeLessThanOrEqual(2);
    expect(mostAdmitted).toBeLessThanOrEqual(3);
  });

  test("gives the prefetched execution of a busy worker to another worker", async () => {
    deployment = await startDeployment(await openBus());
    deployment.startDispatcher({ parallelism: 20 });
    const first = newId();
    deployment.startWorker({ capacity: 1, runTest: endless, holder: first });
    const run = await deployment.queueRun(2);
    const admitted = () =>
      deployment.db
        .selectFrom("dispatch_queue")
        .select("state")
        .where("state", "!=", "queued")
        .execute();
    await eventually(admitted, (rows) => rows.length === 2);
    const statuses = () => Promise.all([0, 1].map(async (n) => (await run.execution(n)).status));
    await eventually(statuses, (now) => now.includes("running"));
    deployment.startWorker({ capacity: 1 });
    await eventually(statuses, (now) => now.includes("running") && now.includes("finished"));
  });

  test("drops a cancelled prefetched execution and continues with the next", async () => {
    deployment = await startDeployment(await openBus());
    deployment.startDispatcher({ parallelism: 20 });
    let end: () => void = () => undefined;
    const ending = new Promise<void>((resolve) => {
      end = resolve;
    });
    deployment.startWorker({
      capacity: 1,
      runTest: async (input, report) => {
        await ending;
        await passing(input, report);
      },
    });
    const before = await deployment.queueRun(1);
    await eventually(before.execution, ({ status }) => status === "claimed");
    const cancelled = await deployment.queueRun(1);
    const admitted = () =>
      deployment.db
        .selectFrom("dispatch_queue")
        .select("execution_id")
        .where("state", "=", "admitted")
        .execute();
    await eventually(admitted, (rows) => rows.length === 1);
    const after = await deployment.queueRun(1);
    const { runId, context } = cancelled;
    await deployment.loop.execute(
      runDecider,
      runId,
      { type: "cancel", runId, reason: "asked" },
      context,
    );
    await eventually(cancelled.run, ({ status }) => status === "cancelled");
    end();
    expect(await eventually(after.run, ended)).toMatchObject({ status: "passed" });
    expect((await cancelled.executionEvents()).map(({ type }) => type)).toEqual([
      "ExecutionQueued",
      "ExecutionCancelled",
    ]);
    expect(await eventually(cancelled.quota, ({ reserved }) => reserved === 0)).toEqual({
      used: 0,
      reserved: 0,
    });
  });

  test("returns and repeats a running test on a worker's shutdown without extra quota", async () => {
    deployment = await startDeployment(await openBus());
    deployment.startDispatcher();
    const first = deployment.startWorker({ runTest: endless });
    const run = await deployment.queueRun(1);
    await eventually(run.execution, (execution) => execution.status === "running");
    await first.stop();
    expect(await run.execution()).toMatchObject({ status: "queued", deliveries: 1, lost: 0 });

    deployment.startWorker();
    expect(await eventually(run.run, ended)).toMatchObject({ status: "passed" });
    const events = await run.executionEvents();
    const claims = events.flatMap((event) =>
      event.type === "ExecutionClaimed" ? [event.data.delivery] : [],
    );
    expect(claims).toEqual([1, 2]);
    expect(await run.quota()).toEqual({ used: 1, reserved: 0 });
  });

  test("runs a claimed execution although its acknowledgement is lost", async () => {
    const bus = await openBus();
    let hear: () => void = () => undefined;
    const heard = new Promise<void>((resolve) => {
      hear = resolve;
    });
    const deaf: Bus = {
      ...bus,
      consume: async (queue, options) => {
        const consumer = await bus.consume(queue, options);
        return {
          close: consumer.close,
          async *[Symbol.asyncIterator]() {
            for await (const job of consumer)
              yield { ...job, ack: () => heard.then(() => job.ack()) };
          },
        };
      },
    };
    deployment = await startDeployment(bus);
    deployment.startDispatcher();
    deployment.startWorker({ bus: deaf });
    const run = await deployment.queueRun(1);
    expect(await eventually(run.run, ended)).toMatchObject({ status: "passed" });
    hear();
  });

  test("offers an execution again that the bus has lost, and runs it once", async () => {
    const bus = await openBus();
    deployment = await startDeployment(bus);
    await executorSlots(deployment.db).heartbeat(newId(), 1);
    const consumer = await bus.consume("executions", { capacity: 1 });
    const lost = (async () => {
      for await (const job of consumer) {
        await job.ack();
        return job.id;
      }
    })();
    deployment.startDispatcher();
    const run = await deployment.queueRun(1);
    expect(await lost).toBe(`${run.executionIds[0]}:1`);
    await consumer.close();

    deployment.startWorker();
    await deployment.db
      .updateTable("dispatch_queue")
      .set({ offered_at: "2000-01-01T00:00:00Z" })
      .execute();
    expect(await eventually(run.run, ended)).toMatchObject({ status: "passed" });
    const types = (await run.executionEvents()).map((event) => event.type);
    expect(types.filter((type) => type === "ExecutionClaimed")).toHaveLength(1);
  });

  test("offers admitted executions at once when a dispatcher starts", async () => {
    deployment = await startDeployment(await openBus());
    await executorSlots(deployment.db).heartbeat(newId(), 1);
    const lossy = inProcessBus();
    const before = deployment.startDispatcher({ bus: lossy });
    const run = await deployment.queueRun(1);
    const admitted = () =>
      deployment.db
        .selectFrom("dispatch_queue")
        .select("execution_id")
        .where("state", "=", "admitted")
        .execute();
    await eventually(admitted, (rows) => rows.length === 1);
    await before.stop();
    await lossy.close();

    // An offer is repeated only later, after the end of this test.
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    await deployment.db.updateTable("dispatch_queue").set({ offered_at: inAnHour }).execute();
    deployment.startDispatcher();
    deployment.startWorker();
    expect(await eventually(run.run, ended, 60_000)).toMatchObject({ status: "passed" });
  });
});

describe("recovery of stuck executions", () => {
  let deployment: Deployment;
  afterEach(() => deployment.stop());

  /** A worker that claims and is never heard of again. */
  const claimAndDie = async (executionId: string, delivery: number): Promise<void> => {
    const worker = newId();
    await executionLeases(deployment.db).take({ executionId, delivery }, worker);
    await deployment.loop.execute(
      executionDecider,
      executionId,
      { type: "claim", worker, delivery },
      {
        actor: { type: "system", id: worker },
        organizationId: newId(),
        correlationId: newId(),
        causationId: newId(),
      },
    );
  };
  const letLeasesRunOut = () =>
    deployment.db
      .updateTable("execution_leases")
      .set({ expires_at: "2000-01-01T00:00:00Z" })
      .execute();

  test("replaces a dead worker when its lease expires", async () => {
    deployment = await startDeployment();
    deployment.startDispatcher();
    deployment.startWatchdog();
    const run = await deployment.queueRun(1);
    await eventually(run.execution, (execution) => execution.status === "queued");
    await claimAndDie(run.executionIds[0] ?? "", 1);
    await letLeasesRunOut();
    await eventually(run.execution, (execution) => execution.status === "queued");

    deployment.startWorker();
    expect(await eventually(run.run, ended)).toMatchObject({ status: "passed" });
    const types = (await run.executionEvents()).map((event) => event.type);
    expect(types.filter((type) => type === "ExecutionLeaseExpired")).toHaveLength(1);
    expect(await run.quota()).toEqual({ used: 1, reserved: 0 });
  });

  test("does not wait for leases of a dead predecessor in a single process", async () => {
    deployment = await startDeployment();
    deployment.startDispatcher();
    const run = await deployment.queueRun(1);
    await eventually(run.execution, (execution) => execution.status === "queued");
    await claimAndDie(run.executionIds[0] ?? "", 1);
    await deployment.db
      .updateTable("execution_leases")
      .set({ expires_at: "2100-01-01T00:00:00Z" })
      .execute();
    const holder = newId();
    deployment.startWorker({ holder });
    deployment.startWatchdog({ holder, alone: true });
    expect(await eventually(run.run, ended)).toMatchObject({ status: "passed" });
  });

  test("ends execution and run as errored after three expired leases", async () => {
    deployment = await startDeployment();
    deployment.startDispatcher();
    deployment.startWatchdog();
    const run = await deployment.queueRun(1);
    for (const delivery of [1, 2, 3]) {
      await eventually(
        run.execution,
        (execution) => execution.status === "queued" && execution.deliveries === delivery - 1,
      );
      await claimAndDie(run.executionIds[0] ?? "", delivery);
      await letLeasesRunOut();
    }
    expect(await eventually(run.run, ended)).toMatchObject({ status: "errored" });
    const refunded = await eventually(run.quota, ({ used }) => used === 0);
    expect(refunded).toEqual({ used: 0, reserved: 0 });
  });

  test("records nothing of a worker that lost its lease", async () => {
    deployment = await startDeployment();
    deployment.startDispatcher();
    let reportMore: () => void = () => undefined;
    const first = deployment.startWorker({
      capacity: 1,
      runTest: async (input, report) => {
        reportMore = () =>
          report({
            type: "stepPassed",
            number: 1,
            durationMs: 1,
            locator: "stale",
            at: new Date().toISOString(),
          });
        await endless(input, report);
        reportMore();
      },
    });
    const run = await deployment.queueRun(1);
    await eventually(run.execution, (execution) => execution.status === "running");
    deployment.startWatchdog();
    // The worker lives and renews its lease: it runs out again until the watchdog has seen it.
    await eventually(
      async () => {
        await letLeasesRunOut();
        return run.execution();
      },
      (execution) => execution.status !== "running",
    );
    reportMore();
    await first.stop();
    deployment.startWorker();
    expect(await eventually(run.run, ended)).toMatchObject({ status: "passed" });
    const events = await run.executionEvents();
    expect(JSON.stringify(events.map((event) => event.data))).not.toContain("stale");
  });

  const offered = async (times: number): Promise<void> => {
    const longAgo = "2000-01-01T00:00:00Z";
    await deployment.db
      .updateTable("dispatch_queue")
      .set({ state: "admitted", offers: times, offered_at: longAgo })
      .execute();
  };

  test("frees the slot of a finished execution that a stalled dispatcher put back", async () => {
    deployment = await startDeployment();
    deployment.startDispatcher({ parallelism: 1 });
    deployment.startWorker({ capacity: 1 });
    const run = await deployment.queueRun(1);
    await eventually(run.run, ended);
    await eventually(run.quota, ({ used }) => used === 1);
    const queue = dispatchQueue(deployment.db);
    const executionId = run.executionIds[0] ?? "";
    await eventually(
      () => queue.find(executionId),
      (row) => row === null,
    );

    const { runId, organizationId } = run;
    await queue.add(
      [
        {
          ...{ executionId, organizationId, runId, quotaPeriod: "202501", deadline: null },
          ...{ target: "cloud", browsers: ["chromium"] },
        },
      ],
      1n,
    );
    await offered(2);
    const next = await deployment.queueRun(1, organizationId);
    expect(await eventually(next.run, ended)).toMatchObject({ status: "passed" });
    expect(await queue.find(executionId)).toBeNull();
    expect(await next.quota()).toEqual({ used: 2, reserved: 0 });
  });

  test("offers an execution with its current delivery after an outdated offer", async () => {
    deployment = await startDeployment();
    const dispatcher = deployment.startDispatcher();
    const first = deployment.startWorker({ runTest: endless });
    const run = await deployment.queueRun(1);
    await eventually(run.execution, (execution) => execution.status === "running");
    await first.stop();
    const queue = dispatchQueue(deployment.db);
    const executionId = run.executionIds[0] ?? "";
    await eventually(
      () => queue.find(executionId),
      (row) => row?.delivery === 2,
    );
    await dispatcher.stop();
    await queue.remove(executionId);
    const { runId, organizationId } = run;
    await queue.add(
      [
        {
          ...{ executionId, organizationId, runId, quotaPeriod: "202501", deadline: null },
          ...{ target: "cloud", browsers: ["chromium"] },
        },
      ],
      1n,
    );
    await offered(2);

    deployment.startDispatcher();
    deployment.startWorker();
    expect(await eventually(run.run, ended)).toMatchObject({ status: "passed" });
  });

  test("ends the run as errored and releases its quota if pinned steps are missing", async () => {
    deployment = await startDeployment();
    deployment.startDispatcher();
    deployment.startWorker({ hasSteps: false });
    const run = await deployment.queueRun(1);
    expect(await eventually(run.run, ended)).toMatchObject({ status: "errored" });
    expect(await eventually(run.quota, ({ reserved }) => reserved === 0)).toEqual({
      used: 0,
      reserved: 0,
    });
  });

  test("releases a reservation without a run after a minute", async () => {
    deployment = await startDeployment();
    deployment.startDispatcher();
    deployment.startWatchdog();
    const organizationId = newId();
    const runId = newId();
    const context = {
      actor: { type: "system" as const, id: "test" },
      organizationId,
      correlationId: newId(),
      causationId: newId(),
    };
    await deployment.usage.reserveRuns(context, organizationId, [{ runId, units: 3 }]);
    const isPending = async () =>
      (await deployment.db.selectFrom("pending_reservations").select("run_id").execute()).length;
    await eventually(isPending, (count) => count === 1);
    await deployment.db
      .updateTable("pending_reservations")
      .set({ reserved_at: "2000-01-01T00:00:00Z" })
      .execute();
    await eventually(isPending, (count) => count === 0);
    const usage = await deployment.eventsOf(
      `usage-${organizationId}_${new Date().toISOString().slice(0, 7).replace("-", "")}`,
    );
    expect(usage.at(-1)).toMatchObject({
      type: "ReservationReleased",
      data: { runId, units: 3, reserved: 0 },
    });
  });
});
