import { setImmediate as nextTurn } from "node:timers/promises";
import { type Content, contentOfSteps, contentOfText } from "../../domain/catalogue/content.ts";
import type { ParseWarning } from "../../domain/english/english.ts";
import type { ImportedTest, ImportItem } from "../../domain/formats/imported.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { type CommandContext, partOf } from "../kernel/context.ts";
import { joinReceipts, nothingRecorded, type Receipt } from "../kernel/receipt.ts";
import type { tagCommands } from "./tags.ts";
import type { testCommands } from "./tests.ts";

/** What came of a place in a file: one answer for each. */
export type ImportAnswer = {
  /** Its place in the file, from 1. */
  readonly position: number;
  readonly name: string | null;
  /** `valid` in a dry run: it would be created. */
  readonly status: "created" | "valid" | "refused";
  readonly test_id: string | null;
  readonly step_count: number | null;
  /** Why it was refused. */
  readonly detail: string | null;
  readonly warnings: readonly ParseWarning[];
};

/** Where the tests of a file go, and whether they do at all. */
export type HowToImport = {
  readonly projectId: string | null;
  readonly folderId: string | null;
  readonly dryRun: boolean;
};

/** So many tests are written at a time. */
const ABREAST = 32;

export type ImportCommands = ReturnType<typeof importCommands>;

/** Taking tests of files over. */
export const importCommands = (deps: {
  readonly createTest: ReturnType<typeof testCommands>["createTest"];
  readonly setTagsOfTest: ReturnType<typeof tagCommands>["setTagsOfTest"];
}) => {
  /** What is wrong with a test is its own answer. Throws what would be wrong with each of them. */
  const take = async (
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
      const told = {
        ...base,
        step_count: steps.length,
        detail: null,
        warnings: [...item.warnings, ...warnings],
      };
      if (how.dryRun) return { answer: { ...told, status: "valid" }, receipt: nothingRecorded };
      const { name, language, platform, tags, data } = item.test;
      const { projectId, folderId } = how;
      const content = { name, language, platform, text, steps, ...(data ? { data } : {}) };
      const test = { ...content, projectId, folderId };
      const mine = partOf(context, `test ${position - 1}`);
      const { id, receipt } = await deps.createTest(mine, test);
      const tagged = await tag(mine, id, tags);
      const all = [...told.warnings, ...tagged.warnings];
      return {
        answer: { ...told, status: "created", test_id: id, warnings: all },
        receipt: joinReceipts([receipt, tagged.receipt]),
      };
    } catch (error) {
      // The place is that of all of them.
      if (!(error instanceof DomainError) || !error.code.startsWith("test.")) throw error;
      return refused(error.message);
    }
  };

  /** Tags that cannot be had are a warning: the test is there without them. */
  const tag = async (
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

  return {
    /** Takes tests over, several at a time, and answers for each. Throws what is wrong with their place. */
    importTests: async (
      context: CommandContext,
      items: readonly { readonly item: ImportItem; readonly position: number }[],
      how: HowToImport,
    ): Promise<{ readonly answers: readonly ImportAnswer[]; readonly receipt: Receipt }> => {
      const taken: Awaited<ReturnType<typeof take>>[] = [];
      const queue = items.entries();
      let failed = false;
      let turn: Promise<unknown> = Promise.resolve();
      const takeTurns = async (): Promise<void> => {
        for (const [index, { item, position }] of queue) {
          // What is read takes its time: others have their turn between two tests.
          turn = turn.then(() => nextTurn());
          await turn;
          if (failed) return;
          taken[index] = await take(context, item, position, how);
        }
      };
      const taking = Array.from({ length: Math.min(ABREAST, items.length) }, async () => {
        try {
          await takeTurns();
        } catch (error) {
          failed = true;
          throw error;
        }
      });
      // Those under way come to their end first: nothing of them is written behind the back of who tries again.
      await Promise.allSettled(taking);
      await Promise.all(taking);
      const answers = taken.map(({ answer }) => answer);
      const receipts = taken.map(({ receipt }) => receipt);
      return { answers, receipt: joinReceipts(receipts) };
    },
  };
};

/** Steps are taken as the file has them, with the words that they came from where it has both; else the words are read. */
const contentOf = ({ text, steps }: ImportedTest): Content =>
  steps === undefined ? contentOfText(text) : contentOfSteps(steps, text);
