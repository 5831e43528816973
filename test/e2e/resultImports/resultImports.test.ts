import { readFileSync } from "node:fs";
import path from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type ReportRequest,
  resultImportCommands,
} from "../../../src/commands/resultImports/resultImports.ts";
import { executionDecider } from "../../../src/domain/runs/executions/execution.ts";
import { newId } from "../../../src/platform/ids.ts";
import { pendingReports } from "../../../src/stores/resultImports/pendingReports.ts";
import {
  type Account,
  call,
  eventually,
  makeKey,
  type Reply,
  signUp,
} from "../../support/client.ts";
import { addMember } from "../../support/members.ts";
import { startTestService, type TestService } from "../../support/service.ts";
import { runledger } from "../cli/kit.ts";

const fixture = (name: string): string => path.resolve("test/fixtures", name);
const DAY_MS = 86_400_000;

/** Imported results of other tools, and quarantined tests. */
describe("imported results and quarantine", () => {
  let service: TestService;
  let ann: Account;
  let eve: Account;
  let key: string;
  let projectId: string;
  let testId: string;

  beforeAll(async () => {
    service = await startTestService({}, ["api", "projections", "dispatcher"]);
    [ann, eve] = await Promise.all([signUp(service.url), signUp(service.url)]);
    key = (await makeKey(service.url, ann)).key;
    projectId = (await asAnn("POST", "/projects", { name: "Shop" })).body.id;
    const test = { name: "Own", project_id: projectId, text: "Go to /" };
    testId = (await asAnn("POST", "/tests", test)).body.id;
  });
  afterAll(() => service?.stop());

  /** The log position of the last write, which the next read includes. */
  let position = "0";
  const noting = async (replying: Promise<Reply>): Promise<Reply> => {
    const reply = await replying;
    position = reply.headers.get("x-log-position") ?? position;
    return reply;
  };
  const asAnn = (method: string, at: string, body?: unknown) =>
    noting(
      call(service.url, method, `/api/v1${at}`, {
        bearer: ann.accessToken,
        body,
        ...(method === "GET" ? { headers: { "x-min-position": position } } : {}),
      }),
    );
  const send = (body: string | FormData, type = "application/xml", query = "") =>
    noting(
      call(service.url, "POST", `/api/v1/runs/import${query}`, {
        bearer: key,
        body,
        ...(typeof body === "string" ? { headers: { "content-type": type } } : {}),
      }),
    );
  const junit = (outcome: string, at: string): string =>
    `<testsuites><testsuite name="cart" timestamp="${at}" time="2">
      <testcase classname="Cart" name="adds" time="0.5">${outcome}</testcase>
      <testcase classname="Cart" name="opens" time="1.5"/>
      <testcase classname="Cart" name="later"><skipped/></testcase>
    </testsuite></testsuites>`;
  const failure = `<failure message="It is empty">It is empty\n  at cart.js:3</failure>`;
  const begun = Date.now();
  const at = (daysAgo: number) => new Date(begun - daysAgo * DAY_MS).toISOString().slice(0, 19);
  const quarantine = (id: string, body?: unknown, bearer = ann.accessToken) =>
    noting(
      call(service.url, body ? "PUT" : "DELETE", `/api/v1/tests/${id}/quarantine`, {
        bearer,
        organizationId: ann.organizationId,
        body,
      }),
    );

  it("records a report as a finished run without steps and quota, once", async () => {
    const report = junit(failure, at(2));
    const sent = await send(report, "application/xml", `?project_id=${projectId}`);
    expect(sent.status).toBe(200);
    expect(sent.body).toMatchObject({ duplicate: false, status: "failed", tests: 2, skipped: 1 });
    const runId: string = sent.body.run_id;
    const run = (await asAnn("GET", `/runs/${runId}`)).body;
    expect(run).toMatchObject({
      status: "failed",
      triggered_by: "import",
      project_id: projectId,
      duration_ms: 2_000,
      started_at: `${at(2)}.000Z`,
      totals: { passed: 1, failed: 1, flaky: 0, errored: 0, cancelled: 0, quarantined: 0 },
      tests: [
        {
          name: "adds",
          status: "failed",
          duration_ms: 500,
          steps_total: 0,
          error: "It is empty\n  at cart.js:3",
          attempts: [{ number: 1, status: "failed" }],
          browsers: [],
        },
        { name: "opens", status: "passed", duration_ms: 1_500 },
      ],
    });
    const listed = (await asAnn("GET", "/runs?triggered_by=import")).body;
    expect(listed.items.map(({ id }: { id: string }) => id)).toEqual([runId]);
    expect((await asAnn("GET", "/usage")).body).toMatchObject({ used: 0, reserved: 0 });

    const again = await send(report, "text/xml", `?project_id=${projectId}`);
    expect([again.status, again.body.run_id, again.body.duplicate]).toEqual([200, runId, true]);
    const form = new FormData();
    form.set("file", new Blob([report]), "report.xml");
    form.set("project_id", projectId);
    expect((await send(form)).body).toMatchObject({ run_id: runId, duplicate: true });
    const elsewhere = await send(report);
    expect([elsewhere.status, elsewhere.body.duplicate]).toEqual([200, false]);
    expect(elsewhere.body.run_id).not.toBe(runId);

    const execution = (await asAnn("GET", `/executions/${run.tests[0].execution_id}`)).body;
    expect(execution).toMatchObject({ run_id: runId, status: "failed", browsers: [] });
    for (const kind of ["yaml", "json", "export/svc", "export/python"]) {
      const { status } = await asAnn("GET", `/tests/${execution.id}/${kind}`);
      expect([kind, status < 500], kind).toEqual([kind, true]);
    }
  });

  it("matches tests of the next report, with history and flakiness", async () => {
    const next = await send(junit("", at(1)), "application/xml", `?project_id=${projectId}`);
    const { tests } = (await asAnn("GET", `/runs/${next.body.run_id}`)).body;
    const report = (await asAnn("GET", `/reports/tests/${tests[0].test_id}`)).body;
    expect(report).toMatchObject({
      test: {
        name: "adds",
        source: "import",
        external: { suite: "cart", class_name: "Cart", name: "adds", project: null },
      },
      execution: { run_id: next.body.run_id, status: "passed" },
      totals: { executions: 2, passed: 1, failed: 1 },
      history: [{ status: "passed" }, { status: "failed" }],
      quarantine: null,
    });
    expect(report.flakiness[1]).toMatchObject({ days: 7, executions: 2, signs: 1, score: 0.5 });
    const whole = (await asAnn("GET", `/reports/runs/${next.body.run_id}`)).body;
    expect(whole.trend.map(({ status }: { status: string }) => status)).toEqual([
      "failed",
      "passed",
    ]);
  });

  it("refuses to run or repeat a test that exists only in reports, with the reason", async () => {
    const sent = await send(junit("", at(0)), "application/xml");
    const run = (await asAnn("GET", `/runs/${sent.body.run_id}`)).body;
    const queued = await asAnn("POST", "/runner/runs", { test_ids: [run.tests[0].test_id] });
    expect([queued.status, queued.body.detail]).toEqual([
      422,
      expect.stringMatching(/known from imported results alone.*no steps here/),
    ]);
    const read = await asAnn("GET", `/tests/${run.tests[0].test_id}`);
    expect([read.status, read.body.detail]).toEqual([404, expect.stringMatching(/no steps/)]);
    const rerun = await asAnn("POST", `/runner/runs/${run.id}/rerun`, {});
    expect([rerun.status, rerun.body.detail]).toEqual([409, expect.stringMatching(/was imported/)]);
    const cancelled = await asAnn("POST", `/runner/runs/${run.id}/cancel`);
    expect(cancelled.status).toBe(409);
  });

  it("shows retries and browsers of Playwright's report", async () => {
    const json = readFileSync(fixture("playwright/report.json"), "utf8");
    const sent = await send(json, "application/json");
    expect(sent.body).toMatchObject({ format: "playwright", status: "failed", tests: 13 });
    const { tests, totals } = (await asAnn("GET", `/runs/${sent.body.run_id}`)).body;
    expect(totals).toMatchObject({ flaky: 1, failed: 4, passed: 8 });
    expect(tests.find(({ status }: { status: string }) => status === "flaky")).toMatchObject({
      attempts: [
        { number: 1, status: "failed" },
        { number: 2, status: "passed" },
      ],
      browsers: [{ browser: "firefox", status: "passed" }],
    });
  });

  it("records thousands of tests with long errors", async () => {
    const cases = Array.from(
      { length: 2_500 },
      (_, n) =>
        `<testcase classname="c${n % 50}" name="case ${n}" time="0.01">${n % 4 === 0 ? `<failure>${`line ${n} `.repeat(200)}</failure>` : ""}</testcase>`,
    );
    // On a busy machine it may be told to come again: it goes on where it was.
    const sent = await eventually(
      () => send(`<testsuite name="many">${cases.join("\n")}</testsuite>`),
      ({ status }) => status !== 503,
    );
    expect([sent.status, sent.body.tests]).toEqual([200, 2_500]);
    const run = await eventually(
      async () => (await asAnn("GET", `/runs/${sent.body.run_id}`)).body,
      ({ tests }) => tests?.length === 2_500,
    );
    expect(run.totals).toMatchObject({ passed: 1_875, failed: 625 });
    expect(run.tests[0].error).toMatch(/^line 0 line 0 /);
    expect(run.tests.at(-1).name).toBe("case 2499");
  });

  it("completes a partly recorded report of a killed process in another one", async () => {
    const { db } = service.platform.database;
    const { loop, clock } = service.core;
    const dies: typeof loop = {
      ...loop,
      execute: (decider, id, command, ...rest) => {
        const { type, part } = command as { readonly type: string; readonly part?: number };
        if (type === "importResults" && part === 3) throw new Error("killed");
        return loop.execute(decider, id, command, ...rest);
      },
    };
    const dying = resultImportCommands({
      loop: dies,
      clock,
      quarantinedUntil: async () => new Map(),
      pending: pendingReports<ReportRequest>(db),
    });
    const context = {
      actor: { type: "user", id: ann.userId } as const,
      organizationId: ann.organizationId,
      correlationId: newId(),
      causationId: newId(),
    };
    const cases = Array.from(
      { length: 1_200 },
      (_, n) =>
        `<testcase name="long ${n}"><failure>${`at ${n} `.repeat(120)}</failure></testcase>`,
    );
    const report = Buffer.from(`<testsuite name="broken off">${cases.join("")}</testsuite>`);
    // On a busy machine the log may not answer before.
    const end = await eventually(
      () => dying.importResults(context, report, null).catch((error: Error) => error.message),
      (said) => said === "killed",
    );
    expect(end).toBe("killed");

    const waiting = await sql<{ id: string }>`SELECT id FROM pending_reports`.execute(db);
    expect(waiting.rows).toHaveLength(1);
    await sql`UPDATE pending_reports SET received_at = received_at - interval '1 minute'`.execute(
      db,
    );
    await eventually(
      async () => (await sql`SELECT id FROM pending_reports`.execute(db)).rows,
      (rows) => rows.length === 0,
    );
    const again = await eventually(
      () => send(report.toString()),
      ({ status }) => status !== 503,
    );
    expect(again.body.duplicate).toBe(true);
    const run = await eventually(
      async () => (await asAnn("GET", `/runs/${again.body.run_id}`)).body,
      ({ tests }) => tests?.length === 1_200,
    );
    expect(run.totals).toMatchObject({ failed: 1_200 });
  });

  it("refuses an invalid report, a foreign project and a missing permission with the reason", async () => {
    const attack = readFileSync(fixture("junit/testXxe-xxe.xml"), "utf8");
    expect((await send(attack)).body.detail).toMatch(/^file: line 7: .*DOCTYPE/);
    for (const [body, type, status] of [
      [attack, "application/xml", 422],
      ["<testsuite>", "application/xml", 422],
      ["{}", "application/json", 422],
      ["", "application/xml", 422],
      ["x", "text/plain", 415],
      ["<testsuite/>", "application/xml; charset=iso-8859-1", 415],
      ["x".repeat(21 * 1024 * 1024), "application/xml", 413],
    ] as const) {
      const reply = await send(body, type);
      expect([type, reply.status, typeof reply.body.detail]).toEqual([type, status, "string"]);
    }
    const foreign = await call(service.url, "POST", `/api/v1/runs/import?project_id=${projectId}`, {
      bearer: eve.accessToken,
      body: junit("", at(1)),
      headers: { "content-type": "application/xml" },
    });
    expect(foreign.status).toBe(403);
    const unknown = await send(junit("", at(1)), "application/xml", `?project_id=${newId()}`);
    expect(unknown.status).toBe(422);
  });

  it("uploads reports from the command line, once", async () => {
    const environment = { RUNLEDGER_URL: service.url, RUNLEDGER_API_KEY: key };
    const files = [fixture("junit/TEST-io.olamy.FlakyTest.xml"), fixture("playwright/report.json")];
    const first = await runledger(["results", "import", ...files, "--json"], environment);
    expect(first.records).toMatchObject([
      { type: "imported", status: "passed", tests: 1, duplicate: false },
      { type: "imported", status: "failed", tests: 13, duplicate: true },
    ]);
    expect(first.code).toBe(0);
    const bad = await runledger(
      ["results", "import", fixture("junit/testXxe-xxe.xml")],
      environment,
    );
    expect([bad.code, bad.stderr]).toEqual([2, expect.stringMatching(/testXxe-xxe.*line 7/)]);
  });

  it("passes runs with a failing quarantined test until the quarantine ends", async () => {
    const until = new Date(Date.now() + 8 * 3_600_000).toISOString();
    const reason = "The sandbox is away";
    const set = await quarantine(testId, { until, reason });
    expect([set.status, set.body]).toEqual([200, { test_id: testId, until, reason }]);
    const runId = await failingRun();
    const run = (await asAnn("GET", `/runs/${runId}`)).body;
    expect(run).toMatchObject({
      status: "passed",
      totals: { passed: 0, failed: 0, quarantined: 1 },
      tests: [{ status: "failed", quarantined: true }],
    });
    const report = (await asAnn("GET", `/reports/runs/${runId}`)).body;
    expect(report.problems).toEqual([]);
    expect(report.quarantined).toMatchObject([{ test_id: testId, status: "failed" }]);
    const page = (await asAnn("GET", `/reports/runs/${runId}/html`)).body.toString();
    expect(page).toContain('<h2 id="quarantined">In quarantine</h2>');
    const xml = (await asAnn("GET", `/reports/runs/${runId}/junit`)).body.toString();
    expect(xml).toContain('<skipped message="In quarantine, failed: No button"/>');
    expect(xml).toContain('failures="0"');
    expect((await asAnn("GET", `/reports/tests/${testId}`)).body).toMatchObject({
      execution: { status: "failed", quarantined: true },
      quarantine: { until, reason },
    });
    const audit = (await asAnn("GET", `/organizations/${ann.organizationId}/audit`)).body;
    expect(audit.items[0]).toMatchObject({
      event: "QuarantineStarted",
      actor: { email: ann.email },
      details: { test_id: testId, until, reason },
    });

    // A busy machine may be too late for a moment so near: then it is refused.
    const soon = () => new Date(Date.now() + 1_500).toISOString();
    await eventually(
      () => quarantine(testId, { until: soon(), reason }),
      ({ status }) => status === 200,
    );
    await eventually(
      async () => (await asAnn("GET", `/reports/tests/${testId}`)).body,
      (told) => told.quarantine === null,
    );
    const later = (await asAnn("GET", `/runs/${await failingRun()}`)).body;
    expect([later.status, later.tests[0].quarantined]).toEqual(["failed", false]);
  });

  it("excludes an imported quarantined test from later reports' verdicts", async () => {
    const first = await send(junit(failure, at(0)), "application/xml", `?project_id=${projectId}`);
    const { tests } = (await asAnn("GET", `/runs/${first.body.run_id}`)).body;
    const until = new Date(Date.now() + DAY_MS).toISOString();
    expect((await quarantine(tests[0].test_id, { until, reason: "Known" })).status).toBe(200);
    const report = junit(failure.replace("empty", "gone"), at(0));
    const second = await send(report, "application/xml", `?project_id=${projectId}`);
    expect(second.body.status).toBe("passed");
    expect((await quarantine(tests[0].test_id)).status).toBe(204);
    expect((await quarantine(tests[0].test_id)).status).toBe(204);
    const third = await send(
      report.replace("gone", "away"),
      "application/xml",
      `?project_id=${projectId}`,
    );
    expect(third.body.status).toBe("failed");
    const same = await send(report, "application/xml", `?project_id=${projectId}`);
    expect(same.body).toMatchObject({ duplicate: true, status: "passed" });
  });

  it("shows run and imported tests on the dashboard, of all or one project", async () => {
    const other = (await asAnn("POST", "/projects", { name: "Another" })).body.id;
    const flip = (outcome: string, daysAgo: number) =>
      send(
        junit(outcome, at(daysAgo)).replaceAll("adds", "flips"),
        "application/xml",
        `?project_id=${other}`,
      );
    await flip("", 4);
    await flip(failure, 3);
    await flip("", 2);
    await flip(failure, 1);
    const last = await flip(failure.replace("empty", "gone"), 0);
    const run = (await asAnn("GET", `/runs/${last.body.run_id}`)).body;
    const board = (await asAnn("GET", `/dashboard?project_id=${other}&days=7`)).body;
    expect(board).toMatchObject({
      project_id: other,
      days: 7,
      pass_rate: 0.7,
      totals: { passed: 7, failed: 3, flaky: 0, errored: 0, cancelled: 0, quarantined: 0 },
      slowest: [
        { name: "opens", source: "import", executions: 5, average_ms: 1_500, longest_ms: 1_500 },
        { name: "flips", average_ms: 500 },
      ],
      flakiest: [
        {
          name: "flips",
          source: "import",
          quarantined: false,
          executions: 5,
          signs: 3,
          score: 0.6,
        },
      ],
      failing_longest: [
        { name: "flips", status: "failed", last_execution_id: run.tests[0].execution_id },
      ],
      quota: { limit: 50, forecast: { runs_out_at: null } },
    });
    expect(board.failing_longest[0].since.at.slice(0, 16)).toBe(at(1).slice(0, 16));
    expect(board.trend).toHaveLength(7);
    expect(board.trend.at(-1)).toMatchObject({ day: at(0).slice(0, 10), passed: 1, failed: 1 });
    expect(board.trend[0]).toMatchObject({ passed: 0, pass_rate: null });
    expect(board.activity[0]).toMatchObject({
      event: "RunImported",
      by: "api:ci",
      run: { id: last.body.run_id, status: "failed" },
    });

    const whole = (await asAnn("GET", "/dashboard")).body;
    expect(whole.days).toBe(30);
    expect(whole.totals.quarantined).toBeGreaterThan(0);
    const events = whole.activity.map(({ event }: { event: string }) => event);
    expect(events).toEqual(expect.arrayContaining(["RunImported", "QuarantineEnded"]));

    const failing = async (): Promise<string[]> => {
      const { body } = await asAnn("GET", `/dashboard?project_id=${projectId}`);
      return body.failing_longest.map(({ name }: { name: string }) => name);
    };
    expect(await failing()).toContain("Own");
    await asAnn("DELETE", `/tests/${testId}`);
    expect(await failing()).not.toContain("Own");
    await asAnn("POST", `/tests/${testId}/undelete`);
    for (const [query, status] of [
      ["days=0", 422],
      ["days=91", 422],
      ["days=x", 422],
      [`project_id=${newId()}`, 422],
    ] as const) {
      expect([query, (await asAnn("GET", `/dashboard?${query}`)).status]).toEqual([query, status]);
    }
    const asEve = await call(service.url, "GET", `/api/v1/dashboard?project_id=${other}`, {
      bearer: eve.accessToken,
    });
    expect(asEve.status).toBe(403);
    const evesOwn = await call(service.url, "GET", "/api/v1/dashboard", {
      bearer: eve.accessToken,
    });
    expect(evesOwn.body).toMatchObject({ pass_rate: null, slowest: [], activity: [] });
  });

  it("refuses an invalid quarantine or a missing permission", async () => {
    const until = new Date(Date.now() + DAY_MS).toISOString();
    const good = { until, reason: "Known" };
    for (const [body, status] of [
      [{ ...good, until: "2020-01-01T00:00:00Z" }, 422],
      [{ ...good, until: "9999-12-31T00:00:00Z" }, 422],
      [{ ...good, until: "2026-02-30T00:00:00Z" }, 422],
      [{ ...good, reason: "" }, 422],
      [{ ...good, reason: "x".repeat(501) }, 422],
      [{ until }, 422],
    ] as const) {
      expect([body, (await quarantine(testId, body)).status]).toEqual([body, status]);
    }
    const editor = await addMember(service, ann.organizationId, "editor");
    expect((await quarantine(testId, good, editor.accessToken)).status).toBe(403);
    expect((await quarantine(testId, good, key)).status).toBe(403);
    expect((await quarantine(newId(), good)).status).toBe(404);
    const foreign = await call(service.url, "PUT", `/api/v1/tests/${testId}/quarantine`, {
      bearer: eve.accessToken,
      body: good,
    });
    expect(foreign.status).toBe(403);
  });

  /** A run of the own test, whose executor the test plays: it fails. */
  const failingRun = async (): Promise<string> => {
    const queued = await asAnn("POST", "/runner/runs", { test_ids: [testId] });
    const [{ id: executionId, run_id: runId }] = queued.body.executions;
    const { loop } = service.core;
    await eventually(
      async () => (await loop.load(executionDecider, executionId)).state.status,
      (status) => status === "queued",
    );
    const context = {
      actor: { type: "system" as const, id: "test" },
      organizationId: ann.organizationId,
      correlationId: newId(),
      causationId: newId(),
    };
    const held = { worker: "test", delivery: 1 };
    await loop.execute(executionDecider, executionId, { type: "claim", ...held }, context);
    const ending = { status: "failed", durationMs: 40, error: "No button" } as const;
    await loop.execute(
      executionDecider,
      executionId,
      { type: "finish", ...held, ...ending },
      context,
    );
    await eventually(
      async () => (await asAnn("GET", `/runs/${runId}`)).body,
      ({ finished_at, tests }) => finished_at !== null && tests[0].status === "failed",
    );
    return runId;
  };
});
