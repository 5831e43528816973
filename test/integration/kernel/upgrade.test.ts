import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { createPositions } from "../../../src/projections/kernel/positions.ts";
import type { Projection } from "../../../src/projections/kernel/projection.ts";
import { eventually } from "../../support/client.ts";
import { countersProjection } from "../../support/countersProjection.ts";
import { type ProjectionKit, startProjectionKit } from "../../support/projectionKit.ts";

const never = new AbortController().signal;

/** Processes of two releases at once, each of which knows one version of a projection. */
describe("rolling upgrade", { timeout: 240_000 }, () => {
  let kit: ProjectionKit;
  beforeAll(async () => {
    kit = await startProjectionKit();
  });
  afterEach(() => kit.stopProjectors());
  afterAll(() => kit.stop());

  const ledBy = (leader: "old" | "new", name: string) => {
    const same = countersProjection(`${name}_same`, { table: `${name}_same` });
    const slow = leader === "new" ? 200 : 0;
    const older = countersProjection(name, { table: name });
    const newer = countersProjection(name, { table: name, version: 2, note: "v2", slowMs: slow });
    return { same, older, newer, old: [same, older], next: [same, newer] };
  };
  const counts = async (id: string, table: string, total: number) =>
    eventually(
      () => kit.totalOf(id, table),
      (value) => value === total,
      60_000,
    );
  const settled = async (projections: readonly Projection[]) => {
    const { positions, projector } = await kit.start(projections);
    await kit.settled(projections);
    return { positions, projector };
  };

  it("keeps rows current when an old leader runs beside a new process with a new version", async () => {
    const { old, next } = ledBy("old", "handed");
    const id = newId();
    await settled(old);
    await kit.count(id, "a");
    await counts(id, "handed", 1);
    await kit.start(next);
    expect(await kit.operations(next).waitForBuild("handed", 1, never)).toBe(true);
    for (const [index, name] of ["b", "c", "d"].entries()) {
      await kit.count(id, name);
      await counts(id, "handed", index + 2);
      await counts(id, "handed_same", index + 2);
    }
  });

  it("keeps rows of the old version current while a new leader builds its version", async () => {
    const { old, next } = ledBy("new", "kept");
    const id = newId();
    const first = await settled(old);
    const names = Array.from({ length: 100 }, (_, n) => `n${n}`);
    await kit.countMany(id, names);
    await counts(id, "kept", 100);
    // The leader is restarted as the new release; another old process is still there.
    await first.projector.stop();
    await kit.start(next, createPositions());
    await eventually(kit.operations(next).isLed, (led) => led);
    await kit.start(old);
    await kit.count(id, "during");
    await counts(id, "kept", 101);
    const builds = await kit.operations(next).listBuilds(null);
    expect(builds).toContainEqual(
      expect.objectContaining({ name: "kept", version: 2, state: "building" }),
    );
    await kit.operations(next).waitForBuild("kept", 1, never);
    await kit.count(id, "after");
    await counts(id, "kept", 102);
    await counts(id, "kept_same", 102);
  });
});
