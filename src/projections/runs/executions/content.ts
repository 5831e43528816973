import { type PinnedContent, stepsAt } from "../../../domain/runs/pinned.ts";
import type { ExecutionTables } from "./tables.ts";

/** The file content that an execution runs instead of a stored version. */
export type ContentOfFile = {
  readonly id: string;
  /** Null: unknown, or the file has uncommitted changes. */
  readonly commit: string | null;
  /** The stored version that it differs from; null: the test is not stored. */
  readonly stored_version: number | null;
  readonly summary: string | null;
};

/** Where the steps of an execution are stored. */
export const placeOfSteps = (row: ExecutionTables["executions"]) =>
  stepsAt({
    testId: row.test_id,
    testVersion: row.test_version,
    contentId: contentIn(row)?.id,
  });

/** The file content of an execution; null if it runs a stored version. */
export const contentIn = (
  row: Pick<ExecutionTables["executions"], "content">,
): ContentOfFile | null => {
  const content = row.content as PinnedContent | null;
  if (content === null) return null;
  const { contentId: id, commit, storedVersion: stored_version, summary } = content;
  return { id, commit, stored_version, summary };
};
