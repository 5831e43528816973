import type { NotificationCommands } from "../../commands/notifications/notifications.ts";
import { contactsDecider } from "../../domain/notifications/contacts.ts";
import type { About } from "../../domain/notifications/notification.ts";
import { isWorthContacts, isWorthRecipients } from "../../domain/notifications/worth.ts";
import type { OrganizationEvent } from "../../domain/organizations/events.ts";
import { organizationDecider } from "../../domain/organizations/organization.ts";
import type { RunEvent } from "../../domain/runs/events.ts";
import { runDecider } from "../../domain/runs/run.ts";
import { type ScheduleEvent, scheduleDecider } from "../../domain/schedules/schedule.ts";
import type { Database } from "../../platform/database/database.ts";
import type { EventLog, RecordedEvent } from "../../platform/eventLog/port.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Letter } from "../../platform/mail/template.ts";
import type { Positions } from "../../projections/kernel/positions.ts";
import type { ExecutionQueries } from "../../projections/runs/executions/queries.ts";
import type { RunQueries } from "../../projections/runs/queries.ts";
import { type Reactor, startReactor } from "../kernel/reactor.ts";
import { failedOf, reportUrlOf } from "./failedTests.ts";
import {
  contactTargets,
  contextOf,
  type MailingDeps,
  mailAll,
  scheduleTargets,
  type Target,
} from "./mailing.ts";
import { resultLetter } from "./resultLetter.ts";
import { recoveryLetter, refusalLetter } from "./scheduleLetters.ts";

/** Time that the read models have to reach the position of an event. */
const CATCH_UP_MS = 10_000;
/** Older events send no mail. */
const FRESH_MS = 24 * 3_600_000;

export type NotifierDeps = MailingDeps & {
  readonly log: EventLog;
  readonly db: Database["db"];
  readonly logger: Logger;
  readonly holder: string;
  readonly positions: Positions;
  readonly runs: Pick<RunQueries, "findRun" | "statusBefore" | "actorOfRun">;
  readonly executions: Pick<ExecutionQueries, "findExecution" | "screenshotsOf">;
  readonly commands: Pick<NotificationCommands, "memberLeft">;
  /** Public base URL of the web app. */
  readonly webBase: () => string;
};

type DataOf<Type extends ScheduleEvent["type"]> = Extract<ScheduleEvent, { type: Type }>["data"];

/**
 * Sends mails about finished runs, refused schedules and schedules that run again. It follows the log with
 * its own checkpoint, so that a rebuild of a read model sends no mail.
 */
export const startNotifier = (deps: NotifierDeps): Reactor => {
  const { log, db, logger, holder } = deps;
  return startReactor<RunEvent | ScheduleEvent | OrganizationEvent>({
    ...{ name: "notifier", log, db, holder, logger },
    codecs: [runDecider.codec, scheduleDecider.codec, organizationDecider.codec],
    on: {
      RunFinished: (event) => mailResult(deps, event, event.data.runId),
      RunCancelled: (event) => mailResult(deps, event, event.data.runId),
      ScheduleTickRefused: (event) => mailRefusal(deps, event, event.data),
      ScheduleFired: (event) => mailRecovery(deps, event, event.data),
      MemberRemoved: (event) => removeMember(deps, event, event.data.userId),
    },
  });
};

const mailResult = async (
  deps: NotifierDeps,
  event: RecordedEvent,
  runId: string,
): Promise<void> => {
  if (!isFresh(deps, event)) return;
  await readModelsAt(deps, event);
  const run = await deps.runs.findRun(runId);
  const actor = await deps.runs.actorOfRun(runId);
  if (!run || !actor || run.status === "queued" || run.status === "running") return;
  const { organizationId, status } = run;
  const before = await deps.runs.statusBefore(runId);
  const scheduleId = actor.type === "schedule" ? actor.id : null;
  const targets: Target[] = [];
  if (scheduleId) {
    const { state: schedule } = await deps.loop.load(scheduleDecider, scheduleId);
    const stands = schedule.status === "active" || schedule.status === "paused";
    if (stands && isWorthRecipients({ status }, schedule.terms)) {
      targets.push(...(await scheduleTargets(deps, organizationId, scheduleId)));
    }
  }
  const { preferences } = (await deps.loop.load(contactsDecider, organizationId)).state;
  if (isWorthContacts({ status, before, source: actor.type }, preferences)) {
    targets.push(...(await contactTargets(deps, organizationId)));
  }
  if (targets.length === 0) return;
  const { letter, pictures } = resultLetter({
    status,
    before,
    triggeredBy: run.triggered_by,
    totals: run.totals,
    withGaps: run.tests_with_gaps,
    healed: run.tests_healed,
    durationMs: run.duration_ms,
    failed: await failedOf(deps.executions, run),
    reportUrl: reportUrlOf(deps.webBase(), run),
  });
  await mailAll(deps, event, { kind: "run", runId, scheduleId }, targets, letter, pictures);
};

const mailRefusal = async (
  deps: NotifierDeps,
  event: RecordedEvent,
  { scheduleId, tick, reason, announced = true }: DataOf<"ScheduleTickRefused">,
): Promise<void> => {
  if (!announced) return;
  await mailAboutSchedule(deps, event, { kind: "tick_refused", scheduleId, tick }, (name) =>
    refusalLetter({ name, tick, reason }),
  );
};

const mailRecovery = async (
  deps: NotifierDeps,
  event: RecordedEvent,
  { scheduleId, tick, recovered }: DataOf<"ScheduleFired">,
): Promise<void> => {
  if (recovered !== true) return;
  await mailAboutSchedule(deps, event, { kind: "runs_again", scheduleId, tick }, (name) =>
    recoveryLetter({ name, tick }),
  );
};

/** Mails the recipients of the schedule, and the contacts if the organisation wants mails about refusals. */
const mailAboutSchedule = async (
  deps: NotifierDeps,
  event: RecordedEvent,
  about: Exclude<About, { kind: "run" }>,
  letterOf: (name: string) => Letter,
): Promise<void> => {
  if (!isFresh(deps, event)) return;
  await readModelsAt(deps, event);
  const organizationId = event.metadata.organization_id ?? "";
  const { state } = await deps.loop.load(scheduleDecider, about.scheduleId);
  if (state.status !== "active" && state.status !== "paused") return;
  const { preferences } = (await deps.loop.load(contactsDecider, organizationId)).state;
  const targets = [
    ...(await scheduleTargets(deps, organizationId, about.scheduleId)),
    ...(preferences.refusals ? await contactTargets(deps, organizationId) : []),
  ];
  await mailAll(deps, event, about, targets, letterOf(state.terms.name), []);
};

/** Removes the addresses of a former member, however old the event is, unless they have joined again. */
const removeMember = async (
  deps: NotifierDeps,
  event: RecordedEvent,
  userId: string,
): Promise<void> => {
  const organizationId = event.metadata.organization_id ?? "";
  const { state } = await deps.loop.load(organizationDecider, organizationId);
  if ("members" in state && state.members[userId] !== undefined) return;
  await deps.commands.memberLeft(contextOf(event), organizationId, userId);
};

const isFresh = ({ clock }: NotifierDeps, event: RecordedEvent): boolean =>
  clock().getTime() - Date.parse(event.metadata.recorded_at) < FRESH_MS;

const readModelsAt = async ({ positions }: NotifierDeps, event: RecordedEvent): Promise<void> => {
  const models = ["runs", "executions", "notifications"];
  if (await positions.waitFor(models, event.position, CATCH_UP_MS)) return;
  throw new Error("The read models did not catch up in time");
};
