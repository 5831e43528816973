import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCommandLoop } from "../../../src/commands/kernel/commandLoop.ts";
import {
  type ExecutionCommand,
  executionDecider,
} from "../../../src/domain/runs/executions/execution.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import {
  AppendOutcomeUnknownError,
  LogUnavailableError,
} from "../../../src/platform/eventLog/errors.ts";
import type { EventLog } from "../../../src/platform/eventLog/port.ts";
import { newId } from "../../../src/platform/ids.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { createStepPipeline } from "../../../src/workers/runs/stepPipeline.ts";
import { eventually } from "../../support/client.ts";
import { startTestLog, type TestLog } from "../../support/log.ts";

let testLog: TestLog;
beforeAll(async () => {
  testLog = await startTestLog();
});
afterAll(() => testLog.stop());

const WORKER = "worker";
const context = {
  actor: { type: "system" as const, id: "test" },
  organizationId: newId(),
  correlationId: newId(),
  causationId: newId(),
};

/** An execution that waits for its first delivery, and a pipeline of `log` on it that has claimed it. */
const claimed = async (log: EventLog, isWatched?: () => boolean) => {
  const loop = createCommandLoop({ log: testLog.log, clock: systemClock });
  const executionId = newId();
  const runId = newId();
  const { state, revision } = await loop.execute(
    executionDecider,
    executionId,
    {
      type: "queue",
      runId,
      testId: newId(),
      testVersion: 1,
      testName: "Test",
      stepCount: 500,
      browsers: ["chromium"],
      baseUrl: null,
      variables: {},
      quotaPeriod: "202503",
    },
    context,
  );
  const pipeline = createStepPipeline({
    log,
    clock: systemClock,
    logger: createLogger({ level: "silent" }),
    executionId,
    isWatched,
    state,
    revision,
    metadata: {
      $correlationId: context.correlationId,
      $causationId: context.causationId,
      actor: context.actor,
      organization_id: context.organizationId,
    },
  });
  pipeline.submit({ type: "claim", worker: WORKER, delivery: 1 });
  await pipeline.settled();
  const started = (number: number): ExecutionCommand => ({
    type: "report",
    worker: WORKER,
    delivery: 1,
    progress: [
      {
        type: "StepStarted",
        data: { runId, attempt: 1, delivery: 1, browser: "chromium", number },
      },
    ],
  });
  const recorded = async () => {
    const numbers: number[] = [];
    for await (const event of testLog.log.readStream(`execution-${executionId}`))
      if (event.type === "StepStarted") numbers.push((event.data as { number: number }).number);
    return numbers;
  };
  return { executionId, loop, pipeline, started, recorded };
};

const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);

describe("step pipeline", () => {
  test("batches reports into appends in order if they are faster than the log", async () => {
    let appends = 0;
    const log: EventLog = {
      ...testLog.log,
      append: (...all) => {
        appends += 1;
        return testLog.log.append(...all);
      },
    };
    const { pipeline, started, recorded } = await claimed(log);
    appends = 0;
    for (const number of upTo(450)) pipeline.submit(started(number));
    expect(appends).toBeLessThanOrEqual(1);
    expect(await pipeline.settled()).toBe(true);
    expect(await recorded()).toEqual(upTo(450));
    expect(appends).toBeLessThan(10);
  });

  test("delays reports of an unwatched run into one append, which is written when a watcher arrives", async () => {
    let appends = 0;
    const log: EventLog = {
      ...testLog.log,
      append: (...all) => {
        appends += 1;
        return testLog.log.append(...all);
      },
    };
    const { pipeline, started, recorded } = await claimed(log, () => false);
    appends = 0;
    for (const number of upTo(3)) {
      pipeline.submit(started(number));
      await new Promise((resolve) => setImmediate(resolve));
    }
    pipeline.flush();
    await eventually(recorded, (numbers) => numbers.length === 3);
    expect(appends).toBe(1);
    expect(await pipeline.settled()).toBe(true);
  });

  test("writes reports after an outage of the log", async () => {
    let away = false;
    let refused = 0;
    const log: EventLog = {
      ...testLog.log,
      append: async (...all) => {
        if (!away) return testLog.log.append(...all);
        refused += 1;
        if (refused === 3) away = false;
        throw new LogUnavailableError(new Error("away"));
      },
    };
    const { pipeline, started, recorded } = await claimed(log);
    away = true;
    for (const number of upTo(5)) pipeline.submit(started(number));
    expect(await pipeline.settled()).toBe(true);
    expect(await recorded()).toEqual(upTo(5));
    expect(refused).toBe(3);
  });

  test("writes nothing twice if the outcome of an append was unknown", async () => {
    let broken = 0;
    const log: EventLog = {
      ...testLog.log,
      append: async (...all) => {
        const appended = await testLog.log.append(...all);
        broken += 1;
        if (broken % 2 === 0) throw new AppendOutcomeUnknownError(new Error("cut"));
        return appended;
      },
    };
    const { pipeline, started, recorded } = await claimed(log);
    for (const number of upTo(20)) {
      pipeline.submit(started(number));
      await pipeline.settled();
    }
    expect(await recorded()).toEqual(upTo(20));
    expect(pipeline.lost.aborted).toBe(false);
  });

  test("refuses reports after the lease has expired", async () => {
    const { executionId, loop, pipeline, started, recorded } = await claimed(testLog.log);
    pipeline.submit(started(1));
    expect(await pipeline.settled()).toBe(true);
    await loop.execute(
      executionDecider,
      executionId,
      { type: "expireLease", delivery: 1 },
      context,
    );
    pipeline.submit(started(2));
    expect(await pipeline.settled()).toBe(false);
    expect(pipeline.lost.aborted).toBe(true);
    pipeline.submit(started(3));
    expect(await pipeline.settled()).toBe(false);
    expect(await recorded()).toEqual([1]);
  });

  test("abandons the delivery if the log refuses a report", async () => {
    let refusing = false;
    const log: EventLog = {
      ...testLog.log,
      append: async (...all) => {
        if (refusing) throw new Error("too large");
        return testLog.log.append(...all);
      },
    };
    const { pipeline, started } = await claimed(log);
    refusing = true;
    pipeline.submit(started(1));
    expect(await pipeline.settled()).toBe(false);
  });
});
