import { createSessionChecks } from "../../commands/identity/checks.ts";
import type { IdentityDeps, OauthDeps } from "../../commands/identity/deps.ts";
import { type IdentityCommands, identityCommands } from "../../commands/identity/index.ts";
import type { Config } from "../../platform/config.ts";
import type { Logger } from "../../platform/logger.ts";
import { openIdProvider } from "../../platform/openid/provider.ts";
import { createAccessTokens } from "../../stores/identity/accessTokens.ts";
import { accountsState } from "../../stores/identity/accounts.ts";
import { byoKeysState } from "../../stores/identity/byoKeys.ts";
import { externalIdentitiesState } from "../../stores/identity/externalIdentities.ts";
import { oauthFlowsState } from "../../stores/identity/oauthFlows.ts";
import { createPasswords } from "../../stores/identity/passwords.ts";
import { personalDataState } from "../../stores/identity/personalData.ts";
import { personsState } from "../../stores/identity/persons.ts";
import { refreshTokensState } from "../../stores/identity/refreshTokens.ts";
import { noSignInAttempts, signInAttempts } from "../../stores/identity/signInAttempts.ts";
import { signInRefusalsState } from "../../stores/identity/signInRefusals.ts";
import { openKeyRing } from "../../stores/identity/signingKeys.ts";
import { outboxState } from "../../stores/notifications/outbox.ts";
import { inviteAddressesState } from "../../stores/organizations/inviteAddresses.ts";
import type { Platform } from "../platform.ts";

/** The settings of the identity context. */
export type IdentitySettings = {
  /** The issuer of access tokens. */
  readonly issuer: string;
  /** Whether failed sign-ins delay the next attempt. */
  readonly slowsDown: boolean;
  /** The URL of the web app, without a trailing slash. */
  readonly webBase: () => string;
  /** Whether users may store keys of other services. */
  readonly byoKeyEnabled: boolean;
  /** The URL of the API, without a trailing slash. */
  readonly apiBase: () => string;
  /** The e-mail addresses of the administrators. */
  readonly adminEmails: readonly string[];
  /** The OpenID Connect providers. */
  readonly providers: OauthDeps["providers"];
};

/** The OpenID Connect providers with a client in the settings. Does not contact them. */
export const openIdProviders = (
  { oauth }: Pick<Config, "oauth">,
  logger: Pick<Logger, "warn">,
): OauthDeps["providers"] => ({
  ...(oauth.google ? { google: openIdProvider(oauth.google, logger) } : {}),
  ...(oauth.microsoft ? { microsoft: openIdProvider(oauth.microsoft, logger) } : {}),
});

/** Creates the identity context: accounts, sessions and mail. */
export const createIdentity = async (
  { database, masterKey, log }: Pick<Platform, "database" | "masterKey" | "log">,
  settings: IdentitySettings,
  deps: Pick<IdentityDeps, "loop" | "clock" | "createOrganization" | "startPlan">,
) => {
  const { db } = database;
  const { clock } = deps;
  const at = clock().toISOString();
  const keyRing = await openKeyRing({ db, masterKey, at });
  const accessTokens = createAccessTokens({ ring: keyRing, issuer: settings.issuer, clock });
  const refreshTokens = refreshTokensState({ db, masterKey });
  const persons = personsState({ db, masterKey });
  const sessions = createSessionChecks({ refreshTokens, clock });
  const outbox = outboxState({ db, masterKey });
  const accounts = accountsState({ db, outbox });
  const commands: IdentityCommands = identityCommands({
    ...deps,
    persons,
    passwords: createPasswords(),
    refreshTokens,
    signInRefusals: signInRefusalsState(db),
    accessTokens,
    sessions,
    attempts: settings.slowsDown ? signInAttempts({ db, masterKey }) : noSignInAttempts,
    accounts,
    outbox,
    webBase: settings.webBase,
    byoKeys: byoKeysState({ db, masterKey }),
    byoKeyEnabled: settings.byoKeyEnabled,
    oauth: {
      providers: settings.providers,
      apiBase: settings.apiBase,
      flows: oauthFlowsState({ db, masterKey }),
      identities: externalIdentitiesState({ db, masterKey }),
    },
    personalData: personalDataState(db),
    inviteAddresses: inviteAddressesState({ db, masterKey }),
    log,
  });
  const admins = new Set(settings.adminEmails.map(persons.addressDigest));
  /** Reads the person each time, because an unverified address grants nothing. */
  const isAdmin = async (userId: string): Promise<boolean> => {
    if (admins.size === 0) return false;
    const person = await persons.find(userId);
    return person?.emailVerified === true && admins.has(persons.addressDigest(person.email));
  };
  return {
    commands,
    keyRing,
    accessTokens,
    refreshTokens,
    persons,
    sessions,
    outbox,
    accounts,
    isAdmin,
  };
};
