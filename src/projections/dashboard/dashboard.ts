import type { TestEvent } from "../../domain/catalogue/tests/events.ts";
import { testDecider } from "../../domain/catalogue/tests/test.ts";
import { type QuarantineEvent, quarantineDecider } from "../../domain/quarantine/quarantine.ts";
import type { RunEvent } from "../../domain/runs/events.ts";
import type { ExecutionEvent } from "../../domain/runs/executions/events.ts";
import { executionDecider } from "../../domain/runs/executions/execution.ts";
import { givenTo } from "../../domain/runs/executions/input.ts";
import type { PlannedExecution } from "../../domain/runs/pinned.ts";
import { runDecider } from "../../domain/runs/run.ts";
import { sha256 } from "../../platform/crypto.ts";
import { type AnyRecorded, defineBatchProjection } from "../kernel/projection.ts";
import { insertRows } from "../kernel/rows.ts";
import { type DashboardBatch, newBatch, writeBatch } from "./batch.ts";
import {
  createDashboardTables,
  type DashboardTables,
  dashboardTables,
  NO_PROJECT,
} from "./tables.ts";

const results = [
  "RunQueued",
  "ResultsImported",
  "ExecutionFinished",
  "ExecutionCancelled",
  "ExecutionVerdictChanged",
] as const;

/** Events shown as activity. */
const activity = [
  "RunFinished",
  "RunCancelled",
  "RunImported",
  "TestCreated",
  "TestRenamed",
  "TestStepsReplaced",
  "TestStepAdded",
  "TestStepChanged",
  "TestStepRemoved",
  "TestStepsReordered",
  "TestDataReplaced",
  "TestRevertedTo",
  "TestDeleted",
  "TestUndeleted",
  "HealingAccepted",
  "QuarantineStarted",
  "QuarantineEnded",
] as const;

type Any = RunEvent | ExecutionEvent | TestEvent | QuarantineEvent;
type Event = AnyRecorded<Any>;

/** Daily sums of an organisation's tests, their standings, and the activity on them. */
export const dashboardProjection = defineBatchProjection<DashboardTables, Any>({
  name: "dashboard",
  version: 3,
  tables: dashboardTables,
  create: createDashboardTables,
  codecs: [runDecider.codec, executionDecider.codec, testDecider.codec, quarantineDecider.codec],
  // An execution depends on its run's plan, and a standing on the order of executions.
  ordersTheLog: true,
  types: [...results, ...activity],
  fold: async (into, events) => {
    const batch = newBatch();
    const activities: DashboardTables["dashboard_activity"][] = [];
    for (const event of events) {
      addEvent(batch, event);
      if ((activity as readonly string[]).includes(event.type)) activities.push(activityOf(event));
    }
    await writeBatch(into, batch);
    await insertRows(into, "dashboard_activity", activities, "refuse");
  },
});

const addEvent = (batch: DashboardBatch, event: Event): void => {
  const at = event.metadata.occurred_at;
  const executionId = event.stream.slice(event.stream.indexOf("-") + 1);
  const ending = { executionId, eventId: event.id, at };
  switch (event.type) {
    case "RunQueued":
      for (const row of plannedOf(event)) batch.planned.set(row.id, row);
      return;
    case "ResultsImported":
      addImported(batch, event);
      return;
    case "ExecutionFinished": {
      const { status, durationMs } = event.data;
      batch.endings.push({ ...ending, status, durationMs, isRevision: false });
      return;
    }
    case "ExecutionCancelled":
      batch.endings.push({ ...ending, status: "cancelled", durationMs: null, isRevision: false });
      return;
    case "ExecutionVerdictChanged":
      batch.endings.push({ ...ending, status: event.data.to, durationMs: null, isRevision: true });
      return;
    default:
      return;
  }
};

const open = { status: null, day: null, duration_ms: null };

const plannedOf = ({
  data,
  metadata,
}: Extract<Event, { type: "RunQueued" }>): DashboardTables["dashboard_executions"][] =>
  // Runs of file contents that differ from the stored test do not change its standing.
  data.executions.filter(isStored).map((planned) => {
    const { baseUrl } = givenTo(data, planned);
    const { executionId, testId, environmentId = null, row } = planned;
    return {
      id: executionId,
      run_id: data.runId,
      organization_id: metadata.organization_id ?? "",
      project: planned.projectId ?? NO_PROJECT,
      test_id: testId,
      place: placeOf(environmentId, baseUrl, row?.number ?? null),
      test_version: planned.testVersion,
      quarantined: planned.quarantinedUntil !== undefined,
      ...open,
    };
  });

const isStored = ({ content }: PlannedExecution): boolean => content === undefined;

/** Results are compared per place: environment, address and row of data. */
const placeOf = (...parts: readonly (string | number | null)[]): string =>
  sha256(Buffer.from(JSON.stringify(parts))).slice(0, 24);

const addImported = (
  batch: DashboardBatch,
  { id: eventId, data, metadata }: Extract<Event, { type: "ResultsImported" }>,
): void => {
  for (const result of data.results) {
    const { executionId, testId, status, durationMs, finishedAt: at } = result;
    batch.planned.set(executionId, {
      id: executionId,
      run_id: data.runId,
      organization_id: metadata.organization_id ?? "",
      project: data.projectId ?? NO_PROJECT,
      test_id: testId,
      place: "",
      test_version: 1,
      quarantined: result.quarantinedUntil !== undefined,
      ...open,
    });
    batch.endings.push({ executionId, eventId, at, status, durationMs, isRevision: false });
  }
};

const activityOf = (event: Event): DashboardTables["dashboard_activity"] => {
  const { runId = null, testId = null } = event.data as { runId?: string; testId?: string };
  return {
    organization_id: event.metadata.organization_id ?? "",
    position: String(event.position),
    at: event.metadata.occurred_at,
    event: event.type,
    actor: event.metadata.actor,
    run_id: runId,
    test_id: testId,
  };
};
