import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { assertNever, DomainError } from "../kernel/errors.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";
import { mustBeCurrent } from "../kernel/versions.ts";

/** Maximum number of contacts of an organisation. */
export const MAX_CONTACTS = 100;

// ---------------------------------------------------------------- Events

const contactId = z.uuid();

/** Runs that contacts are notified of: all, failed ones, or changes between failed and passed. */
export const notifyOn = z.enum(["every_run", "failures", "changes"]);
/** Origins of the runs that contacts are notified of. */
export const runSource = z.enum(["schedule", "user", "api_key"]);

export const preferences = z.object({
  on: notifyOn,
  sources: z.array(runSource),
  /** Whether contacts hear that the quota or the plan refused a tick of a schedule. */
  refusals: z.boolean(),
});
export type Preferences = z.output<typeof preferences>;

/** The defaults. */
export const defaultPreferences: Preferences = {
  on: "changes",
  sources: ["schedule"],
  refusals: true,
};

/** Events contain no names and addresses, because these are personal data. */
const schemas = {
  ContactAdded: z.object({ contactId }),
  /** A new address must be verified again. */
  ContactChanged: z.object({ contactId, enabled: z.boolean(), hasNewAddress: z.boolean() }),
  ContactVerified: z.object({ contactId }),
  ContactRemoved: z.object({ contactId }),
  PreferencesChanged: z.object({ preferences }),
  /** A recipient unsubscribed: a contact from all mail, or an address from the mail of a schedule. */
  Unsubscribed: z.object({ contactId: contactId.nullable(), scheduleId: z.uuid().nullable() }),
};

export type ContactsEvent = EventOf<typeof schemas>;

// ---------------------------------------------------------------- State

export type Contact = {
  readonly isVerified: boolean;
  readonly enabled: boolean;
  /** Counts the changes of this contact, because the stream contains the events of all contacts. */
  readonly version: number;
};

/** The notification settings and contacts of an organisation. */
export type Contacts = {
  readonly contacts: ReadonlyMap<string, Contact>;
  /** Removed contacts, which repeated commands must find. */
  readonly removed: ReadonlySet<string>;
  readonly preferences: Preferences;
};

// ---------------------------------------------------------------- evolve

export const evolve = (state: Contacts, event: ContactsEvent): Contacts => {
  switch (event.type) {
    case "ContactAdded":
      return withContact(state, event.data.contactId, () => ({
        isVerified: false,
        enabled: true,
        version: 1,
      }));
    case "ContactChanged": {
      const { enabled, hasNewAddress } = event.data;
      return withContact(state, event.data.contactId, (before) => ({
        enabled,
        isVerified: before.isVerified && !hasNewAddress,
        version: before.version + 1,
      }));
    }
    case "ContactVerified":
      return withContact(state, event.data.contactId, (before) => ({
        ...before,
        isVerified: true,
        version: before.version + 1,
      }));
    case "ContactRemoved": {
      const contacts = new Map(state.contacts);
      contacts.delete(event.data.contactId);
      return { ...state, contacts, removed: new Set(state.removed).add(event.data.contactId) };
    }
    case "PreferencesChanged":
      return { ...state, preferences: event.data.preferences };
    case "Unsubscribed": {
      const { contactId: id } = event.data;
      if (id === null || !state.contacts.has(id)) return state;
      return withContact(state, id, (before) => ({
        ...before,
        enabled: false,
        version: before.version + 1,
      }));
    }
    default:
      return assertNever(event);
  }
};

const unknownContact: Contact = { isVerified: false, enabled: false, version: 0 };

const withContact = (
  state: Contacts,
  id: string,
  change: (before: Contact) => Contact,
): Contacts => ({
  ...state,
  contacts: new Map(state.contacts).set(id, change(state.contacts.get(id) ?? unknownContact)),
});

// ---------------------------------------------------------------- Commands

type OnContact = {
  readonly contactId: string;
  readonly expectedVersions: readonly number[] | null;
};

export type ContactsCommand =
  | { readonly type: "add"; readonly contactId: string }
  | ({
      readonly type: "change";
      readonly enabled: boolean | undefined;
      readonly hasNewAddress: boolean;
    } & OnContact)
  | { readonly type: "verify"; readonly contactId: string }
  | ({ readonly type: "remove" } & OnContact)
  | { readonly type: "changePreferences"; readonly preferences: Partial<Preferences> }
  | {
      readonly type: "unsubscribe";
      readonly contactId: string | null;
      readonly scheduleId: string | null;
    };

// ---------------------------------------------------------------- decide

/** Decides on the contacts of an organisation and their notifications. */
export const decide = (command: ContactsCommand, state: Contacts): readonly ContactsEvent[] => {
  switch (command.type) {
    case "add": {
      const { contactId: id } = command;
      if (state.contacts.has(id) || state.removed.has(id)) return [];
      if (state.contacts.size >= MAX_CONTACTS) {
        throw new DomainError(
          "contact.tooMany",
          `An organisation has at most ${MAX_CONTACTS} contacts. Remove one first.`,
        );
      }
      return [{ type: "ContactAdded", data: { contactId: id } }];
    }
    case "change": {
      const contact = find(state, command);
      const { contactId: id, hasNewAddress, enabled = contact.enabled } = command;
      if (enabled === contact.enabled && !hasNewAddress) return [];
      return [{ type: "ContactChanged", data: { contactId: id, enabled, hasNewAddress } }];
    }
    case "verify": {
      const { contactId: id } = command;
      if (find(state, { contactId: id, expectedVersions: null }).isVerified) return [];
      return [{ type: "ContactVerified", data: { contactId: id } }];
    }
    case "remove":
      if (state.removed.has(command.contactId)) return [];
      find(state, command);
      return [{ type: "ContactRemoved", data: { contactId: command.contactId } }];
    case "changePreferences": {
      const changed = { ...state.preferences, ...command.preferences };
      if (JSON.stringify(changed) === JSON.stringify(state.preferences)) return [];
      return [{ type: "PreferencesChanged", data: { preferences: changed } }];
    }
    case "unsubscribe": {
      const { contactId: id, scheduleId } = command;
      const isSo = id !== null && state.contacts.get(id)?.enabled !== true;
      return isSo ? [] : [{ type: "Unsubscribed", data: { contactId: id, scheduleId } }];
    }
    default:
      return assertNever(command);
  }
};

const find = (state: Contacts, { contactId: id, expectedVersions }: OnContact): Contact => {
  const contact = state.contacts.get(id);
  if (!contact) throw new DomainError("contact.unknown", `There is no contact ${id}.`);
  mustBeCurrent("contact.stale", "The contact", contact.version, expectedVersions);
  return contact;
};

export const contactsDecider: Decider<Contacts, ContactsCommand, ContactsEvent> = {
  category: "contacts",
  initial: { contacts: new Map(), removed: new Set(), preferences: defaultPreferences },
  codec: defineCodec(schemas),
  evolve,
  decide,
};
