import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RecordedEvent } from "../../../src/platform/eventLog/port.ts";
import { newId } from "../../../src/platform/ids.ts";
import { applyAround, type Progress } from "../../../src/projections/kernel/applyBatch.ts";
import { parkFor } from "../../../src/projections/kernel/parking.ts";
import { type Projection, schemaOf } from "../../../src/projections/kernel/projection.ts";
import { createRebuild, prepareProjections } from "../../../src/projections/kernel/schemas.ts";
import { executionsProjection } from "../../../src/projections/runs/executions/projection.ts";
import { runsProjection } from "../../../src/projections/runs/runs.ts";
import { runEventsProjection } from "../../../src/projections/runs/watchedEvents.ts";
import { type ProjectionKit, startProjectionKit } from "../../support/projectionKit.ts";
import { size } from "../../support/thorough.ts";

const projections = [executionsProjection, runEventsProjection, runsProjection];
const RUNS = [1, 2].map(() => newId());
const EXECUTIONS = RUNS.map((runId) => ({ runId, ids: [newId(), newId()] }));
const ORGANIZATION = newId();

/** Any event of two runs with two executions each, in any order, including sequences that no decider writes. `bad` violates the schema. */
const happening = fc.record({
  run: fc.nat(1),
  execution: fc.nat(1),
  attempt: fc.integer({ min: 1, max: 2 }),
  delivery: fc.integer({ min: 1, max: 2 }),
  number: fc.integer({ min: 1, max: 2 }),
  text: fc.oneof(fc.constant(null), fc.string(), fc.constant("cut \ud83d"), fc.constant("nul \0")),
  kind: fc.constantFrom(
    "RunQueued",
    "RunStarted",
    "RunExecutionFinished",
    "RunFinished",
    "ExecutionQueued",
    "ExecutionClaimed",
    "ExecutionReturned",
    "BrowserStarted",
    "StepStarted",
    "StepPassed",
    "StepFailed",
    "StepSkipped",
    "ScreenshotTaken",
    "BrowserFinished",
    "AttemptFinished",
    "ExecutionFinished",
    "bad",
  ),
});
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

const eventOf = (at: Happening, index: number): RecordedEvent => {
  const { runId, ids } = EXECUTIONS[at.run] ?? { runId: "", ids: [] };
  const executionId = ids[at.execution] ?? "";
  const { attempt, delivery, number, text } = at;
  const isOfRun = at.kind.startsWith("Run");
  const settings = {
    browsers: ["chromium"],
    baseUrl: text,
    variables: { v: text ?? "" },
    quotaPeriod: "202501",
  };
  const test = { testId: RUNS[0], testVersion: 1, testName: text ?? "t", stepCount: 2 };
  const totals = { passed: 1, failed: 0, flaky: 0, errored: 0, cancelled: 0 };
  const data = {
    ...settings,
    ...test,
    runId,
    projectId: null,
    target: "cloud",
    grammarVersion: 1,
    executions: ids.map((id) => ({ executionId: id, ...test })),
    executionId,
    totals,
    attempt,
    delivery,
    number,
    browser: "chromium",
    browserVersion: "1",
    worker: "w",
    reason: text ?? "",
    durationMs: index,
    locator: text,
    error: at.kind === "StepFailed" ? (text ?? "") : text,
    passedOver: false,
    format: "jpeg",
    key: "k",
    name: text,
    status: at.kind === "RunExecutionFinished" ? "flaky" : "failed",
  };
  const occurred = new Date(1_700_000_000_000 + index).toISOString();
  return {
    id: newId(),
    stream: isOfRun ? `run-${runId}` : `execution-${executionId}`,
    revision: BigInt(index),
    position: BigInt(index + 1),
    type: at.kind === "bad" ? "StepPassed" : at.kind,
    data: at.kind === "bad" ? { runId } : data,
    metadata: {
      $correlationId: RUNS[0] ?? "",
      $causationId: RUNS[0] ?? "",
      actor: { type: "system", id: "test" },
      organization_id: ORGANIZATION,
      occurred_at: occurred,
      recorded_at: occurred,
      schema_version: 1,
    },
  };
};

describe("read models of a random history", () => {
  let kit: ProjectionKit;
  beforeAll(async () => {
    kit = await startProjectionKit();
    await prepareProjections(kit.db, projections);
    for (const projection of projections) await createRebuild(kit.db, projection);
  });
  afterAll(() => kit.stop());

  /** Empties a build and folds a history into it, in batches that begin at the cuts; `again`: each batch is offered twice. */
  const rowsOf = async (
    projection: Projection,
    build: number,
    events: readonly RecordedEvent[],
    cuts: ReadonlySet<number>,
  ): Promise<unknown> => {
    const schema = schemaOf(projection, build);
    const park = parkFor(false);
    const consumer = `${projection.name}@1+${build}`;
    for (const table of projection.tables)
      await sql`truncate ${sql.id(schema, table)}`.execute(kit.db);
    await kit.db.deleteFrom("parked_events").where("consumer", "=", consumer).execute();
    await kit.db
      .updateTable("projection_checkpoints")
      .set({ position: null })
      .where("name", "=", projection.name)
      .where("build", "=", build)
      .execute();
    let one: Progress = { projection, build, position: null };
    for (let from = 0; from < events.length; ) {
      let to = from + 1;
      while (to < events.length && !cuts.has(to)) to += 1;
      // A restart repeats folded events; only the checkpoint excludes them.
      const offered = events.slice(Math.max(0, from - 3), to);
      one = { ...one };
      await applyAround(
        kit.db,
        one,
        { events: offered, upTo: BigInt(to) },
        { park, isShown: false },
      );
      from = to;
    }
    const tables: unknown[] = [];
    for (const table of projection.tables) {
      const { rows } = await sql`
        select to_jsonb(t) as row from ${sql.id(schema, table)} as t order by t::text`.execute(
        kit.db,
      );
      tables.push(rows);
    }
    const parked = await kit.db
      .selectFrom("parked_events")
      .select(["event_id", "position"])
      .where("consumer", "=", consumer)
      .orderBy("position")
      .execute();
    return { tables, parked };
  };

  it("equal those of one event at a time, for any parked events, batches and restarts", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(happening, { minLength: 1, maxLength: 40 }),
        fc.array(fc.nat(40), { maxLength: 6 }),
        async (history, cuts) => {
          const events = history.map(eventOf);
          const everywhere = new Set(events.map((_, index) => index));
          for (const projection of projections) {
            const straight = await rowsOf(projection, 1, events, everywhere);
            const cut = await rowsOf(projection, 2, events, new Set(cuts));
            expect(cut).toEqual(straight);
          }
        },
      ),
      { numRuns: size("PROJECTION_RUNS", 20, 40) },
    );
  }, 240_000);
});
