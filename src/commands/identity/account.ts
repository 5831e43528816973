import { userDecider } from "../../domain/identity/user.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { derivedId, newId } from "../../platform/ids.ts";
import type { Client } from "../../stores/identity/refreshTokens.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";
import { asUser, confirmPassword, type IdentityDeps, UNKNOWN_ADDRESS_IDS } from "./deps.ts";
import {
  passwordChangedMail,
  passwordResetMail,
  type Recipient,
  verificationMail,
} from "./mails.ts";

/** Commands for address verification and passwords. */
export const accountCommands = (deps: IdentityDeps) => ({
  requestVerification: requestVerification.bind(null, deps),
  verifyEmail: verifyEmail.bind(null, deps),
  forgotPassword: forgotPassword.bind(null, deps),
  resetPassword: resetPassword.bind(null, deps),
  changePassword: changePassword.bind(null, deps),

  /** Deletes expired tokens and sign-in attempts. Run periodically. */
  sweepAccounts: async (): Promise<void> => {
    await deps.accounts.sweepTokens(deps.clock());
    await deps.attempts.sweep(deps.clock());
  },
});

/** The owner of an address, or a placeholder: unknown addresses cause the same work, so that they cannot be probed. */
const recipientOf = async (
  { persons }: IdentityDeps,
  email: string,
): Promise<Recipient & { readonly known: boolean; readonly verified: boolean }> => {
  const person = await persons.findByAddress(email);
  if (person) return { ...person, known: true, verified: person.emailVerified };
  const id = derivedId(UNKNOWN_ADDRESS_IDS, persons.addressDigest(email));
  return { id, email, name: "nobody", known: false, verified: false };
};

/** Mails a verification link. The outcome does not reveal whether the address is known. */
const requestVerification = async (deps: IdentityDeps, email: string): Promise<void> => {
  const person = await recipientOf(deps, email);
  const pretence = !person.known || person.verified;
  await deps.accounts.mailToken(verificationMail(deps, person, deps.clock(), pretence));
};

/** Verifies an address with a mailed token. Throws DomainError `identity.tokenInvalid`. */
const verifyEmail = async (
  deps: IdentityDeps,
  context: CommandContext,
  token: string,
): Promise<Receipt> => {
  const now = deps.clock();
  const userId = await deps.accounts.ownerOf("verify_email", token, now);
  if (userId === null) throw tokenInvalid();
  // The event before the row: an unused token can be retried.
  const verified = await executeVerify(deps, context, userId);
  if (!(await deps.accounts.verifyEmail(token, now))) throw tokenInvalid();
  return receiptOf(verified);
};

const executeVerify = ({ loop }: IdentityDeps, context: CommandContext, userId: string) =>
  loop.execute(userDecider, userId, { type: "verifyEmail", userId }, asUser(context, userId));

/** Mails a password reset link. The outcome does not reveal whether the address is known. */
const forgotPassword = async (deps: IdentityDeps, email: string): Promise<void> => {
  const person = await recipientOf(deps, email);
  await deps.accounts.mailToken(passwordResetMail(deps, person, deps.clock(), !person.known));
};

/** Sets a new password with a mailed token and ends every session. Throws DomainError `identity.tokenInvalid`. */
const resetPassword = async (
  deps: IdentityDeps,
  context: CommandContext,
  { token, password }: { readonly token: string; readonly password: string },
): Promise<Receipt> => {
  const { loop, clock, persons, passwords, accounts, sessions, attempts } = deps;
  const userId = await accounts.ownerOf("reset_password", token, clock());
  const person = userId === null ? null : await persons.find(userId);
  if (!person) throw tokenInvalid();
  const passwordHash = await passwords.hash(password);
  // Derived from the token: a retry changes the password once.
  const changeId = derivedId(person.id, token);
  const changed = await loop.execute(
    userDecider,
    person.id,
    { type: "changePassword", userId: person.id, changeId, by: "reset", keep: null },
    asUser(context, person.id),
  );
  const verified = await executeVerify(deps, context, person.id);
  const notice = passwordChangedMail(deps, person, changeId);
  if (!(await accounts.resetPassword({ token, passwordHash, notice, now: clock() }))) {
    throw tokenInvalid();
  }
  sessions.forgetAll();
  await attempts.forgive(person.email);
  return receiptOf(changed, verified);
};

/**
 * Changes the password after confirming the current one, and ends every other session. Throws DomainError
 * `identity.wrongPassword`, `identity.tooManyAttempts`.
 */
const changePassword = async (
  deps: IdentityDeps,
  context: CommandContext,
  input: {
    readonly userId: string;
    readonly sessionId: string;
    readonly current: string;
    readonly next: string;
    readonly client: Client;
  },
): Promise<Receipt> => {
  const { loop, clock, passwords, accounts, sessions } = deps;
  const { userId, sessionId: keep } = input;
  const person = await confirmPassword(deps, { ...input, password: input.current });
  const passwordHash = await passwords.hash(input.next);
  const changeId = newId();
  const command = { type: "changePassword", userId, changeId, by: "change", keep } as const;
  const changed = await loop.execute(userDecider, userId, command, context);
  const notice = passwordChangedMail(deps, person, changeId);
  await accounts.changePassword({ userId, passwordHash, keep, notice, now: clock() });
  sessions.forgetAll();
  return receiptOf(changed);
};

const tokenInvalid = (): DomainError =>
  new DomainError(
    "identity.tokenInvalid",
    "token: is unknown, was used before, or has expired. Ask for another mail.",
  );
