import { DomainError } from "../../domain/kernel/errors.ts";
import { contactsDecider } from "../../domain/notifications/contacts.ts";
import type { Clock } from "../../platform/clock.ts";
import { derivedId } from "../../platform/ids.ts";
import { writeLetter } from "../../platform/mail/template.ts";
import type { Addressee, NotificationAddresses } from "../../stores/notifications/addresses.ts";
import type { OutboxState } from "../../stores/notifications/outbox.ts";
import type { ScheduleRecipients } from "../../stores/schedules/recipients.ts";
import type { CommandLoop } from "../kernel/commandLoop.ts";
import { mailLimit } from "./mailLimit.ts";

export type NotificationDeps = {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly addresses: NotificationAddresses;
  readonly recipients: Pick<ScheduleRecipients, "forgetOf" | "forgetPerson">;
  readonly outbox: Pick<OutboxState, "put" | "takenSince">;
  /** Public base URL of the web app. */
  readonly webBase: () => string;
};

const KIND = "verify_contact";
/** Age after which an address without a recorded contact is free again, in milliseconds. */
const SETTLED_AFTER_MS = 60_000;

/** Limits the confirmation mails to an address. */
export const confirmationLimit = ({ outbox, clock }: NotificationDeps) =>
  mailLimit({
    ...{ outbox, clock, kind: KIND },
    code: "contact.tooManyMails",
    noun: "confirmation requests",
  });

/** Mails a confirmation link to the address. A repeated request sends one mail. */
export const sendConfirmation = async (
  deps: NotificationDeps,
  contactId: string,
  who: Addressee,
): Promise<void> => {
  const { addresses, outbox, clock, webBase } = deps;
  const token = addresses.tokenOf(contactId, who.email);
  const letter = writeLetter({
    subject: "Confirm that you want to hear of test runs",
    paragraphs: [
      "An organisation on Runledger added you as a contact for the results of its test runs.",
    ],
    action: {
      label: "Confirm your address",
      url: `${webBase()}/notifications/contacts/${contactId}/verify?token=${token}`,
    },
    closing: ["If you did not expect this, do nothing: no more mail will come."],
  });
  const id = derivedId(contactId, addresses.digestOf(who.email));
  const mail = { id, to: { name: who.name, address: who.email }, ...letter };
  const at = clock().toISOString();
  const atMost = confirmationLimit(deps).atMost();
  await outbox.put({ mail, kind: KIND, userId: null, at, atMost });
};

/** Throws `contact.unknown`. */
export const addresseeOf = async (
  { addresses }: NotificationDeps,
  contactId: string,
): Promise<Addressee> => {
  const found = (await addresses.contacts([contactId])).get(contactId);
  if (!found) throw new DomainError("contact.unknown", `There is no contact ${contactId}.`);
  return found;
};

/** Throws `contact.addressTaken`. Frees an address whose contact was removed or never recorded. */
export const mustBeFree = async (
  { loop, clock, addresses }: NotificationDeps,
  contactId: string,
  organizationId: string,
  email: string,
): Promise<void> => {
  const holder = await addresses.holderOf(contactId, organizationId, email);
  if (!holder) return;
  const { contacts, removed } = (await loop.load(contactsDecider, organizationId)).state;
  // A recent address may belong to a contact that is about to be recorded.
  const isSettled = clock().getTime() - Date.parse(holder.since) > SETTLED_AFTER_MS;
  const isStale = removed.has(holder.contactId) || isSettled;
  if (contacts.has(holder.contactId) || !isStale) throw addressTaken();
  await addresses.forgetContact(holder.contactId);
};

/** Stores name and address of a contact. Throws `contact.addressTaken`. */
export const keepAddress = async (
  { addresses, clock }: NotificationDeps,
  contactId: string,
  organizationId: string,
  who: Addressee,
): Promise<void> => {
  if (!(await addresses.putContact(contactId, organizationId, who, clock()))) throw addressTaken();
};

const addressTaken = (): DomainError =>
  new DomainError("contact.addressTaken", "email: another contact has this address already.");
