import pino from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { baselineCommands } from "../../../src/commands/baselines/baselines.ts";
import { createCommandLoop } from "../../../src/commands/kernel/commandLoop.ts";
import { retentionCommands } from "../../../src/commands/retention/retention.ts";
import { visualSettings } from "../../../src/domain/baselines/settings.ts";
import { catalog } from "../../../src/domain/billing/catalog.ts";
import { evidenceFolder } from "../../../src/domain/runs/executions/evidence.ts";
import { executionDecider } from "../../../src/domain/runs/executions/execution.ts";
import type { ProgressEvent } from "../../../src/domain/runs/executions/progress.ts";
import type { BlobStore } from "../../../src/platform/blobs/port.ts";
import { newId } from "../../../src/platform/ids.ts";
import { encodePng } from "../../../src/platform/pictures/png.ts";
import { baselinesProjection } from "../../../src/projections/baselines/baselines.ts";
import { verifyProjection } from "../../../src/projections/kernel/verify.ts";
import { evidenceProjection } from "../../../src/projections/runs/evidence.ts";
import { executionsProjection } from "../../../src/projections/runs/executions/projection.ts";
import {
  deleteDue,
  type EvidenceDeleterDeps,
} from "../../../src/workers/retention/evidenceDeleter.ts";
import { memoryBlobStore } from "../../support/blobs.ts";
import { type Account, call, eventually, signUp } from "../../support/client.ts";
import { leadInstead } from "../../support/leases.ts";
import { grant } from "../../support/members.ts";
import { startTestService, type TestService } from "../../support/service.ts";
import { shownByNow } from "../../support/shown.ts";

const DAY_MS = 86_400_000;
const never = new AbortController().signal;
const logger = pino({ level: "silent" });
const blob = { bytes: Buffer.from("a picture"), contentType: "image/jpeg" };

