import { GRAMMAR_VERSION } from "../../domain/english/index.ts";
import { mustBeActive, organizationDecider } from "../../domain/organizations/organization.ts";
import {
  type OrganizationSettings,
  organizationSettings,
} from "../../domain/organizations/settings.ts";
import type { Organization } from "../../domain/organizations/state.ts";
import { queueTimeout } from "../../domain/runs/errors.ts";
import type { RunEvent } from "../../domain/runs/events.ts";
import type { RunLimits, RunTarget } from "../../domain/runs/pinned.ts";
import { runDecider } from "../../domain/runs/run.ts";
import type { BrowserName } from "../../domain/runs/verdict.ts";
import { periodOf } from "../../domain/usage/period.ts";
import type { Clock } from "../../platform/clock.ts";
import type { CommandLoop, Executed } from "../kernel/commandLoop.ts";
import { type CommandContext, idFor, partOf, withNewIds } from "../kernel/context.ts";
import { joinReceipts, type Receipt, receiptOf } from "../kernel/receipt.ts";
import { RELEASE_AFTER_MS, type UsageCommands } from "../usage/index.ts";
import { type PlanDeps, planRun, type RunPlan, type RunSelection } from "./plans.ts";

/** What a caller names to be run. With test sets: one run for each, and one for the tests named besides. */
export type Selection =
  | Exclude<RunSelection, { readonly testSetId: string }>
  | { readonly testSetIds: readonly string[]; readonly testIds: readonly string[] };

export type QueueRunsInput = {
  readonly selection: Selection;
  readonly browsers: readonly BrowserName[];
  readonly baseUrl: string | null;
  readonly variables: Readonly<Record<string, string>>;
  /** Who runs them: the service unless it is said. What an organisation's own agents run costs no quota. */
  readonly target?: RunTarget | undefined;
  /** How often a test that does not pass is tried again; none unless it is said. */
  readonly retries?: number | undefined;
  /** The name of an environment, which each test's project has, or its id; none unless it is said. */
  readonly environment?: string | null | undefined;
  /** Of these tests these rows of data alone, by their numbers from 1. */
  readonly rows?: ReadonlyMap<string, readonly number[]> | undefined;
  /** What is recorded besides. */
  readonly evidence?: readonly ("trace" | "har" | "video")[] | undefined;
  /** The run that is run again. */
  readonly rerunOf?: string | undefined;
};

export type QueuedRuns = {
  readonly runIds: readonly string[];
  readonly executions: readonly {
    readonly id: string;
    readonly runId: string;
    readonly testId: string;
  }[];
  readonly receipt: Receipt;
};

export type RunCommands = ReturnType<typeof runCommands>;

/** A run that could not be queued in half the time after which its reservation is released is not queued at all. */
const QUEUE_WITHIN_MS = RELEASE_AFTER_MS / 2;

