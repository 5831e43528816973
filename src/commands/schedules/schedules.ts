import { limitOf } from "../../domain/billing/entitlements.ts";
import { planDecider } from "../../domain/billing/plan.ts";
import { planInForce } from "../../domain/billing/planState.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { mustBeActive, organizationDecider } from "../../domain/organizations/organization.ts";
import { organizationSettings } from "../../domain/organizations/settings.ts";
import { browserName } from "../../domain/runs/verdict.ts";
import {
  type ScheduleCommand,
  type ScheduleTerms,
  type StandingSchedule,
  scheduleDecider,
} from "../../domain/schedules/schedule.ts";
import type { Clock } from "../../platform/clock.ts";
import type { ScheduleRecipients } from "../../stores/schedules/recipients.ts";
import type { ScheduleSlots } from "../../stores/schedules/slots.ts";
import { type Expected, organizationOf, type Written, write } from "../catalogue/changes.ts";
import type { CommandLoop } from "../kernel/commandLoop.ts";
import { type CommandContext, idFor, partOf, withNewIds } from "../kernel/context.ts";
import { joinReceipts, type Receipt } from "../kernel/receipt.ts";
import type { QueuedRuns, QueueRunsInput } from "../runs/runs.ts";

/**
 * Checks that the selection exists and belongs to the organisation. `said` has the fields of the request,
 * `terms` the selection after the change. Throws an error that names the field.
 */
export type CheckSelection = (
  organizationId: string,
  said: Partial<Selected>,
  terms: Selected,
) => Promise<void>;

type Selected = Pick<ScheduleTerms, "testIds" | "testSetIds" | "environment">;

type ScheduleDeps = {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly slots: ScheduleSlots;
  readonly recipients: ScheduleRecipients;
  readonly checkSelection: CheckSelection;
  readonly queueRuns: (context: CommandContext, input: QueueRunsInput) => Promise<QueuedRuns>;
};

export type ScheduleCommands = ReturnType<typeof scheduleCommands>;

/** Commands of users. Ticks are the scheduler's. */
export const scheduleCommands = (deps: ScheduleDeps) => ({
  createSchedule: (
    context: CommandContext,
    given: GivenTerms,
    addresses: readonly string[],
  ): Promise<Written<StandingSchedule>> => createSchedule(deps, context, given, addresses),

  changeSchedule: (
    context: CommandContext,
    scheduleId: string,
    terms: Partial<ScheduleTerms>,
    addresses: readonly string[] | undefined,
    expectedVersions: Expected,
  ): Promise<Written<StandingSchedule>> =>
    changeSchedule(deps, context, { scheduleId, terms, addresses, expectedVersions }),

  /** No tick is due until the schedule is resumed. */
  pauseSchedule: (
    context: CommandContext,
    scheduleId: string,
    expectedVersions: Expected,
  ): Promise<Written<StandingSchedule>> =>
    writeSchedule(deps, context, {
      type: "pause",
      ...target(context, scheduleId, expectedVersions),
    }),

  /** Ticks are due from now on. Ticks during the pause are not made up for. */
  resumeSchedule: (
    context: CommandContext,
    scheduleId: string,
    expectedVersions: Expected,
  ): Promise<Written<StandingSchedule>> => {
    const at = deps.clock().toISOString();
    const of = target(context, scheduleId, expectedVersions);
    return writeSchedule(deps, context, { type: "resume", ...of, at });
  },

  deleteSchedule: (
    context: CommandContext,
    scheduleId: string,
    expectedVersions: Expected,
  ): Promise<Receipt> => deleteSchedule(deps, context, scheduleId, expectedVersions),

  runScheduleNow: (context: CommandContext, scheduleId: string): Promise<QueuedRuns> =>
    runScheduleNow(deps, context, scheduleId),

  deleteAll: (context: CommandContext, organizationId: string): Promise<void> =>
    deleteAll(deps, context, organizationId),

  /** Recipients by schedule. */
  recipientsOf: deps.recipients.of,
});

type GivenTerms = Omit<ScheduleTerms, "zone"> & { readonly zone?: string | undefined };

/** Age after which a slot without a schedule is free again. */
const SETTLED_AFTER_MS = 60_000;
const END_OF_TIME = "9999-12-31T00:00:00.000Z";

/**
 * Throws `schedule.limitReached` if the plan allows no more, `test.unknownInRequest`, `test.foreign`,
 * `testSet.unknownInRequest`, `testSet.foreign`, `run.unknownEnvironment`, `run.foreignEnvironment`.
 */
const createSchedule = async (
  deps: ScheduleDeps,
  context: CommandContext,
  given: GivenTerms,
  addresses: readonly string[],
): Promise<Written<StandingSchedule>> => {
  const { loop, clock, recipients } = deps;
  const organizationId = organizationOf(context);
  const scheduleId = idFor(context, "schedule");
  const at = clock().toISOString();
  const zone = given.zone ?? (await defaultZone(deps, organizationId));
  const terms: ScheduleTerms = { ...given, zone };
  const command = { type: "create", scheduleId, organizationId, terms, at } as const;
  const done = await loop.findDone(scheduleDecider, scheduleId, "create", context);
  if (!done) {
    await deps.checkSelection(organizationId, terms, terms);
    await takeSlot(deps, organizationId, scheduleId);
    // Stored before the schedule exists, so that no tick goes without recipients.
    await recipients.replace({ scheduleId, organizationId, addresses });
  }
  return writeSchedule(deps, context, command);
};

