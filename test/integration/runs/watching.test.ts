import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { natsBus } from "../../../src/platform/bus/nats.ts";
import type { Bus } from "../../../src/platform/bus/port.ts";
import { trackWatchedRuns } from "../../../src/platform/bus/watchedRuns.ts";
import { call, eventually, makeKey, signUp } from "../../support/client.ts";
import { type NatsServer, startNatsServer } from "../../support/natsServer.ts";
import { startTestService, type TestService } from "../../support/service.ts";

let nats: NatsServer;
let service: TestService;
let bus: Bus;
beforeAll(async () => {
  nats = await startNatsServer();
  // Without an executor, queued runs stay queued.
  service = await startTestService({ NATS_URL: nats.url }, ["api", "projections", "dispatcher"]);
  bus = await natsBus({ url: nats.url });
});
afterAll(async () => {
  await bus?.close();
  await service?.stop();
  await nats?.stop();
});

const newCaller = async () => {
  const { key } = await makeKey(service.url, await signUp(service.url));
  const ask = (method: string, path: string, body?: object) =>
    call(service.url, method, `/api/v1${path}`, { bearer: key, ...(body && { body }) });
  return ask;
};

const queueOne = async (ask: Awaited<ReturnType<typeof newCaller>>) => {
  const { body: test } = await ask("POST", "/tests", { name: "one", text: "Open /" });
  const { body } = await ask("POST", "/cli/cloud-runs", { test_ids: [test.id] });
  return { runId: body.run_ids[0] as string, executionId: body.executions[0].id as string };
};

/** The reported watchers during a request, between two reads of runs before and after it. */
const watchedDuring = async (
  ask: Awaited<ReturnType<typeof newCaller>>,
  asking: () => Promise<unknown>,
): Promise<readonly string[]> => {
  const ends = [(await queueOne(ask)).runId, (await queueOne(ask)).runId] as const;
  const stopping = new AbortController();
  const begun: string[] = [];
  const { ended } = trackWatchedRuns({
    ...{ bus, signal: stopping.signal },
    onBegin: (runId) => void begun.push(runId),
  });
  const readUntilHeard = (runId: string) =>
    eventually(
      () => ask("GET", `/runs/${runId}`),
      () => begun.includes(runId),
    );
  // Messages arrive only after the subscription exists.
  await readUntilHeard(ends[0]);
  await asking();
  await readUntilHeard(ends[1]);
  stopping.abort();
  await ended;
  return begun.slice(begun.indexOf(ends[0]) + 1, begun.indexOf(ends[1]));
};

describe("watched runs", () => {
  it.each([
    ["the run", ({ runId }: { runId: string }) => `/runs/${runId}`],
    ["the run as the runner does", ({ runId }: { runId: string }) => `/cli/cloud-runs/${runId}`],
    ["its execution", ({ executionId }: { executionId: string }) => `/executions/${executionId}`],
  ])("are marked by a read of %s", async (_, path) => {
    const ask = await newCaller();
    const queued = await queueOne(ask);
    const watched = await watchedDuring(ask, async () => {
      expect((await ask("GET", path(queued))).status).toBe(200);
    });
    expect(watched).toEqual([queued.runId]);
  });

  it("are not marked after their end or by another organisation", async () => {
    const [ask, stranger] = [await newCaller(), await newCaller()];
    const [queued, over] = [await queueOne(ask), await queueOne(ask)];
    expect((await ask("POST", `/runner/runs/${over.runId}/cancel`)).status).toBe(202);
    const { body } = await eventually(
      () => ask("GET", `/cli/cloud-runs/${over.runId}`),
      (answer) => answer.body.finished_at !== null,
    );
    expect(body.status).toBe("cancelled");
    const watched = await watchedDuring(ask, async () => {
      expect((await ask("GET", `/runs/${over.runId}`)).status).toBe(200);
      expect((await ask("GET", `/executions/${over.executionId}`)).status).toBe(200);
      expect((await stranger("GET", `/runs/${queued.runId}`)).status).toBe(403);
      expect((await stranger("GET", `/executions/${queued.executionId}`)).status).toBe(403);
    });
    expect(watched).toEqual([]);
  });
});
