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
import type { HowToImport, ImportAnswer, ImportCommands } from "./imports.ts";

/** What an import goes on with after its process died. */
type ImportRequest = HowToImport & {
  readonly actor: Actor;
  readonly correlationId: string;
  readonly fileName: string;
  readonly format: ImportFormat | null;
};

export type ImportsState = ReturnType<typeof importsState<ImportRequest, ImportAnswer>>;

export type ImportJobs = ReturnType<typeof importJobs>;
type Job = OpenImport<ImportRequest> & { readonly wasBegun: boolean };

/** So many tests have their answers written together: as many are looked for in the log when an import is gone on with. */
const TOGETHER = 128;

/**
 * Imports of many tests, in the background. The ids of all that they make are fixed by the import's own id: one that is begun
 * again after a crash makes nothing twice.
 */
export const importJobs = (deps: {
  readonly imports: ImportsState;
  readonly importTests: ImportCommands["importTests"];
  readonly clock: Clock;
}) => {
  const { imports, importTests, clock } = deps;

  /** What is wrong with the place of all is the answer of each: it was there when the import was asked for. */
  const taken = async (
    job: Job,
    items: readonly { readonly item: ImportItem; readonly position: number }[],
    perhapsThere: boolean,
  ): ReturnType<ImportCommands["importTests"]> => {
    const { actor, correlationId, ...how } = job.request;
    const context: CommandContext = {
      actor,
      organizationId: job.organizationId,
      correlationId,
      causationId: job.id,
      ids: idsFrom(job.id),
      ...(perhapsThere ? { again: true } : { first: true }),
    };
    try {
      return await importTests(context, items, how);
    } catch (error) {
      if (!(error instanceof DomainError) || isPassing(error)) throw error;
      const answers = items.map(({ item, position }): ImportAnswer => {
        const none = { test_id: null, step_count: null, warnings: [] };
        return { position, name: item.name, status: "refused", detail: error.message, ...none };
      });
      return { answers, receipt: { position: null, eventTypes: [] } };
    }
  };

  return {
    /** Takes the file of an import; answers its id. */
    openImport: async (
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
    },

    /** The import that waits longest; null when there is none. */
    nextImport: (): Promise<Job | null> => imports.next(),

    /** Does what is left of an import, until it has ended or is to stop. `shown` waits until the read models show what was written. */
    runImport: async (
      job: Job,
      over: AbortSignal,
      shown: (receipt: Receipt) => Promise<void>,
    ): Promise<void> => {
      const { fileName: name, format } = job.request;
      const { readImportFile } = await import("../../domain/formats/readImportFile.ts");
      const items = readImportFile({ bytes: job.content, name, format: format ?? undefined });
      const done = await imports.answered(job.id);
      await imports.begin(job.id, clock().toISOString());
      const left = items
        .map((item, index) => ({ item, position: index + 1 }))
        .filter(({ position }) => !done.has(position));
      for (let at = 0; at < left.length; at += TOGETHER) {
        if (over.aborted) return;
        // The first ones may have been made by a process that died before it wrote their answers.
        const perhapsThere = job.wasBegun && at === 0;
        const { answers, receipt } = await taken(job, left.slice(at, at + TOGETHER), perhapsThere);
        await imports.answer(job.id, answers);
        if (at + TOGETHER >= left.length) await shown(receipt);
      }
      await imports.finish(job.id, clock().toISOString());
    },

    /** Whosever it is; null when there is none of that id, or it ended long ago. */
    findImport: (id: string): Promise<ImportRow<ImportRequest> | null> => imports.find(id),

    /** Answers by their place, after the place `after`; one more than `limit` where there are more. */
    listImportAnswers: (
      id: string,
      after: number,
      limit: number,
    ): Promise<readonly ImportAnswer[]> => imports.answers(id, after, limit),

    /** Forgets imports that ended so many milliseconds ago. */
    forgetImports: (ageMs: number): Promise<void> =>
      imports.sweep(new Date(clock().getTime() - ageMs)),
  };
};

/** What another try may not meet with: the import waits for that. */
const isPassing = ({ code }: DomainError): boolean => code.startsWith("stream.");
