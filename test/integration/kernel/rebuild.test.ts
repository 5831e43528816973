import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { applyAround } from "../../../src/projections/kernel/applyBatch.ts";
import { parkFor } from "../../../src/projections/kernel/parking.ts";
import { eventually } from "../../support/client.ts";
import { countersProjection } from "../../support/countersProjection.ts";
import { type ProjectionKit, startProjectionKit } from "../../support/projectionKit.ts";

const never = new AbortController().signal;

describe("rebuilding a projection", { timeout: 240_000 }, () => {
  let kit: ProjectionKit;

  beforeAll(async () => {
    kit = await startProjectionKit();
  });
  afterEach(() => kit.stopProjectors());
  afterAll(() => kit.stop());

  const schemasOf = async (name: string): Promise<string[]> => {
    const { rows } = await kit.database.pool.query<{ nspname: string }>(
      "select nspname from pg_namespace where starts_with(nspname, $1) order by 1",
      [`${name}_v`],
    );
    return rows.map(({ nspname }) => nspname);
  };
  const buildsOf = (name: string) =>
    kit.db
      .selectFrom("projection_checkpoints")
      .select(["version", "build", "state", "position"])
      .where("name", "=", name)
      .orderBy("version")
      .orderBy("build")
      .execute();

  it("loses no row for readers while events arrive, and removes the old build", async () => {
    const id = newId();
    const table = "served";
    const projections = [
      countersProjection("served", { table }),
      countersProjection("other", { table: "others" }),
    ];
    const { positions } = await kit.start(projections);
    await kit.settled(projections);
    await kit.countMany(
      id,
      Array.from({ length: 300 }, (_, n) => `early ${n}`),
    );
    const operations = kit.operations(projections);

    const writing = new AbortController();
    let last = 300;
    const write = async () => {
      while (!writing.signal.aborted) {
        const position = await kit.countMany(id, [`late ${last}`]);
        last += 1;
        const mine = last;
        // Writes can be read during the rebuild and the swap.
        expect(await positions.waitFor(["served", "other"], position, 60_000)).toBe(true);
        expect(await kit.totalOf(id, table)).toBeGreaterThanOrEqual(mine);
        expect(await kit.totalOf(id, "others")).toBeGreaterThanOrEqual(mine);
      }
    };
    const written = write();
    const asked = await operations.requestRebuild("served");
    expect(asked).toEqual({ build: 2, isNew: true });
    expect(await operations.waitForBuild("served", 2, never)).toBe(true);
    await kit.countMany(id, ["after the swap"]);
    last += 1;
    writing.abort();
    await written;
    await eventually(
      () => schemasOf("served"),
      (schemas) => schemas.length === 1,
    );
    expect(await schemasOf("served")).toEqual(["served_v1_b2"]);
    expect(await buildsOf("served")).toMatchObject([{ build: 2, state: "shown" }]);
    const position = await kit.countMany(id, ["the last"]);
    expect(await positions.waitFor(["served", "other"], position, 60_000)).toBe(true);
    expect(await kit.totalOf(id, table)).toBe(last + 1);
  });

  it("runs once for concurrent requests", async () => {
    const projection = countersProjection("twice", { table: "twice" });
    const { projector } = await kit.start([projection]);
    await kit.settled([projection]);
    await projector.stop();
    const operations = kit.operations([projection]);
    expect(await operations.requestRebuild("twice")).toEqual({ build: 2, isNew: true });
    expect(await operations.requestRebuild("twice")).toEqual({ build: 2, isNew: false });
    expect(await operations.requestRebuild("unknown")).toBeNull();
  });

  it("runs in one process, and all processes switch to it", async () => {
    const id = newId();
    const projection = countersProjection("several", { table: "several" });
    const one = await kit.start([projection]);
    const other = await kit.start([projection]);
    await kit.settled([projection]);
    await one.positions.waitFor(["several"], await kit.count(id, "a"), 60_000);
    const operations = kit.operations([projection]);
    await operations.requestRebuild("several");
    expect(await operations.waitForBuild("several", 2, never)).toBe(true);
    await one.projector.stop();
    const position = await kit.count(id, "b");
    expect(await other.positions.waitFor(["several"], position, 60_000)).toBe(true);
    expect(await kit.totalOf(id, "several")).toBe(2);
  });

  it("resumes in the next process after an interruption", async () => {
    const id = newId();
    const projection = countersProjection("resumed", { table: "resumed" });
    const first = await kit.start([projection]);
    await kit.settled([projection]);
    const names = Array.from({ length: 100 }, (_, n) => `n${n}`);
    await first.positions.waitFor(["resumed"], await kit.countMany(id, names), 60_000);
    await first.projector.stop();
    const operations = kit.operations([projection]);
    await operations.requestRebuild("resumed");
    // The rows committed by a builder that died.
    const events = [];
    for await (const event of kit.log.readAll({ after: null })) events.push(event);
    const half = events.slice(0, -50);
    const one = { projection, build: 2, position: null };
    const batch = { events: half, upTo: half.at(-1)?.position ?? -1n };
    await applyAround(kit.db, one, batch, { park: parkFor(false), isShown: false });
    expect(await buildsOf("resumed")).toMatchObject([{ state: "shown" }, { state: "building" }]);
    await kit.start([projection]);
    expect(await operations.waitForBuild("resumed", 2, never)).toBe(true);
    expect(await kit.totalOf(id, "resumed")).toBe(100);
  });

  it("completes in another process after its builder was killed", async () => {
    const id = newId();
    const projection = countersProjection("killed", { table: "counters" });
    const first = await kit.start([projection]);
    await kit.settled([projection]);
    const names = Array.from({ length: 20 }, (_, n) => `n${n}`);
    await first.positions.waitFor(["killed"], await kit.countMany(id, names), 60_000);
    await first.projector.stop();
    const operations = kit.operations([projection]);
    await operations.requestRebuild("killed");
    const args = [kit.databaseUrl, kit.logUrl, "killed", "100"];
    const child = spawn(
      process.execPath,
      ["--import", "tsx", "test/support/projectorProcess.ts", ...args],
      { stdio: "ignore" },
    );
    await eventually(
      () =>
        kit.db
          .selectFrom("leaderships")
          .select("name")
          .where("name", "=", "projection:killed_v1_b2")
          .execute(),
      (leases) => leases.length > 0,
      120_000,
    );
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
    await kit.start([projection]);
    expect(await operations.waitForBuild("killed", 2, never)).toBe(true);
    expect(await kit.totalOf(id)).toBe(20);
  });

  it("builds a new version beside the old one, which is removed with its parked events", async () => {
    const id = newId();
    const old = countersProjection("grown", { table: "grown" });
    const first = await kit.start([old]);
    await kit.settled([old]);
    await kit.count(id, "a");
    await first.positions.waitFor(["grown"], await kit.count(id, "poison"), 60_000);
    await first.projector.stop();
    expect(await kit.operations([old]).listParked()).toMatchObject([{ consumer: "grown@1" }]);
    const next = countersProjection("grown", {
      table: "grown",
      version: 2,
      note: "v2",
      isWell: () => true,
    });
    await kit.start([next]);
    expect(await kit.operations([next]).waitForBuild("grown", 1, never)).toBe(true);
    expect(await kit.totalOf(id, "grown")).toBe(2);
    expect(await kit.operations([next]).listParked()).toEqual([]);
    await eventually(
      () => schemasOf("grown"),
      (schemas) => schemas.join() === "grown_v2",
    );
  });

  it("builds a new projection separately and then joins it with the others", async () => {
    const id = newId();
    const known = countersProjection("known", { table: "known" });
    const first = await kit.start([known]);
    await kit.settled([known]);
    await first.positions.waitFor(["known"], await kit.count(id, "a"), 60_000);
    await first.projector.stop();
    const added = countersProjection("added", { table: "added" });
    const { positions } = await kit.start([known, added]);
    expect(await kit.operations([known, added]).waitForBuild("added", 1, never)).toBe(true);
    const position = await kit.count(id, "b");
    expect(await positions.waitFor(["known", "added"], position, 60_000)).toBe(true);
    expect(await kit.totalOf(id, "added")).toBe(2);
    expect(await kit.totalOf(id, "known")).toBe(2);
  });

  it("continues with the next builds after one that the database repeatedly aborts", async () => {
    const shown = countersProjection("builds_shown", { table: "builds_shown" });
    await kit.start([shown]);
    await kit.count(newId(), "a");
    await kit.stopProjectors();
    const stuck = countersProjection("builds_a_stuck", { table: "builds_stuck" });
    const tooLong = Object.assign(new Error("canceling statement"), { code: "57014" });
    const giveUp = () => Promise.reject(tooLong);
    const fine = countersProjection("builds_z_fine", { table: "builds_fine" });
    const projections = [
      shown,
      { ...stuck, handlers: new Map([["Counted", giveUp]]), foldBatch: giveUp },
      fine,
    ];
    await kit.start(projections);
    await kit.settled([fine]);
    const operations = kit.operations(projections);
    const id = (await operations.requestVerification("builds_z_fine")) ?? "";
    const verified = await operations.waitForVerification(id, AbortSignal.timeout(20_000));
    expect(verified).toMatchObject({ outcome: "equal" });
    expect(await buildsOf("builds_a_stuck")).toMatchObject([{ state: "building" }]);
  });
});
