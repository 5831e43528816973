import { DomainError } from "../../domain/kernel/errors.ts";
import { contactsDecider, type Preferences } from "../../domain/notifications/contacts.ts";
import type { Addressee } from "../../stores/notifications/addresses.ts";
import { type Expected, organizationOf } from "../catalogue/changes.ts";
import { type CommandContext, withNewIds } from "../kernel/context.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";
import type { NotificationDeps } from "./contactAddresses.ts";
import {
  addContact,
  type ContactChange,
  changeContact,
  removeContact,
  verifyContact,
} from "./contacts.ts";

export type NotificationCommands = ReturnType<typeof notificationCommands>;

/** Contacts of an organisation, their preferences and unsubscribing. */
export const notificationCommands = (deps: NotificationDeps) => ({
  addContact: (context: CommandContext, who: Addressee) => addContact(deps, context, who),
  changeContact: (
    context: CommandContext,
    contactId: string,
    change: ContactChange,
    expectedVersions: Expected,
  ) => changeContact(deps, context, contactId, change, expectedVersions),
  removeContact: (context: CommandContext, contactId: string, expectedVersions: Expected) =>
    removeContact(deps, context, contactId, expectedVersions),
  verifyContact: (
    context: CommandContext,
    organizationId: string,
    contactId: string,
    token: string,
  ) => verifyContact(deps, context, organizationId, contactId, token),
  changePreferences: (context: CommandContext, preferences: Partial<Preferences>) =>
    changePreferences(deps, context, preferences),
  preferencesOf: async (organizationId: string): Promise<Preferences> =>
    (await deps.loop.load(contactsDecider, organizationId)).state.preferences,
  isUnsubscribeToken: (token: string): boolean =>
    deps.addresses.readUnsubscribeToken(token) !== null,
  unsubscribe: (context: CommandContext, token: string) => unsubscribe(deps, context, token),
  memberLeft: (context: CommandContext, organizationId: string, userId: string) =>
    memberLeft(deps, context, organizationId, userId),
  /** Deletes the addresses of a deleted organisation. */
  forgetAll: deps.addresses.forgetAll,
  /** Names and addresses of contacts, by id. */
  contactAddresses: deps.addresses.contacts,
  /** Addressees by notification id. */
  addressees: deps.addresses.addressees,
});

const changePreferences = async (
  { loop }: NotificationDeps,
  context: CommandContext,
  preferences: Partial<Preferences>,
): Promise<{ readonly preferences: Preferences; readonly receipt: Receipt }> => {
  const command = { type: "changePreferences", preferences } as const;
  const organizationId = organizationOf(context);
  const changed = await loop.execute(contactsDecider, organizationId, command, context);
  return { preferences: changed.state.preferences, receipt: receiptOf(changed) };
};

/** Ends the mails that the token belongs to. Idempotent. Throws `notification.tokenInvalid`. */
const unsubscribe = async (
  { loop, addresses, recipients }: NotificationDeps,
  context: CommandContext,
  token: string,
): Promise<Receipt> => {
  const unwanted = addresses.readUnsubscribeToken(token);
  if (!unwanted) {
    throw new DomainError("notification.tokenInvalid", "token: is not valid");
  }
  const { organizationId } = unwanted;
  const contactId = unwanted.kind === "contact" ? unwanted.contactId : null;
  const scheduleId = unwanted.kind === "schedule" ? unwanted.scheduleId : null;
  if (unwanted.kind === "schedule") {
    const wasRecipient = await recipients.forgetOf(unwanted.scheduleId, unwanted.email);
    if (!wasRecipient) return receiptOf();
  }
  const command = { type: "unsubscribe", contactId, scheduleId } as const;
  const inOrganization = withNewIds({ ...context, organizationId });
  return receiptOf(await loop.execute(contactsDecider, organizationId, command, inOrganization));
};

/** Removes a former member from the contacts and from the recipients of schedules. */
const memberLeft = async (
  { loop, addresses, recipients }: NotificationDeps,
  context: CommandContext,
  organizationId: string,
  userId: string,
): Promise<void> => {
  await recipients.forgetPerson(organizationId, userId);
  for (const contactId of await addresses.contactsOfPerson(organizationId, userId)) {
    const { contacts } = (await loop.load(contactsDecider, organizationId)).state;
    if (contacts.has(contactId)) {
      const command = { type: "remove", contactId, expectedVersions: null } as const;
      await loop.execute(contactsDecider, organizationId, command, withNewIds(context));
    }
    await addresses.forgetContact(contactId);
  }
};
