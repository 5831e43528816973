import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { eventually } from "../../support/client.ts";
import { countersProjection } from "../../support/countersProjection.ts";
import { type ProjectionKit, startProjectionKit } from "../../support/projectionKit.ts";

const never = new AbortController().signal;

describe("events that a projection rejects", () => {
  let kit: ProjectionKit;

  beforeAll(async () => {
    kit = await startProjectionKit();
  });
  afterEach(() => kit.stopProjectors());
  afterAll(() => kit.stop());

  /** The parked events of a counter in a projection. */
  const parkedOf = async (name: string, id: string) => {
    const parked = await kit.operations([]).listParked({ withSkipped: true });
    return parked.filter(
      ({ consumer, stream }) => consumer.startsWith(`${name}@`) && stream === `counter-${id}`,
    );
  };
  /** Two projections, of which one refuses `poison…` until it is well. */
  const startPair = async (name: string) => {
    let isWell = false;
    const projections = [
      countersProjection(`${name}_ill`, { table: `${name}_ill`, isWell: () => isWell }),
      countersProjection(`${name}_well`, { table: `${name}_well`, isWell: () => true }),
    ];
    const { positions } = await kit.start(projections);
    await kit.settled(projections);
    return {
      operations: kit.operations(projections),
      ill: `${name}_ill`,
      well: `${name}_well`,
      heal: () => {
        isWell = true;
      },
      reached: async (position: bigint) =>
        expect(await positions.waitFor([`${name}_ill`, `${name}_well`], position, 60_000)).toBe(
          true,
        ),
    };
  };

  it("are parked in that projection only, which rejoins the others", async () => {
    const pair = await startPair("many");
    const id = newId();
    const names = Array.from({ length: 200 }, (_, n) => (n % 23 === 7 ? `poison ${n}` : `n ${n}`));
    await pair.reached(await kit.countMany(id, names));
    const poisoned = names.filter((name) => name.startsWith("poison")).length;
    expect(await kit.totalOf(id, pair.ill)).toBe(200 - poisoned);
    expect(await kit.totalOf(id, pair.well)).toBe(200);
    expect(await parkedOf(pair.ill, id)).toHaveLength(poisoned);
    expect(await parkedOf(pair.well, id)).toEqual([]);
    // After recovery, both fold later events.
    await pair.reached(await kit.count(newId(), "later"));
    await pair.reached(await kit.count(newId(), "later still"));
  });

  it("do not expose event data in their error", async () => {
    const pair = await startPair("quiet");
    const id = newId();
    await pair.reached(await kit.count(id, "poison hunter2"));
    const [parked] = await parkedOf(pair.ill, id);
    expect(parked?.error).toBe("this one cannot be folded: [value]");
  });

  it("are applied in place on a retry if they are the last of their stream", async () => {
    const pair = await startPair("last");
    const id = newId();
    await kit.count(id, "a");
    await pair.reached(await kit.count(id, "poison"));
    const [parked] = await parkedOf(pair.ill, id);
    const refused = parked?.id ?? "";
    expect(await pair.operations.requestRetry(refused)).toBe("asked");
    expect(await pair.operations.waitForRetry(refused, never)).toMatchObject({ id: refused });
    pair.heal();
    expect(await pair.operations.requestRetry(refused)).toBe("asked");
    expect(await pair.operations.waitForRetry(refused, never)).toBeNull();
    expect(await kit.totalOf(id, pair.ill)).toBe(2);
    expect(await pair.operations.requestRetry(refused)).toBe("unknown");
    expect(await pair.operations.requestRetry("not an id")).toBe("unknown");
  });

  it("cause a rebuild on a retry if later events of their stream were applied", async () => {
    const pair = await startPair("overtaken");
    const id = newId();
    await kit.count(id, "poison");
    await pair.reached(await kit.count(id, "b"));
    pair.heal();
    const [parked] = await parkedOf(pair.ill, id);
    await pair.operations.requestRetry(parked?.id ?? "");
    await eventually(
      () => parkedOf(pair.ill, id),
      (left) => left.length === 0,
    );
    expect(await pair.operations.waitForBuild(pair.ill, 2, never)).toBe(true);
    expect(await kit.totalOf(id, pair.ill)).toBe(2);
  });

  it("are omitted from a rebuild after a skip with a reason", async () => {
    const pair = await startPair("skipped");
    const id = newId();
    await kit.count(id, "a");
    await pair.reached(await kit.count(id, "poison"));
    const [parked] = await parkedOf(pair.ill, id);
    expect(await pair.operations.skip(parked?.id ?? "", "written by a fault")).toBe(true);
    expect(await pair.operations.skip(newId(), "unknown")).toBe(false);
    expect(await pair.operations.listParked()).not.toContainEqual(
      expect.objectContaining({ id: parked?.id }),
    );
    pair.heal();
    await pair.operations.requestRebuild(pair.ill);
    expect(await pair.operations.waitForBuild(pair.ill, 2, never)).toBe(true);
    expect(await kit.totalOf(id, pair.ill)).toBe(1);
    expect(await parkedOf(pair.ill, id)).toMatchObject([{ skipReason: "written by a fault" }]);
  });
});
