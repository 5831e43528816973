import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type AgentHost,
  type AgentReport,
  type AgentSession,
  fromAgent,
  type ToAgent,
} from "../../../src/domain/agents/protocol.ts";
import { newId } from "../../../src/platform/ids.ts";
import type { Visuals } from "../../../src/workers/executor/visual.ts";
import { eventually } from "../../support/client.ts";
import { step as anyStep, startDeployment } from "../runs/deployment.ts";

/** Agents that are connected to two api processes over one log, one database and one bus. */
describe("agents on several processes", () => {
  let deployment: Awaited<ReturnType<typeof startDeployment>>;
  let hosts: readonly [AgentHost, AgentHost];
  beforeEach(async () => {
    deployment = await startDeployment();
    deployment.startDispatcher();
    hosts = [deployment.startAgentHost(), deployment.startAgentHost()];
  });
  afterEach(() => deployment.stop());

  const connect = (host: AgentHost, organizationId: string, agentId: string, resume: string[]) => {
    const said: ToAgent[] = [];
    const closed: number[] = [];
    const hello = fromAgent.parse({
      ...{ type: "hello", seq: 1, agent_id: agentId, browsers: ["chromium"] },
      ...{ capacity: 2, resume },
    });
    if (hello.type !== "hello") throw new Error("no hello");
    const line = {
      say: (message: ToAgent) => void said.push(message),
      close: (code: number) => void closed.push(code),
    };
    const session: AgentSession = host.connect(organizationId, hello, line);
    const dispatched = (executionId: string) =>
      eventually(
        async () =>
          said.find((one) => one.type === "dispatch" && one.execution_id === executionId) ?? null,
        (found) => found !== null,
      );
    return { session, said, closed, dispatched };
  };

  const queueRun = async (retries = 0) => {
    const run = await deployment.queueRun(1, newId(), { target: "agent", retries });
    const executionId = run.executionIds[0] ?? "";
    const on = (attempt: number) => ({
      ...{ seq: 1, execution_id: executionId, delivery: 1, attempt },
      browser: "chromium" as const,
    });
    const step = (number: number, attempt = 1): AgentReport => ({
      ...{ type: "step", ...on(attempt), number, status: "passed" },
    });
    const result = (status: "passed" | "failed", attempt = 1): AgentReport => ({
      ...{ type: "result", ...on(attempt), status },
    });
    return { ...run, executionId, step, result };
  };

  const typesOf = async (executionId: string) =>
    (await deployment.eventsOf(`execution-${executionId}`)).map(({ type }) => type);

  it("continue at another process after the last recorded event, and the first process lets go", async () => {
    const run = await queueRun();
    const { executionId, organizationId, step, result } = run;
    const first = connect(hosts[0], organizationId, "a", []);
    await first.dispatched(executionId);
    expect(await first.session.receive(step(1))).toBeNull();

    const second = connect(hosts[1], organizationId, "a", [executionId]);
    expect(await second.session.receive(step(1))).toBeNull();
    expect(await second.session.receive(step(2))).toBeNull();
    await eventually(
      async () => first.closed,
      (codes) => codes.includes(4409),
    );
    // Messages on the old connection are ignored.
    expect(await first.session.receive(step(2))).toMatch(/do not hold/);
    expect(await second.session.receive(result("passed"))).toBeNull();
    expect(await eventually(run.run, ({ status }) => status === "passed")).toBeTruthy();
    const types = await typesOf(executionId);
    expect(types).toEqual([
      ...["ExecutionQueued", "ExecutionClaimed", "BrowserStarted"],
      ...["StepStarted", "StepPassed", "StepStarted", "StepPassed"],
      ...["BrowserFinished", "AttemptFinished", "ExecutionFinished"],
    ]);
  });

  it("count each attempt once if they change the process in between, with a flaky verdict", async () => {
    const run = await queueRun(1);
    const { executionId, organizationId, step, result } = run;
    const first = connect(hosts[0], organizationId, "a", []);
    expect(await first.dispatched(executionId)).toMatchObject({ retries: 1 });
    expect(await first.session.receive(result("failed", 1))).toBeNull();
    first.session.end(false);

    const second = connect(hosts[1], organizationId, "a", [executionId]);
    // It did not hear that its result was recorded, and says it again.
    expect(await second.session.receive(result("failed", 1))).toBeNull();
    expect(await second.session.receive(step(1, 2))).toBeNull();
    expect(await second.session.receive(result("passed", 2))).toBeNull();
    await eventually(run.run, ({ status }) => status === "passed");
    const types = await typesOf(executionId);
    expect(types.filter((type) => type === "AttemptFinished")).toHaveLength(2);
    const [last] = (await deployment.eventsOf(`execution-${executionId}`)).slice(-1);
    expect(last).toMatchObject({ type: "ExecutionFinished", data: { status: "flaky" } });
  });

  it("keep their executions over a graceful stop of the process", async () => {
    const run = await queueRun();
    const { executionId, organizationId, step, result } = run;
    const host = deployment.startAgentHost();
    const first = connect(host, organizationId, "a", []);
    await first.dispatched(executionId);
    expect(await first.session.receive(step(1))).toBeNull();
    await host.stop();
    expect(first.closed).toEqual([1012]);
    const second = connect(hosts[1], organizationId, "a", [executionId]);
    expect(await second.session.receive(result("passed"))).toBeNull();
    await eventually(run.run, ({ status }) => status === "passed");
    expect(await typesOf(executionId)).not.toContain("ExecutionReturned");
  });

  it("that reconnect without their execution return it, and it is dispatched again", async () => {
    const run = await queueRun();
    const { executionId, organizationId } = run;
    const first = connect(hosts[0], organizationId, "a", []);
    await first.dispatched(executionId);
    const { seq, delivery } = { seq: 2, delivery: 1 };
    const accept = { type: "accept", seq, execution_id: executionId, delivery } as const;
    expect(await first.session.receive(accept)).toBeNull();
    connect(hosts[0], organizationId, "a", []);
    const types = await eventually(
      () => typesOf(executionId),
      (all) => all.filter((type) => type === "ExecutionClaimed").length === 2,
    );
    expect(types.slice(0, 4)).toEqual([
      ...["ExecutionQueued", "ExecutionClaimed", "ExecutionReturned", "ExecutionClaimed"],
    ]);
  });

  it("receive runs for agents, which idle executors leave alone", async () => {
    deployment.startWorker();
    const run = await queueRun();
    const { executionId, organizationId } = run;
    const cloud = await deployment.queueRun(2, organizationId);
    await eventually(cloud.run, ({ status }) => status === "passed");
    expect(await typesOf(executionId)).toEqual(["ExecutionQueued"]);
    const agent = connect(hosts[0], organizationId, "a", []);
    expect(await agent.dispatched(executionId)).toMatchObject({ delivery: 1, retries: 0 });
  });

  describe("pictures of an agent that does not wait for the comparison", () => {
    const base64 =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const baseline = { key: "b", sha256: "b", width: 1, height: 1 };
    const judged = { pixels: 1, ratio: 1, sizeDiffers: false, threshold: 0.1, allowed: 0 };
    const differing: Visuals = async () => ({
      kind: "compare",
      sha256: "b",
      compare: async () => ({
        ...judged,
        ...{ outcome: "different", baseline, diff: Buffer.from("difference") },
      }),
    });
    const check = { ...anyStep, action: "visual_check" };

    const start = async (visuals: Visuals, retries = 0) => {
      const options = { visualsOf: () => visuals, steps: [check, anyStep] };
      const host = deployment.startAgentHost(options);
      const run = await queueRun(retries);
      const agent = connect(host, run.organizationId, "a", []);
      await agent.dispatched(run.executionId);
      const shot = { ...run.result("passed"), type: "screenshot", number: 1, base64 };
      const picture = fromAgent.parse({ ...shot, format: "png" }) as AgentReport;
      const events = () => deployment.eventsOf(`execution-${run.executionId}`);
      return { ...run, ...agent, options, picture, events };
    };

    it("fail the step and the test if they differ, without a retry", async () => {
      const { session, picture, step, result, run, executionId, events } = await start(
        differing,
        1,
      );
      expect(await session.receive(picture)).toBeNull();
      expect(await session.receive(step(1))).toBeNull();
      expect(await session.receive(step(2))).toBeNull();
      expect(await session.receive(result("passed"))).toBeNull();
      await eventually(run, ({ status }) => status === "failed");
      const all = await events();
      const dataOf = (wanted: string) => all.find(({ type }) => type === wanted)?.data;
      expect(dataOf("VisualCompared")).toMatchObject({
        outcome: "different",
        viewport: "1280x720",
      });
      expect(dataOf("StepFailed")).toMatchObject({ number: 1, passedOver: false });
      expect(dataOf("BrowserFinished")).toMatchObject({ status: "failed", onlyPictures: true });
      const { diff } = dataOf("VisualCompared") as { diff: string };
      expect(deployment.stored.get(diff)?.bytes.toString()).toBe("difference");
      expect(diff).toContain(executionId);
    });

    it("keep their comparison when the agent continues at another process", async () => {
      const first = await start(differing);
      expect(await first.session.receive(first.picture)).toBeNull();
      first.session.end(false);
      const other = deployment.startAgentHost(first.options);
      const { session } = connect(other, first.organizationId, "a", [first.executionId]);
      expect(await session.receive(first.step(1))).toBeNull();
      expect(await session.receive(first.result("passed"))).toBeNull();
      await eventually(first.run, ({ status }) => status === "failed");
    });

    it("end the test as errored if they cannot be compared, and do not pass a step if missing", async () => {
      const broken = await start(async () => Promise.reject(new Error("no baselines now")));
      expect(await broken.session.receive(broken.picture)).toBeNull();
      expect(await broken.session.receive(broken.step(1))).toBeNull();
      expect(await broken.session.receive(broken.result("passed"))).toBeNull();
      await eventually(broken.run, ({ status }) => status === "errored");

      const without = await start(differing);
      expect(await without.session.receive(without.step(1))).toBeNull();
      const skipped = (await without.events()).find(({ type }) => type === "StepSkipped");
      expect(skipped?.data).toMatchObject({ reason: "The agent sent no picture to compare." });
    });
  });
});
