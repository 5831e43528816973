import type { RunEvent } from "../../domain/runs/events.ts";
import type { ImportedResult } from "../../domain/runs/importedResults.ts";
import type { AnyRecorded } from "../kernel/projection.ts";
import type { executionBatch } from "../runs/executions/batch.ts";

type ResultsImported = Extract<AnyRecorded<RunEvent>, { type: "ResultsImported" }>;

/** A test of others has no versions here. */
const VERSION = 1;

/**
 * The rows of results that others' tools reported: executions that are over, with their tries, and the browsers
 * that the report names. They have no steps.
 */
export const gatherImported = (
  batch: ReturnType<typeof executionBatch>,
  { data, metadata, revision }: ResultsImported,
): void => {
  const at = metadata.occurred_at;
  for (const result of data.results) {
    const { executionId: execution_id, status, error, durationMs: duration_ms } = result;
    const tries = triesOf(result);
    const browsers = [...new Set(tries.flatMap(({ browser }) => browser ?? []))];
    batch.insert({
      id: execution_id,
      run_id: data.runId,
      organization_id: metadata.organization_id ?? "",
      place: result.place,
      test_id: result.testId,
      test_version: VERSION,
      source: null,
      content: null,
      test_name: result.name,
      step_count: 0,
      browsers,
      base_url: null,
      variables: {},
      environment: null,
      data_row: null,
      calls: null,
      status,
      delivery: 0,
      error,
      duration_ms,
      quarantined_until: result.quarantinedUntil ?? null,
      created_at: at,
      started_at: startOf(result),
      finished_at: result.finishedAt,
      updated_at: at,
      version: Number(revision) + 1,
    });
    for (const [attempt, own] of byNumber(tries)) {
      const worst = own.reduce((one, other) =>
        SEVERITY[other.status] > SEVERITY[one.status] ? other : one,
      );
      batch.putAttempt(
        {
          execution_id,
          attempt,
          status: worst.status,
          error: worst.error,
          duration_ms: longestOf(own),
        },
        true,
      );
      for (const { browser, status: how, error: why, durationMs } of own) {
        if (browser === null) continue;
        const ending = { status: how, error: why, duration_ms: durationMs };
        batch.putBrowser({ execution_id, attempt, browser, browser_version: "", ...ending });
      }
    }
  }
};

type Try = NonNullable<ImportedResult["tries"]>[number];

const SEVERITY: Readonly<Record<Try["status"], number>> = { passed: 0, failed: 1, errored: 2 };

/** The tries of a test; a report without tries means one. */
const triesOf = ({ tries, status, error, durationMs }: ImportedResult): readonly Try[] =>
  tries ?? [
    {
      number: 1,
      status: status === "flaky" ? "passed" : status,
      error,
      durationMs,
      browser: null,
    },
  ];

const byNumber = (tries: readonly Try[]): ReadonlyMap<number, readonly Try[]> => {
  const grouped = new Map<number, Try[]>();
  for (const one of tries) grouped.set(one.number, [...(grouped.get(one.number) ?? []), one]);
  return grouped;
};

const longestOf = (tries: readonly Try[]): number | null =>
  tries.reduce<number | null>(
    (longest, { durationMs }) =>
      durationMs === null ? longest : Math.max(durationMs, longest ?? 0),
    null,
  );

const startOf = ({ finishedAt, durationMs }: ImportedResult): string =>
  new Date(Date.parse(finishedAt) - (durationMs ?? 0)).toISOString();
