import { setImmediate as nextTurn } from "node:timers/promises";
import { type Content, contentOfSteps, contentOfText } from "../../domain/catalogue/content.ts";
import type { ParseWarning } from "../../domain/english/index.ts";
import type { ImportedTest, ImportItem } from "../../domain/formats/imported.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { type CommandContext, partOf } from "../kernel/context.ts";
import { joinReceipts, nothingRecorded, type Receipt } from "../kernel/receipt.ts";
import type { tagCommands } from "./tags.ts";
import type { testCommands } from "./tests.ts";

/** Result for one test of a file. */
export type ImportAnswer = {
  /** Position in the file, from 1. */
  readonly position: number;
  readonly name: string | null;
  /** `valid`: a dry run found that the test can be created. */
  readonly status: "created" | "valid" | "refused";
  readonly test_id: string | null;
  readonly step_count: number | null;
  /** Reason if the status is `refused`. */
  readonly detail: string | null;
  readonly warnings: readonly ParseWarning[];
};

export type HowToImport = {
  readonly projectId: string | null;
  readonly folderId: string | null;
  readonly dryRun: boolean;
};

/** Number of tests written concurrently. */
const CONCURRENCY = 32;

export type ImportCommands = ReturnType<typeof importCommands>;

type ImportDeps = {
  readonly createTest: ReturnType<typeof testCommands>["createTest"];
  readonly setTagsOfTest: ReturnType<typeof tagCommands>["setTagsOfTest"];
};

export const importCommands = (deps: ImportDeps) => ({
  importTests: importTests.bind(null, deps),
});

/** Imports one test. Throws only errors that concern all tests, such as a missing project. */
const importTest = async (
  deps: ImportDeps,
  context: CommandContext,
  item: ImportItem,
  position: number,
  how: HowToImport,
): Promise<{ readonly answer: ImportAnswer; readonly receipt: Receipt }> => {
  const base = { position, name: item.name, test_id: null, step_count: null };
  const refused = (detail: string) => ({
    answer: { ...base, status: "refused", detail, warnings: [] } as const,
    receipt: nothingRecorded,
  });
  if (!item.ok) return refused(item.problem);
  try {
    const { text, steps, warnings } = contentOf(item.test);
    const imported = {
      ...base,
      step_count: steps.length,
      detail: null,
      warnings: [...item.warnings, ...warnings],
    };
    if (how.dryRun) return { answer: { ...imported, status: "valid" }, receipt: nothingRecorded };
    const { name, language, platform, tags, data } = item.test;
    const { projectId, folderId } = how;
    const content = { name, language, platform, text, steps, ...(data ? { data } : {}) };
    const test = { ...content, projectId, folderId };
    const ownContext = partOf(context, `test ${position - 1}`);
    const { id, receipt } = await deps.createTest(ownContext, test);
    const tagged = await tag(deps, ownContext, id, tags);
    const all = [...imported.warnings, ...tagged.warnings];
    return {
      answer: { ...imported, status: "created", test_id: id, warnings: all },
      receipt: joinReceipts([receipt, tagged.receipt]),
    };
  } catch (error) {
    if (!(error instanceof DomainError) || !error.code.startsWith("test.")) throw error;
    return refused(error.message);
  }
};

/** A tag that cannot be set becomes a warning. */
const tag = async (
  deps: ImportDeps,
  context: CommandContext,
  testId: string,
  names: readonly string[],
): Promise<{ readonly receipt: Receipt; readonly warnings: readonly ParseWarning[] }> => {
  if (names.length === 0) return { receipt: nothingRecorded, warnings: [] };
  try {
    const { receipt } = await deps.setTagsOfTest(context, testId, names);
    return { receipt, warnings: [] };
  } catch (error) {
    if (!(error instanceof DomainError) || !error.code.startsWith("tag.")) throw error;
    const text = names.join(", ").slice(0, 500);
    const warning = { line: 1, text, message: error.message, suggestions: [] };
    return { receipt: nothingRecorded, warnings: [warning] };
  }
};

/** Imports tests concurrently and returns a result for each. Throws the errors of `checkPlace`. */
const importTests = async (
  deps: ImportDeps,
  context: CommandContext,
  items: readonly { readonly item: ImportItem; readonly position: number }[],
  how: HowToImport,
): Promise<{ readonly answers: readonly ImportAnswer[]; readonly receipt: Receipt }> => {
  const results: Awaited<ReturnType<typeof importTest>>[] = [];
  const queue = items.entries();
  let failed = false;
  let turn: Promise<unknown> = Promise.resolve();
  const work = async (): Promise<void> => {
    for (const [index, { item, position }] of queue) {
      // Parsing is synchronous: yields to the event loop between two tests.
      turn = turn.then(() => nextTurn());
      await turn;
      if (failed) return;
      results[index] = await importTest(deps, context, item, position, how);
    }
  };
  const workers = Array.from({ length: Math.min(CONCURRENCY, items.length) }, async () => {
    try {
      await work();
    } catch (error) {
      failed = true;
      throw error;
    }
  });
  // Waits for all workers, so that nothing is written after a failure is reported.
  await Promise.allSettled(workers);
  await Promise.all(workers);
  const answers = results.map(({ answer }) => answer);
  const receipts = results.map(({ receipt }) => receipt);
  return { answers, receipt: joinReceipts(receipts) };
};

/** Uses the steps of the file, or parses its text if there are none. */
const contentOf = ({ text, steps }: ImportedTest): Content =>
  steps === undefined ? contentOfText(text) : contentOfSteps(steps, text);
