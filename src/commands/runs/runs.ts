import { GRAMMAR_VERSION } from "../../domain/english/index.ts";
import { mustBeActive, organizationDecider } from "../../domain/organizations/organization.ts";
import {
  type OrganizationSettings,
  organizationSettings,
} from "../../domain/organizations/settings.ts";
import type { Organization } from "../../domain/organizations/state.ts";
import { runContentDecider } from "../../domain/runs/content.ts";
import { queueTimeout } from "../../domain/runs/errors.ts";
import type { RunEvent } from "../../domain/runs/events.ts";
import type { PinnedContent, RunLimits, RunTarget } from "../../domain/runs/pinned.ts";
import { type QueueRun, runDecider } from "../../domain/runs/run.ts";
import type { BrowserName } from "../../domain/runs/verdict.ts";
import { periodOf } from "../../domain/usage/period.ts";
import type { Clock } from "../../platform/clock.ts";
import type { CommandLoop, Executed } from "../kernel/commandLoop.ts";
import { type CommandContext, idFor, partOf, withNewIds } from "../kernel/context.ts";
import { joinReceipts, type Receipt, receiptOf } from "../kernel/receipt.ts";
import { RELEASE_AFTER_MS, type UsageCommands } from "../usage/index.ts";
import type { RunSelection, SentFile } from "./pinnedTests.ts";
import { type PlanDeps, planRun, type RunPlan } from "./plans.ts";

/** The requested tests. Each test set becomes a run; `testIds` beside test sets become one more run. */
export type Selection =
  | Exclude<RunSelection, { readonly testSetId: string }>
  | {
      readonly testSetIds: readonly string[];
      readonly testIds: readonly string[];
      readonly files?: readonly SentFile[];
    };

export type QueueRunsInput = {
  readonly selection: Selection;
  readonly browsers: readonly BrowserName[];
  readonly baseUrl: string | null;
  readonly variables: Readonly<Record<string, string>>;
  /** Defaults to `cloud`. Runs on the organisation's agents cost no quota. */
  readonly target?: RunTarget | undefined;
  /** Further attempts of a test that does not pass. Default: 0. */
  readonly retries?: number | undefined;
  /** The id of an environment, or a name that exists in the project of every test. Default: none. */
  readonly environment?: string | null | undefined;
  /** Restricts tests to these rows of data, numbered from 1. */
  readonly rows?: ReadonlyMap<string, readonly number[]> | undefined;
  /** Optional evidence. */
  readonly evidence?: readonly ("trace" | "har" | "video")[] | undefined;
  /** The run that this run repeats. */
  readonly rerunOf?: string | undefined;
};

export type QueuedRuns = {
  readonly runIds: readonly string[];
  readonly executions: readonly {
    readonly id: string;
    readonly runId: string;
    readonly testId: string;
    /** The path of the test's file; null: none. */
    readonly source: string | null;
    /** The file content that it runs; null: the stored version. */
    readonly content: PinnedContent | null;
  }[];
  readonly receipt: Receipt;
};

type RunDeps = {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly usage: UsageCommands;
} & PlanDeps;

export type RunCommands = ReturnType<typeof runCommands>;

export const runCommands = (deps: RunDeps) => ({
  findQueued: (context: CommandContext, selection: Selection) =>
    findQueued(deps, context, selection),
  queueRuns: (context: CommandContext, input: QueueRunsInput) => queueRuns(deps, context, input),
});

/** Time limit for queueing after the reservation: half the time after which the reservation is released. */
const QUEUE_WITHIN_MS = RELEASE_AFTER_MS / 2;

/** The runs queued by an earlier try of a repeated request; empty for the first try. */
const findQueued = async (
  deps: RunDeps,
  context: CommandContext,
  selection: Selection,
): Promise<readonly string[]> => {
  const organizationId = mustHaveOrganization(context);
  const runIds: string[] = [];
  for (const { name } of partsOf(selection)) {
    const of = name === "" ? context : partOf(context, name);
    runIds.push(...((await earlierTries(deps, of, organizationId)).queued?.runIds ?? []));
  }
  return runIds;
};

