import { describe, expect, it } from "vitest";
import {
  type ContactsEvent,
  contactsDecider,
  defaultPreferences,
  MAX_CONTACTS,
} from "../../../../src/domain/notifications/contacts.ts";
import {
  type NotificationEvent,
  notificationDecider,
} from "../../../../src/domain/notifications/notification.ts";
import { isWorthContacts, isWorthRecipients } from "../../../../src/domain/notifications/worth.ts";
import { scenario } from "../../../support/scenario.ts";

const uuid = (n: number): string => `019a0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const contactId = uuid(1);
const added: ContactsEvent = { type: "ContactAdded", data: { contactId } };
const verified: ContactsEvent = { type: "ContactVerified", data: { contactId } };
const contacts = scenario(contactsDecider);
const on = { contactId, expectedVersions: null };

describe("contacts", () => {
  it("record nothing if added, verified or removed again", () => {
    const removed: ContactsEvent = { type: "ContactRemoved", data: { contactId } };
    contacts.given([]).when({ type: "add", contactId }).then([added]);
    contacts.given([added]).when({ type: "add", contactId }).thenNothing();
    contacts.given([added]).when({ type: "verify", contactId }).then([verified]);
    contacts.given([added, verified]).when({ type: "verify", contactId }).thenNothing();
    contacts
      .given([added])
      .when({ type: "remove", ...on })
      .then([removed]);
    contacts
      .given([added, removed])
      .when({ type: "remove", ...on })
      .thenNothing();
    contacts.given([added, removed]).when({ type: "add", contactId }).thenNothing();
    contacts
      .given([added, removed])
      .when({ type: "verify", contactId })
      .thenRefused("contact.unknown");
  });

  it("require a new verification after a change of address", () => {
    const change = { type: "change", enabled: undefined, hasNewAddress: true, ...on } as const;
    const changed: ContactsEvent = {
      type: "ContactChanged",
      data: { contactId, enabled: true, hasNewAddress: true },
    };
    contacts.given([added, verified]).when(change).then([changed]);
    contacts.given([added, verified, changed]).when({ type: "verify", contactId }).then([verified]);
    contacts
      .given([added, verified])
      .when({ ...change, hasNewAddress: false })
      .thenNothing();
    contacts
      .given([added, verified])
      .when({ ...change, expectedVersions: [1] })
      .thenRefused("contact.stale");
  });

  it("receive nothing after they unsubscribed, which is recorded once", () => {
    const unsubscribe = { type: "unsubscribe", contactId, scheduleId: null } as const;
    const gone: ContactsEvent = { type: "Unsubscribed", data: { contactId, scheduleId: null } };
    contacts.given([added, verified]).when(unsubscribe).then([gone]);
    contacts.given([added, verified, gone]).when(unsubscribe).thenNothing();
    contacts.given([]).when(unsubscribe).thenNothing();
  });

  it("are refused beyond the limit", () => {
    const many = Array.from(
      { length: MAX_CONTACTS },
      (_, n): ContactsEvent => ({ type: "ContactAdded", data: { contactId: uuid(n + 10) } }),
    );
    contacts.given(many).when({ type: "add", contactId }).thenRefused("contact.tooMany");
  });

  it("record nothing for unchanged preferences", () => {
    const change = { type: "changePreferences", preferences: { on: "failures" } } as const;
    const changed: ContactsEvent = {
      type: "PreferencesChanged",
      data: { preferences: { ...defaultPreferences, on: "failures" } },
    };
    contacts.given([]).when(change).then([changed]);
    contacts.given([changed]).when(change).thenNothing();
  });
});

describe("mails about a finished run", () => {
  const ended = (
    status: "passed" | "failed" | "errored" | "cancelled",
    before: "passed" | "failed" | null,
  ) => ({ status, before, source: "schedule" }) as const;

  it.each([
    ["every_run", ended("passed", "passed"), true],
    ["every_run", ended("cancelled", "passed"), false],
    ["failures", ended("passed", "failed"), false],
    ["failures", ended("errored", "failed"), true],
    ["changes", ended("failed", null), true],
    ["changes", ended("failed", "passed"), true],
    ["changes", ended("errored", "failed"), false],
    ["changes", ended("passed", "failed"), true],
    ["changes", ended("passed", "passed"), false],
    ["changes", ended("passed", null), false],
  ] as const)("with the preference %s, for %j, are sent to contacts: %s", (when, run, heard) => {
    expect(isWorthContacts(run, { ...defaultPreferences, on: when })).toBe(heard);
    expect(isWorthContacts({ ...run, source: "user" }, { ...defaultPreferences, on: when })).toBe(
      false,
    );
  });

  it("are sent to recipients of a schedule only for failures if set so", () => {
    const heard = (["passed", "failed", "errored", "cancelled"] as const).map((status) => [
      isWorthRecipients({ status }, { failuresOnly: false }),
      isWorthRecipients({ status }, { failuresOnly: true }),
    ]);
    expect(heard).toEqual([
      [true, false],
      [true, true],
      [true, true],
      [true, false],
    ]);
  });
});

describe("a notification", () => {
  const notificationId = uuid(5);
  const mail = scenario(notificationDecider);
  const asked = {
    notificationId,
    about: { kind: "run", runId: uuid(6), scheduleId: null },
    recipient: { kind: "contact", contactId },
  } as const;
  const requested: NotificationEvent = { type: "NotificationRequested", data: asked };
  const failure = {
    notificationId,
    attempts: 1,
    reason: "The mail server answered 451",
    nextTryAt: "2026-03-01T00:00:02.000Z",
  };
  const failed: NotificationEvent = { type: "NotificationFailed", data: failure };
  const sent: NotificationEvent = { type: "NotificationSent", data: { notificationId } };

  it("records its delivery or failure once and ignores late reports", () => {
    mail
      .given([])
      .when({ type: "request", ...asked })
      .then([requested]);
    mail
      .given([requested])
      .when({ type: "request", ...asked })
      .thenNothing();
    mail
      .given([requested])
      .when({ type: "noteFailure", ...failure })
      .then([failed]);
    mail
      .given([requested, failed])
      .when({ type: "noteFailure", ...failure })
      .thenNothing();
    mail.given([requested, failed]).when({ type: "noteSent", notificationId }).then([sent]);
    mail.given([requested, sent]).when({ type: "noteSent", notificationId }).thenNothing();
    mail
      .given([requested, sent])
      .when({ type: "abandon", notificationId, reason: "late" })
      .thenNothing();
    mail.given([]).when({ type: "noteSent", notificationId }).thenNothing();
  });
});
