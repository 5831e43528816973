import type { CommandContext, CommandLoop } from "../../commands/kernel/commandLoop.ts";
import {
  type About,
  notificationDecider,
  type Recipient,
} from "../../domain/notifications/notification.ts";
import type { Clock } from "../../platform/clock.ts";
import type { RecordedEvent } from "../../platform/eventLog/port.ts";
import { derivedIdAt } from "../../platform/ids.ts";
import type { Letter } from "../../platform/mail/template.ts";
import type { NotificationQueries } from "../../projections/notifications/notifications.ts";
import type {
  Addressee,
  NotificationAddresses,
  Unwanted,
} from "../../stores/notifications/addresses.ts";
import type { OutboxState } from "../../stores/notifications/outbox.ts";
import type { ScheduleRecipients } from "../../stores/schedules/recipients.ts";
import { NOTIFICATION } from "./recorder.ts";
import { withUnsubscribeLink } from "./resultLetter.ts";

export type MailingDeps = {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly notifications: Pick<NotificationQueries, "listeningContacts">;
  readonly addresses: NotificationAddresses;
  readonly recipients: Pick<ScheduleRecipients, "of">;
  readonly outbox: Pick<OutboxState, "put">;
  /** Public base URL of the API. */
  readonly apiBase: () => string;
};

/** An addressee of a mail, why they get it, and what their unsubscribe link ends. */
export type Target = {
  readonly who: Addressee;
  readonly recipient: Recipient;
  readonly unwanted: Unwanted;
};

/**
 * Puts one mail per address into the outbox. Each is recorded in the log first, with an id derived from the
 * event and the address, so that a repeated event sends no second mail.
 */
export const mailAll = async (
  deps: MailingDeps,
  event: RecordedEvent,
  about: About,
  targets: readonly Target[],
  letter: Letter,
  pictures: readonly { readonly cid: string; readonly key: string }[],
): Promise<void> => {
  const { addresses, loop, outbox } = deps;
  const organizationId = event.metadata.organization_id ?? "";
  const seen = new Set<string>();
  for (const { who, recipient, unwanted } of targets) {
    const digest = addresses.digestOf(who.email);
    if (seen.has(digest)) continue;
    seen.add(digest);
    const id = derivedIdAt(Date.parse(event.metadata.recorded_at), event.id, digest);
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
      ...withUnsubscribeLink(letter, unsubscribeUrl),
      unsubscribeUrl,
      pictures,
    };
    const at = deps.clock().toISOString();
    await outbox.put({ mail, kind: NOTIFICATION, userId: null, at });
  }
};

/** The contacts of an organisation that receive notifications. */
export const contactTargets = async (
  { notifications, addresses }: MailingDeps,
  organizationId: string,
): Promise<readonly Target[]> => {
  const ids = await notifications.listeningContacts(organizationId);
  return [...(await addresses.contacts(ids))].map(([contactId, who]) => ({
    who,
    recipient: { kind: "contact", contactId },
    unwanted: { kind: "contact", organizationId, contactId },
  }));
};

/** The recipients named by a schedule. */
export const scheduleTargets = async (
  { recipients }: MailingDeps,
  organizationId: string,
  scheduleId: string,
): Promise<readonly Target[]> =>
  ((await recipients.of([scheduleId])).get(scheduleId) ?? []).map((email) => ({
    who: { name: "", email },
    recipient: { kind: "schedule", scheduleId },
    unwanted: { kind: "schedule", organizationId, scheduleId, email },
  }));

export const contextOf = (event: RecordedEvent): CommandContext => ({
  actor: { type: "system", id: "notifier" },
  organizationId: event.metadata.organization_id,
  correlationId: event.metadata.$correlationId,
  causationId: event.id,
});