/**
 * Queues runs of the selection, each test pinned to its current version, after reserving the quota of the
 * whole request. Ids are fixed before the first write. A repeated request gets the runs queued before.
 * Throws the errors of `planRun`, `run.quotaExceeded`, `run.queueTimeout`, and `organization.closing` if
 * the organisation is scheduled for deletion.
 */
const queueRuns = async (
  deps: RunDeps,
  context: CommandContext,
  input: QueueRunsInput,
): Promise<QueuedRuns> => {
  const organizationId = mustHaveOrganization(context);
  const done = new Map<string, QueuedRuns>();
  const open: Planned[] = [];
  const parts = partsOf(input.selection);
  for (const { name, selection } of parts) {
    const of = name === "" ? context : partOf(context, name);
    const before = context.again ? await earlierTries(deps, of, organizationId) : null;
    const current = partOf(of, `try ${(before?.tries ?? 0) + 1}`);
    if (before?.queued) done.set(name, before.queued);
    else open.push(await plan(deps, { name, selection, context: current }, organizationId, input));
  }
  const queued = await queuePlanned(deps, organizationId, open, input);
  for (const [name, runs] of queued) done.set(name, runs);
  return joinRuns(parts.flatMap(({ name }) => done.get(name) ?? []));
};

/** Reserves quota for the planned runs and queues them. Runs on agents need no quota. */
const queuePlanned = async (
  { loop, clock, usage }: RunDeps,
  organizationId: string,
  open: readonly Planned[],
  input: QueueRunsInput,
): Promise<ReadonlyMap<string, QueuedRuns>> => {
  const done = new Map<string, QueuedRuns>();
  const [first] = open;
  if (!first) return done;
  const { state: organization } = await loop.load(organizationDecider, organizationId);
  mustBeActive(organization);
  const reservedAt = clock().getTime();
  const reserved =
    input.target === "agent"
      ? { period: periodOf(clock().toISOString()), receipt: null }
      : await usage.reserveRuns(
          // A repeated request may reserve a different set of runs, so the ids depend on the set.
          open.length === 1 ? first.context : partOf(first.context, open.map(byName).join()),
          organizationId,
          open.map(({ runId, executions }) => ({ runId, units: executions.length })),
        );
  for (const planned of open) {
    if (clock().getTime() - reservedAt > QUEUE_WITHIN_MS) throw queueTimeout();
    await pinContents(loop, planned);
    const command = queueCommand(planned, input, organization, reserved.period);
    const queued = await loop.execute(runDecider, planned.runId, command, planned.context);
    done.set(planned.name, toQueuedRuns(queued, reserved.receipt?.eventTypes ?? []));
  }
  return done;
};

/** The evidence to record: that of the request, and traces of all attempts if the organisation wants them. */
const evidenceFor = (
  { evidence = [] }: Pick<QueueRunsInput, "evidence">,
  { traces }: OrganizationSettings,
): Pick<QueueRun, "evidence"> => {
  const all = new Set([...evidence, ...(traces === "always" ? (["trace"] as const) : [])]);
  return all.size === 0 ? {} : { evidence: [...all] };
};

/** Number of contents appended concurrently. */
const CONCURRENCY = 16;

