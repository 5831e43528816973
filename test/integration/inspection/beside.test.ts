import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aliasesOf } from "../../../src/domain/inspection/aliases.ts";
import type { EventLog, RecordedEvent } from "../../../src/platform/eventLog/port.ts";
import { newId } from "../../../src/platform/ids.ts";
import { besideReadModels } from "../../../src/projections/inspection/beside.ts";
import type { Positions } from "../../../src/projections/kernel/positions.ts";
import { organizationsProjection } from "../../../src/projections/organizations/projection.ts";
import { eventIndex } from "../../../src/stores/inspection/eventIndex.ts";
import { type ProjectionKit, startProjectionKit } from "../../support/projectionKit.ts";

describe("comparison of read models with a stream", () => {
  const projections = [organizationsProjection];
  type Read = Exclude<Awaited<ReturnType<typeof besideReadModels>>, "too_long">;
  let kit: ProjectionKit;
  let positions: Positions;
  beforeAll(async () => {
    kit = await startProjectionKit();
    ({ positions } = await kit.start(projections));
  });
  afterAll(() => kit.stop());

  /** An organisation whose owner id names another stream. */
  const startTwo = async () => {
    const [organizationId, otherId] = [newId(), newId()];
    await create(otherId, newId());
    const position = await create(organizationId, otherId);
    expect(await positions.waitFor(["organizations"], position, 60_000)).toBe(true);
    const events: RecordedEvent[] = [];
    for await (const event of kit.log.readAll({ after: null })) events.push(event);
    const index = eventIndex(kit.db);
    await index.add(events, aliasesOf);
    return {
      other: `organization-${otherId}`,
      beside: async (readStream: EventLog["readStream"], folded = projections): Promise<Read> => {
        const deps = { log: { readStream }, db: kit.db, index, projections: folded };
        return (await besideReadModels(deps, `organization-${organizationId}`)) as Read;
      },
    };
  };

  const create = async (organizationId: string, ownerId: string): Promise<bigint> => {
    const now = new Date().toISOString();
    const { position } = await kit.log.append(
      `organization-${organizationId}`,
      [
        {
          id: newId(),
          type: "OrganizationCreated",
          data: { organizationId, name: "Example", ownerId },
          metadata: {
            $correlationId: newId(),
            $causationId: newId(),
            actor: { type: "system", id: "test" },
            organization_id: organizationId,
            occurred_at: now,
            recorded_at: now,
            schema_version: 1,
          },
        },
      ],
      "any",
    );
    return position;
  };

  it("reads companions longer than the default idle timeout", async () => {
    const { beside, other } = await startTwo();
    const [read] = await beside(async function* (stream, options) {
      if (stream === other) await delay(3_500);
      yield* kit.log.readStream(stream, options);
    });
    expect(read?.rows.map(({ table, differing }) => [table, differing])).toEqual([
      ["organizations", []],
      ["members", []],
    ]);
  });

  it("omits a read model that depends on the order of a too long companion", async () => {
    const { beside, other } = await startTwo();
    const ordered = { ...organizationsProjection, ordersTheLog: true };
    const read = await beside(
      async function* (stream, options) {
        for await (const event of kit.log.readStream(stream, options)) {
          yield event;
          for (let n = 0; stream === other && n < 20_000; n += 1) yield event;
        }
      },
      [ordered],
    );
    expect(read).toEqual([]);
  });
});
