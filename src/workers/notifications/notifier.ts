import type { CommandLoop } from "../../commands/kernel/commandLoop.ts";
import { contactsDecider } from "../../domain/notifications/contacts.ts";
import {
  type About,
  notificationDecider,
  type Recipient,
} from "../../domain/notifications/notification.ts";
import { isWorthContacts, isWorthRecipients } from "../../domain/notifications/worth.ts";
import { type RunEvent, runDecider } from "../../domain/runs/run.ts";
import { type ScheduleEvent, scheduleDecider } from "../../domain/schedules/schedule.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { EventLog, RecordedEvent } from "../../platform/eventLog/port.ts";
import { derivedIdAt } from "../../platform/ids.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Letter } from "../../platform/mail/letter.ts";
import type {
  Addressee,
  NotificationAddresses,
  Unwanted,
} from "../../platform/state/notificationAddresses.ts";
import type { OutboxState } from "../../platform/state/outbox.ts";
import type { ScheduleRecipients } from "../../platform/state/scheduleRecipients.ts";
import type { ExecutionQueries } from "../../projections/executionQueries.ts";
import type { Positions } from "../../projections/kernel/positions.ts";
import type { NotificationQueries } from "../../projections/notifications.ts";
import type { RunDetail, RunQueries } from "../../projections/runQueries.ts";
import { type Reactor, startReactor } from "../kernel/reactor.ts";
import { NOTIFICATION } from "./recorder.ts";
import { type FailedTest, resultLetter, withWayOut } from "./resultLetter.ts";

/** So long the read models have to come to where the log is, in milliseconds. */
const CATCH_UP_MS = 10_000;
/** What is older than that when it is come across is history: nobody is told of it any more. */
const FRESH_MS = 24 * 3_600_000;
const MAX_DESCRIBED = 10;

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
  readonly outbox: Pick<OutboxState, "put">;
  /** Where people read reports. */
  readonly webBase: () => string;
  /** Where the API is reached from outside. */
  readonly apiBase: () => string;
};

/** Somebody to be told, and why. */
type Told = { readonly who: Addressee; readonly recipient: Recipient; readonly unwanted: Unwanted };

/**
 * Tells people how runs ended, and of ticks that were refused. Each mail is asked for in the log first, under an
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
        {
          actor: { type: "system", id: "notifier" },
          organizationId,
          correlationId: event.metadata.$correlationId,
          causationId: event.id,
        },
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
      failed: await failedOf(deps, run),
      reportUrl: reportUrlOf(deps.webBase(), run),
    });
    await tell(event, { kind: "run", runId, scheduleId }, told, letter, pictures);
  };

  const onRefusal = async (
    event: RecordedEvent,
    { scheduleId, tick, reason }: { scheduleId: string; tick: string; reason: string },
  ): Promise<void> => {
    if (!isFresh(event)) return;
    await seen(event);
    const organizationId = event.metadata.organization_id ?? "";
    const { state } = await loop.load(scheduleDecider, scheduleId);
    if (state.status !== "active" && state.status !== "paused") return;
    const { preferences } = (await loop.load(contactsDecider, organizationId)).state;
    const told = [
      ...(await recipientsOf(organizationId, scheduleId)),
      ...(preferences.refusals ? await contactsOf(organizationId) : []),
    ];
    const letter: Letter = {
      subject: `${state.terms.name}: not run`,
      paragraphs: [
        `The schedule "${state.terms.name}" was due at ${tick}, and was not run.`,
        reason,
      ],
    };
    await tell(event, { kind: "tick_refused", scheduleId, tick }, told, letter, []);
  };

  return startReactor<RunEvent | ScheduleEvent>({
    name: "notifier",
    log,
    db,
    holder,
    logger,
    codecs: [runDecider.codec, scheduleDecider.codec],
    on: {
      RunFinished: (event) => onEnd(event, event.data.runId),
      RunCancelled: (event) => onEnd(event, event.data.runId),
      ScheduleTickRefused: (event) => onRefusal(event, event.data),
    },
  });
};

/** Deep links of the web app (operations.md, "Reports"). */
const reportUrlOf = (webBase: string, run: RunDetail): string => {
  const [only] = run.tests;
  if (run.test_set_id !== null) {
    return `${webBase}/reports/test-sets/${run.test_set_id}?run=${run.id}`;
  }
  return run.tests.length === 1 && only
    ? `${webBase}/reports/tests/${only.test_id}?run=${run.id}`
    : `${webBase}/runs/${run.id}`;
};

/** The tests of a run that did not pass, with the step at which each ended and a picture of it. */
const failedOf = async (
  { executions }: Pick<NotifierDeps, "executions">,
  run: RunDetail,
): Promise<readonly FailedTest[]> => {
  const failed = run.tests.filter(({ status }) => status === "failed" || status === "errored");
  return Promise.all(
    failed.map(async ({ name, status, error, execution_id }, index) => {
      const plain = { name, status, error, step: null, picture: null };
      if (index >= MAX_DESCRIBED) return plain;
      const execution = await executions.findExecution(execution_id);
      const attempt = execution?.attempts.at(-1)?.number;
      const browser = execution?.browsers.find((one) => one.status !== "passed");
      const step = browser?.steps.find((one) => one.status === "failed");
      if (!browser || !step) return plain;
      const shots = await executions.screenshotsOf(execution_id);
      const shot = shots.find(
        (one) =>
          one.step_number === step.number &&
          one.browser === browser.browser &&
          one.attempt === attempt,
      );
      const said = step.description || `${step.action} ${step.target} ${step.value}`.trim();
      return {
        ...plain,
        error: step.error ?? error,
        step: { number: step.number, description: said },
        picture: shot?.blob_key ?? null,
      };
    }),
  );
};
