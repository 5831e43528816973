import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DomainError } from "../../../src/domain/kernel/errors.ts";
import { periodOf } from "../../../src/domain/usage/period.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { LogUnavailableError } from "../../../src/platform/eventLog/errors.ts";
import { idsFrom, newId } from "../../../src/platform/ids.ts";
import { keyContext, type RunsKit, startRunsKit } from "../../support/runsKit.ts";

const inputOf = (...testIds: string[]) => ({
  selection: { testIds },
  browsers: ["chromium" as const],
  baseUrl: null,
  variables: {},
});

describe("queueing runs", () => {
  let kit: RunsKit;
  beforeAll(async () => {
    kit = await startRunsKit();
  });
  afterAll(() => kit.stop());

  const usageNow = async (organizationId: string) => {
    await kit.caughtUp();
    return kit.queries.usage.usageOf(organizationId, periodOf(systemClock().toISOString()));
  };
  const refusalOf = async (work: Promise<unknown>): Promise<DomainError> => {
    const error = await work.then(
      () => null,
      (reason: unknown) => reason,
    );
    if (!(error instanceof DomainError)) throw new Error(`Not refused: ${String(error)}`);
    return error;
  };

  it("reserves quota and pins the tests in order", async () => {
    const organizationId = newId();
    const context = keyContext(organizationId);
    const tests = [await kit.createTest(context, "b"), await kit.createTest(context, "a", 3)];
    const queued = await kit.commands.runs.queueRuns(context, inputOf(...tests, tests[0] ?? ""));
    expect(queued.executions.map(({ testId }) => testId)).toEqual(tests);
    expect(await usageNow(organizationId)).toEqual({ used: 0, reserved: 2 });
    const run = await kit.queries.runs.findRun(queued.runIds[0] ?? "");
    expect(run).toMatchObject({
      organizationId,
      status: "queued",
      triggered_by: "api:ci",
      sequence: 1,
      totals: { passed: 0 },
      tests: [
        { name: "b", status: "queued", steps_done: 0, steps_total: 2 },
        { name: "a", status: "queued", steps_done: 0, steps_total: 3 },
      ],
    });
  });

  it("refuses foreign, unknown and malformed ids with their codes and reserves nothing", async () => {
    const organizationId = newId();
    const context = keyContext(organizationId);
    const own = await kit.createTest(context, "mine");
    const foreign = await kit.createTest(keyContext(newId()), "theirs");
    const queue = (...ids: string[]) => kit.commands.runs.queueRuns(context, inputOf(...ids));
    expect((await refusalOf(queue(own, foreign))).code).toBe("run.foreignTest");
    expect((await refusalOf(queue(own, newId()))).code).toBe("run.unknownTest");
    expect((await refusalOf(queue())).code).toBe("run.nothingToRun");
    const many = Array.from({ length: 1_001 }, () => newId());
    expect((await refusalOf(queue(...many))).code).toBe("run.tooManyTests");
    expect(await usageNow(organizationId)).toEqual({ used: 0, reserved: 0 });
  });

  it("refuses a test without steps by name and omits it from a whole project", async () => {
    const organizationId = newId();
    const context = keyContext(organizationId);
    const [full, empty] = [
      await kit.createTest(context, "full"),
      await kit.createTest(context, "empty", 0),
    ];
    const refused = await refusalOf(kit.commands.runs.queueRuns(context, inputOf(full, empty)));
    expect([refused.code, refused.message]).toEqual([
      "run.emptyTest",
      expect.stringContaining(empty),
    ]);
    const project = await kit.commands.catalogue.createProject(context, "Shop");
    const queueProject = () =>
      kit.commands.runs.queueRuns(context, {
        ...inputOf(),
        selection: { projectId: project.id },
      });
    const move = (testId: string) =>
      kit.commands.catalogue.changeTest(context, testId, { projectId: project.id }, null);
    await move(empty);
    await kit.caughtUp();
    expect((await refusalOf(queueProject())).code).toBe("run.nothingToRun");
    await move(full);
    await kit.caughtUp();
    const { executions } = await queueProject();
    expect(executions.map(({ testId }) => testId)).toEqual([full]);
  });

  it("reserves exactly the limit for 200 concurrent callers in four processes, with a receipt for each refusal", async () => {
    const organizationId = newId();
    const context = keyContext(organizationId);
    await kit.commands.billing.startPlan(context, { organizationId });
    const test = await kit.createTest(context, "raced for");
    for (let taken = 0; taken < 20; taken += 1) {
      await kit.commands.runs.queueRuns(context, inputOf(test));
    }
    const processes = Array.from({ length: 4 }, () => kit.startProcess());
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        processes[n % 4]?.runs.queueRuns(context, inputOf(test)).then(
          () => "queued" as const,
          (error: unknown) => error as DomainError,
        ),
      ),
    );
    const refusals = outcomes.filter((one) => one instanceof DomainError);
    expect(outcomes.filter((one) => one === "queued")).toHaveLength(30);
    expect(refusals.map(({ code }) => code)).toEqual(Array(170).fill("run.quotaExceeded"));
    expect(await usageNow(organizationId)).toEqual({ used: 0, reserved: 50 });

    const ids = new Set(refusals.map(({ details }) => String(details.refusalId)));
    expect(ids.size).toBeLessThanOrEqual(2);
    for (const id of ids) {
      const found = await kit.queries.usage.findRefusal(id);
      expect(found).toMatchObject({
        organizationId,
        receipt: { rule: "monthlyRuns", requested: 1, limit: 50, used: 0, reserved: 50 },
      });
      expect(found?.receipt.usedBy).toEqual([{ by: context.actor, units: 50 }]);
    }
    expect(refusals[0]?.details.link).toBe(
      `</api/v1/usage/refusals/${refusals[0]?.details.refusalId}>; rel="describedby"`,
    );
  });

  it("succeeds immediately after a larger plan is granted", async () => {
    const organizationId = newId();
    const context = keyContext(organizationId);
    const test = await kit.createTest(context, "wanted");
    const reserve = (units: number) =>
      kit.commands.usage.reserveRuns(context, organizationId, [{ runId: newId(), units }]);
    await reserve(50);
    expect((await refusalOf(reserve(1))).message).toContain("50");
    await kit.commands.billing.grantPlan(context, {
      organizationId,
      plan: "starter",
      reason: "test",
    });
    await kit.commands.runs.queueRuns(context, inputOf(test));
    expect(await usageNow(organizationId)).toEqual({ used: 0, reserved: 51 });
  });

  it("releases the reservation of a missing run and keeps that of a queued one", async () => {
    const organizationId = newId();
    const context = keyContext(organizationId);
    const lost = newId();
    const { period } = await kit.commands.usage.reserveRuns(context, organizationId, [
      { runId: lost, units: 3 },
    ]);
    const test = await kit.createTest(context, "came");
    const { runIds } = await kit.commands.runs.queueRuns(context, inputOf(test));
    for (const runId of [lost, runIds[0] ?? "", lost]) {
      await kit.commands.usage.releaseUnqueued(context, { organizationId, period, runId });
    }
    expect(await usageNow(organizationId)).toEqual({ used: 0, reserved: 1 });
  });

  it("reserves and queues once for a request that is repeated after an interruption", async () => {
    const organizationId = newId();
    const seed = newId();
    const context = { ...keyContext(organizationId), ids: idsFrom(seed) };
    const test = await kit.createTest(context, "broken off");
    const breaks = kit.startProcess({
      ...kit.log,
      append: async (stream, events, expected) => {
        if (stream.startsWith("run-")) throw new LogUnavailableError(new Error("gone"));
        return kit.log.append(stream, events, expected);
      },
    });
    const broken = breaks.runs.queueRuns(context, inputOf(test));
    await expect(broken).rejects.toBeInstanceOf(LogUnavailableError);
    expect(await usageNow(organizationId)).toEqual({ used: 0, reserved: 1 });

    const again = { ...context, again: true as const };
    const queued = await kit.startProcess().runs.queueRuns(again, inputOf(test));
    // By now the test is another, and so would be the run.
    await kit.commands.catalogue.deleteTest(keyContext(organizationId), test, null);
    await kit.caughtUp();
    const third = await kit.startProcess().runs.queueRuns(again, inputOf(test));
    expect([third.runIds, third.executions]).toEqual([queued.runIds, queued.executions]);
    expect(await usageNow(organizationId)).toEqual({ used: 0, reserved: 1 });
  });

  it("refuses a run whose reservation was released before its append", async () => {
    const organizationId = newId();
    const context = keyContext(organizationId);
    const test = await kit.createTest(context, "late");
    const period = periodOf(new Date().toISOString());
    const late = kit.startProcess({
      ...kit.log,
      append: async (stream, events, expected) => {
        if (stream.startsWith("run-")) {
          const runId = stream.slice("run-".length);
          await kit.commands.usage.releaseUnqueued(context, { organizationId, period, runId });
        }
        return kit.log.append(stream, events, expected);
      },
    });
    const outcome = late.runs.queueRuns(context, inputOf(test));
    await expect(outcome).rejects.toMatchObject({ code: "run.queueTimeout" });
    expect(await usageNow(organizationId)).toEqual({ used: 0, reserved: 0 });
  });
});