/** Stores the contents of files before the run that refers to them. */
const pinContents = async (
  loop: CommandLoop,
  { runId, contents, context }: Planned,
): Promise<void> => {
  const queue = contents.values();
  const work = async (): Promise<void> => {
    for (const { command } of queue) {
      const { contentId } = command;
      const pin = { ...command, runId };
      await loop.execute(runContentDecider, contentId, pin, partOf(context, contentId));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
};

const queueCommand = (
  { runId, selection, executions, environments, calls }: Planned,
  input: QueueRunsInput,
  organization: Organization,
  quotaPeriod: string,
): QueueRun => ({
  type: "queue",
  runId,
  projectId: "projectId" in selection ? selection.projectId : null,
  target: input.target ?? "cloud",
  browsers: [...input.browsers],
  baseUrl: input.baseUrl,
  variables: { ...input.variables },
  grammarVersion: GRAMMAR_VERSION,
  quotaPeriod,
  executions,
  ...(input.environment == null ? {} : { environment: input.environment, environments }),
  ...(calls.length === 0 ? {} : { calls: [...calls] }),
  limits: limitsOf(organization),
  ...(settingsOf(organization).keepEvidenceWithSecrets ? { showsSecrets: true } : {}),
  ...(input.retries ? { retries: input.retries } : {}),
  ...evidenceFor(input, settingsOf(organization)),
  ...(input.rerunOf === undefined ? {} : { rerunOf: input.rerunOf }),
  ...("testSetId" in selection ? { testSetId: selection.testSetId } : {}),
});

/**
 * Finds the run queued by an earlier try of a repeated request. Tries that reserved quota but queued nothing
 * are abandoned and their quota is released, in this month and the last.
 */
const earlierTries = async (
  { loop, clock, usage }: RunDeps,
  context: CommandContext,
  organizationId: string,
): Promise<{ readonly queued: QueuedRuns | null; readonly tries: number }> => {
  const now = clock();
  const lastMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 0));
  const periods = [lastMonth, now].map((at) => periodOf(at.toISOString()));
  for (let tries = 1; ; tries += 1) {
    const current = partOf(context, `try ${tries}`);
    const runId = idFor(current, "run");
    const { state } = await loop.load(runDecider, runId);
    for (const period of state.status === "none" ? periods : []) {
      await usage.releaseUnqueued(withNewIds(context), { organizationId, period, runId });
    }
    const queued = await loop.findDone(runDecider, runId, "queue", current);
    if (queued) return { queued: toQueuedRuns(queued, []), tries };
    if (state.status === "none") return { queued: null, tries };
  }
};

const plan = async (
  deps: RunDeps,
  part: Part,
  organizationId: string,
  input: QueueRunsInput,
): Promise<Planned> => {
  const { context, selection } = part;
  const planned = await planRun(deps, context, organizationId, selection, {
    environment: input.environment ?? null,
    rows: input.rows,
  });
  return { ...part, ...planned, runId: idFor(context, "run") };
};

const mustHaveOrganization = ({ organizationId }: CommandContext): string => {
  if (organizationId === null) throw new Error("A run belongs to an organisation");
  return organizationId;
};

const settingsOf = (organization: Organization): OrganizationSettings =>
  "settings" in organization ? organization.settings : organizationSettings.parse({});

/** The organisation's current limits. They stay in force until the run ends. */
const limitsOf = (organization: Organization): RunLimits => {
  const settings = settingsOf(organization);
  return {
    stepMs: settings.stepTimeoutSeconds * 1_000,
    testMs: settings.testTimeoutSeconds * 1_000,
    runMs: settings.runTimeoutSeconds * 1_000,
  };
};

/** One run of a request. The name identifies it within the request, also when the request is repeated. */
type Part = {
  readonly name: string;
  readonly selection: RunSelection;
  readonly context: CommandContext;
};
type Planned = Part & RunPlan & { readonly runId: string };

const byName = ({ name }: Part): string => name;

/** Splits a request into one run per test set and one for the other tests. */
const partsOf = (selection: Selection): readonly Omit<Part, "context">[] => {
  if (!("testSetIds" in selection)) return [{ name: "", selection }];
  const { testSetIds, testIds, files = [] } = selection;
  const sets = [...new Set(testSetIds)].map((testSetId) => ({
    name: `test set ${testSetId}`,
    selection: { testSetId },
  }));
  if (testIds.length + files.length === 0) return sets;
  return [...sets, { name: "", selection: { testIds, files } }];
};

const joinRuns = (all: readonly QueuedRuns[]): QueuedRuns => ({
  runIds: all.flatMap(({ runIds }) => runIds),
  executions: all.flatMap(({ executions }) => executions),
  receipt: joinReceipts(all.map(({ receipt }) => receipt)),
});

/** Reads a queued run from its event. `eventTypes` are those of further events of the request. */
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
    executions: executions.map(({ executionId, testId, source = null, content = null }) => ({
      ...{ id: executionId, runId, testId, source, content },
    })),
    receipt: { ...receipt, eventTypes: [...eventTypes, ...receipt.eventTypes] },
  };
};