/** Changes the given terms, and the addresses if given. Ticks are due by the new terms from now on. */
const changeSchedule = async (
  deps: ScheduleDeps,
  context: CommandContext,
  input: {
    readonly scheduleId: string;
    readonly terms: Partial<ScheduleTerms>;
    readonly addresses: readonly string[] | undefined;
    readonly expectedVersions: Expected;
  },
): Promise<Written<StandingSchedule>> => {
  const { scheduleId, terms, addresses } = input;
  const of = target(context, scheduleId, input.expectedVersions);
  const { organizationId } = of;
  const { state } = await deps.loop.load(scheduleDecider, scheduleId);
  const now = "terms" in state && state.organizationId === organizationId ? state.terms : {};
  const then = { testIds: [], testSetIds: [], environment: null, ...now, ...terms };
  await deps.checkSelection(organizationId, terms, then);
  const at = deps.clock().toISOString();
  const written = await writeSchedule(deps, context, { type: "change", ...of, terms, at });
  if (addresses) await deps.recipients.replace({ scheduleId, organizationId, addresses });
  return written;
};

const deleteSchedule = async (
  { loop, recipients, slots }: ScheduleDeps,
  context: CommandContext,
  scheduleId: string,
  expectedVersions: Expected,
): Promise<Receipt> => {
  const command = { type: "delete", ...target(context, scheduleId, expectedVersions) } as const;
  const { receipt } = await write(loop, scheduleDecider, scheduleId, command, context);
  await recipients.forget(scheduleId);
  await slots.give(scheduleId);
  return receipt;
};

/**
 * Queues the runs of a schedule now, in addition to its ticks. Its recipients are notified.
 * Throws the errors of `queueRuns`, `schedule.unknown`, `schedule.foreign`.
 */
const runScheduleNow = async (
  deps: ScheduleDeps,
  context: CommandContext,
  scheduleId: string,
): Promise<QueuedRuns> => {
  const of = target(context, scheduleId, null);
  const { state } = await deps.loop.load(scheduleDecider, scheduleId);
  if (state.status === "none" || state.status === "deleted") {
    throw new DomainError("schedule.unknown", `There is no schedule ${scheduleId}.`);
  }
  if (state.organizationId !== of.organizationId) {
    throw new DomainError("schedule.foreign", "The schedule belongs to another organisation.");
  }
  const queued = await deps.queueRuns(
    asSchedule(partOf(context, "by hand"), scheduleId, state.terms),
    runsOf(state.terms),
  );
  const command = { type: "runByHand", ...of, runIds: queued.runIds } as const;
  const recorded = await writeSchedule(deps, context, command);
  return { ...queued, receipt: joinReceipts([queued.receipt, recorded.receipt]) };
};

/** Deletes all schedules of a deleted organisation, and their recipients. Idempotent. */
const deleteAll = async (
  { loop, recipients, slots }: ScheduleDeps,
  context: CommandContext,
  organizationId: string,
): Promise<void> => {
  const inOrganization = { ...context, organizationId };
  for (const scheduleId of await slots.takenBefore(organizationId, END_OF_TIME)) {
    const { status } = (await loop.load(scheduleDecider, scheduleId)).state;
    if (status !== "none" && status !== "deleted") {
      const command = { type: "delete", ...target(inOrganization, scheduleId, null) } as const;
      await loop.execute(scheduleDecider, scheduleId, command, withNewIds(inOrganization));
    }
    await recipients.forget(scheduleId);
    await slots.give(scheduleId);
  }
};

const writeSchedule = (
  { loop }: ScheduleDeps,
  context: CommandContext,
  command: Exclude<ScheduleCommand, { type: "delete" | "settleTick" }>,
): Promise<Written<StandingSchedule>> =>
  write(loop, scheduleDecider, command.scheduleId, command, context);

const target = (context: CommandContext, scheduleId: string, expectedVersions: Expected) => ({
  scheduleId,
  organizationId: organizationOf(context),
  expectedVersions,
});

/** Takes one of the schedule slots of the plan. Throws `schedule.limitReached`. */
const takeSlot = async (
  { loop, clock, slots }: ScheduleDeps,
  organizationId: string,
  scheduleId: string,
): Promise<void> => {
  const { state } = await loop.load(planDecider, organizationId);
  const { limit, reason } = limitOf(planInForce(state).plan, "schedules");
  const now = clock();
  const slot = { organizationId, scheduleId, limit, at: now.toISOString() };
  if (await slots.take(slot)) return;
  const old = new Date(now.getTime() - SETTLED_AFTER_MS).toISOString();
  for (const taken of await slots.takenBefore(organizationId, old)) {
    const { status } = (await loop.load(scheduleDecider, taken)).state;
    if (status === "none" || status === "deleted") await slots.give(taken);
  }
  if (await slots.take(slot)) return;
  throw new DomainError("schedule.limitReached", reason ?? "No plan allows more schedules.");
};

/** The organisation's time zone, for schedules that name none. */
const defaultZone = async ({ loop }: ScheduleDeps, organizationId: string): Promise<string> => {
  const { state } = await loop.load(organizationDecider, organizationId);
  mustBeActive(state);
  return ("settings" in state ? state.settings : organizationSettings.parse({})).timeZone;
};

/** The context of a schedule: runs queued with it have `triggered_by: schedule:<name>`. */
export const asSchedule = (
  context: CommandContext,
  scheduleId: string,
  terms: Pick<ScheduleTerms, "name">,
): CommandContext => ({
  ...context,
  actor: { type: "schedule", id: scheduleId, name: terms.name },
});

/** The runs of a tick. */
export const runsOf = (terms: ScheduleTerms): QueueRunsInput => ({
  selection: { testIds: terms.testIds, testSetIds: terms.testSetIds },
  browsers: browserName.array().parse(terms.browsers),
  baseUrl: terms.baseUrl,
  variables: {},
  environment: terms.environment,
});
