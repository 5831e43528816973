import { executionDecider } from "../../src/domain/runs/executions/execution.ts";
import type { ProgressEvent } from "../../src/domain/runs/executions/progress.ts";
import { sha256 } from "../../src/platform/crypto.ts";
import { encodePng } from "../../src/platform/pictures/png.ts";
import { call, eventually } from "./client.ts";
import type { TestService } from "./service.ts";

/** A finished run of a test with a picture that differs from its baseline, and two healings. */
export type ComparedRun = {
  readonly testId: string;
  readonly stepId: string;
  readonly runId: string;
  readonly executionId: string;
};

/** The path parameters of the compared picture's baseline. */
export const placeOf = ({ testId, stepId }: ComparedRun) => ({
  id: testId,
  step_id: stepId,
  browser: "chromium",
});

const picture = async (service: TestService, key: string, grey: number) => {
  const data = Buffer.alloc(4 * 4 * 4, grey);
  const bytes = await encodePng({ width: 4, height: 4, data });
  await service.platform.blobs.put(key, { bytes, contentType: "image/png" });
  return { key, sha256: sha256(bytes), width: 4, height: 4 };
};

/** Records the events of a run with a visual difference. The service needs a dispatcher and no executor. */
export const compareInRun = async (
  service: TestService,
  bearer: string,
  context: Parameters<TestService["core"]["loop"]["execute"]>[3],
): Promise<ComparedRun & { readonly position: bigint | null }> => {
  const { loop } = service.core;
  const post = async (path: string, body: unknown) =>
    (await call(service.url, "POST", `/api/v1${path}`, { bearer, body })).body;
  const steps = [
    { action: "visual_check", target: "", value: "start" },
    ...["#save", "#send"].map((target) => ({ action: "click", target, value: "" })),
  ];
  const test = await post("/tests", { name: "looks right", steps });
  const queued = await post("/cli/cloud-runs", { test_ids: [test.id] });
  const ids = {
    testId: test.id as string,
    stepId: test.steps[0].id as string,
    runId: queued.run_ids[0] as string,
    executionId: queued.executions[0].id as string,
  };
  const { executionId } = ids;
  const held = { worker: "test", delivery: 1 };
  await eventually(
    async () => (await loop.load(executionDecider, executionId)).state.status,
    (status) => status === "queued",
  );
  const tell = (command: Parameters<typeof executionDecider.decide>[0]) =>
    loop.execute(executionDecider, executionId, command, context);
  const progress = progressOf(ids, test.steps, {
    diff: (await picture(service, `${executionId}/diff.png`, 128)).key,
    actual: await picture(service, `${executionId}/1.png`, 255),
    baseline: await picture(service, `${executionId}/baseline.png`, 40),
  });
  await tell({ type: "claim", ...held });
  await tell({ type: "report", ...held, progress });
  const { position } = await tell({ type: "finish", ...held, ...end });
  return { ...ids, position };
};

const end = { status: "failed", durationMs: 12, error: "It differs." } as const;

type Picture = Awaited<ReturnType<typeof picture>>;

const progressOf = (
  { testId, stepId, runId }: ComparedRun,
  steps: readonly { readonly id: string }[],
  { diff, actual, baseline }: { diff: string; actual: Picture; baseline: Picture },
): ProgressEvent[] => {
  const on = { runId, attempt: 1, delivery: 1, browser: "chromium" } as const;
  const at = { ...on, number: 1 };
  const found = { outcome: "different", pixels: 16, ratio: 1, sizeDiffers: false, diff } as const;
  const how = { threshold: 0.2, allowed: 0, passedOver: false };
  const healed = (number: number, target: string): ProgressEvent => ({
    type: "LocatorHealed",
    data: {
      ...{ ...on, number, testId, stepId: steps[number - 1]?.id ?? "", target },
      ...{ healedTarget: `testid=${target.slice(1)}`, score: 0.9, runnerUp: null, changes: [] },
    },
  });
  return [
    { type: "BrowserStarted", data: { ...on, browserVersion: "140.0" } },
    { type: "StepStarted", data: at },
    {
      type: "ScreenshotTaken",
      data: { ...at, format: "png", key: actual.key, name: "start" },
    },
    {
      type: "VisualCompared",
      data: { ...at, testId, stepId, viewport: "1280x720", ...found, ...how, actual, baseline },
    },
    {
      type: "StepFailed",
      data: { ...at, durationMs: 12, error: "It differs.", locator: null, passedOver: false },
    },
    healed(2, "#save"),
    healed(3, "#send"),
    { type: "BrowserFinished", data: { ...on, ...end, onlyPictures: true } },
    { type: "AttemptFinished", data: { runId, attempt: 1, delivery: 1, ...end } },
  ];
};
