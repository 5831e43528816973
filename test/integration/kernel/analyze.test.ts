import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { analyzeGrown } from "../../../src/projections/kernel/analyze.ts";
import { eventually } from "../../support/client.ts";
import { countersProjection } from "../../support/countersProjection.ts";
import { type ProjectionKit, startProjectionKit } from "../../support/projectionKit.ts";

describe("statistics of read models", () => {
  let kit: ProjectionKit;

  beforeAll(async () => {
    kit = await startProjectionKit();
  });
  afterAll(async () => {
    await kit.stopProjectors();
    await kit.stop();
  });

  const knownRows = async (): Promise<number> => {
    const { rows } = await kit.database.pool.query<{ reltuples: number }>(
      "select reltuples from pg_class where oid = 'grown_v1.grown'::regclass",
    );
    return rows[0]?.reltuples ?? Number.NaN;
  };

  it("are collected once automatically after a table has grown from empty", async () => {
    const projection = countersProjection("grown", { table: "grown" });
    await kit.start([projection]);
    await kit.settled([projection]);
    expect(await knownRows()).toBe(-1);
    await Promise.all(Array.from({ length: 60 }, () => kit.count(newId(), "a")));
    await eventually(knownRows, (rows) => rows >= 50, 60_000);
    expect(await analyzeGrown(kit.db, [projection])).toEqual([]);
  });
});
