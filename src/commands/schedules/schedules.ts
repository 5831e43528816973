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
 * What a schedule runs has to be there, and the organisation's; throws otherwise, naming the field. `said` is what somebody
 * says now; it runs `terms` then, of which the environment has to be one of every test.
 */
export type CheckSelection = (
  organizationId: string,
  said: Partial<Selected>,
  terms: Selected,
) => Promise<void>;

type Selected = Pick<ScheduleTerms, "testIds" | "testSetIds" | "environment">;

export type ScheduleCommands = ReturnType<typeof scheduleCommands>;

/** A schedule that was begun so long ago and is not there never will be. */
const SETTLED_AFTER_MS = 60_000;
/** After whatever has been. */
const FAR = "9999-12-31T00:00:00.000Z";

/** What people do with schedules. What the clock does with them is the scheduler's. */
export const scheduleCommands = (deps: {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly slots: ScheduleSlots;
  readonly recipients: ScheduleRecipients;
  readonly checkSelection: CheckSelection;
  readonly queueRuns: (context: CommandContext, input: QueueRunsInput) => Promise<QueuedRuns>;
}) => {
  const { loop, clock, slots, recipients } = deps;

  const writeSchedule = (
    context: CommandContext,
    command: Exclude<ScheduleCommand, { type: "delete" | "settleTick" }>,
  ): Promise<Written<StandingSchedule>> =>
    write(loop, scheduleDecider, command.scheduleId, command, context);

  const on = (context: CommandContext, scheduleId: string, expectedVersions: Expected) => ({
    scheduleId,
    organizationId: organizationOf(context),
    expectedVersions,
  });

  /** Takes a place among the organisation's schedules. Throws `schedule.limitReached`. */
  const takePlace = async (organizationId: string, scheduleId: string): Promise<void> => {
    const { state } = await loop.load(planDecider, organizationId);
    const { limit, reason } = limitOf(planInForce(state).plan, "schedules");
    const now = clock();
    const slot = { organizationId, scheduleId, limit, at: now.toISOString() };
    if (await slots.take(slot)) return;
    // Places of schedules that were begun and never made are free again.
    const old = new Date(now.getTime() - SETTLED_AFTER_MS).toISOString();
    for (const taken of await slots.takenBefore(organizationId, old)) {
      const { status } = (await loop.load(scheduleDecider, taken)).state;
      if (status === "none" || status === "deleted") await slots.give(taken);
    }
    if (await slots.take(slot)) return;
    throw new DomainError("schedule.limitReached", reason ?? "No plan allows more schedules.");
  };

  /** The zone of schedules that name none. */
  const zoneOf = async (organizationId: string): Promise<string> => {
    const { state } = await loop.load(organizationDecider, organizationId);
    mustBeActive(state);
    return ("settings" in state ? state.settings : organizationSettings.parse({})).timeZone;
  };

  return {
    /**
     * Throws `schedule.limitReached` where the plan allows no more, `test.unknownInRequest`, `test.foreign`,
     * `testSet.unknownInRequest`, `testSet.foreign`, `run.unknownEnvironment`, `run.foreignEnvironment`.
     */
    createSchedule: async (
      context: CommandContext,
      given: Omit<ScheduleTerms, "zone"> & { readonly zone?: string | undefined },
      addresses: readonly string[],
    ): Promise<Written<StandingSchedule>> => {
      const organizationId = organizationOf(context);
      const scheduleId = idFor(context, "schedule");
      const at = clock().toISOString();
      const zone = given.zone ?? (await zoneOf(organizationId));
      const terms: ScheduleTerms = { ...given, zone };
      const command = { type: "create", scheduleId, organizationId, terms, at } as const;
      const done = await loop.findDone(scheduleDecider, scheduleId, "create", context);
      if (!done) {
        await deps.checkSelection(organizationId, terms, terms);
        await takePlace(organizationId, scheduleId);
        // Before it is there: no tick of it may go by unheard.
        await recipients.replace({ scheduleId, organizationId, addresses });
      }
      return writeSchedule(context, command);
    },

    /** Changes what is given, and the addresses where they are. From now on ticks are due by the new terms. */
    changeSchedule: async (
      context: CommandContext,
      scheduleId: string,
      terms: Partial<ScheduleTerms>,
      addresses: readonly string[] | undefined,
      expectedVersions: Expected,
    ): Promise<Written<StandingSchedule>> => {
      const of = on(context, scheduleId, expectedVersions);
      const { state } = await loop.load(scheduleDecider, scheduleId);
      const now = "terms" in state && state.organizationId === of.organizationId ? state.terms : {};
      const then = { testIds: [], testSetIds: [], environment: null, ...now, ...terms };
      await deps.checkSelection(of.organizationId, terms, then);
      const at = clock().toISOString();
      const written = await writeSchedule(context, { type: "change", ...of, terms, at });
      if (addresses) {
        const { organizationId } = of;
        await recipients.replace({ scheduleId, organizationId, addresses });
      }
      return written;
    },

    /** No tick is due until it is resumed. */
    pauseSchedule: (
      context: CommandContext,
      scheduleId: string,
      expectedVersions: Expected,
    ): Promise<Written<StandingSchedule>> =>
      writeSchedule(context, { type: "pause", ...on(context, scheduleId, expectedVersions) }),

    /** Ticks are due from now on: those that went by meanwhile are not. */
    resumeSchedule: (
      context: CommandContext,
      scheduleId: string,
      expectedVersions: Expected,
    ): Promise<Written<StandingSchedule>> => {
      const at = clock().toISOString();
      const of = on(context, scheduleId, expectedVersions);
      return writeSchedule(context, { type: "resume", ...of, at });
    },

    deleteSchedule: async (
      context: CommandContext,
      scheduleId: string,
      expectedVersions: Expected,
    ): Promise<Receipt> => {
      const command = { type: "delete", ...on(context, scheduleId, expectedVersions) } as const;
      const { receipt } = await write(loop, scheduleDecider, scheduleId, command, context);
      await recipients.forget(scheduleId);
      await slots.give(scheduleId);
      return receipt;
    },

    /**
     * Runs what a schedule runs, now, besides its ticks. The runs are the schedule's: whom it tells is told.
     * Throws what `queueRuns` throws, `schedule.unknown`, `schedule.foreign`.
     */
    runScheduleNow: async (context: CommandContext, scheduleId: string): Promise<QueuedRuns> => {
      const of = on(context, scheduleId, null);
      const { state } = await loop.load(scheduleDecider, scheduleId);
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
      const noted = await writeSchedule(context, {
        type: "runByHand",
        ...of,
        runIds: queued.runIds,
      });
      return { ...queued, receipt: joinReceipts([queued.receipt, noted.receipt]) };
    },

    /** Ends every schedule of an organisation that was deleted, and forgets whom they told. Twice is once. */
    deleteAll: async (context: CommandContext, organizationId: string): Promise<void> => {
      const theirs = { ...context, organizationId };
      for (const scheduleId of await slots.takenBefore(organizationId, FAR)) {
        const { status } = (await loop.load(scheduleDecider, scheduleId)).state;
        if (status !== "none" && status !== "deleted") {
          const command = { type: "delete", ...on(theirs, scheduleId, null) } as const;
          await loop.execute(scheduleDecider, scheduleId, command, withNewIds(theirs));
        }
        await recipients.forget(scheduleId);
        await slots.give(scheduleId);
      }
    },

    /** Whom schedules tell, by schedule. */
    recipientsOf: recipients.of,
  };
};

/** What is done in a schedule's name: `triggered_by` is `schedule:<name>` then. */
export const asSchedule = (
  context: CommandContext,
  scheduleId: string,
  terms: Pick<ScheduleTerms, "name">,
): CommandContext => ({
  ...context,
  actor: { type: "schedule", id: scheduleId, name: terms.name },
});

/** The runs that a schedule asks for. */
export const runsOf = (terms: ScheduleTerms): QueueRunsInput => ({
  selection: { testIds: terms.testIds, testSetIds: terms.testSetIds },
  browsers: browserName.array().parse(terms.browsers),
  baseUrl: terms.baseUrl,
  variables: {},
  environment: terms.environment,
});
