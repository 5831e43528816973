import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { parse } from "yaml";
import { type RunningService, startService } from "../../../src/main.ts";
import { loadConfig } from "../../../src/platform/config.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { type Account, call, eventually, makeKey, signUp } from "../../support/client.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";
import { openRaw } from "../../support/rawHttp.ts";
import { startWire, type Wire } from "../../support/wire.ts";

/** One life of a service, as those see it who look after it: it starts, works, loses its database, and ends. */
describe("health and metrics", () => {
  let database: TestDatabase;
  let wire: Wire;
  let dataDir: string;
  let starting: Promise<RunningService>;
  let service: RunningService;
  let standing: string;
  let stopped: Promise<void> | null = null;
  let ann: Account;
  let key: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    const url = new URL(database.url);
    wire = await startWire(Number(url.port));
    await wire.set("refused");
    url.port = String(wire.port);
    dataDir = await mkdtemp(path.join(tmpdir(), "runledger-telemetry-"));
    const said: string[] = [];
    const destination = new Writable({
      write: (line, _encoding, done) => {
        said.push(String(line));
        done();
      },
    });
    const config = loadConfig({
      PORT: "0",
      METRICS_PORT: "0",
      DATA_DIR: dataDir,
      DATABASE_URL: url.href,
      RATE_LIMIT: "off",
      PROVIDER_A_WEBHOOK_SECRET: "pdl_ntfset_for_this_test_alone",
    });
    const roles = config.roles.filter((role) => role !== "executor");
    starting = startService({ ...config, roles }, createLogger({ destination }));
    starting.catch(() => undefined);
    standing = await eventually(
      async () => /"metrics_url":"([^"]+)"/.exec(said.join(""))?.[1] ?? "",
      (found) => found !== "",
    );
  });
  afterAll(async () => {
    await wire.set(null);
    await (stopped ?? service.stop());
    await wire.stop();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const ask = async (where: string): Promise<[number, string]> => {
    const response = await fetch(where);
    return [response.status, await response.text()];
  };
  const metrics = async (): Promise<string> => (await ask(`${standing}/metrics`))[1];
  const valueIn = (text: string, series: string): number | null => {
    const line = text.split("\n").find((one) => one.startsWith(`${series} `));
    return line === undefined ? null : Number(line.slice(series.length + 1));
  };

  it("report alive and not ready while the database is missing at the start", async () => {
    expect(await ask(`${standing}/health/live`)).toEqual([200, '{"status":"live"}']);
    const [status, body] = await ask(`${standing}/health/ready`);
    expect([status, body]).toEqual([503, expect.stringContaining("starting")]);
    expect(await metrics()).toContain("process_cpu_seconds_total");
    await wire.set(null);
    service = await starting;
    // A part that answers late, on a busy machine, is none for a moment.
    const ready = await eventually(
      () => ask(`${standing}/health/ready`),
      ([answered]) => answered === 200,
    );
    expect(ready).toEqual([200, '{"status":"ready"}']);
    expect(service.metricsUrl).toBe(standing);
  });

  it("count activity without naming persons", async () => {
    const api = service.url ?? "";
    ann = await signUp(api);
    key = (await makeKey(api, ann)).key;
    const test = await call(api, "POST", "/api/v1/tests", {
      bearer: key,
      body: { name: "Waits", text: "Go to /" },
    });
    const queued = await call(api, "POST", "/api/v1/cli/cloud-runs", {
      bearer: key,
      body: { test_ids: [test.body.id], base_url: "http://127.0.0.1:9" },
    });
    const [runId] = queued.body.run_ids;
    await eventually(
      async () => valueIn(await metrics(), "runledger_queue_waiting"),
      (waiting) => waiting === 1,
    );
    expect(valueIn(await metrics(), "runledger_queue_oldest_seconds")).toBeGreaterThan(0);
    await call(api, "POST", `/api/v1/runner/runs/${runId}/cancel`, { bearer: ann.accessToken });
    await call(api, "POST", "/api/v1/webhooks/provider-a", { body: { event_id: "evt_1" } });
    await call(api, "GET", `/api/v1/tests/${ann.organizationId}?q=${ann.email}`, { bearer: key });
    await call(api, "GET", `/nowhere/${ann.email}`);
    const socket = new WebSocket(`${api.replace("http", "ws")}/api/v1/ws/execution`, {
      headers: { cookie: ann.cookie },
    });
    await eventually(
      async () => valueIn(await metrics(), 'runledger_subscribers{kind="execution"}'),
      (open) => open === 1,
    );
    socket.close();

    const cancelled = 'runledger_executions_total{verdict="cancelled"}';
    const text = await eventually(metrics, (now) => valueIn(now, cancelled) === 1);
    const route = 'method="POST",route="/api/v1/cli/cloud-runs"';
    expect(valueIn(text, `runledger_http_requests_total{${route},status="2xx"}`)).toBe(1);
    expect(valueIn(text, `runledger_http_request_seconds_count{${route}}`)).toBe(1);
    const nowhere = 'method="GET",route="none",status="4xx"';
    expect(valueIn(text, `runledger_http_requests_total{${nowhere}}`)).toBe(1);
    const command = 'slice="run",command="queue",outcome="recorded"';
    expect(valueIn(text, `runledger_commands_total{${command}}`)).toBe(1);
    expect(
      valueIn(text, 'runledger_appends_total{slice="run",outcome="appended"}'),
    ).toBeGreaterThan(0);
    expect(valueIn(text, 'runledger_events_total{type="RunQueued"}')).toBe(1);
    const refused = 'provider="provider-a",outcome="refused"';
    expect(valueIn(text, `runledger_webhooks_total{${refused}}`)).toBe(1);
    expect(valueIn(text, "runledger_webhooks_open")).toBe(0);
    const head = valueIn(text, "runledger_log_position");
    expect(head).toBeGreaterThan(5);
    await eventually(metrics, (now) => {
      const at = (name: string) => valueIn(now, `runledger_projection_${name}{projection="runs"}`);
      return at("lag_events") === 0 && at("lag_seconds") === 0 && (at("position") ?? 0) >= 5;
    });
    await eventually(metrics, (now) => now.includes('runledger_subscribers{kind="execution"} 0'));
    for (const private_ of [ann.email, ann.organizationId, ann.userId, test.body.id, runId, key])
      expect(text).not.toContain(private_);
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });

  it("include every metric and label in the documented dashboard and alerts", async () => {
    const text = await metrics();
    const kinds = new Map(
      [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name = "", kind = ""]) => [name, kind]),
    );
    const parts = (name: string, kind: string): string[] =>
      kind === "histogram" ? ["_bucket", "_sum", "_count"].map((end) => name + end) : [name];
    const known = new Set([...kinds].flatMap(([name, kind]) => parts(name, kind)));
    const read = (file: string) =>
      readFileSync(path.resolve(import.meta.dirname, "../../../docs", file), "utf8");
    const board: { panels: { targets?: { expr: string }[] }[] } = JSON.parse(
      read("grafana/runledger.json"),
    );
    const rules: { groups: { rules: { alert: string; expr: string }[] }[] } = parse(
      read("alerts.yaml"),
    );
    const asked = [
      ...board.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
      ...rules.groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
    ];
    expect(asked.length).toBeGreaterThan(30);
    const named = asked.flatMap(
      (expr) => expr.match(/\b(?:runledger|process|nodejs)_[a-z0-9_]+/g) ?? [],
    );
    expect(named.filter((name) => !known.has(name))).toEqual([]);
    // A misspelt label value would draw nothing for ever.
    const verdicts = new Set(["passed", "failed", "flaky", "errored", "cancelled"]);
    const outcomes = new Set([
      "appended",
      "conflict",
      "unavailable",
      "unknown",
      "failed",
      "refused",
    ]);
    for (const expr of asked) {
      for (const [, label, values = ""] of expr.matchAll(/(verdict|outcome)=~?"([^"]+)"/g)) {
        const unknown = values
          .split("|")
          .filter((value) => !(label === "verdict" ? verdicts : outcomes).has(value));
        expect([expr, unknown]).toEqual([expr, []]);
      }
    }
    // Every metric must appear in a dashboard or an alert.
    const ours = [...kinds].filter(([name]) => name.startsWith("runledger_"));
    const used = (name: string, kind: string) =>
      parts(name, kind).some((one) => named.includes(one));
    expect(ours.filter(([name, kind]) => !used(name, kind))).toEqual([]);
    const labels = new Set([...text.matchAll(/[{,](\w+)="/g)].map(([, label]) => label));
    const grouped = asked.flatMap((expr) =>
      [...expr.matchAll(/\bby \(([^)]+)\)/g)].flatMap(([, list = ""]) => list.split(/,\s*/)),
    );
    // Prometheus itself gives each series its process; verdicts and slices of conflicts come with the first of them.
    const given = new Set(["instance", "job"]);
    expect(grouped.filter((label) => !labels.has(label) && !given.has(label))).toEqual([]);
  });

  it("report an outage of the database and its end, with known metrics meanwhile", async () => {
    await wire.set("refused");
    const ready = await eventually(
      () => ask(`${standing}/health/ready`),
      ([status]) => status === 503,
    );
    expect(ready[1]).toMatch(/^\{"detail":"Not ready: .*database/);
    expect((await ask(`${standing}/health/live`))[0]).toBe(200);
    const text = await metrics();
    expect(valueIn(text, 'runledger_scrape_failed{source="queue"}')).toBe(1);
    expect(text).toContain("runledger_http_requests_total{");
    await wire.set(null);
    await eventually(
      () => ask(`${standing}/health/ready`),
      ([status]) => status === 200,
    );
    await eventually(
      async () => valueIn(await metrics(), 'runledger_scrape_failed{source="queue"}'),
      (failed) => failed === 0,
    );
  });

  it("report alive and not ready during a shutdown until open requests are answered", async () => {
    const half = (what: string) => {
      const connection = openRaw(service.url ?? "");
      connection.send(`GET /api/v1/health/${what} HTTP/1.1\r\n`);
      return connection;
    };
    const [live, ready] = [half("live"), half("ready")];
    await call(service.url ?? "", "GET", "/api/v1/health/live");
    stopped = service.stop();
    expect(await ask(`${standing}/health/ready`)).toEqual([
      503,
      expect.stringContaining("draining"),
    ]);
    expect((await ask(`${standing}/health/live`))[0]).toBe(200);
    live.send("Host: x\r\n\r\n");
    ready.send("Host: x\r\n\r\n");
    expect((await live.next()).status).toBe(200);
    const answer = await ready.next();
    expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "2"]);
    await stopped;
    await expect(fetch(`${standing}/health/live`)).rejects.toThrow();
  });
});
