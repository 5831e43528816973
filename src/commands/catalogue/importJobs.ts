import type { ImportFormat } from "../../domain/formats/detectFormat.ts";
import type { ImportItem } from "../../domain/formats/imported.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { Actor } from "../../domain/kernel/events.ts";
import type { Clock } from "../../platform/clock.ts";
import { idsFrom } from "../../platform/ids.ts";
import type { ImportRow, importsState, OpenImport } from "../../stores/catalogue/imports.ts";
import { type CommandContext, idFor } from "../kernel/context.ts";
import type { Receipt } from "../kernel/receipt.ts";
import { organizationOf } from "./changes.ts";
import { readImportFile } from "./importFiles.ts";
import type { HowToImport, ImportAnswer, ImportCommands } from "./imports.ts";

/** Stored parameters with which another process can continue an import. */
type ImportRequest = HowToImport & {
  readonly actor: Actor;
  readonly correlationId: string;
  readonly fileName: string;
  readonly format: ImportFormat | null;
};

export type ImportsState = ReturnType<typeof importsState<ImportRequest, ImportAnswer>>;

export type ImportJobs = ReturnType<typeof importJobs>;
type Job = OpenImport<ImportRequest> & { readonly wasBegun: boolean };

/** Number of tests whose answers are stored together. A resumed import checks the log for so many tests. */
const BATCH = 128;

type JobDeps = {
  readonly imports: ImportsState;
  readonly importTests: ImportCommands["importTests"];
  readonly clock: Clock;
};

/** Background imports. Ids of created tests are derived from the import's id, so that a resumed import creates nothing twice. */
export const importJobs = (deps: JobDeps) => ({
  openImport: openImport.bind(null, deps),
  nextImport: nextImport.bind(null, deps),
  runImport: runImport.bind(null, deps),
  findImport: findImport.bind(null, deps),
  listImportAnswers: listImportAnswers.bind(null, deps),
  forgetImports: forgetImports.bind(null, deps),
});

/** If the project or folder has been deleted since the request, each test gets that error as its answer. */
const importBatch = async (
  { importTests }: JobDeps,
  job: Job,
  items: readonly { readonly item: ImportItem; readonly position: number }[],
  maybeCreated: boolean,
): ReturnType<ImportCommands["importTests"]> => {
  const { actor, correlationId, ...how } = job.request;
  const context: CommandContext = {
    actor,
    organizationId: job.organizationId,
    correlationId,
    causationId: job.id,
    ids: idsFrom(job.id),
    ...(maybeCreated ? { again: true } : { first: true }),
  };
  try {
    return await importTests(context, items, how);
  } catch (error) {
    if (!(error instanceof DomainError) || isTransient(error)) throw error;
    const answers = items.map(({ item, position }): ImportAnswer => {
      const none = { test_id: null, step_count: null, warnings: [] };
      return { position, name: item.name, status: "refused", detail: error.message, ...none };
    });
    return { answers, receipt: { position: null, eventTypes: [] } };
  }
};

/** Stores a file to be imported. Returns the id of the import. */
const openImport = async (
  { imports, clock }: JobDeps,
  context: CommandContext,
  file: {
    readonly bytes: Uint8Array;
    readonly name: string;
    readonly format: ImportFormat | null;
  },
  total: number,
  how: HowToImport,
): Promise<string> => {
  const id = idFor(context, "import");
  await imports.open({
    id,
    organizationId: organizationOf(context),
    at: clock().toISOString(),
    total,
    content: Buffer.from(file.bytes),
    request: {
      actor: context.actor,
      correlationId: context.correlationId,
      fileName: file.name,
      format: file.format,
      ...how,
    },
  });
  return id;
};

/** The oldest unfinished import; null if there is none. */
const nextImport = ({ imports }: JobDeps): Promise<Job | null> => imports.next();

/** Continues an import until it is finished or `over` is aborted. `shown` waits for the read models. */
const runImport = async (
  deps: JobDeps,
  job: Job,
  over: AbortSignal,
  shown: (receipt: Receipt) => Promise<void>,
): Promise<void> => {
  const { imports, clock } = deps;
  const { fileName: name, format } = job.request;
  const items = await readImportFile({ bytes: job.content, name, format: format ?? undefined });
  const done = await imports.answered(job.id);
  await imports.begin(job.id, clock().toISOString());
  const left = items
    .map((item, index) => ({ item, position: index + 1 }))
    .filter(({ position }) => !done.has(position));
  for (let at = 0; at < left.length; at += BATCH) {
    if (over.aborted) return;
    // A process that crashed may have created these tests without storing their answers.
    const maybeCreated = job.wasBegun && at === 0;
    const { answers, receipt } = await importBatch(
      deps,
      job,
      left.slice(at, at + BATCH),
      maybeCreated,
    );
    await imports.answer(job.id, answers);
    if (at + BATCH >= left.length) await shown(receipt);
  }
  await imports.finish(job.id, clock().toISOString());
};

/** Does not check the organisation. Null if there is no such import, or it has been deleted after its retention. */
const findImport = ({ imports }: JobDeps, id: string): Promise<ImportRow<ImportRequest> | null> =>
  imports.find(id);

/** Answers with a position greater than `after`. Returns up to `limit + 1`. */
const listImportAnswers = (
  { imports }: JobDeps,
  id: string,
  after: number,
  limit: number,
): Promise<readonly ImportAnswer[]> => imports.answers(id, after, limit);

/** Deletes imports that finished more than `ageMs` milliseconds ago. */
const forgetImports = ({ imports, clock }: JobDeps, ageMs: number): Promise<void> =>
  imports.sweep(new Date(clock().getTime() - ageMs));

/** Whether a retry can succeed. */
const isTransient = ({ code }: DomainError): boolean => code.startsWith("stream.");
