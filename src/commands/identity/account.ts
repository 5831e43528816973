import { userDecider } from "../../domain/identity/user.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { derivedId, newId } from "../../platform/ids.ts";
import { writeLetter } from "../../platform/mail/template.ts";
import { TOKEN_HOURS, type TokenMail } from "../../stores/identity/accounts.ts";
import type { Person } from "../../stores/identity/persons.ts";
import type { Client } from "../../stores/identity/refreshTokens.ts";
import type { QueuedMail } from "../../stores/notifications/outbox.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";
import { by, confirmPassword, type IdentityDeps, STRANGERS } from "./deps.ts";

type Recipient = Pick<Person, "id" | "email" | "name">;

/** The mail that asks a person to confirm an address. */
export const verificationMail = (
  { webBase }: Pick<IdentityDeps, "webBase">,
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
        "somebody signed up to Runledger with this address. If it was you, confirm that it is yours.",
      ],
      action: { label: "Confirm the address", url: `${webBase()}/verify-email?token=${token}` },
      closing: [
        `The link works once, within ${TOKEN_HOURS.verify_email} hours.`,
        "If it was not you, ignore this mail.",
      ],
    }),
  }),
});

const resetMail = (
  { webBase }: Pick<IdentityDeps, "webBase">,
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
        "somebody asked for a new password for your Runledger account. If it was you, set one.",
      ],
      action: { label: "Set a new password", url: `${webBase()}/reset-password?token=${token}` },
      closing: [
        "The link works once, within an hour. A new password signs you out everywhere.",
        "If it was not you, ignore this mail: the password stays as it is.",
      ],
    }),
  }),
});

/** Verified addresses and passwords. */
export const accountCommands = (deps: IdentityDeps) => {
  const { loop, clock, persons, passwords, accounts, attempts, sessions } = deps;

  /** Whoever has the address; else somebody who does not exist, for whom the same work is done. */
  const recipientOf = async (
    email: string,
  ): Promise<Recipient & { readonly known: boolean; readonly verified: boolean }> => {
    const person = await persons.findByAddress(email);
    if (person) return { ...person, known: true, verified: person.emailVerified };
    const id = derivedId(STRANGERS, persons.addressDigest(email));
    return { id, email, name: "nobody", known: false, verified: false };
  };

  const verify = (context: CommandContext, userId: string) =>
    loop.execute(userDecider, userId, { type: "verifyEmail", userId }, by(context, userId));

  /** Tells the owner: if it was somebody else, they should know at once. */
  const newPasswordNotice = (person: Person, changeId: string): QueuedMail => ({
    mail: {
      id: derivedId(changeId, "mail"),
      to: { name: person.name, address: person.email },
      ...writeLetter({
        subject: "Your password was changed",
        paragraphs: [
          `Hello ${person.name},`,
          "the password of your Runledger account was changed just now.",
        ],
        action: { label: "It was not you? Reset it", url: `${deps.webBase()}/forgot-password` },
      }),
    },
    kind: "password_changed",
    userId: person.id,
    at: clock().toISOString(),
  });

  return {
    /** Mails a link that verifies an address. The same from outside whoever has the address, or nobody. */
    requestVerification: async (email: string): Promise<void> => {
      const person = await recipientOf(email);
      await accounts.mailToken(
        verificationMail(deps, person, clock(), !person.known || person.verified),
      );
    },

    /** Takes the token of such a mail, once. Throws `identity.tokenInvalid`. */
    verifyEmail: async (context: CommandContext, token: string): Promise<Receipt> => {
      const now = clock();
      const userId = await accounts.ownerOf("verify_email", token, now);
      if (userId === null) throw tokenInvalid();
      // The event first: a token whose row is not used up yet can be tried again.
      const verified = await verify(context, userId);
      if (!(await accounts.verifyEmail(token, now))) throw tokenInvalid();
      return receiptOf(verified);
    },

    /** Mails a link that sets a new password. The same from outside whoever has the address, or nobody. */
    forgotPassword: async (email: string): Promise<void> => {
      const person = await recipientOf(email);
      await accounts.mailToken(resetMail(deps, person, clock(), !person.known));
    },

    /**
     * Sets a new password with the token of such a mail, once; every session ends. Throws
     * `identity.tokenInvalid`.
     */
    resetPassword: async (
      context: CommandContext,
      input: { readonly token: string; readonly password: string },
    ): Promise<Receipt> => {
      const { token } = input;
      const userId = await accounts.ownerOf("reset_password", token, clock());
      const person = userId === null ? null : await persons.find(userId);
      if (!person) throw tokenInvalid();
      const passwordHash = await passwords.hash(input.password);
      // By the token: one that is tried again changes the password once.
      const changeId = derivedId(person.id, token);
      const changed = await loop.execute(
        userDecider,
        person.id,
        { type: "changePassword", userId: person.id, changeId, by: "reset", keep: null },
        by(context, person.id),
      );
      const verified = await verify(context, person.id);
      const notice = newPasswordNotice(person, changeId);
      const reset = { token, passwordHash, notice, now: clock() };
      if (!(await accounts.resetPassword(reset))) throw tokenInvalid();
      sessions.forgetAll();
      await attempts.forgive(person.email);
      return receiptOf(changed, verified);
    },

    /**
     * Changes the password of whoever knows it; every session but the one that asks ends. Throws
     * `identity.wrongPassword` and `identity.tooManyAttempts`.
     */
    changePassword: async (
      context: CommandContext,
      input: {
        readonly userId: string;
        readonly sessionId: string;
        readonly current: string;
        readonly next: string;
        readonly client: Client;
      },
    ): Promise<Receipt> => {
      const { userId, sessionId } = input;
      const person = await confirmPassword(deps, { ...input, password: input.current });
      const passwordHash = await passwords.hash(input.next);
      const changeId = newId();
      const changed = await loop.execute(
        userDecider,
        userId,
        { type: "changePassword", userId, changeId, by: "change", keep: sessionId },
        context,
      );
      const notice = newPasswordNotice(person, changeId);
      await accounts.changePassword({
        userId,
        passwordHash,
        keep: sessionId,
        notice,
        now: clock(),
      });
      sessions.forgetAll();
      return receiptOf(changed);
    },

    /** Forgets what nobody can use any more. To be called now and then. */
    sweepAccounts: async (): Promise<void> => {
      await accounts.sweepTokens(clock());
      await attempts.sweep(clock());
    },
  };
};

const tokenInvalid = (): DomainError =>
  new DomainError(
    "identity.tokenInvalid",
    "token: is unknown, was used before, or has expired. Ask for another mail.",
  );
