import type { OauthProvider } from "../../domain/identity/user.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import type { OpenIdProvider } from "../../platform/openid/provider.ts";
import type { AccessTokens } from "../../stores/identity/accessTokens.ts";
import type { AccountsState } from "../../stores/identity/accounts.ts";
import type { ByoKeysState } from "../../stores/identity/byoKeys.ts";
import type { ExternalIdentitiesState } from "../../stores/identity/externalIdentities.ts";
import type { OauthFlowsState } from "../../stores/identity/oauthFlows.ts";
import type { Passwords } from "../../stores/identity/passwords.ts";
import type { PersonalDataState } from "../../stores/identity/personalData.ts";
import type { Person, PersonsState } from "../../stores/identity/persons.ts";
import type { Client, RefreshTokensState } from "../../stores/identity/refreshTokens.ts";
import type { SignInAttempts } from "../../stores/identity/signInAttempts.ts";
import type { SignInRefusalsState } from "../../stores/identity/signInRefusals.ts";
import type { OutboxState } from "../../stores/notifications/outbox.ts";
import type { InviteAddressesState } from "../../stores/organizations/inviteAddresses.ts";
import type { CommandContext, CommandLoop } from "../kernel/commandLoop.ts";
import type { Receipt } from "../kernel/receipt.ts";
import type { SessionChecks } from "./checks.ts";

/** What signing in at other providers is made of. */
export type OauthDeps = {
  /** Those that the operator has set up. */
  readonly providers: Readonly<Partial<Record<OauthProvider, OpenIdProvider>>>;
  readonly flows: OauthFlowsState;
  readonly identities: ExternalIdentitiesState;
  /** The address of the service's API, without a slash at the end: providers send browsers back to it. */
  readonly apiBase: () => string;
};

/** A session's tokens and whose they are. */
export type SignedIn = {
  readonly person: Person;
  readonly sessionId: string;
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  /** For the cookie: the refresh token, and how long it is good. */
  readonly refreshToken: string;
  readonly refreshSeconds: number;
  readonly receipt: Receipt;
};

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
  readonly oauth: OauthDeps;
  readonly personalData: PersonalDataState;
  readonly inviteAddresses: Pick<InviteAddressesState, "ofAddress">;
  readonly log: Pick<EventLog, "readStream">;
  /** The address of the web app that links in mail lead to, without a slash at the end. */
  readonly webBase: () => string;
  /** Creates the organisation of a signup; repeating it changes nothing. */
  readonly createOrganization: (
    context: CommandContext,
    input: { readonly organizationId: string; readonly name: string; readonly ownerId: string },
  ) => Promise<{ readonly receipt: Receipt }>;
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
  if (person && hash === null) {
    throw new DomainError(
      "identity.wrongPassword",
      "This account has no password yet. Have a link mailed to set one (forgotten password), and come again with it.",
    );
  }
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
