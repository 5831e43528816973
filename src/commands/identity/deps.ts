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

/** Dependencies of sign-in at identity providers. */
export type OauthDeps = {
  /** The configured providers. */
  readonly providers: Readonly<Partial<Record<OauthProvider, OpenIdProvider>>>;
  readonly flows: OauthFlowsState;
  readonly identities: ExternalIdentitiesState;
  /** URL of the API without a trailing slash. Providers redirect browsers back to it. */
  readonly apiBase: () => string;
};

/** A session with its tokens. */
export type SignedIn = {
  readonly person: Person;
  readonly sessionId: string;
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  /** Refresh token for the cookie, and its lifetime. */
  readonly refreshToken: string;
  readonly refreshSeconds: number;
  readonly receipt: Receipt;
};

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
  /** Setting BYO_KEY_ENABLED. */
  readonly byoKeyEnabled: boolean;
  readonly oauth: OauthDeps;
  readonly personalData: PersonalDataState;
  readonly inviteAddresses: Pick<InviteAddressesState, "ofAddress">;
  readonly log: Pick<EventLog, "readStream">;
  /** URL of the web app without a trailing slash, for links in mail. */
  readonly webBase: () => string;
  /** Creates the organisation of a signup. Idempotent. */
  readonly createOrganization: (
    context: CommandContext,
    input: { readonly organizationId: string; readonly name: string; readonly ownerId: string },
  ) => Promise<{ readonly receipt: Receipt }>;
  /** Starts the free plan of an organisation. Idempotent. */
  readonly startPlan: (
    context: CommandContext,
    input: { readonly organizationId: string },
  ) => Promise<Receipt>;
};

/** UUID namespace for the placeholder ids of unknown addresses. */
export const UNKNOWN_ADDRESS_IDS = "6f0b7a52-8d0e-4f6b-9a53-0c7d6a1f4b11";

export const tooManyAttempts = (next: Date, now: Date): DomainError => {
  const seconds = Math.max(1, Math.ceil((next.getTime() - now.getTime()) / 1_000));
  return new DomainError(
    "identity.tooManyAttempts",
    `Too many failed attempts. Try again in ${seconds} s, or reset the password.`,
    { retryAfter: seconds },
  );
};

/**
 * Confirms the password of a signed-in person. Attempts are limited, so that a stolen session cannot guess it.
 * Throws DomainError `identity.wrongPassword`, `identity.tooManyAttempts`.
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
  const matches = await passwords.verify(hash, input.password);
  if (person && hash === null) {
    throw new DomainError(
      "identity.wrongPassword",
      "This account has no password yet. Set one first with the link for forgotten passwords.",
    );
  }
  if (!person || !matches) {
    throw new DomainError("identity.wrongPassword", "The current password is wrong.");
  }
  await attempts.succeeded(attempt);
  return person;
};

/** Makes the user the actor of a command, for requests without a signed-in caller. */
export const asUser = (context: CommandContext, userId: string): CommandContext => ({
  ...context,
  actor: { type: "user", id: userId },
});