/** Asking for runs. */
export const runCommands = (
  deps: {
    loop: CommandLoop;
    clock: Clock;
    usage: UsageCommands;
  } & PlanDeps,
) => {
  const { loop, clock, usage } = deps;

  /**
   * What a request that comes again did the time before. Runs of tries that reserved quota and got no further
   * are abandoned and their quota is given back, in whichever month it was; what comes next is a try of its own.
   */
  const earlierTries = async (
    context: CommandContext,
    organizationId: string,
  ): Promise<{ readonly queued: QueuedRuns | null; readonly tries: number }> => {
    const now = clock();
    const lastMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 0));
    const periods = [lastMonth, now].map((at) => periodOf(at.toISOString()));
    for (let tries = 1; ; tries += 1) {
      const mine = partOf(context, `try ${tries}`);
      const runId = idFor(mine, "run");
      const { state } = await loop.load(runDecider, runId);
      for (const period of state.status === "none" ? periods : []) {
        await usage.releaseUnqueued(withNewIds(context), { organizationId, period, runId });
      }
      const queued = await loop.findDone(runDecider, runId, "queue", mine);
      if (queued) return { queued: toQueuedRuns(queued, []), tries };
      if (state.status === "none") return { queued: null, tries };
    }
  };

  /** What is to be written of a run, once its tests are pinned and its ids are fixed. */
  const plan = async (
    part: Part,
    organizationId: string,
    input: QueueRunsInput,
  ): Promise<Planned> => {
    const how = { environment: input.environment ?? null, rows: input.rows };
    const { context, selection } = part;
    const planned = await planRun(deps, context, organizationId, selection, how);
    return { ...part, ...planned, runId: idFor(context, "run") };
  };

  return {
    /** The runs that a request that comes again queued the time before; none where it is the first time. */
    findQueued: async (
      context: CommandContext,
      selection: Selection,
    ): Promise<readonly string[]> => {
      const { organizationId } = context;
      if (organizationId === null) throw new Error("A run belongs to an organisation");
      const runIds: string[] = [];
      for (const { name } of partsOf(selection)) {
        const of = name === "" ? context : partOf(context, name);
        runIds.push(...((await earlierTries(of, organizationId)).queued?.runIds ?? []));
      }
      return runIds;
    },

    /**
     * Queues runs of what is named, each test pinned to its version of now, once the quota of the whole
     * request is reserved. Ids are fixed before anything is written. A request that comes again has the runs
     * that it queued before.
     * Throws what `planRun` throws, `run.quotaExceeded`, `run.queueTimeout`; `organization.closing` while
     * the organisation waits to be deleted.
     */
    queueRuns: async (context: CommandContext, input: QueueRunsInput): Promise<QueuedRuns> => {
      const { organizationId } = context;
      if (organizationId === null) throw new Error("A run belongs to an organisation");
      const done = new Map<string, QueuedRuns>();
      const open: Planned[] = [];
      const parts = partsOf(input.selection);
      for (const { name, selection } of parts) {
        const of = name === "" ? context : partOf(context, name);
        const before = context.again ? await earlierTries(of, organizationId) : null;
        const mine = partOf(of, `try ${(before?.tries ?? 0) + 1}`);
        if (before?.queued) done.set(name, before.queued);
        else open.push(await plan({ name, selection, context: mine }, organizationId, input));
      }
      const [first] = open;
      if (first) {
        const { state: organization } = await loop.load(organizationDecider, organizationId);
        mustBeActive(organization);
        const { target = "cloud" } = input;
        const reservedAt = clock().getTime();
        const reserved =
          target === "agent"
            ? { period: periodOf(clock().toISOString()), receipt: null }
            : await usage.reserveRuns(
                // Of a request that comes again, what is reserved is not always the same.
                open.length === 1 ? first.context : partOf(first.context, open.map(byName).join()),
                organizationId,
                open.map(({ runId, executions }) => ({ runId, units: executions.length })),
              );
        for (const planned of open) {
          if (clock().getTime() - reservedAt > QUEUE_WITHIN_MS) throw queueTimeout();
          const queued = await loop.execute(
            runDecider,
            planned.runId,
            {
              type: "queue",
              runId: planned.runId,
              projectId: "projectId" in planned.selection ? planned.selection.projectId : null,
              target,
              browsers: [...input.browsers],
              baseUrl: input.baseUrl,
              variables: { ...input.variables },
              grammarVersion: GRAMMAR_VERSION,
              quotaPeriod: reserved.period,
              executions: planned.executions,
              ...(input.environment == null
                ? {}
                : { environment: input.environment, environments: planned.environments }),
              ...(planned.calls.length === 0 ? {} : { calls: [...planned.calls] }),
              limits: limitsOf(organization),
              ...(settingsOf(organization).keepEvidenceWithSecrets ? { showsSecrets: true } : {}),
              ...(input.retries ? { retries: input.retries } : {}),
              ...(input.evidence?.length ? { evidence: [...input.evidence] } : {}),
              ...(input.rerunOf === undefined ? {} : { rerunOf: input.rerunOf }),
              ...("testSetId" in planned.selection
                ? { testSetId: planned.selection.testSetId }
                : {}),
            },
            planned.context,
          );
          done.set(planned.name, toQueuedRuns(queued, reserved.receipt?.eventTypes ?? []));
        }
      }
      return together(parts.flatMap(({ name }) => done.get(name) ?? []));
    },
  };
};

const settingsOf = (organization: Organization): OrganizationSettings =>
  "settings" in organization ? organization.settings : organizationSettings.parse({});

/** How long the parts of a run may take: what the organisation says now holds for it to its end. */
const limitsOf = (organization: Organization): RunLimits => {
  const settings = settingsOf(organization);
  return {
    stepMs: settings.stepTimeoutSeconds * 1_000,
    testMs: settings.testTimeoutSeconds * 1_000,
    runMs: settings.runTimeoutSeconds * 1_000,
  };
};

/** A run of a request: its name in it, which is always the same, and what it is to have. */
type Part = {
  readonly name: string;
  readonly selection: RunSelection;
  readonly context: CommandContext;
};
type Planned = Part & RunPlan & { readonly runId: string };

const byName = ({ name }: Part): string => name;

/** The runs that a request comes to: one for each test set, and one for what is named besides. */
const partsOf = (selection: Selection): readonly Omit<Part, "context">[] => {
  if (!("testSetIds" in selection)) return [{ name: "", selection }];
  const { testSetIds, testIds } = selection;
  const sets = [...new Set(testSetIds)].map((testSetId) => ({
    name: `test set ${testSetId}`,
    selection: { testSetId },
  }));
  return testIds.length === 0 ? sets : [...sets, { name: "", selection: { testIds } }];
};

const together = (all: readonly QueuedRuns[]): QueuedRuns => ({
  runIds: all.flatMap(({ runIds }) => runIds),
  executions: all.flatMap(({ executions }) => executions),
  receipt: joinReceipts(all.map(({ receipt }) => receipt)),
});

/** A run that was queued, from what was recorded of it. `eventTypes`: of what was recorded for it besides. */
const toQueuedRuns = (
  queued: Executed<unknown, RunEvent>,
  eventTypes: readonly string[],
): QueuedRuns => {
  const [event] = queued.events;
  if (event?.type !== "RunQueued") throw new Error("A run was queued without an event");
  const { runId, executions } = event.data;
  const receipt = receiptOf(queued);
  return {
    runIds: [runId],
    executions: executions.map(({ executionId, testId }) => ({ id: executionId, runId, testId })),
    receipt: { ...receipt, eventTypes: [...eventTypes, ...receipt.eventTypes] },
  };
};
