import { randomBytes } from "node:crypto";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stablePort } from "../../../src/embeddedPostgres/stablePort.ts";
import type { RecordedEvent } from "../../../src/platform/eventLog/port.ts";
import { call, eventually, makeKey, signUp } from "../../support/client.ts";
import { type Outages, startOutages } from "../../support/outages.ts";
import { type ServiceProcess, startServiceProcess } from "../../support/serviceProcess.ts";

const STEPS = 5;

/** A process is killed during a test: the run ends with the same result, and everything is counted once. */
describe("kill -9 during a run", () => {
  let outages: Outages;
  let service: ServiceProcess;
  let executor: ServiceProcess;
  let bearer: string;
  let testId: string;
  let runs = 0;

  const masterKey = randomBytes(32).toString("hex");
  let port: string;
  const start = (roles: string): Promise<ServiceProcess> =>
    startServiceProcess(path.join(outages.folder, roles), {
      ROLES: roles,
      EVENTSTORE_URL: outages.parts.event_log.url,
      DATABASE_URL: outages.parts.database.url,
      NATS_URL: outages.parts.bus.url,
      BLOB_STORE: `file://${outages.blobFolder}`,
      MASTER_KEY: masterKey,
      EXECUTION_NETWORK: "open",
      ...(roles === SERVICE ? { PORT: port } : {}),
    });
  const SERVICE = "api,projections,dispatcher";

  beforeAll(async () => {
    outages = await startOutages();
    // The restarted service uses the same port, which no other process can get.
    port = String(await stablePort());
    service = await start(SERVICE);
    executor = await start("executor");
    const account = await signUp(service.url);
    bearer = (await makeKey(service.url, account)).key;
    const text = ["Go to /todo", "Wait 1 s", "Wait 1 s", "Wait 1 s", 'I should see "todos"'];
    const made = await call(service.url, "POST", "/api/v1/tests", {
      bearer,
      body: { name: "Slow", text: text.join("\n") },
    });
    expect(made.body.step_count).toBe(STEPS);
    testId = made.body.id;
  });
  afterAll(async () => {
    await Promise.all([service?.end("SIGKILL"), executor?.end("SIGKILL")]);
    await outages?.stop();
  });

  const eventsOf = async (stream: string): Promise<readonly RecordedEvent[]> => {
    const events: RecordedEvent[] = [];
    for await (const event of outages.direct.readStream(stream)) events.push(event);
    return events;
  };
  const seen = (stream: string, type: string) =>
    eventually(
      () => eventsOf(stream).catch(() => []),
      (events) => events.some((event) => event.type === type),
      90_000,
    );

  const faults: Readonly<Record<string, () => Promise<void>>> = {
    "the executor": async () => {
      await executor.end("SIGKILL");
      executor = await start("executor");
    },
    "the service": async () => {
      await service.end("SIGKILL");
      service = await start(SERVICE);
    },
    PostgreSQL: () => outages.fail("database", "killed").then(() => outages.mend("database")),
    NATS: () => outages.fail("bus", "killed").then(() => outages.mend("bus")),
    "the event log": () =>
      outages.fail("event_log", "killed").then(() => outages.mend("event_log")),
  };

  it.each(Object.keys(faults))(
    "of %s lets the run end with each step once per delivery and one used unit",
    async (what) => {
      const queued = await call(service.url, "POST", "/api/v1/cli/cloud-runs", {
        bearer,
        body: { test_ids: [testId], base_url: outages.site.url },
      });
      expect(queued.status).toBe(202);
      runs += 1;
      const [runId, executionId] = [queued.body.run_ids[0], queued.body.executions[0].id];
      await seen(`execution-${executionId}`, "StepPassed");
      await faults[what]?.();

      const ofRun = await seen(`run-${runId}`, "RunFinished");
      const events = await eventsOf(`execution-${executionId}`);
      // A run that has not passed says why.
      const told = events.map(({ type, data }) => `${type} ${JSON.stringify(data)}`).join("\n");
      expect(ofRun.at(-1)?.data, told).toMatchObject({ status: "passed" });
      const facts = events.filter(({ type }) => /^(Step|Browser|Attempt)/.test(type));
      const keyOf = ({ type, data }: RecordedEvent) => {
        const { delivery, attempt, browser, number } = data as Record<string, unknown>;
        return [type, delivery, attempt, browser, number].join();
      };
      expect(new Set(facts.map(keyOf)).size).toBe(facts.length);
      const last = Math.max(
        ...events.flatMap(({ type, data }) =>
          type === "ExecutionClaimed" ? [(data as { delivery: number }).delivery] : [],
        ),
      );
      const passed = facts.flatMap(({ type, data }) => {
        const { delivery, number } = data as { delivery: number; number: number };
        return type === "StepPassed" && delivery === last ? [number] : [];
      });
      expect(passed).toEqual(Array.from({ length: STEPS }, (_, n) => n + 1));

      const usage = await eventually(
        async () => (await call(service.url, "GET", "/api/v1/usage", { bearer })).body,
        ({ used, reserved }) => used === runs && reserved === 0,
      );
      expect(usage).toMatchObject({ used: runs, reserved: 0 });
    },
  );
});
