import { DomainError } from "../../domain/kernel/errors.ts";
import {
  type Contacts,
  contactsDecider,
  type Preferences,
} from "../../domain/notifications/contacts.ts";
import type { Clock } from "../../platform/clock.ts";
import { derivedId } from "../../platform/ids.ts";
import { writeLetter } from "../../platform/mail/template.ts";
import type {
  Addressee,
  NotificationAddresses,
} from "../../stores/notifications/addresses.ts";
import type { OutboxState } from "../../stores/notifications/outbox.ts";
import type { ScheduleRecipients } from "../../stores/schedules/recipients.ts";
import { type Expected, organizationOf } from "../catalogue/changes.ts";
import type { CommandLoop, Executed } from "../kernel/commandLoop.ts";
import { type CommandContext, idFor, withNewIds } from "../kernel/context.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";
import { mailLimit } from "./mailLimit.ts";

/** A contact as it was just written. */
export type WrittenContact = Addressee & {
  readonly id: string;
  readonly verified: boolean;
  readonly enabled: boolean;
  readonly version: number;
  /** null when it was so already. */
  readonly at: string | null;
  readonly receipt: Receipt;
};

/** After so long a contact that is not in the log never will be, in milliseconds. */
const SETTLED_AFTER_MS = 60_000;

export type NotificationCommands = ReturnType<typeof notificationCommands>;

