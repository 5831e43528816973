import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DemoSite, serveDemoSite } from "../../../src/cli/operator/demo/site.ts";
import { type Account, call, makeKey, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";
import { type Message, watch } from "../../support/watcher.ts";

const numbers = (events: readonly Message[]) => events.map((event) => event.sequence);
const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);

/** The live view of a run over /ws/execution. */
describe("live events of a run", () => {
  let service: TestService;
  let site: DemoSite;
  let ann: Account;
  let bob: Account;
  let key: string;
  let testId: string;
  let projectId: string;

  beforeAll(async () => {
    [service, site] = await Promise.all([startTestService(), serveDemoSite()]);
    [ann, bob] = await Promise.all([signUp(service.url), signUp(service.url)]);
    key = (await makeKey(service.url, ann)).key;
    const text = [
      "Go to /todo",
      'Type "Buy milk" into "What needs to be done?" and press Enter',
      "Wait 500 ms",
      'I should see "Buy milk"',
      "Wait 500 ms",
      'Type "Buy bread" into "What needs to be done?" and press Enter',
      'I should see "Buy bread"',
    ].join("\n");
    const project = { bearer: ann.accessToken, body: { name: "Todos" } };
    projectId = (await call(service.url, "POST", "/api/v1/projects", project)).body.id;
    const created = await call(service.url, "POST", "/api/v1/tests", {
      bearer: ann.accessToken,
      body: { name: "Todos", text, project_id: projectId },
    });
    expect(created.body.warnings).toEqual([]);
    testId = created.body.id;
  });
  afterAll(async () => {
    await service.stop();
    await site.close();
  });

  const queue = async (
    selection: Readonly<Record<string, unknown>> = { test_ids: [testId] },
  ): Promise<string> => {
    const reply = await call(service.url, "POST", "/api/v1/cli/cloud-runs", {
      bearer: key,
      body: { ...selection, base_url: site.url },
    });
    expect(reply.status).toBe(202);
    return reply.body.run_ids[0];
  };
  const isEnd = (message: Message) => message.name === "run_finished";

  it("are delivered once, numbered without a gap and in order", async () => {
    const runId = await queue();
    const watcher = await watch(service.url, { cookie: ann.cookie });
    watcher.say({ type: "subscribe", run_id: runId, after: 0 });
    const said = await watcher.until((message) => message.type === "subscribed");
    expect(said).toEqual({ type: "subscribed", run_id: runId, sequence: expect.any(Number) });
    await watcher.until(isEnd);

    const events = watcher.events(runId);
    expect(numbers(events)).toEqual(upTo(events.length));
    const names = events.map((event) => event.name).filter((name) => name !== "screenshot_taken");
    expect(names.slice(0, 2)).toEqual(["run_queued", "execution_queued"]);
    expect(names.slice(-3)).toEqual(["browser_finished", "execution_finished", "run_finished"]);
    const passed = events.filter((event) => event.name === "step_passed");
    expect(passed.map((event) => event.step_number)).toEqual(upTo(9));
    expect(passed[1]).toEqual({
      type: "event",
      run_id: runId,
      execution_id: expect.any(String),
      sequence: expect.any(Number),
      name: "step_passed",
      browser: "chromium",
      attempt: 1,
      delivery: 1,
      step_number: 2,
      data: { duration_ms: expect.any(Number), locator: expect.any(String) },
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    watcher.drop();
  });

  it("are resumed with `after` without missing or repeated events", async () => {
    const runId = await queue();
    const first = await watch(service.url, { cookie: ann.cookie });
    first.say({ type: "subscribe", run_id: runId });
    await first.until((message) => message.name === "step_passed" && message.step_number === 3);
    first.drop();
    const seen = first.events(runId);
    const after = seen.at(-1)?.sequence ?? 0;
    expect(seen.some(isEnd)).toBe(false);

    const second = await watch(service.url, { cookie: ann.cookie });
    second.say({ type: "subscribe", run_id: runId, after });
    await second.until(isEnd);
    const all = [...seen, ...second.events(runId)];
    expect(numbers(all)).toEqual(upTo(all.length));

    const later = await watch(service.url, { cookie: ann.cookie });
    later.say({ type: "subscribe", run_id: runId, after: 0 });
    await later.until(isEnd);
    expect(later.events(runId)).toEqual(all);
    second.drop();
    later.drop();
  });

  it("are the same for many watchers that connect and disconnect", async () => {
    const runId = await queue();
    const watchers = await Promise.all(
      upTo(20).map(() => watch(service.url, { cookie: ann.cookie })),
    );
    for (const watcher of watchers) watcher.say({ type: "subscribe", run_id: runId });
    await watchers[0]?.until((message) => message.name === "step_started");
    watchers[19]?.drop();
    watchers[18]?.say({ type: "unsubscribe", run_id: runId });
    const [first, ...others] = watchers.slice(0, 18);
    await Promise.all([first, ...others].map((watcher) => watcher?.until(isEnd)));
    const events = first?.events(runId) ?? [];
    expect(numbers(events)).toEqual(upTo(events.length));
    for (const other of others) expect(other.events(runId)).toEqual(events);
    expect(watchers[18]?.events(runId).some(isEnd)).toBe(false);
    for (const watcher of watchers) watcher.drop();
  });

  it("are refused before the upgrade without a session, from another origin or with an invalid credential", async () => {
    await expect(watch(service.url, {})).rejects.toMatchObject({
      status: 401,
      body: expect.stringMatching(/^\{"detail":"[^"]+"\}$/),
    });
    await expect(watch(service.url, { authorization: `Bearer ${key}x` })).rejects.toMatchObject({
      status: 401,
    });
    await expect(watch(service.url, { cookie: "refresh_token=nonsense" })).rejects.toMatchObject({
      status: 401,
    });
    await expect(
      watch(service.url, { cookie: ann.cookie, origin: "https://evil.example" }),
    ).rejects.toMatchObject({ status: 403, body: expect.stringContaining("detail") });
    const own = await watch(service.url, { cookie: ann.cookie, origin: service.url });
    own.drop();
  });

  it("are read with an access token or an API key, as a header or a subprotocol", async () => {
    const runId = await queue();
    for (const bearer of [key, ann.accessToken]) {
      const ways = [
        watch(service.url, { authorization: `Bearer ${bearer}` }),
        watch(service.url, {}, "execution", ["runledger", `bearer.${bearer}`]),
        watch(service.url, {}, "execution", [`bearer.${bearer}`]),
      ];
      for (const watcher of await Promise.all(ways)) {
        watcher.say({ type: "subscribe", run_id: runId });
        await watcher.until((message) => message.type === "subscribed");
        watcher.drop();
      }
    }
    const refused = watch(service.url, {}, "execution", ["runledger", "bearer.nonsense"]);
    await expect(refused).rejects.toMatchObject({ status: 401 });
  });

  it("of all runs of a project or an organisation come in one subscription, also resumed", async () => {
    const watchers = await Promise.all(
      upTo(2).map(() => watch(service.url, { authorization: `Bearer ${key}` })),
    );
    const scopes = [{ organization_id: ann.organizationId }, { project_id: projectId }];
    for (const [n, watcher] of watchers.entries()) {
      watcher.say({ type: "subscribe", ...scopes[n] });
      const said = await watcher.until((message) => message.type === "subscribed");
      expect(said).toEqual({ type: "subscribed", ...scopes[n], position: expect.any(String) });
    }
    const elsewhere = await call(service.url, "POST", "/api/v1/tests", {
      bearer: ann.accessToken,
      body: { name: "Elsewhere", text: "Go to /todo" },
    });
    const runs = await Promise.all([queue(), queue({ test_ids: [elsewhere.body.id] })]);
    const isEndOf = (runId: string) => (message: Message) =>
      isEnd(message) && message.run_id === runId;
    for (const runId of runs) await watchers[0]?.until(isEndOf(runId));
    await watchers[1]?.until(isEndOf(runs[0] ?? ""));

    const all = watchers[0]?.messages.filter(({ type }) => type === "event") ?? [];
    for (const runId of runs) {
      const own = all.filter((message) => message.run_id === runId);
      expect(numbers(own)).toEqual(upTo(own.length));
    }
    const ofProject = watchers[1]?.messages.filter(({ run_id }) => runs.includes(String(run_id)));
    expect(ofProject).toEqual(all.filter((message) => message.run_id === runs[0]));

    const half = all[Math.floor(all.length / 2)];
    const resumed = await watch(service.url, { cookie: ann.cookie });
    resumed.say({ type: "subscribe", ...scopes[0], after: half?.position });
    for (const runId of runs) await resumed.until(isEndOf(runId));
    const rest = resumed.messages.filter(({ type }) => type === "event");
    expect(rest).toEqual(all.slice(all.indexOf(half) + 1));
    for (const watcher of [...watchers, resumed]) watcher.drop();
  });

  it("of another organisation or its project are refused to members and keys", async () => {
    const bobsKey = (await makeKey(service.url, bob)).key;
    const ways = [{ cookie: bob.cookie }, { authorization: `Bearer ${bobsKey}` }];
    for (const way of ways) {
      const watcher = await watch(service.url, way);
      for (const scope of [{ organization_id: ann.organizationId }, { project_id: projectId }]) {
        watcher.say({ type: "subscribe", ...scope });
      }
      watcher.say({ type: "ping" });
      await watcher.until((message) => message.type === "pong");
      expect(watcher.messages.map(({ type }) => type)).toEqual(["error", "error", "pong"]);
      watcher.drop();
    }
  });

  it("are refused for another organisation's run", async () => {
    const runId = await queue();
    const watcher = await watch(service.url, { cookie: bob.cookie });
    watcher.say({ type: "subscribe", run_id: runId, after: 0 });
    const said = await watcher.until((message) => message.type === "error");
    expect(said).toEqual({ type: "error", detail: expect.stringContaining("not a member") });
    expect(watcher.events(runId)).toEqual([]);
    watcher.drop();
  });

  it("answer invalid messages with an error and keep the connection", async () => {
    const watcher = await watch(service.url, { cookie: ann.cookie });
    const nobody = "0190a000-0000-7000-8000-000000000001";
    const nonsense = [
      "{",
      "[]",
      JSON.stringify({ type: "shout" }),
      JSON.stringify({ type: "subscribe", run_id: "x" }),
      JSON.stringify({ type: "subscribe", run_id: nobody }),
      JSON.stringify({ type: "ping", padding: "x".repeat(10_000) }),
    ];
    for (const [index, text] of nonsense.entries()) {
      watcher.say(text);
      await watcher.until(() => watcher.messages.length === index + 1);
      expect(watcher.messages[index]).toEqual({ type: "error", detail: expect.any(String) });
    }
    watcher.say({ type: "ping" });
    expect(await watcher.until((message) => message.type === "pong")).toEqual({ type: "pong" });
    watcher.drop();
  });

  it("end within seconds of the session", async () => {
    const carol = await signUp(service.url);
    const watcher = await watch(service.url, { cookie: carol.cookie });
    const out = await call(service.url, "POST", "/api/v1/auth/logout", {
      cookie: carol.cookie,
      bearer: carol.accessToken,
      headers: { "x-requested-with": "test" },
    });
    expect(out.status).toBe(204);
    expect(await watcher.closed).toBe(4401);
  });
});