describe("expired evidence", () => {
  let service: TestService;
  let ann: Account;
  let testId: string;

  beforeAll(async () => {
    service = await startTestService({}, ["api", "projections", "dispatcher"]);
    await leadInstead(service, "evidence-deletion");
  });
  afterAll(() => service?.stop());

  const asAnn = (method: string, path: string, body?: unknown) =>
    call(service.url, method, `/api/v1${path}`, { bearer: ann.accessToken, body });

  /** Creates an organisation on the free plan. */
  const begin = async (): Promise<void> => {
    ann = await signUp(service.url);
    const body = { name: "Signs in", steps: [{ action: "click", target: "Sign in" }] };
    testId = (await asAnn("POST", "/tests", body)).body.id;
  };

  /** Runs the test like an executor and stores its blobs. */
  const run = async (store: BlobStore = service.platform.blobs) => {
    const queued = await asAnn("POST", "/runner/runs", { test_ids: [testId] });
    const [{ id: executionId, run_id: runId }] = queued.body.executions;
    const { loop } = service.core;
    await eventually(
      async () => (await loop.load(executionDecider, executionId)).state.status,
      (status) => status === "queued",
    );
    const context = {
      actor: { type: "system", id: "executor" },
      organizationId: ann.organizationId,
      correlationId: runId,
      causationId: runId,
    } as const;
    const held = { worker: "w1", delivery: 1 };
    const on = { runId, attempt: 1, delivery: 1, browser: "chromium" } as const;
    const folder = `${evidenceFolder(runId, executionId)}/1/1/chromium`;
    const baselineKey = `baselines/${testId}/${newId()}.png`;
    const keys = {
      shot: `${folder}/1.png`,
      diff: `${folder}/1.png.diff.png`,
      trace: `${folder}/trace.zip`,
      // Stored by a delivery that crashed before recording it.
      unsaid: `${evidenceFolder(runId, executionId)}/2/1/chromium/1.jpg`,
      baseline: baselineKey,
    };
    for (const key of Object.values(keys)) await store.put(key, blob);
    const picture = (key: string) => ({ key, sha256: "0", width: 10, height: 10 });
    const ended = { status: "failed", durationMs: 20, error: "It is not there." } as const;
    const progress: ProgressEvent[] = [
      { type: "BrowserStarted", data: { ...on, browserVersion: "140.0" } },
      { type: "StepStarted", data: { ...on, number: 1 } },
      {
        type: "ScreenshotTaken",
        data: { ...on, number: 1, format: "png", key: keys.shot, name: null },
      },
      {
        type: "VisualCompared",
        data: {
          ...{ ...on, number: 1, testId, stepId: newId(), viewport: "1280x720" },
          ...{ outcome: "different", pixels: 9, ratio: 0.1, sizeDiffers: false, diff: keys.diff },
          ...{ actual: picture(keys.shot), baseline: picture(keys.baseline) },
          ...{ threshold: 0.1, allowed: 0, passedOver: false },
        },
      },
      {
        type: "StepFailed",
        data: { ...on, number: 1, ...ended, locator: null, passedOver: false },
      } as ProgressEvent,
      {
        type: "EvidenceKept",
        data: {
          ...{ ...on, name: "trace.zip", contentType: "application/zip" },
          ...{ bytes: 9, key: keys.trace, absent: null },
        },
      },
      { type: "BrowserFinished", data: { ...on, ...ended } },
      { type: "AttemptFinished", data: { runId, attempt: 1, delivery: 1, ...ended } },
    ];
    for (const command of [
      { type: "claim", ...held },
      { type: "report", ...held, progress },
      { type: "finish", ...held, ...ended },
    ] as const) {
      await loop.execute(executionDecider, executionId, command, context);
    }
    await eventually(
      async () => (await asAnn("GET", `/runs/${runId}`)).body,
      ({ finished_at }) => finished_at !== null,
      30_000,
    );
    await shownByNow(service);
    return { executionId: executionId as string, runId: runId as string, keys };
  };

  /** Runs the evidence deleter after a number of days. `faults` override its dependencies. */
  const deleter = (
    days: number,
    faults: { store?: BlobStore; deleteUnder?: BlobStore["deleteUnder"]; dies?: boolean } = {},
  ): EvidenceDeleterDeps => {
    const { platform, core } = service;
    const store = faults.store ?? platform.blobs;
    const clock = () => new Date(Date.now() + days * DAY_MS);
    const loop = createCommandLoop({ log: platform.log, clock });
    const retention = retentionCommands({
      loop: {
        ...loop,
        execute: (decider, id, command, ...rest) => {
          const { type } = command as { type?: unknown };
          if (faults.dies && type === "noteEvidenceDeleted") throw new Error("killed");
          return loop.execute(decider, id, command, ...rest);
        },
      },
      log: platform.log,
      blobs: { deleteUnder: faults.deleteUnder ?? store.deleteUnder },
      clock,
    });
    return {
      retention,
      queries: core.queries.retention,
      daysOf: async (organizationId) =>
        catalog[(await core.queries.billing.planOf(organizationId)).plan].retentionDays,
      clock,
      logger,
    };
  };

  const eventsOf = async (executionId: string) => {
    const events = [];
    for await (const event of service.platform.log.readStream(`execution-${executionId}`)) {
      if (event.type.startsWith("EvidenceE") || event.type.startsWith("EvidenceD")) {
        events.push({ type: event.type, data: event.data as Record<string, unknown> });
      }
    }
    return events;
  };
  const detailOf = async (executionId: string) =>
    (await asAnn("GET", `/executions/${executionId}`)).body;
  const deletedOf = async (executionId: string) => {
    await shownByNow(service);
    return detailOf(executionId);
  };

  it("is deleted after seven days on the free plan, except baselines", async () => {
    await begin();
    const { executionId, runId, keys } = await run();
    expect(await deleteDue(deleter(6.99), never)).toBe(0);
    const shot = `/tests/${executionId}/screenshots/chromium/1`;
    expect((await asAnn("GET", shot)).status).toBe(200);

    await deleteDue(deleter(7.01), never);
    const deleted = await deletedOf(executionId);
    expect(deleted.evidence_deleted).toMatchObject({ plan: "free", days: 7 });
    expect(await eventsOf(executionId)).toEqual([
      {
        type: "EvidenceExpired",
        data: {
          ...{ runId, rule: "retention_days", plan: "free", days: 7 },
          ...{ kinds: ["screenshots", "differences", "trace"], endedAt: deleted.finished_at },
        },
      },
      {
        type: "EvidenceDeleted",
        data: {
          ...{ runId, rule: "retention_days", plan: "free", days: 7 },
          ...{ kinds: ["screenshots", "differences", "trace"] },
          at: deleted.evidence_deleted.at,
        },
      },
    ]);
    const { blobs } = service.platform;
    for (const [name, key] of Object.entries(keys)) {
      expect([name, (await blobs.get(key)) !== null]).toEqual([name, name === "baseline"]);
    }

    const review = (await asAnn("GET", `/runs/${runId}/baselines`)).body;
    expect(review.items).toMatchObject([{ execution_id: executionId, visual: { diff_url: null } }]);

    const said = expect.stringMatching(/were deleted .*: the plan Free kept them 7 days\./);
    const artifact = `/executions/${executionId}/artifacts/trace.zip`;
    for (const path of [shot, `${shot}/baseline`, `${shot}/diff`, artifact]) {
      const reply = await asAnn("GET", path);
      expect([path, reply.status, reply.body]).toEqual([path, 410, { detail: said }]);
    }
    expect(deleted).toMatchObject({ status: "failed", error: "It is not there." });
    expect(deleted.browsers[0].steps[0]).toMatchObject({ status: "failed", screenshot_url: null });
    const listed = (await asAnn("GET", `/executions/${executionId}/artifacts`)).body.items;
    expect(listed).toMatchObject([{ name: "trace.zip", url: null, absent: said }]);
    expect((await asAnn("GET", `/tests/${executionId}/screenshots`)).body.items).toEqual([]);
    const report = (await asAnn("GET", `/reports/runs/${runId}`)).body;
    expect(report.problems).toMatchObject([{ evidence_deleted: { plan: "free", days: 7 } }]);
    const page = await fetch(`${service.url}/api/v1/reports/runs/${runId}/html`, {
      headers: { authorization: `Bearer ${ann.accessToken}` },
    });
    const html = await page.text();
    expect(html).toEqual(said);
    expect(html).not.toContain("<img");
    const rejudged = await asAnn("POST", `/executions/${executionId}/rejudge`, { settings: {} });
    expect([403, 409]).toContain(rejudged.status);

    const before = await eventsOf(executionId);
    expect(await deleteDue(deleter(30), never)).toBe(0);
    expect(await deleter(30).retention.deleteExpired(executionId, ann.organizationId)).toBe(false);
    expect(await eventsOf(executionId)).toEqual(before);
  });

  it("follows the retention of the plan in force at the deletion", async () => {
    await begin();
    const { executionId } = await run();
    await grant(service, ann.organizationId, "team");
    expect(await deleteDue(deleter(89), never)).toBe(0);
    // The log decides even if the read model is stale.
    const late = { ...deleter(8), daysOf: async () => 7 };
    expect(await deleteDue(late, never)).toBe(0);
    expect(await eventsOf(executionId)).toEqual([]);
    await grant(service, ann.organizationId, "starter");
    await eventually(
      () => deleteDue(deleter(31), never),
      (deleted) => deleted === 1,
    );
    expect((await deletedOf(executionId)).evidence_deleted).toMatchObject({
      plan: "starter",
      days: 30,
    });
  });

  it("resumes an interrupted deletion, and records concurrent ones once", async () => {
    await begin();
    const store = memoryBlobStore();
    const [one, two] = [await run(store), await run(store)];
    const away = async () => {
      throw new Error("The store is away");
    };
    await deleteDue(deleter(8, { store, deleteUnder: away }), never);
    expect((await eventsOf(one.executionId)).map(({ type }) => type)).toEqual(["EvidenceExpired"]);
    expect(await store.get(one.keys.shot)).toEqual(blob);
    await eventually(
      () => service.core.queries.retention.listBegun({ limit: 10, after: null }),
      (begun) => begun.length === 2,
    );
    // An interrupted deletion resumes regardless of the current plan.
    await grant(service, ann.organizationId, "business");
    await deleteDue(deleter(8, { store, dies: true }), never);
    expect((await eventsOf(two.executionId)).map(({ type }) => type)).toEqual(["EvidenceExpired"]);
    expect(await store.get(two.keys.unsaid)).toBeNull();

    await Promise.all([
      deleteDue(deleter(8, { store }), never),
      deleteDue(deleter(8, { store }), never),
    ]);
    for (const { executionId, keys } of [one, two]) {
      expect((await eventsOf(executionId)).map(({ type }) => type)).toEqual([
        "EvidenceExpired",
        "EvidenceDeleted",
      ]);
      expect(await store.get(keys.trace)).toBeNull();
      expect(await store.get(keys.baseline)).toEqual(blob);
    }
    await deletedOf(two.executionId);
  });

  it("refuses a verdict on pictures that are being deleted", async () => {
    await begin();
    await grant(service, ann.organizationId, "starter");
    const store = memoryBlobStore();
    const { executionId, keys } = await run(store);
    for (const [key, grey] of [
      [keys.shot, 200],
      [keys.baseline, 20],
    ] as const) {
      const data = Buffer.from(Array.from({ length: 400 }, (_, at) => (at % 4 === 3 ? 255 : grey)));
      const bytes = await encodePng({ width: 10, height: 10, data });
      await store.put(key, { bytes, contentType: "image/png" });
    }
    const drawn: string[] = [];
    const { core, platform } = service;
    const baselines = baselineCommands({
      ...{ loop: core.loop, log: platform.log, comparer: core.comparer },
      blobs: {
        ...store,
        put: async (key, difference) => {
          await deleter(31, { store }).retention.deleteExpired(executionId, ann.organizationId);
          await store.put(key, difference);
          drawn.push(key);
        },
      },
    });
    const comparisons = await eventually(
      () => core.queries.baselines.comparisonsOfExecution(executionId),
      (found) => found.length === 1,
    );
    const context = {
      actor: { type: "user", id: ann.userId },
      organizationId: ann.organizationId,
      correlationId: executionId,
      causationId: executionId,
    } as const;
    const settings = visualSettings.parse({});
    await expect(
      baselines.rejudge(context, executionId, settings, comparisons),
    ).rejects.toMatchObject({ code: "execution.evidenceDeleted" });
    expect(drawn).toHaveLength(1);
    expect(await store.get(drawn[0] ?? "")).toBeNull();
  });

  it("is deleted page by page despite a failure", async () => {
    await begin();
    const store = memoryBlobStore();
    const [one, two] = [await run(store), await run(store)];
    await begin();
    const three = await run(store);
    const deps = deleter(8, {
      store,
      deleteUnder: async (folder) => {
        if (folder.endsWith(one.executionId)) throw new Error("It may not be deleted");
        await store.deleteUnder(folder);
      },
    });
    expect(await deleteDue(deps, never)).toBe(2);
    for (const { executionId } of [two, three]) {
      expect((await eventsOf(executionId)).map(({ type }) => type)).toContain("EvidenceDeleted");
    }
    await eventually(
      () => service.core.queries.retention.listBegun({ limit: 10, after: null }),
      (begun) => begun.length === 1 && begun[0]?.executionId === one.executionId,
    );
  });

  it("leaves read models equal to a rebuild", async () => {
    const { log, database } = service.platform;
    for (const projection of [evidenceProjection, executionsProjection, baselinesProjection]) {
      const verified = await verifyProjection({ log, db: database.patient }, projection, never);
      expect([projection.name, verified]).toMatchObject([
        projection.name,
        { outcome: "equal", refused: 0 },
      ]);
    }
  });
});
