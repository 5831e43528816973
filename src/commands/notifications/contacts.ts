import { DomainError } from "../../domain/kernel/errors.ts";
import { type Contacts, contactsDecider } from "../../domain/notifications/contacts.ts";
import type { Addressee } from "../../stores/notifications/addresses.ts";
import { type Expected, organizationOf } from "../catalogue/changes.ts";
import type { Executed } from "../kernel/commandLoop.ts";
import { type CommandContext, idFor } from "../kernel/context.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";
import {
  addresseeOf,
  confirmationLimit,
  keepAddress,
  mustBeFree,
  type NotificationDeps,
  sendConfirmation,
} from "./contactAddresses.ts";

/** A contact after a command. */
export type WrittenContact = Addressee & {
  readonly id: string;
  readonly verified: boolean;
  readonly enabled: boolean;
  readonly version: number;
  /** Time of the change; null if nothing changed. */
  readonly at: string | null;
  readonly receipt: Receipt;
};

export type ContactChange = {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly enabled?: boolean | undefined;
};

/**
 * Adds a contact and sends a confirmation mail. The contact gets no notifications until it is confirmed.
 * Throws `contact.addressTaken`, `contact.tooMany`, `contact.tooManyMails`.
 */
export const addContact = async (
  deps: NotificationDeps,
  context: CommandContext,
  who: Addressee,
): Promise<WrittenContact> => {
  const organizationId = organizationOf(context);
  const contactId = idFor(context, "contact");
  await mustBeFree(deps, contactId, organizationId, who.email);
  // A repeated request sends no second mail.
  if (!context.again) await confirmationLimit(deps).mustBeFew(who.email);
  await keepAddress(deps, contactId, organizationId, who);
  const command = { type: "add", contactId } as const;
  const added = await deps.loop
    .execute(contactsDecider, organizationId, command, context)
    .catch(async (error: unknown) => {
      if (error instanceof DomainError) await deps.addresses.forgetContact(contactId);
      throw error;
    });
  await sendConfirmation(deps, contactId, who);
  return toWritten(contactId, who, added);
};

/**
 * Changes the given fields. A new address must be confirmed again.
 * Throws `contact.unknown`, `contact.stale`, `contact.addressTaken`, `contact.tooManyMails`.
 */
export const changeContact = async (
  deps: NotificationDeps,
  context: CommandContext,
  contactId: string,
  change: ContactChange,
  expectedVersions: Expected,
): Promise<WrittenContact> => {
  const { loop, addresses } = deps;
  const organizationId = organizationOf(context);
  const before = await addresseeOf(deps, contactId);
  const { name = before.name, email = before.email, enabled } = change;
  const who = { name, email };
  const hasNewAddress = addresses.digestOf(email) !== addresses.digestOf(before.email);
  await mustBeFree(deps, contactId, organizationId, email);
  if (hasNewAddress && !context.again) await confirmationLimit(deps).mustBeFew(email);
  const command = { type: "change", contactId, enabled, hasNewAddress, expectedVersions } as const;
  const changed = await loop.execute(contactsDecider, organizationId, command, context);
  await keepAddress(deps, contactId, organizationId, who);
  const written = toWritten(contactId, who, changed);
  // A repeated request may have been interrupted before the mail was sent.
  if (hasNewAddress || (context.again && !written.verified)) {
    await sendConfirmation(deps, contactId, who);
  }
  return written;
};

export const removeContact = async (
  { loop, addresses }: NotificationDeps,
  context: CommandContext,
  contactId: string,
  expectedVersions: Expected,
): Promise<Receipt> => {
  const command = { type: "remove", contactId, expectedVersions } as const;
  const organizationId = organizationOf(context);
  const removed = await loop.execute(contactsDecider, organizationId, command, context);
  await addresses.forgetContact(contactId);
  return receiptOf(removed);
};

/** Confirms the address of a contact with the token of its mail. Throws `contact.tokenInvalid`. */
export const verifyContact = async (
  { loop, addresses }: NotificationDeps,
  context: CommandContext,
  organizationId: string,
  contactId: string,
  token: string,
): Promise<WrittenContact> => {
  const who = (await addresses.contacts([contactId])).get(contactId);
  if (!who || !addresses.isTokenOf(token, contactId, who.email)) {
    throw new DomainError(
      "contact.tokenInvalid",
      "token: it is not (or no longer) good for this contact. Have the contact added again.",
    );
  }
  const command = { type: "verify", contactId } as const;
  const inOrganization = { ...context, organizationId };
  const verified = await loop.execute(contactsDecider, organizationId, command, inOrganization);
  return toWritten(contactId, who, verified);
};

const toWritten = (
  id: string,
  who: Addressee,
  executed: Executed<Contacts, { readonly type: string; readonly data: unknown }>,
): WrittenContact => {
  const contact = executed.state.contacts.get(id);
  return {
    id,
    ...who,
    verified: contact?.isVerified ?? false,
    enabled: contact?.enabled ?? false,
    version: contact?.version ?? 1,
    at: executed.at,
    receipt: receiptOf(executed),
  };
};
