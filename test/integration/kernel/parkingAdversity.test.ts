import { setTimeout as delay } from "node:timers/promises";
import { EventStoreDBClient } from "@eventstore/db-client";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { disposeClient } from "../../../src/platform/eventLog/dispose.ts";
import { newId } from "../../../src/platform/ids.ts";
import { catalogueProjection } from "../../../src/projections/catalogue/catalogue.ts";
import type { Projection } from "../../../src/projections/kernel/projection.ts";
import { executionsProjection } from "../../../src/projections/runs/executions/projection.ts";
import { eventually } from "../../support/client.ts";
import { countersProjection } from "../../support/countersProjection.ts";
import { type ProjectionKit, startProjectionKit } from "../../support/projectionKit.ts";

const never = new AbortController().signal;

/** A projection that refuses events of a type until it is healed. */
const reluctant = (projection: Projection, type: string) => {
  let isWell = false;
  const check = (types: readonly string[]) => {
    if (!isWell && types.includes(type)) throw new Error(`No ${type} today`);
  };
  const { foldBatch } = projection;
  const healing: Projection = {
    ...projection,
    handlers: new Map(
      [...projection.handlers].map(([name, fold]) => [
        name,
        async (into, event) => {
          check([event.type]);
          await fold(into, event);
        },
      ]),
    ),
    ...(foldBatch && {
      foldBatch: async (into, events) => {
        check(events.map((event) => event.type));
        await foldBatch(into, events);
      },
    }),
  };
  const heal = () => {
    isWell = true;
  };
  return { projection: healing, heal };
};

