import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { executionLeases } from "../../../src/stores/runs/leases.ts";
import { claimJob } from "../../../src/workers/runs/claim.ts";
import { startLeaseKeeper } from "../../../src/workers/runs/leaseKeeper.ts";
import { eventually } from "../../support/client.ts";
import { type Deployment, startDeployment, step } from "./deployment.ts";

let deployment: Deployment;
beforeEach(async () => {
  deployment = await startDeployment();
});
afterEach(() => deployment.stop());

/** A queued execution, and a worker that is offered it. */
const offered = async () => {
  const { db, log, clock, logger } = deployment;
  const dispatcher = deployment.startDispatcher();
  const run = await deployment.queueRun(1);
  await eventually(
    () => run.executionEvents(0),
    (events) => events.length > 0,
  );
  await dispatcher.stop();
  const [event] = await run.executionEvents(0);
  const executionId = event?.stream.slice("execution-".length) ?? "";
  const worker = newId();
  const leases = executionLeases(db);
  const keeper = startLeaseKeeper({ leases, worker, logger });
  const stepsOfVersion = async () => [step];
  const job = {
    execution_id: executionId,
    run_id: newId(),
    organization_id: newId(),
    delivery: 1,
  };
  const types = async () => (await run.executionEvents(0)).map(({ type }) => type);
  return {
    executionId,
    job,
    leases,
    keeper,
    types,
    deps: { log, clock, logger, keeper, worker, stepsOfVersion },
  };
};

describe("claiming an offer", () => {
  test("records the claim and gives the worker the lease", async () => {
    const { executionId, job, leases, keeper, types, deps } = await offered();
    const claimed = await claimJob(deps, job);
    expect(claimed?.steps).toEqual([step]);
    expect(await types()).toEqual(["ExecutionQueued", "ExecutionClaimed"]);
    expect(await leases.takeOthers(newId())).toEqual([{ executionId, delivery: 1 }]);
    await keeper.stop();
  });

  test("does nothing for a stale offer", async () => {
    const { job, leases, keeper, types, deps } = await offered();
    expect(await claimJob(deps, { ...job, delivery: 7 })).toBeNull();
    expect(await claimJob(deps, { ...job, execution_id: newId() })).toBeNull();
    expect(await types()).toEqual(["ExecutionQueued"]);
    expect(await leases.takeOthers(newId())).toEqual([]);
    await keeper.stop();
  });

  test("does nothing if another worker holds the lease", async () => {
    const { executionId, job, leases, keeper, types, deps } = await offered();
    const held = { executionId, delivery: 1 };
    expect(await leases.take(held, "another")).toBe(true);
    expect(await claimJob(deps, job)).toBeNull();
    expect(await types()).toEqual(["ExecutionQueued"]);
    expect(await leases.renew("another")).toEqual([held]);
    await keeper.stop();
  });

  test("rejects and releases the lease if the log is unavailable", async () => {
    const { job, leases, keeper, deps } = await offered();
    const log = {
      ...deps.log,
      readStream: () => {
        throw new Error("The log is away");
      },
    };
    await expect(claimJob({ ...deps, log }, job)).rejects.toThrow("away");
    expect(await leases.takeOthers(newId())).toEqual([]);
    await keeper.stop();
  });

  test("rejects and releases the lease if the steps are unreadable", async () => {
    const { job, leases, keeper, types, deps } = await offered();
    const stepsOfVersion = () => Promise.reject(new Error("The database is away"));
    await expect(claimJob({ ...deps, stepsOfVersion }, job)).rejects.toThrow("away");
    expect(await types()).toEqual(["ExecutionQueued"]);
    expect(await leases.takeOthers(newId())).toEqual([]);
    await keeper.stop();
  });
});
