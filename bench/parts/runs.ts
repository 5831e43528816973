import { setTimeout as delay } from "node:timers/promises";
import { call } from "../../test/support/client.ts";
import type { HostedService } from "./host.ts";

/** Creates a test from plain English. Returns its id. */
export const createTest = async (
  { url, key }: HostedService,
  name: string,
  text: string,
): Promise<string> => {
  const { status, body } = await call(url, "POST", "/api/v1/tests", {
    bearer: key,
    body: { name, text },
  });
  if (status !== 201 || body.warnings.length > 0)
    throw new Error(`The test was not accepted: ${JSON.stringify(body)}`);
  return body.id;
};

export type QueuedRun = { readonly runId: string; readonly executionId: string };

export const queueRun = async (
  { url, key }: HostedService,
  testId: string,
  baseUrl: string,
): Promise<QueuedRun> => {
  const { status, body } = await call(url, "POST", "/api/v1/cli/cloud-runs", {
    bearer: key,
    body: { test_ids: [testId], base_url: baseUrl },
  });
  if (status !== 202) throw new Error(`The run was not queued: ${status} ${JSON.stringify(body)}`);
  return { runId: body.run_ids[0], executionId: body.executions[0].id };
};

const FINISHED = new Set(["passed", "failed", "errored"]);

/** Polls the run until it has passed. Rejects if it finishes otherwise or after a minute. */
export const waitUntilPassed = async (
  { url, key }: HostedService,
  runId: string,
  everyMs: number,
): Promise<void> => {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const { body } = await call(url, "GET", `/api/v1/cli/cloud-runs/${runId}`, { bearer: key });
    if (body.status === "passed") return;
    if (FINISHED.has(body.status) || performance.now() > deadline)
      throw new Error(`The run did not pass: ${JSON.stringify(body)}`);
    await delay(everyMs);
  }
};

/** The duration of the first attempt as reported by the service, in milliseconds, and its number of screenshots. */
export const durationOf = async (
  { url, key }: HostedService,
  executionId: string,
): Promise<{ readonly durationMs: number; readonly screenshots: number }> => {
  const { body } = await call(url, "GET", `/api/v1/executions/${executionId}`, { bearer: key });
  const [attempt] = body.attempts;
  const steps: { screenshot_url: string | null }[] = attempt.browsers[0].steps;
  return {
    durationMs: attempt.duration_ms,
    screenshots: steps.filter((step) => step.screenshot_url !== null).length,
  };
};
