import { DomainError } from "../../domain/kernel/errors.ts";
import type { Actor } from "../../domain/kernel/events.ts";
import { mustBeActive, organizationDecider } from "../../domain/organizations/organization.ts";
import { planImport } from "../../domain/resultImports/plan.ts";
import { readReport } from "../../domain/resultImports/readReport.ts";
import {
  type ExternalIdentity,
  type ExternalReport,
  identityKey,
} from "../../domain/resultImports/report.ts";
import { type ResultImport, resultImportDecider } from "../../domain/resultImports/resultImport.ts";
import { after } from "../../domain/resultImports/times.ts";
import { runDecider } from "../../domain/runs/run.ts";
import type { Clock } from "../../platform/clock.ts";
import { sha256 } from "../../platform/crypto.ts";
import { derivedId, derivedIdAt, idsFrom } from "../../platform/ids.ts";
import type { pendingReports } from "../../stores/resultImports/pendingReports.ts";
import { organizationOf } from "../catalogue/changes.ts";
import type { CommandLoop } from "../kernel/commandLoop.ts";
import { type CommandContext, partOf } from "../kernel/context.ts";
import { joinReceipts, type Receipt, receiptOf } from "../kernel/receipt.ts";

/** The ends of the quarantines that are active at a time, by test id. Times are ISO 8601. */
type QuarantinedUntil = (
  testIds: readonly string[],
  at: string,
) => Promise<ReadonlyMap<string, string>>;

/** The data needed to resume an import after its process died. */
export type ReportRequest = { readonly actor: Actor; readonly correlationId: string };

type PendingReports = ReturnType<typeof pendingReports<ReportRequest>>;

/** The outcome of an import. */
export type ImportedRun = {
  readonly runId: string;
  /** The same report was imported before: nothing was recorded now. */
  readonly duplicate: boolean;
  readonly format: ExternalReport["format"];
  readonly status: "passed" | "failed" | "errored";
  readonly tests: number;
  readonly skipped: number;
  readonly receipt: Receipt;
};

export type ResultImportCommands = ReturnType<typeof resultImportCommands>;

type ImportDeps = {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly quarantinedUntil: QuarantinedUntil;
  readonly pending: PendingReports;
};

/** Imports test results of other tools. */
export const resultImportCommands = (deps: ImportDeps) => ({
  importResults: importResults.bind(null, deps),
  finishReport: finishReport.bind(null, deps),
});

/**
 * Records a report of another tool as a finished run. Runs nothing and uses no quota. Importing the same bytes into
 * the same project again returns the same run; an interrupted import is resumed. Throws `results.unreadable`;
 * `organization.closing` while the organisation waits to be deleted.
 */
const importResults = async (
  deps: ImportDeps,
  context: CommandContext,
  bytes: Buffer,
  projectId: string | null,
): Promise<ImportedRun> => {
  const organizationId = organizationOf(context);
  const parsed = await parse(bytes);
  mustBeActive((await deps.loop.load(organizationDecider, organizationId)).state);
  const report: ReceivedReport = {
    ...{ organizationId, projectId, parsed, bytes },
    sha256: sha256(bytes),
  };
  const { pinned, receipt: received } = await receive(deps, context, report);
  const idAt = idsFrom(pinned.runId);
  const ids = {
    testId: testIdIn(report),
    executionId: (place: number) => idAt(`execution ${place}`),
  };
  const plan = planImport(parsed, pinned, ids, pinned.quarantined);
  const recorded = await recordRun(deps, context, report, pinned, plan);
  const receipt = joinReceipts([received, ...recorded]);
  return {
    runId: pinned.runId,
    duplicate: receipt.position === null,
    format: parsed.format,
    status: plan.status,
    tests: parsed.cases.length,
    skipped: parsed.skipped,
    receipt,
  };
};

type ReceivedReport = {
  readonly organizationId: string;
  readonly projectId: string | null;
  readonly parsed: ExternalReport;
  readonly bytes: Buffer;
  readonly sha256: string;
};

type Pinned = Extract<ResultImport, { status: "received" }>;

const importIdOf = ({ organizationId, projectId, sha256 }: ReceivedReport): string =>
  derivedId(organizationId, `import ${projectId} ${sha256}`);

/** Derives the id of an imported test from its name in the report, so that later reports refer to the same test. */
const testIdIn =
  ({ organizationId, projectId }: ReceivedReport) =>
  (identity: ExternalIdentity): string =>
    derivedId(organizationId, `test of others ${projectId} ${identityKey(identity)}`);

