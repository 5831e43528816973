import type { PinnedCall } from "../../catalogue/calls.ts";
import type { RunEvent } from "../events.ts";
import type { PlannedExecution } from "../pinned.ts";

type RunQueued = Extract<RunEvent, { type: "RunQueued" }>["data"];

/** The input of one execution. */
export type Given = {
  readonly baseUrl: string | null;
  readonly variables: Record<string, string>;
  readonly projectId?: string;
  readonly environmentId?: string;
  readonly showsSecrets?: boolean;
  readonly row?: NonNullable<PlannedExecution["row"]>;
  readonly calls?: PinnedCall[];
};

/**
 * Assembles the input of one execution of a run: its base URL, its variables and its calls. Variables of the run take
 * precedence over those of the data row, which take precedence over those of the environment.
 */
export const givenTo = (run: RunQueued, planned: PlannedExecution): Given => {
  const { projectId, environmentId, row, testId, content } = planned;
  const environment = run.environments?.find((one) => one.environmentId === environmentId);
  const calls = reachedFrom(content?.contentId ?? testId, run.calls ?? []);
  return {
    baseUrl: run.baseUrl ?? environment?.baseUrl ?? null,
    variables: { ...environment?.variables, ...row?.values, ...run.variables },
    ...(projectId === undefined ? {} : { projectId }),
    ...(environmentId === undefined ? {} : { environmentId }),
    ...(run.showsSecrets === undefined ? {} : { showsSecrets: run.showsSecrets }),
    ...(row === undefined ? {} : { row }),
    ...(calls.length === 0 ? {} : { calls }),
  };
};

/** The calls of a test and of its called tests. */
const reachedFrom = (testId: string, calls: readonly PinnedCall[]): PinnedCall[] => {
  const reached = new Set([testId]);
  for (const by of reached) {
    for (const call of calls) if (call.by === by) reached.add(call.testId);
  }
  return calls.filter(({ by }) => reached.has(by));
};
