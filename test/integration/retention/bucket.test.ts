import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCommandLoop } from "../../../src/commands/kernel/commandLoop.ts";
import { retentionCommands } from "../../../src/commands/retention/retention.ts";
import { catalog } from "../../../src/domain/billing/catalog.ts";
import { evidenceFolder } from "../../../src/domain/runs/executions/evidence.ts";
import { executionDecider } from "../../../src/domain/runs/executions/execution.ts";
import type { ProgressEvent } from "../../../src/domain/runs/executions/progress.ts";
import { newId } from "../../../src/platform/ids.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { deleteDue } from "../../../src/workers/retention/evidenceDeleter.ts";
import { type Account, call, eventually, signUp } from "../../support/client.ts";
import { leadInstead } from "../../support/leases.ts";
import { grant } from "../../support/members.ts";
import { startTestS3, type TestS3 } from "../../support/s3Server.ts";
import { startTestService, type TestService } from "../../support/service.ts";

const DAY_MS = 86_400_000;
const picture = { bytes: Buffer.from([0xff, 0xd8, 0xff, 1, 2, 3]), contentType: "image/jpeg" };

/** Retention with pictures of several organisations in one bucket. */
describe("expired evidence in a bucket", () => {
  let bucket: TestS3;
  let service: TestService;

  beforeAll(async () => {
    bucket = await startTestS3();
    service = await startTestService(bucket.environment, ["api", "projections", "dispatcher"]);
    await leadInstead(service, "evidence-deletion");
  });
  afterAll(async () => {
    await service?.stop();
    await bucket?.stop();
  });

  const as = (who: Account, method: string, path: string, body?: unknown) =>
    call(service.url, method, `/api/v1${path}`, { bearer: who.accessToken, body });

  /** A finished run with recorded pictures and one unrecorded picture. */
  const run = async (who: Account) => {
    const body = { name: "Signs in", steps: [{ action: "click", target: "Sign in" }] };
    const test = await as(who, "POST", "/tests", body);
    const queued = await as(who, "POST", "/runner/runs", { test_ids: [test.body.id] });
    const [{ id, run_id: runId }] = queued.body.executions;
    const { loop } = service.core;
    await eventually(
      async () => (await loop.load(executionDecider, id)).state.status,
      (status) => status === "queued",
    );
    const folder = evidenceFolder(runId, id);
    const keys = [
      `${folder}/1/1/chromium/1.jpg`,
      `${folder}/2/1/chromium/1.jpg`,
      `baselines/${test.body.id}/${newId()}.png`,
    ] as const;
    for (const key of keys) await service.platform.blobs.put(key, picture);
    const on = { runId, attempt: 1, delivery: 1, browser: "chromium" } as const;
    const ended = { status: "failed", durationMs: 20, error: "It is not there." } as const;
    const progress: ProgressEvent[] = [
      { type: "BrowserStarted", data: { ...on, browserVersion: "140.0" } },
      { type: "StepStarted", data: { ...on, number: 1 } },
      {
        type: "ScreenshotTaken",
        data: { ...on, number: 1, format: "jpeg", key: keys[0], name: null },
      },
      {
        type: "StepFailed",
        data: { ...on, number: 1, ...ended, locator: null, passedOver: false },
      } as ProgressEvent,
      { type: "BrowserFinished", data: { ...on, ...ended } },
      { type: "AttemptFinished", data: { runId, attempt: 1, delivery: 1, ...ended } },
    ];
    const held = { worker: "w1", delivery: 1 };
    const actor = { type: "system", id: "executor" } as const;
    const { organizationId } = who;
    const context = { actor, organizationId, correlationId: runId, causationId: runId };
    for (const command of [
      { type: "claim", ...held },
      { type: "report", ...held, progress },
      { type: "finish", ...held, ...ended },
    ] as const) {
      await loop.execute(executionDecider, id, command, context);
    }
    const shot = `/tests/${id}/screenshots/chromium/1`;
    await eventually(
      () => as(who, "GET", shot),
      ({ status }) => status === 200,
    );
    return { id, shot, keys };
  };
  const keysLeft = async (): Promise<ReadonlySet<string>> => {
    const keys = new Set<string>();
    for await (const key of service.platform.blobs.list()) keys.add(key);
    return keys;
  };
  /** Deletes the evidence that is due after a number of days. */
  const deleteAfter = async (days: number): Promise<number> => {
    const { platform, core } = service;
    const clock = () => new Date(Date.now() + days * DAY_MS);
    const loop = createCommandLoop({ log: platform.log, clock });
    const { log, blobs } = platform;
    const planOf = core.queries.billing.planOf;
    return deleteDue(
      {
        ...{ retention: retentionCommands({ loop, log, blobs, clock }), clock },
        queries: core.queries.retention,
        daysOf: async (organizationId) =>
          catalog[(await planOf(organizationId)).plan].retentionDays,
        logger: createLogger({ level: "silent" }),
      },
      new AbortController().signal,
    );
  };

  it("deletes one organisation's pictures, answers 410 for them, and keeps another's", async () => {
    const [ann, bob] = [await signUp(service.url), await signUp(service.url)];
    const [hers, his] = [await run(ann), await run(bob)];
    await grant(service, bob.organizationId, "team");
    await eventually(
      async () => (await service.core.queries.billing.planOf(bob.organizationId)).plan,
      (plan) => plan === "team",
    );
    const before = await keysLeft();
    expect([...hers.keys, ...his.keys].filter((key) => !before.has(key))).toEqual([]);

    expect(await deleteAfter(6.99)).toBe(0);
    expect(await keysLeft()).toEqual(before);
    // While the bucket is unavailable nothing is reported as deleted.
    await bucket.away();
    expect(await deleteAfter(7.01)).toBe(0);
    await bucket.back();
    expect(await keysLeft()).toEqual(before);
    expect(await deleteAfter(7.01)).toBe(1);

    const left = await keysLeft();
    const [shot, unsaid, baseline] = hers.keys;
    expect([...before].filter((key) => !left.has(key)).sort()).toEqual([shot, unsaid].sort());
    expect(left.has(baseline)).toBe(true);
    const gone = await eventually(
      () => as(ann, "GET", hers.shot),
      ({ status }) => status === 410,
    );
    const day = new Date(Date.now() + 7.01 * DAY_MS).toISOString().slice(0, 10);
    expect(gone.body.detail).toContain(day);
    expect(gone.body.detail).toMatch(/free/i);
    expect((await as(bob, "GET", his.shot)).status).toBe(200);
    expect(await deleteAfter(7.02)).toBe(0);
  });
});
