import { executionDecider } from "../../../src/domain/runs/executions/execution.ts";
import type { ProgressEvent } from "../../../src/domain/runs/executions/progress.ts";
import { call, eventually } from "../client.ts";
import { type ComparedRun, compareInRun } from "../comparedRun.ts";
import type { Owner } from "./owner.ts";

type Run = { readonly runId: string; readonly executionId: string };

/** Queues a run of a test and records the events of its first step, with a screenshot and a console log. */
export const playRun = async (owner: Owner, testId: string): Promise<Run> => {
  const { body } = await owner.withKey("POST", "/cli/cloud-runs", { test_ids: [testId] });
  const run = { runId: body.run_ids[0], executionId: body.executions[0].id };
  await recordStep(owner, run);
  return run;
};

const recordStep = async ({ service, context }: Owner, { runId, executionId }: Run) => {
  const { loop } = service.core;
  const held = { worker: "test", delivery: 1 };
  const on = { runId, attempt: 1, delivery: 1, browser: "chromium" } as const;
  const key = `${executionId}/1.jpg`;
  const consoleLog = {
    ...{ name: "console.json", contentType: "application/json", bytes: 2 },
    ...{ key: `${executionId}/console.json`, absent: null },
  };
  const progress: ProgressEvent[] = [
    { type: "BrowserStarted", data: { ...on, browserVersion: "140.0" } },
    { type: "StepStarted", data: { ...on, number: 1 } },
    { type: "StepPassed", data: { ...on, number: 1, durationMs: 12, locator: null } },
    { type: "ScreenshotTaken", data: { ...on, number: 1, format: "jpeg", key, name: null } },
    { type: "EvidenceKept", data: { ...on, ...consoleLog } },
  ];
  const bytes = Buffer.from([0xff, 0xd8, 0xff]);
  await service.platform.blobs.put(key, { bytes, contentType: "image/jpeg" });
  await service.platform.blobs.put(consoleLog.key, { ...consoleLog, bytes: Buffer.from("{}") });
  // The dispatcher queues the execution shortly after the response.
  await eventually(
    async () => (await loop.load(executionDecider, executionId)).state.status,
    (status) => status === "queued",
  );
  await loop.execute(executionDecider, executionId, { type: "claim", ...held }, context);
  const report = { type: "report", ...held, progress } as const;
  await loop.execute(executionDecider, executionId, report, context);
};

type ComparedEntities = {
  readonly compared: ComparedRun;
  readonly healingId: string;
  readonly otherHealingId: string;
};

/** Records a run with a visual difference and two healings, and waits for its read models. */
export const makeComparedRun = async (owner: Owner): Promise<ComparedEntities> => {
  const { service, key, context } = owner;
  const { position, ...compared } = await compareInRun(service, key, context);
  const headers = { "x-min-position": String(position) };
  await call(service.url, "GET", "/api/v1/runs", { bearer: key, headers });
  const path = `/api/v1/tests/${compared.testId}/healings`;
  const { body } = await call(service.url, "GET", path, { bearer: key, headers });
  const [healingId = "", otherHealingId = ""] = body.items.map(({ id }: { id: string }) => id);
  return { compared, healingId, otherHealingId };
};