describe("parked events and further failures", { timeout: 240_000 }, () => {
  let kit: ProjectionKit;
  let client: EventStoreDBClient;

  beforeAll(async () => {
    kit = await startProjectionKit();
    client = EventStoreDBClient.connectionString(kit.logUrl);
  });
  afterEach(() => kit.stopProjectors());
  afterAll(async () => {
    await disposeClient(client);
    await kit.stop();
  });

  const append = async (stream: string, type: string, data: object): Promise<bigint> => {
    const at = new Date().toISOString();
    const metadata = {
      $correlationId: newId(),
      $causationId: newId(),
      actor: { type: "system", id: "test" },
      organization_id: newId(),
      occurred_at: at,
      recorded_at: at,
      schema_version: 1,
    } as const;
    const event = { id: newId(), type, data, metadata };
    return (await kit.log.append(stream, [event], "any")).position;
  };
  const parkedOf = async (name: string) =>
    // "name@version" of the shown build; the name of a build in progress has a "+".
    (await kit.operations([]).listParked()).filter(({ consumer }) =>
      new RegExp(`^${name}@\\d+$`).test(consumer),
    );
  const isBuilt = async (projection: Projection): Promise<void> => {
    await eventually(
      () => parkedOf(projection.name),
      (parked) => parked.length === 0,
      60_000,
    );
    await kit.settled([projection]);
  };
  const verify = async (projection: Projection) => {
    const operations = kit.operations([projection]);
    const id = await operations.requestVerification(projection.name);
    return operations.waitForVerification(id ?? "", never);
  };

  it("a retried start of a run leads to the same rows as applying all events in order", async () => {
    const { projection, heal } = reluctant(executionsProjection, "RunQueued");
    const { positions } = await kit.start([projection]);
    await kit.settled([projection]);
    const [runId, executionId, testId] = [newId(), newId(), newId()];
    const test = { testId, testVersion: 1, testName: "t", stepCount: 1 };
    await append(`run-${runId}`, "RunQueued", {
      runId,
      projectId: null,
      target: "cloud",
      browsers: ["chromium"],
      baseUrl: null,
      variables: {},
      grammarVersion: 1,
      quotaPeriod: "202501",
      executions: [{ executionId, ...test }],
    });
    const of = { executionId, runId };
    const claimed = await append(`execution-${executionId}`, "ExecutionClaimed", {
      ...of,
      delivery: 1,
      worker: "w",
      attempt: 1,
    });
    expect(await positions.waitFor([projection.name], claimed, 60_000)).toBe(true);
    const [parked] = await parkedOf(projection.name);
    expect(parked?.type).toBe("RunQueued");
    heal();
    await kit.operations([projection]).requestRetry(parked?.id ?? "");
    await isBuilt(projection);
    expect(await verify(projection)).toMatchObject({ outcome: "equal", refused: 0, first: null });
  });

  it("a retried creation of a project restores the project of its test", async () => {
    const { projection, heal } = reluctant(catalogueProjection, "ProjectCreated");
    const { positions } = await kit.start([projection]);
    await kit.settled([projection]);
    const [projectId, testId, organizationId] = [newId(), newId(), newId()];
    await append(`project-${projectId}`, "ProjectCreated", {
      projectId,
      organizationId,
      name: "P",
    });
    const last = await append(`test-${testId}`, "TestCreated", {
      testId,
      organizationId,
      projectId,
      name: "T",
      language: "en",
      platform: "web",
      text: "",
      steps: [],
    });
    expect(await positions.waitFor([projection.name], last, 60_000)).toBe(true);
    const [parked] = await parkedOf(projection.name);
    expect(parked?.type).toBe("ProjectCreated");
    heal();
    await kit.operations([projection]).requestRetry(parked?.id ?? "");
    await isBuilt(projection);
    expect(await verify(projection)).toMatchObject({ outcome: "equal", refused: 0, first: null });
  });

  it("a retried event of a tombstoned stream is removed, and others are retried", async () => {
    const name = "tombstoned";
    let isWell = false;
    const projection = countersProjection(name, { table: name, isWell: () => isWell });
    const { positions } = await kit.start([projection]);
    await kit.settled([projection]);
    const [gone, left] = [newId(), newId()];
    await kit.count(gone, "poison");
    const last = await kit.count(left, "poison");
    expect(await positions.waitFor([name], last, 60_000)).toBe(true);
    const parked = await parkedOf(name);
    expect(parked).toHaveLength(2);
    isWell = true;
    await client.tombstoneStream(`counter-${gone}`);
    const operations = kit.operations([projection]);
    for (const { id } of parked) await operations.requestRetry(id);
    for (const { id } of parked) {
      expect(await operations.waitForRetry(id, AbortSignal.timeout(120_000))).toBeNull();
    }
    expect(await kit.totalOf(left, name)).toBe(1);
    expect(await kit.totalOf(gone, name)).toBeNull();
  });

  it.each(["still refused", "folded by the build"])(
    "a rebuild completes without an event that is skipped meanwhile and is %s",
    async (how) => {
      const name = how === "still refused" ? "skipped_refused" : "skipped_folded";
      let isWell = false;
      let blocked: Promise<void> | null = null;
      const plain = countersProjection(name, { table: name, isWell: () => isWell });
      // The build waits at the last event.
      const projection: Projection = {
        ...plain,
        handlers: new Map(
          [...plain.handlers].map(([type, fold]) => [
            type,
            async (into, event) => {
              const { name: counted } = event.data as { name: string };
              if (counted === "last" && into.schema.endsWith("_b2")) await blocked;
              await fold(into, event);
            },
          ]),
        ),
      };
      const { positions } = await kit.start([projection]);
      await kit.settled([projection]);
      const id = newId();
      await kit.count(id, "a");
      await kit.count(id, "poison");
      const last = await kit.count(id, "last");
      expect(await positions.waitFor([name], last, 60_000)).toBe(true);
      const parked = (await parkedOf(name)).find(({ stream }) => stream === `counter-${id}`);
      isWell = how !== "still refused";
      let release: () => void = () => undefined;
      blocked = new Promise((resolve) => {
        release = resolve;
      });
      const operations = kit.operations([projection]);
      const asked = await operations.requestRebuild(name);
      expect(asked?.build).toBe(2);
      await eventually(
        () =>
          kit.db
            .selectFrom("leaderships")
            .select("name")
            .where("name", "=", `projection:${name}_v1_b2`)
            .execute(),
        (leases) => leases.length > 0,
      );
      // The skip may wait for the build, so the build must not end before it: its end deletes the parked events.
      const skipping = operations.skip(parked?.id ?? "", "written by a fault");
      await Promise.race([skipping, delay(1_000)]);
      release();
      expect(await skipping).toBe(true);
      expect(await operations.waitForBuild(name, 2, AbortSignal.timeout(120_000))).toBe(true);
      expect(await kit.totalOf(id, name)).toBe(2);
      expect(await verify(projection)).toMatchObject({ outcome: "equal" });
      expect(await operations.listParked({ withSkipped: true })).toContainEqual(
        expect.objectContaining({ id: parked?.id, skipReason: "written by a fault" }),
      );
    },
  );
});
