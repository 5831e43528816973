import pino from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { inProcessBus } from "../../../../src/platform/bus/inProcess.ts";
import type {
  AdmissionView,
  Dispatch,
  DispatchQueue,
} from "../../../../src/stores/runs/dispatchQueue.ts";
import { type Admitter, startAdmitter } from "../../../../src/workers/runs/admitter.ts";

const waiting = (executionId: string): Dispatch => ({
  executionId,
  organizationId: "org",
  runId: "run",
  quotaPeriod: "202501",
  delivery: 1,
  offers: 0,
  everClaimed: false,
});

let admitter: Admitter;
const bus = inProcessBus();
afterEach(() => admitter.stop());

/** An admitter over a queue in memory, whose plans are asked for with `parallelismOf`. */
const start = (parallelismOf: () => Promise<number>) => {
  const queued = [waiting("a"), waiting("b")];
  const admitted: Dispatch[] = [];
  const view = (): AdmissionView => ({
    waiting: queued.filter((one) => !admitted.includes(one)),
    active: new Map([["org", admitted.length]]),
    freeSlots: 10,
  });
  const admit: DispatchQueue["admit"] = async (choose) => {
    const chosen = await choose(view());
    admitted.push(...chosen);
    return chosen;
  };
  const queue = {
    admit,
    mayAdmit: async () => true,
    reoffer: async () => [],
  } as unknown as DispatchQueue;
  admitter = startAdmitter({
    queue,
    bus,
    logger: pino({ level: "silent" }),
    parallelismOf,
    repair: async () => undefined,
  });
  return admitted;
};

describe("startAdmitter", () => {
  it("reads the plan of an organisation once per announcement", async () => {
    let asked = 0;
    const admitted = start(async () => {
      asked += 1;
      return 1;
    });
    admitter.expect("org");
    admitter.nudge();
    await expect.poll(() => admitted.length).toBe(1);
    expect(asked).toBe(1);
  });

  it("admits waiting executions soon after a larger plan", async () => {
    let parallelism = 1;
    const admitted = start(async () => parallelism);
    await expect.poll(() => admitted.length).toBe(1);
    parallelism = 2;
    await expect.poll(() => admitted.length, { timeout: 10_000 }).toBe(2);
  });

  it("reads a plan again after a failure and loses nothing", async () => {
    let isAway = true;
    const admitted = start(async () => {
      if (isAway) throw new Error("The database is away");
      return 5;
    });
    admitter.expect("org");
    isAway = false;
    await expect.poll(() => admitted.length, { timeout: 10_000 }).toBe(2);
  });
});
