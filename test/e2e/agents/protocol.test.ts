import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Account, call, eventually, makeKey, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";
import { type Message, type WatcherSocket, watch } from "../../support/watcher.ts";

const JPEG = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(64)]);

/** The protocol of /ws/agent, with valid and invalid messages of a scripted agent. */
describe("the agent protocol", () => {
  let service: TestService;
  let account: Account;
  let key: string;
  const open: WatcherSocket[] = [];
  beforeAll(async () => {
    service = await startTestService({}, ["api", "projections", "dispatcher"]);
  });
  // Each case has its own organisation, so that agents of other cases take none of its executions.
  beforeEach(async () => {
    account = await signUp(service.url);
    ({ key } = await makeKey(service.url, account));
  });
  afterEach(() => {
    for (const socket of open.splice(0)) socket.drop();
  });
  afterAll(() => service.stop());

  const get = async (path: string, bearer = key) =>
    (await call(service.url, "GET", `/api/v1${path}`, { bearer })).body;

  /** A scripted agent of the organisation of a key. Numbers its messages. */
  const agentOf = async (bearer = key, agentId: string = randomUUID()) => {
    const socket = await watch(service.url, { authorization: `Bearer ${bearer}` }, "agent");
    open.push(socket);
    let seq = 0;
    /** Sends a message and waits for its acknowledgement. Returns the error, if any. */
    const say = async (message: Record<string, unknown>): Promise<string | null> => {
      seq += 1;
      const mine = seq;
      socket.say({ ...message, seq: mine });
      await socket.until((one) => one.type === "ack" && one.seq === mine);
      const error = socket.messages.find((one) => one.type === "error" && one.seq === mine);
      return error?.detail ?? null;
    };
    const hello = async (more: Record<string, unknown> = {}) => {
      const greeting = { agent_id: agentId, name: "by hand", version: "1", browsers: ["chromium"] };
      expect(
        await say({ type: "hello", ...greeting, capacity: 1, resume: [], ...more }),
      ).toBeNull();
      return socket.until(({ type }) => type === "welcome");
    };
    const dispatched = (executionId: string, delivery = 1): Promise<Message> =>
      socket.until(
        (one) =>
          one.type === "dispatch" && one.execution_id === executionId && one.delivery === delivery,
      );
    return { ...socket, agentId, say, sayRaw: socket.say, hello, dispatched };
  };

  const queueRun = async (bearer = key, steps = 2) => {
    const body = {
      name: `test ${randomUUID()}`,
      steps: Array.from({ length: steps }, () => ({ action: "navigate", value: "/" })),
    };
    const created = await call(service.url, "POST", "/api/v1/cli/tests", { bearer, body });
    const queued = await call(service.url, "POST", "/api/v1/cli/cloud-runs", {
      bearer,
      body: { test_ids: [created.body.id], target: "agent", base_url: "http://app.example" },
    });
    expect([queued.status, queued.body]).toEqual([202, expect.anything()]);
    const [runId, executionId] = [queued.body.run_ids[0], queued.body.executions[0].id];
    return { runId, executionId, testId: created.body.id as string };
  };

  const ended = (runId: string, bearer = key) =>
    eventually(
      () => get(`/runs/${runId}`, bearer),
      ({ finished_at }) => finished_at !== null,
    );

  it("refuses the handshake with 401 without a valid API key", async () => {
    for (const headers of [
      {},
      { authorization: "Bearer ak_live_wrong" },
      { authorization: `Bearer ${account.accessToken}` },
      { cookie: account.cookie },
    ]) {
      await expect(
        watch(service.url, headers as Record<string, string>, "agent"),
      ).rejects.toMatchObject({
        status: 401,
        body: expect.stringMatching(/^\{"detail":".*"\}$/),
      });
    }
  });

  it("dispatches a run to an agent and records its verdict without using quota", async () => {
    const agent = await agentOf();
    expect(await agent.hello()).toEqual({
      type: "welcome",
      agent_id: agent.agentId,
      heartbeat_seconds: 3,
    });
    const { runId, executionId } = await queueRun();
    const dispatch = await agent.dispatched(executionId);
    expect(dispatch).toMatchObject({
      run_id: runId,
      browsers: ["chromium"],
      base_url: "http://app.example",
      variables: {},
      lease_seconds: 10,
      steps: [{ action: "navigate", value: "/" }, { action: "navigate" }],
    });
    const of = { execution_id: executionId, delivery: 1 };
    const on = { ...of, attempt: 1, browser: "chromium" };
    expect(await agent.say({ type: "accept", ...of })).toBeNull();
    expect(await agent.say({ type: "heartbeat", execution_ids: [executionId] })).toBeNull();
    expect(await get("/runner/status")).toMatchObject({
      queue: { waiting: 0, running: 1 },
      agents: [{ agent_id: agent.agentId, name: "by hand", capacity: 1, running: 1 }],
    });
    const said = [
      { type: "step", ...on, number: 1, status: "running" },
      { type: "step", ...on, number: 1, status: "passed", duration_ms: 12, locator: null },
      { type: "screenshot", ...on, number: 1, format: "jpeg", base64: JPEG.toString("base64") },
      { type: "step", ...on, number: 2, status: "failed", duration_ms: 7, error: "no such page" },
      { type: "result", ...on, status: "failed", error: "no such page" },
    ];
    for (const message of said) expect(await agent.say(message)).toBeNull();
    expect(await agent.say(said[1] ?? {})).toMatch(/do not hold/);

    expect(await ended(runId)).toMatchObject({ status: "failed", totals: { failed: 1 } });
    const execution = await get(`/executions/${executionId}`);
    expect(execution.browsers[0]).toMatchObject({
      browser_version: "unknown",
      status: "failed",
      steps: [
        { number: 1, status: "passed", duration_ms: 12 },
        { number: 2, status: "failed", error: "no such page" },
      ],
    });
    const shot = await call(
      service.url,
      "GET",
      `/api/v1/tests/${executionId}/screenshots/chromium/1`,
      { bearer: key },
    );
    expect(shot.body).toEqual(JPEG);
    expect(await get("/usage")).toMatchObject({ used: 0, reserved: 0 });
    const events = (await get(`/runs/${runId}/events?limit=100`)).items;
    const names = events.map(({ name }: Message) => name);
    expect(names.filter((name: string) => name === "step_passed")).toHaveLength(1);
  });

  it("rejects invalid reports and reports for executions of others", async () => {
    const stranger = await signUp(service.url);
    const theirs = (await makeKey(service.url, stranger)).key;
    const [mine, other] = [await agentOf(), await agentOf(theirs)];
    await Promise.all([mine.hello(), other.hello()]);
    const own = await queueRun();
    await mine.dispatched(own.executionId);
    const of = { execution_id: own.executionId, delivery: 1 };
    await mine.say({ type: "accept", ...of });
    const on = { ...of, attempt: 1, browser: "chromium" };
    const step = { type: "step", ...on, number: 1, status: "passed" };

    // An agent of another organisation with the same id, and an agent without this delivery.
    expect(await other.say(step)).toMatch(/do not hold/);
    const double = await agentOf(theirs, mine.agentId);
    await double.hello({ resume: [own.executionId] });
    await double.until((one) => one.type === "cancel" && one.execution_id === own.executionId);
    expect(await double.say(step)).toMatch(/do not hold/);
    expect(await mine.say({ ...step, delivery: 2 })).toMatch(/delivery 2/);
    expect(await mine.say({ ...step, execution_id: randomUUID() })).toMatch(/do not hold/);

    const shot = { type: "screenshot", ...on, number: 1, format: "jpeg" };
    const cases: [Record<string, unknown>, RegExp][] = [
      [{ ...step, attempt: 2 }, /1 attempts at most/],
      [{ ...step, number: 3 }, /has 2 steps/],
      [{ ...step, number: 0 }, /number/],
      [{ ...step, browser: "netscape" }, /browser/],
      [{ ...step, browser: "firefox" }, /no browser of this execution/],
      [{ ...step, status: "splendid" }, /status/],
      [{ ...step, error: "x".repeat(30_000) }, /error/],
      [{ ...shot, base64: "not base64!" }, /not valid base64/],
      [{ ...shot, base64: Buffer.from("<svg>").toString("base64") }, /not a jpeg/],
      [{ ...shot, base64: JPEG.toString("base64"), format: "png" }, /not a png/],
      [{ ...shot, base64: `/9j/${"A".repeat(5_600_000)}` }, /4194304 bytes/],
      [{ type: "hello", agent_id: "again", browsers: [], capacity: 1 }, /already/],
      [{ type: "dance" }, /type/],
    ];
    for (const [message, refusal] of cases) expect(await mine.say(message)).toMatch(refusal);
    for (const nonsense of ["{", "[]", "null", '"x"', '{"seq":"1"}', '{"seq":1e99}'])
      mine.sayRaw(nonsense);
    const { items } = await get(`/runs/${own.runId}/events?limit=100`);
    const reported = items.filter(({ step_number }: Message) => step_number !== null);
    expect(reported).toEqual([]);

    // Later valid reports still count.
    expect(await mine.say(step)).toBeNull();
    expect(await mine.say({ ...step, status: "failed", error: "changed its mind" })).toBeNull();
    expect(await mine.say({ type: "result", ...on, status: "passed" })).toBeNull();
    expect(await ended(own.runId)).toMatchObject({ status: "passed" });
    const execution = await get(`/executions/${own.executionId}`);
    expect(execution.browsers[0].steps[0]).toMatchObject({ status: "passed", error: null });
  });

  it("handles repeated messages once", async () => {
    const agent = await agentOf();
    await agent.hello();
    const { executionId, runId } = await queueRun(key, 1);
    await agent.dispatched(executionId);
    const on = { execution_id: executionId, delivery: 1, attempt: 1, browser: "chromium" };
    const result = { type: "result", ...on, status: "passed" };
    // The number of the hello again: acknowledged and ignored.
    agent.sayRaw(JSON.stringify({ ...result, seq: 1 }));
    await agent.until((one) => one.type === "ack" && one.seq === 1);
    expect(await agent.say({ type: "accept", ...on })).toBeNull();
    expect((await get(`/runs/${runId}`)).finished_at).toBeNull();
    expect(await agent.say(result)).toBeNull();
    expect(await ended(runId)).toMatchObject({ status: "passed" });
  });

  it("offers a rejected or unaccepted execution to another agent", async () => {
    const [first, second] = [await agentOf(), await agentOf()];
    await first.hello();
    const { executionId, runId } = await queueRun(key, 1);
    await first.dispatched(executionId);
    const of = { execution_id: executionId, delivery: 1 };
    expect(await first.say({ type: "reject", ...of, reason: "I have no time." })).toBeNull();
    first.drop();
    await second.hello();
    await second.dispatched(executionId, 2);
    second.drop();
    const third = await agentOf();
    await third.hello();
    await third.dispatched(executionId, 3);
    const on = { execution_id: executionId, delivery: 3, attempt: 1, browser: "chromium" };
    expect(await third.say({ type: "accept", ...on })).toBeNull();
    expect(await third.say({ type: "result", ...on, status: "passed" })).toBeNull();
    expect(await ended(runId)).toMatchObject({ status: "passed" });
    first.drop();
  });

  it("sends an agent only the secrets that its steps name", async () => {
    const post = async (path: string, body: unknown, bearer = key) =>
      (await call(service.url, "POST", `/api/v1${path}`, { bearer, body })).body;
    const project = await post("/projects", { name: "shop" });
    const environments = `/projects/${project.id}/environments`;
    const environment = await post(environments, { name: "staging" }, account.accessToken);
    for (const name of ["password", "unused"]) {
      const put = await call(
        service.url,
        "PUT",
        `/api/v1${environments}/${environment.id}/secrets/${name}`,
        { bearer: account.accessToken, body: { value: `the ${name} of staging` } },
      );
      expect(put.status).toBeLessThan(300);
    }
    const steps = [{ action: "type", target: "Password", value: "${secret.password}" }];
    const test = await post("/cli/tests", { name: "signs in", project_id: project.id, steps });
    const agent = await agentOf();
    await agent.hello();
    const queued = await post("/cli/cloud-runs", {
      ...{ test_ids: [test.id], target: "agent", environment: "staging" },
    });
    const dispatch = await agent.dispatched(queued.executions[0].id);
    expect(dispatch.secrets).toEqual({ password: "the password of staging" });
    const events = await get(`/runs/${queued.run_ids[0]}/events?limit=100`);
    expect(JSON.stringify(events)).not.toContain("of staging");
  });

  it("cancels the execution of an agent and rejects its later reports", async () => {
    const agent = await agentOf();
    await agent.hello();
    const { executionId, runId } = await queueRun(key, 1);
    await agent.dispatched(executionId);
    const on = { execution_id: executionId, delivery: 1, attempt: 1, browser: "chromium" };
    await agent.say({ type: "accept", ...on });
    await call(service.url, "POST", `/api/v1/runner/runs/${runId}/cancel`, { bearer: key });
    await agent.until((one) => one.type === "cancel" && one.execution_id === executionId);
    expect(await agent.say({ type: "result", ...on, status: "passed" })).toMatch(/do not hold/);
    expect(await ended(runId)).toMatchObject({ status: "cancelled" });
  });

  it("records every step once when an agent reconnects and resends", async () => {
    const agent = await agentOf();
    await agent.hello();
    const { executionId, runId } = await queueRun(key, 2);
    await agent.dispatched(executionId);
    const on = { execution_id: executionId, delivery: 1, attempt: 1, browser: "chromium" };
    await agent.say({ type: "accept", ...on });
    expect(await agent.say({ type: "step", ...on, number: 1, status: "passed" })).toBeNull();
    agent.drop();
    const back = await agentOf(key, agent.agentId);
    await back.hello({ resume: [executionId] });
    expect(await back.say({ type: "step", ...on, number: 1, status: "passed" })).toBeNull();
    expect(await back.say({ type: "step", ...on, number: 2, status: "passed" })).toBeNull();
    expect(await back.say({ type: "result", ...on, status: "passed" })).toBeNull();
    expect(await ended(runId)).toMatchObject({ status: "passed" });
    const { items } = await get(`/runs/${runId}/events?limit=100`);
    const counted = (name: string) => items.filter((one: Message) => one.name === name).length;
    expect([counted("step_passed"), counted("execution_redelivered")]).toEqual([2, 0]);
  });

  it("disconnects agents of a revoked key and returns their executions", async () => {
    const other = await signUp(service.url);
    const made = await makeKey(service.url, other);
    const agent = await agentOf(made.key);
    await agent.hello();
    const { executionId } = await queueRun(made.key, 1);
    await agent.dispatched(executionId);
    await agent.say({ type: "accept", execution_id: executionId, delivery: 1 });
    const session = { bearer: other.accessToken };
    await call(service.url, "DELETE", `/api/v1/api-keys/${made.id}`, session);
    expect(await agent.closed).toBe(4401);
    const heir = await agentOf((await makeKey(service.url, other, "heir")).key);
    await heir.hello();
    await heir.dispatched(executionId, 2);
  });
});
