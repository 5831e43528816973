import type { CommandContext, CommandLoop } from "../../commands/kernel/commandLoop.ts";
import type { NotificationCommands } from "../../commands/notifications/notifications.ts";
import { contactsDecider } from "../../domain/notifications/contacts.ts";
import {
  type About,
  notificationDecider,
  type Recipient,
} from "../../domain/notifications/notification.ts";
import { isWorthContacts, isWorthRecipients } from "../../domain/notifications/worth.ts";
import type { OrganizationEvent } from "../../domain/organizations/events.ts";
import { organizationDecider } from "../../domain/organizations/organization.ts";
import type { RunEvent } from "../../domain/runs/events.ts";
import { runDecider } from "../../domain/runs/run.ts";
import { type ScheduleEvent, scheduleDecider } from "../../domain/schedules/schedule.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { EventLog, RecordedEvent } from "../../platform/eventLog/port.ts";
import { derivedIdAt } from "../../platform/ids.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Letter } from "../../platform/mail/template.ts";
import type { Positions } from "../../projections/kernel/positions.ts";
import type { NotificationQueries } from "../../projections/notifications/notifications.ts";
import type { ExecutionQueries } from "../../projections/runs/executions/queries.ts";
import type { RunQueries } from "../../projections/runs/queries.ts";
import type {
  Addressee,
  NotificationAddresses,
  Unwanted,
} from "../../stores/notifications/addresses.ts";
import type { OutboxState } from "../../stores/notifications/outbox.ts";
import type { ScheduleRecipients } from "../../stores/schedules/recipients.ts";
import { type Reactor, startReactor } from "../kernel/reactor.ts";
import { failedOf, reportUrlOf } from "./failedTests.ts";
import { NOTIFICATION } from "./recorder.ts";
import { resultLetter, withWayOut } from "./resultLetter.ts";
import { recoveryLetter, refusalLetter } from "./scheduleLetters.ts";

/** So long the read models have to come to where the log is, in milliseconds. */
const CATCH_UP_MS = 10_000;
/** What is older than that when it is come across is history: nobody is told of it any more. */
const FRESH_MS = 24 * 3_600_000;

export type NotifierDeps = {
  readonly log: EventLog;
  readonly db: Database["db"];
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly holder: string;
  readonly positions: Positions;
  readonly runs: Pick<RunQueries, "findRun" | "statusBefore" | "actorOfRun">;
  readonly executions: Pick<ExecutionQueries, "findExecution" | "screenshotsOf">;
  readonly notifications: Pick<NotificationQueries, "listeningContacts">;
  readonly addresses: NotificationAddresses;
  readonly recipients: Pick<ScheduleRecipients, "of">;
  readonly commands: Pick<NotificationCommands, "memberLeft">;
  readonly outbox: Pick<OutboxState, "put">;
  /** Where people read reports. */
  readonly webBase: () => string;
  /** Where the API is reached from outside. */
  readonly apiBase: () => string;
};

/** Somebody to be told, and why. */
type Told = { readonly who: Addressee; readonly recipient: Recipient; readonly unwanted: Unwanted };

/**
 * Tells people how runs ended, and of schedules that are refused or run again. Each mail is asked for in the log first, under an
 * id that comes of its cause and its address: an event that comes twice mails once. It reacts to the log behind
 * a checkpoint of its own, so no rebuild of a read model mails anything.
 */
