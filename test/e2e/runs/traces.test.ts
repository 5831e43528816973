import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DemoSite, serveDemoSite } from "../../../src/cli/operator/demo/site.ts";
import { call, eventually, makeKey, signUp } from "../../support/client.ts";
import { type NatsServer, startNatsServer } from "../../support/natsServer.ts";
import { type SentSpan, startOtlpReceiver } from "../../support/otlpReceiver.ts";
import { program } from "../../support/program.ts";
import { type ServiceProcess, startServiceProcess } from "../../support/serviceProcess.ts";

/** The service as a process that was told where traces go, its work passed on by NATS. */
describe("distributed tracing", () => {
  let receiver: Awaited<ReturnType<typeof startOtlpReceiver>>;
  let nats: NatsServer;
  let site: DemoSite;
  let dataDir: string;
  let service: ServiceProcess;

  beforeAll(async () => {
    [receiver, nats, site] = await Promise.all([
      startOtlpReceiver(),
      startNatsServer(),
      serveDemoSite(),
    ]);
    dataDir = await mkdtemp(path.join(tmpdir(), "runledger-traces-"));
    service = await startServiceProcess(dataDir, { NATS_URL: nats.url, ...telling() });
  });
  /** The receiver of traces, for the service and for separate executors. */
  const telling = () => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_BSP_SCHEDULE_DELAY: "200",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
  });
  const agents = new Set<ChildProcess>();
  afterAll(async () => {
    for (const agent of agents) agent.kill("SIGKILL");
    await service.end("SIGTERM");
    await Promise.all([site.close(), nats.stop(), receiver.close()]);
    await rm(dataDir, { recursive: true, force: true });
  });

  const valueIn = ({ attributes }: SentSpan, key: string) => {
    const value = attributes.find((one) => one.key === key)?.value;
    return (
      value?.stringValue ??
      (value?.intValue === undefined ? value?.boolValue : Number(value.intValue))
    );
  };

  /** The names from a span to the first of its trace. */
  const waysIn = (spans: readonly SentSpan[]) => {
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    const wayOf = (span: SentSpan | undefined): string[] =>
      span ? [span.name, ...wayOf(byId.get(span.parentSpanId ?? ""))] : [];
    return wayOf;
  };

  /** The parent span of all requests of this suite. */
  const CALLER = "00f067aa0ba902b7";
  /**
   * The spans of a trace, once those of these names are there, and what folds link to of it. Each process sends what has
   * ended since it last did: a span may come before the one that it belongs to.
   */
  const wholeTrace = (traceId: string, wanted: readonly string[], links = 0) =>
    eventually(
      async () => {
        const all = receiver.spans();
        const folds = all.filter(({ name }) => name === "fold read models");
        return {
          spans: all.filter((span) => span.traceId === traceId),
          linked: folds.flatMap(({ links: given = [] }) =>
            given.filter((link) => link.traceId === traceId).map(({ spanId }) => spanId),
          ),
        };
      },
      ({ spans, linked }) => {
        const known = new Set([CALLER, ...spans.map(({ spanId }) => spanId)]);
        return (
          wanted.every((one) => spans.some(({ name }) => name === one)) &&
          spans.every(({ parentSpanId = "" }) => known.has(parentSpanId)) &&
          linked.length >= links &&
          linked.every((spanId) => known.has(spanId))
        );
      },
      60_000,
    );

  /** `runledger agent`, until it is connected. */
  const startAgent = async (key: string, environment: Readonly<Record<string, string>>) => {
    const args = ["agent", "--server", service.url, "--capacity", "1", "--json"];
    const agent = spawn(process.execPath, [...program, ...args], {
      env: { ...process.env, RUNLEDGER_API_KEY: key, ...environment },
      stdio: ["ignore", "pipe", "inherit"],
    });
    agents.add(agent);
    let said = "";
    agent.stdout?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    await eventually(
      async () => said,
      (text) => text.includes('"connected"'),
      60_000,
    );
    return agent;
  };

  it.each([
    ["sends traces itself", "runledger-agent"],
    ["sends none", "runledger"],
  ])(
    "records the steps of an agent that %s once, as %s reports them, and links read models to their events",
    async (kind, teller) => {
      const bea = await signUp(service.url);
      const { key } = await makeKey(service.url, bea, "agent");
      const agent = await startAgent(key, kind === "sends none" ? {} : telling());
      const test = await call(service.url, "POST", "/api/v1/tests", {
        bearer: key,
        body: { name: "Away", text: "Go to /todo\nGo to http://127.0.0.1:1/nothing-of-the-kind" },
      });
      const traceId = kind === "sends none" ? "a".repeat(32) : "b".repeat(32);
      const queued = await call(service.url, "POST", "/api/v1/cli/cloud-runs", {
        bearer: key,
        headers: { traceparent: `00-${traceId}-${CALLER}-01` },
        body: { test_ids: [test.body.id], base_url: site.url, target: "agent" },
      });
      expect(queued.status).toBe(202);
      const wanted = ["execution of an agent", "browser chromium", "dispatcher ExecutionFinished"];
      // A batch may be of other traces too: then it is a trace of its own, and the link alone leads to it.
      const { spans, linked } = await wholeTrace(traceId, wanted, 3);
      const wayOf = waysIn(spans);
      const steps = spans.filter(({ name }) => name.startsWith("step "));
      expect(
        steps.map((step) => [
          valueIn(step, "runledger.step"),
          valueIn(step, "runledger.status"),
          receiver.sentBy(teller).has(step.spanId),
        ]),
      ).toEqual([
        [1, "passed", true],
        [2, "failed", true],
      ]);
      for (const step of steps) {
        expect(wayOf(step).slice(1)).toEqual([
          "browser chromium",
          "execution of an agent",
          "execution.queue",
          "dispatcher RunQueued",
          "run.queue",
          "POST /api/v1/cli/cloud-runs",
        ]);
      }
      const mine = new Set(spans.map(({ spanId }) => spanId));
      expect(linked.length).toBeGreaterThan(2);
      expect(linked.filter((spanId) => !mine.has(spanId))).toEqual([]);
      const gone = once(agent, "exit");
      agent.kill("SIGTERM");
      expect((await gone)[0]).toBe(0);
      expect(receiver.text()).not.toContain("nothing-of-the-kind");
    },
  );

  it("follows a caller's trace from the request to each browser step, without typed values", async () => {
    const ann = await signUp(service.url);
    const { key } = await makeKey(service.url, ann, "ci");
    const typed = "a-password-that-nobody-knows";
    const test = await call(service.url, "POST", "/api/v1/tests", {
      bearer: key,
      body: {
        name: "Followed",
        text: [
          "Go to /todo",
          `Type "${typed}" into "What needs to be done?" and press Enter`,
          `I should see "${typed}"`,
          "Go to http://127.0.0.1:1/a-place-that-nobody-knows",
        ].join("\n"),
      },
    });
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    const queued = await call(service.url, "POST", "/api/v1/cli/cloud-runs?note=from-the-query", {
      bearer: key,
      headers: { traceparent: `00-${traceId}-${CALLER}-01` },
      body: { test_ids: [test.body.id], base_url: site.url },
    });
    expect(queued.status).toBe(202);
    const [runId] = queued.body.run_ids;
    const run = await eventually(
      async () =>
        (await call(service.url, "GET", `/api/v1/cli/cloud-runs/${runId}`, { bearer: key })).body,
      ({ finished_at }) => finished_at !== null,
      60_000,
    );
    expect(run.status).toBe("failed");

    const { spans } = await wholeTrace(traceId, ["execution", "dispatcher ExecutionFinished"]);
    const wayOf = waysIn(spans);
    const steps = spans
      .filter(({ name }) => name.startsWith("step "))
      .sort((a, b) => Number(valueIn(a, "runledger.step")) - Number(valueIn(b, "runledger.step")));
    expect(
      steps.map((step) => [valueIn(step, "runledger.action"), valueIn(step, "runledger.status")]),
    ).toEqual([
      ["navigate", "passed"],
      ["fill", "passed"],
      ["press", "passed"],
      ["assert_visible", "passed"],
      ["navigate", "failed"],
    ]);
    for (const step of steps) {
      expect(wayOf(step).slice(1)).toEqual([
        "browser chromium",
        "execution",
        "send executions",
        "run.queue",
        "POST /api/v1/cli/cloud-runs",
      ]);
    }
    const first = spans.find(({ name }) => name === "POST /api/v1/cli/cloud-runs");
    expect(first?.parentSpanId).toBe(CALLER);
    expect(first && valueIn(first, "http.response.status_code")).toBe(202);
    const ways = spans.map((span) => wayOf(span).join(" < "));
    expect(ways.filter((way) => !way.endsWith("POST /api/v1/cli/cloud-runs"))).toEqual([]);
    for (const expected of [
      "append < run.queue",
      "dispatcher RunQueued < run.queue",
      "execution.queue < dispatcher RunQueued",
      "append < execution.queue < dispatcher RunQueued",
      "fold read models < ",
    ]) {
      expect(ways.filter((way) => way.startsWith(expected))).not.toEqual([]);
    }

    // Another request is another trace.
    const others = new Set(receiver.spans().map((span) => span.traceId));
    expect(others.size).toBeGreaterThan(3);
    const all = receiver.text();
    const names = [
      "from-the-query",
      ann.email,
      key,
      ann.accessToken,
      "that-nobody-knows",
      "Followed",
    ];
    expect(names.filter((one) => all.includes(one))).toEqual([]);
    expect([...receiver.paths]).toEqual(["POST /v1/traces application/json"]);
    const [resource = []] = receiver.resources();
    const told = Object.fromEntries(
      resource.map(({ key: name, value }) => [name, value.stringValue]),
    );
    expect(told).toMatchObject({
      "service.name": "runledger",
      "deployment.environment.name": "test",
    });
    expect(Object.keys(told).filter((name) => /^(process|host)\./.test(name))).toEqual([]);
  });
});
