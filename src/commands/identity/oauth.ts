import { type OauthProvider, oauthProvider } from "../../domain/identity/user.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { randomToken } from "../../platform/crypto.ts";
import {
  type OpenIdProvider,
  ProviderRefusedError,
  ProviderUnavailableError,
} from "../../platform/openid/provider.ts";
import type { Client } from "../../stores/identity/refreshTokens.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import { joinReceipts } from "../kernel/receipt.ts";
import { asUser, type IdentityDeps, type SignedIn } from "./deps.ts";
import { providerNames } from "./mails.ts";
import { accountOfIdentity } from "./oauthAccount.ts";
import { openSession } from "./openSession.ts";

/** Query parameters of the provider's redirect back to the service. */
export type OauthAnswer = {
  readonly state?: string | undefined;
  readonly code?: string | undefined;
  readonly iss?: string | undefined;
  readonly error?: string | undefined;
};

/** Format of the browser cookie. Other values are replaced. */
const BROWSER = /^[\w-]{43}$/;

/** Commands for sign-in at an identity provider (OpenID Connect, authorization code flow with PKCE). */
export const oauthCommands = (deps: IdentityDeps) => ({
  /** The providers that the operator has set up. */
  listOauthProviders: (): readonly { readonly id: OauthProvider; readonly name: string }[] =>
    oauthProvider.options
      .filter((id) => deps.oauth.providers[id] !== undefined)
      .map((id) => ({ id, name: providerNames[id] })),
  beginOauth: beginOauth.bind(null, deps),
  finishOauth: finishOauth.bind(null, deps),
  /** Deletes sign-ins that were not finished. Run periodically. */
  sweepOauth: (): Promise<void> => deps.oauth.flows.sweep(deps.clock()),
});

/**
 * Begins a sign-in. Returns the URL to redirect to and the new value of the browser cookie; `browser` is its current
 * value and `returnTo` a path of the web app. Throws DomainError `oauth.providerUnknown`, `oauth.providerAway`.
 */
const beginOauth = async (
  deps: IdentityDeps,
  input: {
    readonly provider: OauthProvider;
    readonly browser: string | null;
    readonly returnTo: string;
  },
): Promise<{ readonly url: string; readonly browser: string }> => {
  const provider = providerOf(deps, input.provider);
  // All sign-ins of a browser share one cookie, so that two windows do not overwrite each other's.
  const isKnown = input.browser !== null && BROWSER.test(input.browser);
  const browser = isKnown && input.browser !== null ? input.browser : randomToken();
  const flow = await deps.oauth.flows.begin({ ...input, browser, at: deps.clock() });
  const redirectUri = callbackUrl(deps, input.provider);
  const url = await provider.authorizationUrl({ ...flow, redirectUri }).catch(rethrow);
  return { url, browser };
};

/**
 * Finishes a sign-in, once, in the browser that began it, and opens a session. The account is the one linked to the
 * identity, the one with the same address if both sides verified it, or a new one. Throws DomainError
 * `oauth.flowUnknown`, `oauth.refused`, `oauth.addressUnverified`, `oauth.noAddress`, `oauth.providerAway`.
 */
const finishOauth = async (
  deps: IdentityDeps,
  context: CommandContext,
  input: {
    readonly provider: OauthProvider;
    readonly browser: string | null;
    readonly answer: OauthAnswer;
    readonly client: Client;
  },
): Promise<SignedIn & { readonly goTo: string }> => {
  const { provider: name, browser, answer, client } = input;
  const provider = providerOf(deps, name);
  const flow =
    browser === null || answer.state === undefined
      ? null
      : await deps.oauth.flows.take({
          provider: name,
          browser,
          state: answer.state,
          at: deps.clock(),
        });
  if (!flow) throw flowUnknown();
  const url = new URL(callbackUrl(deps, name));
  for (const [key, value] of Object.entries(answer)) {
    if (value !== undefined) url.searchParams.set(key, value);
  }
  const claims = await provider.redeem({ ...flow, url }).catch(rethrow);
  const resolveAccount = () => accountOfIdentity(deps, context, name, claims);
  // A concurrent sign-in of the same new person may have created the account: the second try finds it.
  const { person, receipt } = await resolveAccount().catch((error: unknown) => {
    if (error instanceof DomainError && error.code === "user.addressTaken") return resolveAccount();
    throw error;
  });
  const session = await openSession(deps, asUser(context, person.id), person, name, client);
  return {
    ...session,
    receipt: joinReceipts([receipt, session.receipt]),
    goTo: `${deps.webBase()}${flow.returnTo}`,
  };
};

const providerOf = ({ oauth }: IdentityDeps, name: OauthProvider): OpenIdProvider => {
  const provider = oauth.providers[name];
  if (provider) return provider;
  throw new DomainError(
    "oauth.providerUnknown",
    `Sign-in with ${providerNames[name]} is not configured.`,
  );
};

const callbackUrl = ({ oauth }: IdentityDeps, name: OauthProvider): string =>
  `${oauth.apiBase()}/api/v1/auth/oauth/${name}/callback`;

/** Rethrows an error of a provider as a DomainError. */
const rethrow = (error: unknown): never => {
  if (error instanceof ProviderUnavailableError) {
    throw new DomainError(
      "oauth.providerAway",
      "The provider cannot be reached at the moment. Try again, or sign in with a password.",
      { retryAfter: 5 },
    );
  }
  if (error instanceof ProviderRefusedError) {
    throw new DomainError(
      "oauth.refused",
      `The provider did not sign you in (${error.reason}). Start the sign-in again.`,
    );
  }
  throw error;
};

const flowUnknown = (): DomainError =>
  new DomainError(
    "oauth.flowUnknown",
    "This sign-in was started in another browser, took too long, or was already finished. Start it again.",
  );
