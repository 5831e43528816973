import type { OauthProvider } from "../../domain/identity/user.ts";
import { derivedId, newId } from "../../platform/ids.ts";
import { writeLetter } from "../../platform/mail/template.ts";
import { TOKEN_HOURS, type TokenMail } from "../../stores/identity/accounts.ts";
import type { Person } from "../../stores/identity/persons.ts";
import type { QueuedMail } from "../../stores/notifications/outbox.ts";
import type { IdentityDeps } from "./deps.ts";

type WebBase = Pick<IdentityDeps, "webBase">;

export type Recipient = Pick<Person, "id" | "email" | "name">;

export const providerNames: Readonly<Record<OauthProvider, string>> = {
  google: "Google",
  microsoft: "Microsoft",
};

/** Mail with a link that verifies an address. With `pretence`, the mail is prepared and not sent. */
export const verificationMail = (
  { webBase }: WebBase,
  person: Recipient,
  at: Date,
  pretence = false,
): TokenMail => ({
  id: newId(),
  purpose: "verify_email",
  userId: person.id,
  at,
  pretence,
  write: (token) => ({
    to: { name: person.name, address: person.email },
    ...writeLetter({
      subject: "Confirm your e-mail address",
      paragraphs: [
        `Hello ${person.name},`,
        "this address was used to sign up to Runledger. If you did so, confirm that the address is yours.",
      ],
      action: { label: "Confirm the address", url: `${webBase()}/verify-email?token=${token}` },
      closing: [
        `The link works once, within ${TOKEN_HOURS.verify_email} hours.`,
        "If it was not you, ignore this mail.",
      ],
    }),
  }),
});

/** Mail with a link that sets a new password. With `pretence`, the mail is prepared and not sent. */
export const passwordResetMail = (
  { webBase }: WebBase,
  person: Recipient,
  at: Date,
  pretence: boolean,
): TokenMail => ({
  id: newId(),
  purpose: "reset_password",
  userId: person.id,
  at,
  pretence,
  write: (token) => ({
    to: { name: person.name, address: person.email },
    ...writeLetter({
      subject: "Set a new password",
      paragraphs: [
        `Hello ${person.name},`,
        "a new password was requested for your Runledger account. If you requested it, set one.",
      ],
      action: { label: "Set a new password", url: `${webBase()}/reset-password?token=${token}` },
      closing: [
        "The link works once, within an hour. A new password signs you out everywhere.",
        "If it was not you, ignore this mail: the password stays as it is.",
      ],
    }),
  }),
});

/** Security notice after a password change. */
export const passwordChangedMail = (
  { webBase, clock }: Pick<IdentityDeps, "webBase" | "clock">,
  person: Recipient,
  changeId: string,
): QueuedMail => ({
  mail: {
    id: derivedId(changeId, "mail"),
    to: { name: person.name, address: person.email },
    ...writeLetter({
      subject: "Your password was changed",
      paragraphs: [
        `Hello ${person.name},`,
        "the password of your Runledger account was changed just now.",
      ],
      action: { label: "It was not you? Reset it", url: `${webBase()}/forgot-password` },
    }),
  },
  kind: "password_changed",
  userId: person.id,
  at: clock().toISOString(),
});

/** Security notice after an account was linked to an identity provider. */
export const identityLinkedMail = (
  { webBase, clock }: Pick<IdentityDeps, "webBase" | "clock">,
  person: Recipient,
  provider: OauthProvider,
  identityId: string,
): QueuedMail => ({
  mail: {
    id: derivedId(identityId, "mail"),
    to: { name: person.name, address: person.email },
    ...writeLetter({
      subject: `You can sign in with ${providerNames[provider]} now`,
      paragraphs: [
        `Hello ${person.name},`,
        `your Runledger account was linked just now to the ${providerNames[provider]} account of the same address.`,
      ],
      action: {
        label: "It was not you? Reset your password",
        url: `${webBase()}/forgot-password`,
      },
    }),
  },
  kind: "identity_linked",
  userId: person.id,
  at: clock().toISOString(),
});