export const startNotifier = (deps: NotifierDeps): Reactor => {
  const { log, db, loop, logger, holder, addresses } = deps;

  /** One mail for each address, whatever it is told for. */
  const tell = async (
    event: RecordedEvent,
    about: About,
    told: readonly Told[],
    letter: Letter,
    pictures: readonly { readonly cid: string; readonly key: string }[],
  ): Promise<void> => {
    const organizationId = event.metadata.organization_id ?? "";
    const seen = new Set<string>();
    for (const { who, recipient, unwanted } of told) {
      const digest = addresses.digestOf(who.email);
      if (seen.has(digest)) continue;
      seen.add(digest);
      const at = Date.parse(event.metadata.recorded_at);
      const id = derivedIdAt(at, event.id, digest);
      await addresses.putNotification(id, organizationId, who);
      await loop.execute(
        notificationDecider,
        id,
        { type: "request", notificationId: id, about, recipient },
        contextOf(event),
      );
      const token = addresses.unsubscribeTokenOf(unwanted);
      const unsubscribeUrl = `${deps.apiBase()}/api/v1/notifications/unsubscribe?token=${token}`;
      const mail = {
        id,
        to: { name: who.name, address: who.email },
        ...withWayOut(letter, unsubscribeUrl),
        unsubscribeUrl,
        pictures,
      };
      const now = deps.clock().toISOString();
      await deps.outbox.put({ mail, kind: NOTIFICATION, userId: null, at: now });
    }
  };

  const contactsOf = async (organizationId: string): Promise<readonly Told[]> => {
    const ids = await deps.notifications.listeningContacts(organizationId);
    return [...(await addresses.contacts(ids))].map(([contactId, who]) => ({
      who,
      recipient: { kind: "contact", contactId },
      unwanted: { kind: "contact", organizationId, contactId },
    }));
  };

  const recipientsOf = async (organizationId: string, scheduleId: string) =>
    ((await deps.recipients.of([scheduleId])).get(scheduleId) ?? []).map(
      (email): Told => ({
        who: { name: "", email },
        recipient: { kind: "schedule", scheduleId },
        unwanted: { kind: "schedule", organizationId, scheduleId, email },
      }),
    );

  const isFresh = (event: RecordedEvent): boolean =>
    deps.clock().getTime() - Date.parse(event.metadata.recorded_at) < FRESH_MS;

  const seen = async (event: RecordedEvent): Promise<void> => {
    const models = ["runs", "executions", "notifications"];
    if (await deps.positions.waitFor(models, event.position, CATCH_UP_MS)) return;
    throw new Error("The read models are behind");
  };

  const onEnd = async (event: RecordedEvent, runId: string): Promise<void> => {
    if (!isFresh(event)) return;
    await seen(event);
    const run = await deps.runs.findRun(runId);
    const actor = await deps.runs.actorOfRun(runId);
    if (!run || !actor || run.status === "queued" || run.status === "running") return;
    const { organizationId, status } = run;
    const before = await deps.runs.statusBefore(runId);
    const scheduleId = actor.type === "schedule" ? actor.id : null;
    const schedule = scheduleId && (await loop.load(scheduleDecider, scheduleId)).state;
    const told: Told[] = [];
    if (scheduleId && schedule && (schedule.status === "active" || schedule.status === "paused")) {
      if (isWorthRecipients({ status }, schedule.terms)) {
        told.push(...(await recipientsOf(organizationId, scheduleId)));
      }
    }
    const { preferences } = (await loop.load(contactsDecider, organizationId)).state;
    if (isWorthContacts({ status, before, source: actor.type }, preferences)) {
      told.push(...(await contactsOf(organizationId)));
    }
    if (told.length === 0) return;
    const { letter, pictures } = resultLetter({
      status,
      before,
      triggeredBy: run.triggered_by,
      totals: run.totals,
      durationMs: run.duration_ms,
      failed: await failedOf(deps.executions, run),
      reportUrl: reportUrlOf(deps.webBase(), run),
    });
    await tell(event, { kind: "run", runId, scheduleId }, told, letter, pictures);
  };

  /** Tells of a schedule itself whom it names, and the contacts that want to hear of refusals. */
  const tellOfSchedule = async (
    event: RecordedEvent,
    about: Exclude<About, { kind: "run" }>,
    letterOf: (name: string) => Letter,
  ): Promise<void> => {
    if (!isFresh(event)) return;
    await seen(event);
    const organizationId = event.metadata.organization_id ?? "";
    const { state } = await loop.load(scheduleDecider, about.scheduleId);
    if (state.status !== "active" && state.status !== "paused") return;
    const { preferences } = (await loop.load(contactsDecider, organizationId)).state;
    const told = [
      ...(await recipientsOf(organizationId, about.scheduleId)),
      ...(preferences.refusals ? await contactsOf(organizationId) : []),
    ];
    await tell(event, about, told, letterOf(state.terms.name), []);
  };

  const onRefusal = async (
    event: RecordedEvent,
    { scheduleId, tick, reason, announced = true }: DataOf<"ScheduleTickRefused">,
  ): Promise<void> => {
    if (!announced) return;
    await tellOfSchedule(event, { kind: "tick_refused", scheduleId, tick }, (name) =>
      refusalLetter({ name, tick, reason }),
    );
  };

  const onFired = async (
    event: RecordedEvent,
    { scheduleId, tick, recovered }: DataOf<"ScheduleFired">,
  ): Promise<void> => {
    if (recovered !== true) return;
    await tellOfSchedule(event, { kind: "runs_again", scheduleId, tick }, (name) =>
      recoveryLetter({ name, tick }),
    );
  };

  /** However old it is: whoever has left hears no more, unless they are back by now. */
  const onLeft = async (event: RecordedEvent, userId: string): Promise<void> => {
    const organizationId = event.metadata.organization_id ?? "";
    const { state } = await loop.load(organizationDecider, organizationId);
    if ("members" in state && state.members[userId] !== undefined) return;
    await deps.commands.memberLeft(contextOf(event), organizationId, userId);
  };

  return startReactor<RunEvent | ScheduleEvent | OrganizationEvent>({
    name: "notifier",
    log,
    db,
    holder,
    logger,
    codecs: [runDecider.codec, scheduleDecider.codec, organizationDecider.codec],
    on: {
      RunFinished: (event) => onEnd(event, event.data.runId),
      RunCancelled: (event) => onEnd(event, event.data.runId),
      ScheduleTickRefused: (event) => onRefusal(event, event.data),
      ScheduleFired: (event) => onFired(event, event.data),
      MemberRemoved: (event) => onLeft(event, event.data.userId),
    },
  });
};

type DataOf<Type extends ScheduleEvent["type"]> = Extract<ScheduleEvent, { type: Type }>["data"];

const contextOf = (event: RecordedEvent): CommandContext => ({
  actor: { type: "system", id: "notifier" },
  organizationId: event.metadata.organization_id,
  correlationId: event.metadata.$correlationId,
  causationId: event.id,
});
