import { DomainError } from "../domain/kernel/errors.ts";
import type { Clock } from "../platform/clock.ts";
import type { EventLog } from "../platform/eventLog/port.ts";
import type { AccessTokens } from "../platform/state/accessTokens.ts";
import type { AccountsState } from "../platform/state/accounts.ts";
import type { ByoKeysState } from "../platform/state/byoKeys.ts";
import type { OutboxState } from "../platform/state/outbox.ts";
import type { Passwords } from "../platform/state/passwords.ts";
import type { PersonalDataState } from "../platform/state/personalData.ts";
import type { Person, PersonsState } from "../platform/state/persons.ts";
import type { Client, RefreshTokensState } from "../platform/state/refreshTokens.ts";
import type { SignInAttempts } from "../platform/state/signInAttempts.ts";
import type { SignInRefusalsState } from "../platform/state/signInRefusals.ts";
import type { SessionChecks } from "./identityChecks.ts";
import type { CommandContext, CommandLoop } from "./kernel/commandLoop.ts";
import type { Receipt } from "./kernel/receipt.ts";

/** What the commands of identity are made of. */
export type IdentityDeps = {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly persons: PersonsState;
  readonly passwords: Passwords;
  readonly refreshTokens: RefreshTokensState;
  readonly signInRefusals: SignInRefusalsState;
  readonly accessTokens: AccessTokens;
  readonly sessions: SessionChecks;
  readonly attempts: SignInAttempts;
  readonly accounts: AccountsState;
  readonly outbox: OutboxState;
  readonly byoKeys: ByoKeysState;
  /** Whether the operator lets people bring a key of their own. */
  readonly byoKeyEnabled: boolean;
  readonly personalData: PersonalDataState;
  readonly log: Pick<EventLog, "readStream">;
  /** The address of the web app that links in mail lead to, without a slash at the end. */
  readonly webBase: () => string;
  /** Creates the organisation of a signup; repeating it changes nothing. */
  readonly createOrganization: (
    context: CommandContext,
    input: { readonly organizationId: string; readonly name: string; readonly ownerId: string },
  ) => Promise<Receipt>;
  /** Starts the free plan of an organisation; repeating it changes nothing. */
  readonly startPlan: (
    context: CommandContext,
    input: { readonly organizationId: string },
  ) => Promise<Receipt>;
};

/** Namespace of the ids that stand for addresses that nobody has (a fixed random UUID). */
export const STRANGERS = "6f0b7a52-8d0e-4f6b-9a53-0c7d6a1f4b11";

/** Too many attempts failed: says when the next may be. */
export const tooManyAttempts = (next: Date, now: Date): DomainError => {
  const seconds = Math.max(1, Math.ceil((next.getTime() - now.getTime()) / 1_000));
  return new DomainError(
    "identity.tooManyAttempts",
    `Too many attempts failed. Try again in ${seconds} s, or reset the password.`,
    { retryAfter: seconds },
  );
};

/**
 * Asks once more for the password of who is signed in: a stolen session does not get to guess it either.
 * Throws `identity.wrongPassword` and `identity.tooManyAttempts`.
 */
export const confirmPassword = async (
  { attempts, clock, persons, passwords }: IdentityDeps,
  input: { readonly userId: string; readonly password: string; readonly client: Client },
): Promise<Person> => {
  const attempt = { subject: `user ${input.userId}`, origin: input.client.address };
  const next = await attempts.begin(attempt, clock());
  if (next !== null) throw tooManyAttempts(next, clock());
  const [person, hash] = await Promise.all([
    persons.find(input.userId),
    persons.passwordHashOf(input.userId),
  ]);
  const fits = await passwords.verify(hash, input.password);
  if (!person || !fits) {
    throw new DomainError("identity.wrongPassword", "The current password is not this one.");
  }
  await attempts.succeeded(attempt);
  return person;
};

/** The context of what a person does to their own account, where nobody was signed in before. */
export const by = (context: CommandContext, userId: string): CommandContext => ({
  ...context,
  actor: { type: "user", id: userId },
});
