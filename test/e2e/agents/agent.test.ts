import { once } from "node:events";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type DemoSite, serveDemoSite } from "../../../src/cli/operator/demo/site.ts";
import { servePages } from "../../integration/executor/pages.ts";
import { type Account, call, eventually, makeKey, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";
import { startWire } from "../../support/wire.ts";
import { runledger } from "../cli/kit.ts";
import { type Agent, agentsOf } from "./kit.ts";

/** `runledger agent` in a child process, with a real browser. */
describe("an agent", () => {
  let service: TestService;
  let site: DemoSite;
  let key: string;
  let account: Account;
  let agents: ReturnType<typeof agentsOf>;
  beforeAll(async () => {
    [service, site] = await Promise.all([
      startTestService({}, ["api", "projections", "dispatcher"]),
      serveDemoSite(),
    ]);
    account = await signUp(service.url);
    key = (await makeKey(service.url, account)).key;
    agents = agentsOf(service.url, key);
  });
  afterEach(() => agents.killAll());
  afterAll(async () => {
    await Promise.all([service.stop(), site.close()]);
  });

  const startAgent = (server?: string): Promise<Agent> => agents.start(server);
  const get = (path: string) => agents.get(path);
  const ended = (runId: string) => agents.ended(runId);

  /** Queues a run for agents: a page, some waits, a page. */
  const queueRun = async (waits: readonly string[]) => {
    const go = { action: "navigate", value: "/todo" };
    const steps = [go, ...waits.map((value) => ({ action: "wait", value })), go];
    const body = { name: `waits ${waits.join()}`, steps };
    const created = await call(service.url, "POST", "/api/v1/cli/tests", { bearer: key, body });
    const queued = await call(service.url, "POST", "/api/v1/cli/cloud-runs", {
      bearer: key,
      body: { test_ids: [created.body.id], target: "agent", base_url: site.url },
    });
    expect(queued.status).toBe(202);
    return { runId: queued.body.run_ids[0], executionId: queued.body.executions[0].id };
  };

  it("continues a test through a lost connection and records every step once", async () => {
    const wire = await startWire(Number(new URL(service.url).port));
    const agent = await startAgent(`http://127.0.0.1:${wire.port}`);
    const { runId } = await queueRun(["1 s", "1 s", "1 s"]);
    await agents.stepsDone(runId, 1);
    await wire.set("refused");
    await agent.until("disconnected");
    await wire.set(null);
    await agent.until("connected", 2);
    expect(await ended(runId)).toMatchObject({ status: "passed", tests: [{ steps_done: 5 }] });
    const events = await agents.eventsOf(runId);
    for (const step of [1, 2, 3, 4, 5]) {
      expect([step, events.get(`step_passed/1/${step}`)]).toEqual([step, 1]);
      expect([step, events.get(`screenshot_taken/1/${step}`)]).toEqual([step, 1]);
    }
    expect([...events.keys()].filter((one) => one.startsWith("execution_redelivered"))).toEqual([]);
    agent.child.kill("SIGTERM");
    expect((await once(agent.child, "exit"))[0]).toBe(0);
    await wire.stop();
  });

  it("lets another agent finish the test of a killed one", async () => {
    const killed = await startAgent();
    const { runId } = await queueRun(["3 s"]);
    await agents.stepsDone(runId, 1);
    killed.child.kill("SIGKILL");
    const heir = await startAgent();
    expect(await ended(runId)).toMatchObject({ status: "passed", tests: [{ steps_done: 3 }] });
    const events = await agents.eventsOf(runId);
    for (const step of [1, 2, 3]) expect(events.get(`step_passed/2/${step}`)).toBe(1);
    expect(events.get("step_passed/1/3")).toBeUndefined();
    heir.child.kill("SIGTERM");
    await once(heir.child, "exit");
  });

  it("returns running tests and exits with 0 on a stop", async () => {
    const agent = await startAgent();
    const { runId, executionId } = await queueRun(["30 s"]);
    await agents.stepsDone(runId, 1);
    agent.child.kill("SIGTERM");
    expect((await once(agent.child, "exit"))[0]).toBe(0);
    await eventually(
      () => get(`/executions/${executionId}`),
      ({ status }) => status === "queued",
    );
    expect((await get("/runner/status")).agents).toEqual([]);
    await call(service.url, "POST", `/api/v1/runner/runs/${runId}/cancel`, { bearer: key });
    expect(await ended(runId)).toMatchObject({ status: "cancelled" });
  });

  it("compares pictures of visual checks on the service", {
    timeout: 120_000,
  }, async () => {
    const owner = { bearer: account.accessToken, organizationId: account.organizationId };
    const to = { ...owner, body: { plan: "starter" } };
    const change = await call(service.url, "POST", "/api/v1/plan/change", to);
    const confirm = `/api/v1/plan/change/${change.body.id}/confirm`;
    expect((await call(service.url, "POST", confirm, owner)).status).toBe(200);
    const pages = { "/": "<title>Shop</title><h1>Shop</h1><p>3.20</p>" };
    const shop = await servePages(pages);
    const steps = [
      { action: "navigate", value: "/" },
      { action: "visual_check", value: "start" },
      { action: "assert_visible", target: 'text "Shop"' },
    ];
    const body = { name: "front page", steps };
    const { body: test } = await call(service.url, "POST", "/api/v1/tests", { bearer: key, body });
    const agent = await startAgent();
    const run = async () => {
      const queued = await call(service.url, "POST", "/api/v1/cli/cloud-runs", {
        bearer: key,
        body: { test_ids: [test.id], target: "agent", base_url: shop.url },
      });
      const runId: string = queued.body.run_ids[0];
      const { status } = await ended(runId);
      const executionId: string = queued.body.executions[0].id;
      const { browsers } = await get(`/executions/${executionId}`);
      return { runId, executionId, status, steps: browsers[0].steps };
    };

    const first = await run();
    expect(first.status).toBe("passed");
    expect(first.steps[1]).toMatchObject({ is_gap: true, visual: { outcome: "proposed" } });
    await eventually(
      () => get(`/tests/${test.id}/baselines`),
      ({ items }) => items.length === 1,
    );
    const approve = `/api/v1/runs/${first.runId}/baselines/approve`;
    expect((await call(service.url, "POST", approve, { bearer: key })).status).toBe(200);
    const second = await run();
    expect(second.status).toBe("passed");
    expect(second.steps[1]).toMatchObject({ is_gap: false, visual: { outcome: "same" } });

    pages["/"] = pages["/"].replace("3.20", "4.70");
    const third = await run();
    expect(third.status).toBe("failed");
    expect(third.steps[1]).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/^The picture differs from the baseline in \d+ pixels/),
      visual: { outcome: "different", viewport: "1280x720" },
    });
    expect(third.steps[2].status).toBe("passed");
    for (const which of ["", "/baseline", "/diff"]) {
      const path = `/api/v1/tests/${third.executionId}/screenshots/chromium/2${which}`;
      const shot = await call(service.url, "GET", path, { cookie: account.cookie });
      expect([which, shot.status, shot.headers.get("content-type")]).toEqual([
        ...[which, 200, "image/png"],
      ]);
    }
    // Only the picture failed, so it can be judged again without a browser.
    const masks = [{ x: 0, y: 0, width: 1280, height: 720 }];
    const rejudge = `/api/v1/executions/${third.executionId}/rejudge`;
    const judgedBy = { bearer: key, body: { settings: { masks } } };
    expect((await call(service.url, "POST", rejudge, judgedBy)).status).toBe(200);
    await eventually(
      () => get(`/runs/${third.runId}`),
      ({ status }) => status === "passed",
    );
    agent.child.kill("SIGTERM");
    await once(agent.child, "exit");
    await shop.close();
  });

  it("uploads files, sends trace, console and HAR, and proposes healings", {
    timeout: 120_000,
  }, async () => {
    const owner = { bearer: account.accessToken, organizationId: account.organizationId };
    const settings = { settings: { step_timeout_seconds: 3 } };
    const organization = `/api/v1/organizations/${account.organizationId}`;
    await call(service.url, "PUT", organization, { ...owner, body: settings });
    const page = (id: string) => `<title>Prices</title><h1>Prices</h1>
      <label>Prices <input id="prices" type="file" onchange="this.files[0].text().then((text) => {
        document.getElementById('read').textContent = this.files[0].name + ': ' + text.length;
        console.warn('read it'); fetch('/nowhere') })"></label>
      <button id="${id}" onclick="document.getElementById('said').textContent = 'kept'">Save</button>
      <p id="read"></p><p id="said"></p>`;
    const pages: Record<string, string> = { "/": page("save") };
    const shop = await servePages(pages);
    const post = async (path: string, body: unknown) =>
      (await call(service.url, "POST", `/api/v1${path}`, { bearer: key, body })).body;
    const project = await post("/projects", { name: "prices" });
    const form = new FormData();
    // More than one message can hold.
    form.set("file", new Blob(["7".repeat(1_500_000)], { type: "text/csv" }), "prices.csv");
    await post(`/projects/${project.id}/files`, form);
    const steps = [
      { action: "navigate", value: "/" },
      { action: "upload", target: "#prices", value: "prices.csv" },
      { action: "assert_text", target: "#read", value: "prices.csv: 1500000" },
      { action: "click", target: "#save" },
      { action: "assert_text", target: "#said", value: "kept" },
    ];
    const made = { name: "sends prices", project_id: project.id, steps };
    const test = await post("/tests", made);
    const agent = await startAgent();
    const run = async () => {
      const queued = await post("/cli/cloud-runs", {
        ...{ test_ids: [test.id], target: "agent", base_url: shop.url, evidence: ["trace", "har"] },
      });
      const { status, tests } = await ended(queued.run_ids[0]);
      return { status, error: tests[0].error, executionId: queued.executions[0].id as string };
    };
    const first = await run();
    expect([first.status, first.error]).toEqual(["passed", null]);
    const { items } = await eventually(
      () => get(`/executions/${first.executionId}/artifacts`),
      (found) => found.items.length === 3,
    );
    const contents = new Map<string, Buffer>();
    for (const { name, url, bytes } of items) {
      const { body } = await call(service.url, "GET", url, { bearer: key });
      const file = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
      contents.set(name, file);
      expect([name, bytes > 0, file.length > 0]).toEqual([name, true, true]);
    }
    expect([...contents.keys()].sort()).toEqual(["console.json", "network.har", "trace.zip"]);
    expect(contents.get("trace.zip")?.subarray(0, 2).toString()).toBe("PK");
    expect(contents.get("console.json")?.toString()).toContain("read it");
    expect(contents.get("network.har")?.toString()).toContain("/nowhere");

    await eventually(
      () => service.core.fingerprints.ofTest(test.id),
      (known) => known.size === 2,
    );
    pages["/"] = page("btn-7f3a");
    const second = await run();
    expect([second.status, second.error]).toEqual(["passed", null]);
    const [proposal] = await eventually(
      async () => (await get(`/tests/${test.id}/healings`)).items,
      (found) => found.length === 1,
    );
    expect(proposal).toMatchObject({
      ...{ status: "proposed", target: "#save", healed_target: '"Save" button' },
      changes: expect.arrayContaining([{ what: "id", before: "save", after: "btn-7f3a" }]),
    });
    const { browsers } = await get(`/executions/${second.executionId}`);
    expect(browsers[0].steps[3].locator).toContain("healed: #save");
    agent.child.kill("SIGTERM");
    await once(agent.child, "exit");
    await shop.close();
  });

  it("exits with the reason for an invalid key or a missing browser", async () => {
    const args = ["agent", "--server", service.url];
    const refused = await runledger(args, { RUNLEDGER_API_KEY: "ak_live_nobodys" });
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining("RUNLEDGER_API_KEY"),
    ]);
    const without = await runledger(args, {
      RUNLEDGER_API_KEY: key,
      BROWSER_PATH_CHROMIUM: "/nowhere/chromium",
    });
    expect([without.code, without.stderr]).toEqual([3, expect.stringContaining("BROWSER_PATH")]);
    const unknown = await runledger([...args, "--browsers", "netscape"], {
      RUNLEDGER_API_KEY: key,
    });
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("chromium")]);
  });
});
