import { comparablePath } from "../../domain/catalogue/source.ts";
import { testSourceDecider } from "../../domain/catalogue/testSource.ts";
import type { ActiveTest } from "../../domain/catalogue/tests/state.ts";
import { type ChangeTest, testDecider } from "../../domain/catalogue/tests/test.ts";
import { derivedId } from "../../platform/ids.ts";
import type { CommandLoop } from "../kernel/commandLoop.ts";
import { type CommandContext, withNewIds } from "../kernel/context.ts";
import { organizationOf } from "./changes.ts";
import type { TestDeps } from "./writeTest.ts";

/** Time after which a claim without a test is taken over: its request has ended long before, without creating one. */
const CLAIM_MS = 5 * 60_000;

/** The id of a path in a project. Equal for paths that differ only in case. */
export const sourceId = (organizationId: string, projectId: string | null, path: string): string =>
  derivedId(organizationId, `source ${projectId ?? ""} ${comparablePath(path)}`);

/** Gives a path to a test. A path of a deleted or moved test is free. Throws `test.sourceTaken`. */
export const claimSource = async (
  { loop, clock }: Pick<TestDeps, "loop" | "clock">,
  context: CommandContext,
  testId: string,
  projectId: string | null,
  path: string,
): Promise<void> => {
  const organizationId = organizationOf(context);
  const id = sourceId(organizationId, projectId, path);
  const once = withNewIds(context);
  const { state } = await loop.load(testSourceDecider, id);
  if (state !== null && state.testId !== testId) {
    const age = clock().getTime() - Date.parse(state.claimedAt);
    if (!(await holds(loop, state.testId, projectId, path, age))) {
      await loop.execute(testSourceDecider, id, { type: "release", testId: state.testId }, once);
    }
  }
  const claimedAt = clock().toISOString();
  const claim = { type: "claim", organizationId, projectId, path, testId, claimedAt } as const;
  await loop.execute(testSourceDecider, id, claim, once);
};

const holds = async (
  loop: CommandLoop,
  testId: string,
  projectId: string | null,
  path: string,
  ageMs: number,
): Promise<boolean> => {
  const { state: test } = await loop.load(testDecider, testId);
  if (ageMs < CLAIM_MS && test.status !== "deleted") return true;
  return test.status === "active" && test.projectId === projectId && hasSource(test, path);
};

const hasSource = ({ source }: Pick<ActiveTest, "source">, path: string): boolean =>
  source !== null && comparablePath(source) === comparablePath(path);

/**
 * Claims the path that a test has after a change of path or project. Returns a function that releases the path that it
 * had before. Throws `test.sourceTaken`.
 */
export const moveSource = async (
  deps: Pick<TestDeps, "loop" | "clock">,
  context: CommandContext,
  { testId, organizationId, source: wanted, projectId: target }: ChangeTest,
): Promise<() => Promise<void>> => {
  const nothing = async () => undefined;
  if (wanted === undefined && target === undefined) return nothing;
  const { state: test } = await deps.loop.load(testDecider, testId);
  // The change itself refuses a deleted or foreign test.
  if (test.status !== "active" || test.organizationId !== organizationId) return nothing;
  const { source = test.source, projectId = test.projectId } = {
    ...(wanted !== undefined && { source: wanted }),
    ...(target !== undefined && { projectId: target }),
  };
  const before = test.source && sourceId(organizationId, test.projectId, test.source);
  const after = source && sourceId(organizationId, projectId, source);
  if (source !== null) await claimSource(deps, context, testId, projectId, source);
  if (!before || before === after) return nothing;
  return async () => {
    const once = withNewIds(context);
    await deps.loop.execute(testSourceDecider, before, { type: "release", testId }, once);
  };
};
