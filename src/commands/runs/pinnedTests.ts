import type { StepInput } from "../../domain/catalogue/step.ts";
import type { TestData } from "../../domain/catalogue/testData.ts";
import type { PinContent } from "../../domain/runs/content.ts";
import type { PinnedContent } from "../../domain/runs/pinned.ts";
import type { CallableTest } from "../catalogue/calls.ts";

/** A test file of a checkout, to be run with its own content. */
export type SentFile = {
  /** The path in the repository. */
  readonly source: string;
  /** Null: unknown, or the file has uncommitted changes. */
  readonly commit: string | null;
  /** The id in the file. Null: the path identifies the test. */
  readonly testId: string | null;
  readonly projectId: string | null;
  readonly name: string;
  readonly text: string;
  readonly steps: readonly StepInput[];
  /** Null: the rows of the stored test. */
  readonly data: TestData | null;
};

/** The content of a file that differs from the stored test, with its place in calls. */
export type FileContent = {
  readonly pinned: PinnedContent;
  readonly node: CallableTest;
  /** The id of the stored test that it replaces in calls. */
  readonly replaces: string | null;
  readonly command: Omit<PinContent, "runId">;
};

/** The selection of a run: single tests, or all tests with steps of a project, a test set or a tag. */
export type RunSelection =
  | { readonly testIds: readonly string[]; readonly files?: readonly SentFile[] }
  | { readonly projectId: string }
  | { readonly testSetId: string }
  | { readonly tag: string };

/** The current version of a test of any organisation. */
export type PinnedTest = {
  readonly testId: string;
  readonly organizationId: string;
  readonly projectId?: string | null;
  readonly version: number;
  readonly name: string;
  readonly stepCount: number;
  /** The rows with which it runs; absent: none. */
  readonly data?: TestData;
  /** Whether any of its steps calls another test. */
  readonly callsTests?: boolean;
  /** The number of events of its baselines. Absent: none. */
  readonly baselineVersion?: number;
  /** Until when it is in quarantine; absent: it is in none. */
  readonly quarantinedUntil?: string;
  /** The path of its file in the repository; null or absent: none. */
  readonly source?: string | null;
  /** The content of a file to run instead of the stored version. */
  readonly content?: FileContent;
};

/**
 * Resolves a selection, in the caller's order. Tests of other organisations are returned with the id of their
 * organisation; unknown tests are left out. Throws for a project, a test set or a tag that is unknown or foreign.
 */
export type PinTests = (
  organizationId: string,
  selection: RunSelection,
) => Promise<readonly PinnedTest[]>;
