import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DemoSite, serveDemoSite } from "../../../src/cli/operator/demo/site.ts";
import { type Account, call, eventually, makeKey, signUp } from "../../support/client.ts";
import { type ServiceProcess, startServiceProcess } from "../../support/serviceProcess.ts";
import { type Message, watch } from "../../support/watcher.ts";

const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);

/** The service is ended in mid-run, without or with a warning, and started again on the same data folder. */
describe("a run interrupted by a restart of the service", () => {
  let dataDir: string;
  let service: ServiceProcess;
  let site: DemoSite;
  let ann: Account;
  let key: string;
  let testId: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), "runledger-recovery-"));
    [service, site] = await Promise.all([startServiceProcess(dataDir), serveDemoSite()]);
    ann = await signUp(service.url);
    key = (await makeKey(service.url, ann)).key;
    const text = ["Go to /todo", "Wait 1 s", "Wait 1 s", "Wait 1 s", 'I should see "todos"'];
    const created = await call(service.url, "POST", "/api/v1/tests", {
      bearer: ann.accessToken,
      body: { name: "Slow", text: text.join("\n") },
    });
    expect(created.body.step_count).toBe(5);
    testId = created.body.id;
  });
  afterAll(async () => {
    await service.end("SIGTERM");
    await site.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const queue = async (): Promise<{ runId: string; executionId: string }> => {
    const reply = await call(service.url, "POST", "/api/v1/cli/cloud-runs", {
      bearer: key,
      body: { test_ids: [testId], base_url: site.url },
    });
    expect(reply.status).toBe(202);
    return { runId: reply.body.run_ids[0], executionId: reply.body.executions[0].id };
  };
  const seenUntil = async (runId: string, fits: (message: Message) => boolean, after = 0) => {
    const watcher = await watch(service.url, { cookie: ann.cookie });
    watcher.say({ type: "subscribe", run_id: runId, after });
    await watcher.until(fits);
    watcher.drop();
    return watcher.events(runId);
  };
  const isEnd = (message: Message) => message.name === "run_finished";
  const inMidRun = (message: Message) =>
    message.name === "step_started" && message.step_number === 3;

  const resultOf = async (executionId: string) => {
    const reply = await call(service.url, "GET", `/api/v1/executions/${executionId}`, {
      bearer: key,
    });
    return reply.body;
  };

  /** No step twice within one delivery, and the number of each event one more than the last's. */
  const expectWhole = (events: readonly Message[]) => {
    expect(events.map((event) => event.sequence)).toEqual(upTo(events.length));
    const facts = events
      .filter((event) => event.step_number !== null)
      .map((event) =>
        [event.name, event.attempt, event.delivery, event.browser, event.step_number].join(),
      );
    expect(new Set(facts).size).toBe(facts.length);
  };

  it("ends after kill -9 and repeats no step", async () => {
    const { runId, executionId } = await queue();
    const before = await seenUntil(runId, inMidRun);
    await service.end("SIGKILL");
    service = await startServiceProcess(dataDir);

    const after = before.at(-1)?.sequence ?? 0;
    const events = [...before, ...(await seenUntil(runId, isEnd, after))];
    expectWhole(events);
    expect(events.map((event) => event.name)).toContain("execution_redelivered");
    const run = await call(service.url, "GET", `/api/v1/cli/cloud-runs/${runId}`, { bearer: key });
    expect(run.body.status).toBe("passed");
    const execution = await resultOf(executionId);
    const steps = execution.browsers[0].steps;
    expect(steps.map((step: { number: number }) => step.number)).toEqual(upTo(5));
    expect(new Set(steps.map((step: { status: string }) => step.status))).toEqual(
      new Set(["passed"]),
    );
    const usage = await call(service.url, "GET", "/api/v1/usage", { bearer: key });
    expect(usage.body).toMatchObject({ used: 1, reserved: 0 });
  });

  it("is returned on SIGTERM and ends after the restart", async () => {
    const { runId, executionId } = await queue();
    await seenUntil(runId, inMidRun);
    expect(await service.end("SIGTERM")).toBe(0);
    service = await startServiceProcess(dataDir);

    const events = await seenUntil(runId, isEnd);
    expectWhole(events);
    const status = await eventually(
      async () => (await resultOf(executionId)).status,
      (value) => value !== "queued" && value !== "running" && value !== "claimed",
    );
    expect(status).toBe("passed");
  });
});
