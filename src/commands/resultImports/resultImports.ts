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
import { resultImportDecider } from "../../domain/resultImports/resultImport.ts";
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

/** Until when tests are in quarantine at a moment (ISO 8601): those of them that are. */
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

/** Imports test results of other tools. */
export const resultImportCommands = (deps: {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly quarantinedUntil: QuarantinedUntil;
  readonly pending: PendingReports;
}) => {
  const { loop, clock, pending } = deps;

  const importResults = async (
    context: CommandContext,
    bytes: Buffer,
    projectId: string | null,
  ): Promise<ImportedRun> => {
    const organizationId = organizationOf(context);
    const report = await read(bytes);
    const { state: organization } = await loop.load(organizationDecider, organizationId);
    mustBeActive(organization);
    const hash = sha256(bytes);
    const importId = derivedId(organizationId, `import ${projectId} ${hash}`);
    const testId = (identity: ExternalIdentity): string =>
      derivedId(organizationId, `test of others ${projectId} ${identityKey(identity)}`);
    const now = clock();
    const times = timesOf(report, now);
    const testIds = report.cases.map(testId);
    const quarantined = await deps.quarantinedUntil(testIds, now.toISOString());
    const received = await loop.execute(
      resultImportDecider,
      importId,
      {
        type: "receive",
        importId,
        runId: derivedIdAt(Date.parse(times.startedAt), importId, "run"),
        projectId,
        format: report.format,
        sha256: hash,
        bytes: bytes.length,
        ...times,
        quarantined: Object.fromEntries(quarantined),
      },
      context,
    );
    const { state: pinned } = received;
    if (pinned.status !== "received") throw new Error("A report was not received");
    const { runId, startedAt, finishedAt } = pinned;
    const idAt = idsFrom(runId);
    const { status, totals, parts } = planImport(
      report,
      pinned,
      { testId, executionId: (place) => idAt(`execution ${place}`) },
      pinned.quarantined,
    );
    const [first = [], ...further] = parts;
    if (further.length > 0) {
      const { actor, correlationId } = context;
      const request = { actor, correlationId };
      const at = clock().toISOString();
      await pending.keep({ id: importId, organizationId, projectId, at, request, content: bytes });
    }
    const common = { runId, projectId, format: report.format, sha256: hash };
    const { skipped } = report;
    const imported = await loop.execute(
      runDecider,
      runId,
      {
        ...{ type: "import", ...common, startedAt, finishedAt },
        ...{ status, totals, skipped, results: [...first] },
      },
      context,
    );
    const receipts = [receiptOf(received), receiptOf(imported)];
    for (const [index, results] of further.entries()) {
      const part = index + 2;
      const command = {
        ...({ type: "importResults", runId, projectId, part } as const),
        results: [...results],
      };
      const of = partOf(context, `part ${part}`);
      receipts.push(receiptOf(await loop.execute(runDecider, runId, command, of)));
    }
    if (further.length > 0) await pending.forget(importId);
    const receipt = joinReceipts(receipts);
    return {
      runId,
      duplicate: receipt.position === null,
      format: report.format,
      status,
      tests: report.cases.length,
      skipped,
      receipt,
    };
  };

  return {
    /**
     * Records a report of another tool as a finished run. Runs nothing and uses no quota. Importing the same bytes into
     * the same project again returns the same run; an interrupted import is resumed. Throws `results.unreadable`;
     * `organization.closing` while the organisation waits to be deleted.
     */
    importResults,

    /**
     * Resumes an interrupted import that started at least `patienceMs` ago. Recorded parts are not recorded again.
     * Returns false if there is none.
     */
    finishReport: async (patienceMs: number): Promise<boolean> => {
      const report = await pending.next(new Date(clock().getTime() - patienceMs).toISOString());
      if (!report) return false;
      const { id, organizationId, projectId, request, content } = report;
      const context = { ...request, organizationId, causationId: id };
      try {
        await importResults(context, content, projectId);
      } catch (error) {
        if (!(error instanceof DomainError) || isTransient(error)) throw error;
        // An organisation that is to be deleted takes nothing any more.
        await pending.forget(id);
      }
      return true;
    },
  };
};

/** Failures that may not occur again: the import is retried later. */
const isTransient = ({ code }: DomainError): boolean => code.startsWith("stream.");

/** Reads a report in turns with everything else that this process does. */
const read = async (bytes: Buffer): Promise<ExternalReport> => {
  const reading = readReport(bytes);
  for (;;) {
    const step = reading.next();
    if (step.done) return step.value;
    await new Promise((resolve) => setImmediate(resolve));
  }
};

/** When a run of others was: as its report says, unless that is still to come; else it has just ended. */
const timesOf = (
  { startedAt, durationMs }: ExternalReport,
  now: Date,
): { readonly startedAt: string; readonly finishedAt: string } => {
  const took = durationMs ?? 0;
  const latest = after(now.toISOString(), -took);
  const begun = startedAt === null || startedAt > latest ? latest : startedAt;
  return { startedAt: begun, finishedAt: after(begun, took) };
};