/** Whom an organisation tells of its runs, and what of. */
export const notificationCommands = (deps: {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly addresses: NotificationAddresses;
  readonly recipients: Pick<ScheduleRecipients, "forgetOf" | "forgetPerson">;
  readonly outbox: Pick<OutboxState, "put" | "takenSince">;
  readonly webBase: () => string;
}) => {
  const { loop, clock, addresses, outbox } = deps;
  const kind = "verify_contact";
  const { mustBeFew, atMost } = mailLimit({
    ...{ outbox, clock, kind },
    code: "contact.tooManyMails",
    noun: "such questions",
  });

  /** Asks whoever reads mail at an address whether they want to be a contact. The same request mails once. */
  const askFor = async (contactId: string, who: Addressee): Promise<void> => {
    const token = addresses.tokenOf(contactId, who.email);
    const letter = writeLetter({
      subject: "Confirm that you want to hear of test runs",
      paragraphs: [
        "You were named as somebody who is told how the test runs of an organisation on Runledger went.",
      ],
      action: {
        label: "Confirm your address",
        url: `${deps.webBase()}/notifications/contacts/${contactId}/verify?token=${token}`,
      },
      closing: ["If you did not expect this, do nothing: no more mail will come."],
    });
    const id = derivedId(contactId, addresses.digestOf(who.email));
    const mail = { id, to: { name: who.name, address: who.email }, ...letter };
    const at = clock().toISOString();
    await outbox.put({ mail, kind, userId: null, at, atMost: atMost() });
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

  const addresseeOf = async (contactId: string): Promise<Addressee> => {
    const found = (await addresses.contacts([contactId])).get(contactId);
    if (!found) throw new DomainError("contact.unknown", `There is no contact ${contactId}.`);
    return found;
  };

  const taken = (): DomainError =>
    new DomainError("contact.addressTaken", "email: another contact has this address already.");

  /** Throws `contact.addressTaken`. What holds an address and was never recorded, or was removed, gives it back. */
  const mustBeFree = async (
    contactId: string,
    organizationId: string,
    email: string,
  ): Promise<void> => {
    const holder = await addresses.holderOf(contactId, organizationId, email);
    if (!holder) return;
    const { contacts, removed } = (await loop.load(contactsDecider, organizationId)).state;
    // One that was stored just now may be about to be recorded.
    const isSettled = clock().getTime() - Date.parse(holder.since) > SETTLED_AFTER_MS;
    const isStale = removed.has(holder.contactId) || isSettled;
    if (contacts.has(holder.contactId) || !isStale) throw taken();
    await addresses.forgetContact(holder.contactId);
  };

  const keepAddress = async (
    contactId: string,
    organizationId: string,
    who: Addressee,
  ): Promise<void> => {
    if (!(await addresses.putContact(contactId, organizationId, who, clock()))) throw taken();
  };

  return {
    /**
     * Throws `contact.addressTaken`, `contact.tooMany`, `contact.tooManyMails`. Nothing is mailed to it until
     * it has confirmed.
     */
    addContact: async (context: CommandContext, who: Addressee): Promise<WrittenContact> => {
      const organizationId = organizationOf(context);
      const contactId = idFor(context, "contact");
      await mustBeFree(contactId, organizationId, who.email);
      // What comes again has mailed already, or will not any more.
      if (!context.again) await mustBeFew(who.email);
      await keepAddress(contactId, organizationId, who);
      const command = { type: "add", contactId } as const;
      const added = await loop
        .execute(contactsDecider, organizationId, command, context)
        .catch(async (error: unknown) => {
          if (error instanceof DomainError) await addresses.forgetContact(contactId);
          throw error;
        });
      await askFor(contactId, who);
      return toWritten(contactId, who, added);
    },

    /**
     * Throws `contact.unknown`, `contact.stale`, `contact.addressTaken`, `contact.tooManyMails`. Another address has
     * to be confirmed anew.
     */
    changeContact: async (
      context: CommandContext,
      contactId: string,
      change: {
        readonly name?: string | undefined;
        readonly email?: string | undefined;
        readonly enabled?: boolean | undefined;
      },
      expectedVersions: Expected,
    ): Promise<WrittenContact> => {
      const organizationId = organizationOf(context);
      const before = await addresseeOf(contactId);
      const { name = before.name, email = before.email, enabled } = change;
      const who = { name, email };
      const hasNewAddress = addresses.digestOf(email) !== addresses.digestOf(before.email);
      // Before anything is recorded: a contact that stays as it was stays confirmed.
      await mustBeFree(contactId, organizationId, email);
      if (hasNewAddress && !context.again) await mustBeFew(email);
      const command = {
        type: "change",
        contactId,
        enabled,
        hasNewAddress,
        expectedVersions,
      } as const;
      const changed = await loop.execute(contactsDecider, organizationId, command, context);
      await keepAddress(contactId, organizationId, who);
      const written = toWritten(contactId, who, changed);
      // What comes again may have been cut off before it asked.
      if (hasNewAddress || (context.again && !written.verified)) await askFor(contactId, who);
      return written;
    },

    removeContact: async (
      context: CommandContext,
      contactId: string,
      expectedVersions: Expected,
    ): Promise<Receipt> => {
      const command = { type: "remove", contactId, expectedVersions } as const;
      const removed = await loop.execute(
        contactsDecider,
        organizationOf(context),
        command,
        context,
      );
      await addresses.forgetContact(contactId);
      return receiptOf(removed);
    },

    /** Somebody has read the mail at the address. Throws `contact.tokenInvalid`. */
    verifyContact: async (
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
      const theirs = { ...context, organizationId };
      const verified = await loop.execute(contactsDecider, organizationId, command, theirs);
      return toWritten(contactId, who, verified);
    },

    changePreferences: async (
      context: CommandContext,
      preferences: Partial<Preferences>,
    ): Promise<{ readonly preferences: Preferences; readonly receipt: Receipt }> => {
      const command = { type: "changePreferences", preferences } as const;
      const changed = await loop.execute(
        contactsDecider,
        organizationOf(context),
        command,
        context,
      );
      return { preferences: changed.state.preferences, receipt: receiptOf(changed) };
    },

    /** What an organisation's contacts hear of. */
    preferencesOf: async (organizationId: string): Promise<Preferences> =>
      (await loop.load(contactsDecider, organizationId)).state.preferences,

    /** Whether a link out of a mail is one of ours. */
    isUnsubscribeToken: (token: string): boolean => addresses.readUnsubscribeToken(token) !== null,

    /** No more mail for whoever has the token. Throws `notification.tokenInvalid`. Twice is once. */
    unsubscribe: async (context: CommandContext, token: string): Promise<Receipt> => {
      const unwanted = addresses.readUnsubscribeToken(token);
      if (!unwanted) {
        throw new DomainError("notification.tokenInvalid", "token: it is none of ours.");
      }
      const { organizationId } = unwanted;
      const contactId = unwanted.kind === "contact" ? unwanted.contactId : null;
      const scheduleId = unwanted.kind === "schedule" ? unwanted.scheduleId : null;
      if (unwanted.kind === "schedule") {
        const isThere = await deps.recipients.forgetOf(unwanted.scheduleId, unwanted.email);
        // Not in it any more: nothing to record.
        if (!isThere) return receiptOf();
      }
      const command = { type: "unsubscribe", contactId, scheduleId } as const;
      const theirs = withNewIds({ ...context, organizationId });
      return receiptOf(await loop.execute(contactsDecider, organizationId, command, theirs));
    },

    /** Whoever has left an organisation hears no more of its runs: neither as a contact nor where a schedule names them. */
    memberLeft: async (
      context: CommandContext,
      organizationId: string,
      userId: string,
    ): Promise<void> => {
      await deps.recipients.forgetPerson(organizationId, userId);
      for (const contactId of await addresses.contactsOfPerson(organizationId, userId)) {
        const { contacts } = (await loop.load(contactsDecider, organizationId)).state;
        if (contacts.has(contactId)) {
          const command = { type: "remove", contactId, expectedVersions: null } as const;
          await loop.execute(contactsDecider, organizationId, command, withNewIds(context));
        }
        await addresses.forgetContact(contactId);
      }
    },

    /** Forgets whom a deleted organisation told. */
    forgetAll: addresses.forgetAll,
    /** Names and addresses of contacts, by id. */
    contactAddresses: addresses.contacts,
    /** Whom mails were for, by the notification's id. */
    addressees: addresses.addressees,
  };
};