/** Records the receipt of the report, which pins run id, times and quarantines for repeated imports. */
const receive = async (
  { loop, clock, quarantinedUntil }: ImportDeps,
  context: CommandContext,
  report: ReceivedReport,
): Promise<{ readonly pinned: Pinned; readonly receipt: Receipt }> => {
  const importId = importIdOf(report);
  const { parsed, bytes, projectId } = report;
  const now = clock();
  const times = timesOf(parsed, now);
  const quarantined = await quarantinedUntil(parsed.cases.map(testIdIn(report)), now.toISOString());
  const received = await loop.execute(
    resultImportDecider,
    importId,
    {
      type: "receive",
      importId,
      runId: derivedIdAt(Date.parse(times.startedAt), importId, "run"),
      projectId,
      format: parsed.format,
      sha256: report.sha256,
      bytes: bytes.length,
      ...times,
      quarantined: Object.fromEntries(quarantined),
    },
    context,
  );
  if (received.state.status !== "received") throw new Error("A report was not received");
  return { pinned: received.state, receipt: receiptOf(received) };
};

/** Records the finished run and its results in parts. The report is kept until the last part is recorded. */
const recordRun = async (
  deps: ImportDeps,
  context: CommandContext,
  report: ReceivedReport,
  { runId, startedAt, finishedAt }: Pinned,
  { status, totals, parts }: ReturnType<typeof planImport>,
): Promise<readonly Receipt[]> => {
  const { loop, pending } = deps;
  const { projectId, sha256, parsed } = report;
  const { format, skipped } = parsed;
  const [first = [], ...further] = parts;
  if (further.length > 0) await keep(deps, context, report);
  const imported = await loop.execute(
    runDecider,
    runId,
    {
      ...{ type: "import", runId, projectId, format, sha256, startedAt, finishedAt },
      ...{ status, totals, skipped, results: [...first] },
    },
    context,
  );
  const receipts = [receiptOf(imported)];
  for (const [index, results] of further.entries()) {
    const part = index + 2;
    const command = {
      ...({ type: "importResults", runId, projectId, part } as const),
      results: [...results],
    };
    const of = partOf(context, `part ${part}`);
    receipts.push(receiptOf(await loop.execute(runDecider, runId, command, of)));
  }
  if (further.length > 0) await pending.forget(importIdOf(report));
  return receipts;
};

/** Stores the report, so that `finishReport` can resume the import after a crash. */
const keep = (
  { pending, clock }: ImportDeps,
  { actor, correlationId }: CommandContext,
  report: ReceivedReport,
): Promise<void> => {
  const { organizationId, projectId, bytes } = report;
  return pending.keep({
    ...{ id: importIdOf(report), organizationId, projectId, content: bytes },
    at: clock().toISOString(),
    request: { actor, correlationId },
  });
};

/**
 * Resumes an interrupted import that started at least `patienceMs` ago. Recorded parts are not recorded again.
 * Returns false if there is none.
 */
const finishReport = async (deps: ImportDeps, patienceMs: number): Promise<boolean> => {
  const { pending, clock } = deps;
  const report = await pending.next(new Date(clock().getTime() - patienceMs).toISOString());
  if (!report) return false;
  const { id, organizationId, projectId, request, content } = report;
  const context = { ...request, organizationId, causationId: id };
  try {
    await importResults(deps, context, content, projectId);
  } catch (error) {
    if (!(error instanceof DomainError) || isTransient(error)) throw error;
    // An organisation that is to be deleted takes nothing any more.
    await pending.forget(id);
  }
  return true;
};

/** Failures that may not occur again: the import is retried later. */
const isTransient = ({ code }: DomainError): boolean => code.startsWith("stream.");

/** Parses a report. Yields to the event loop between its parts. */
const parse = async (bytes: Buffer): Promise<ExternalReport> => {
  const reading = readReport(bytes);
  for (;;) {
    const step = reading.next();
    if (step.done) return step.value;
    await new Promise((resolve) => setImmediate(resolve));
  }
};

/** The times of an imported run. A report without a start, or with one in the future, counts as just finished. */
const timesOf = (
  { startedAt, durationMs }: ExternalReport,
  now: Date,
): { readonly startedAt: string; readonly finishedAt: string } => {
  const took = durationMs ?? 0;
  const latest = after(now.toISOString(), -took);
  const begun = startedAt === null || startedAt > latest ? latest : startedAt;
  return { startedAt: begun, finishedAt: after(begun, took) };
};
