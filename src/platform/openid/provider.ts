import type { Configuration } from "openid-client";
import type { Logger } from "../logger.ts";

/** The OAuth client registered at a provider. */
export type OpenIdClient = {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
};

/** Claims about a person who signed in at a provider. */
export type OpenIdPerson = {
  /** The issuer; for a multi-tenant provider, that of the tenant. */
  readonly issuer: string;
  /** Permanent id of the person at the issuer. */
  readonly subject: string;
  readonly email: string | null;
  /** Whether the provider has verified the address. */
  readonly emailVerified: boolean;
  readonly name: string | null;
};

/** Values that bind a callback to its request. */
export type OpenIdChecks = {
  readonly state: string;
  readonly nonce: string;
  /** PKCE code verifier. Only its hash passes through the browser. */
  readonly verifier: string;
};

/** A provider did not respond, or sent an invalid response. A retry may succeed. */
export class ProviderUnavailableError extends Error {
  constructor(why: string) {
    super(`The provider is unavailable: ${why}`);
    this.name = "ProviderUnavailableError";
  }
}

/** A provider refused the sign-in, or its response failed a check. `reason` is a code, never external text. */
export class ProviderRefusedError extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(`The sign-in was refused: ${reason}`);
    this.name = "ProviderRefusedError";
    this.reason = reason;
  }
}

export type OpenIdProvider = {
  /** The URL to redirect the browser to. Throws ProviderUnavailableError. */
  authorizationUrl(request: OpenIdChecks & { readonly redirectUri: string }): Promise<string>;
  /**
   * Redeems the callback URL for the claims of the person. Throws ProviderRefusedError if the response does not match
   * the request or refuses it, and ProviderUnavailableError.
   */
  redeem(callback: OpenIdChecks & { readonly url: URL }): Promise<OpenIdPerson>;
};

/** Time limit for all calls of one request, in milliseconds: the API responds within 5 s. */
const TIMEOUT_MS = 4_000;
/** How long discovered metadata is cached, in milliseconds. */
const METADATA_MS = 3_600_000;

type OpenId = typeof import("openid-client");

/** Loaded on first use: most installations have no provider. */
const loadOpenId = (): Promise<OpenId> => import("openid-client");

type Deps = { readonly client: OpenIdClient; readonly logger: Pick<Logger, "warn"> };
type Configure = () => Promise<Configuration>;

/** An OpenID Connect provider. Its metadata is discovered on first use. */
export const openIdProvider = (
  client: OpenIdClient,
  logger: Pick<Logger, "warn">,
): OpenIdProvider => {
  const deps: Deps = { client, logger };
  const configure = cachedDiscovery(client);
  return {
    authorizationUrl: (request) => authorizationUrl(deps, configure, request),
    redeem: async (callback) => {
      try {
        return await inTime(redeem(configure, callback));
      } catch (error) {
        if (error instanceof ProviderRefusedError) throw error;
        throw isRefusal(await loadOpenId(), error)
          ? new ProviderRefusedError(codeOf(error))
          : unavailable(deps, error);
      }
    },
  };
};

const cachedDiscovery = (client: OpenIdClient): Configure => {
  let known: { readonly configuration: Configuration; readonly until: number } | null = null;
  return async () => {
    if (known && known.until > performance.now()) return known.configuration;
    const openid = await loadOpenId();
    const issuer = new URL(client.issuer);
    const options = {
      timeout: TIMEOUT_MS / 1_000,
      // ID tokens are verified although TLS already authenticates the provider. The settings allow http: only
      // for an issuer on this machine.
      execute: [
        openid.enableNonRepudiationChecks,
        ...(issuer.protocol === "http:" ? [openid.allowInsecureRequests] : []),
      ],
    };
    const { clientId, clientSecret } = client;
    const configuration = await openid.discovery(
      issuer,
      clientId,
      clientSecret,
      undefined,
      options,
    );
    known = { configuration, until: performance.now() + METADATA_MS };
    return configuration;
  };
};

const authorizationUrl = async (
  deps: Deps,
  configure: Configure,
  { redirectUri, state, nonce, verifier }: OpenIdChecks & { readonly redirectUri: string },
): Promise<string> => {
  const configuration = await inTime(configure()).catch((error: unknown) => {
    throw unavailable(deps, error);
  });
  const openid = await loadOpenId();
  return openid.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: "openid email profile",
    state,
    nonce,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  }).href;
};

const redeem = async (
  configure: Configure,
  { url, state, nonce, verifier }: OpenIdChecks & { readonly url: URL },
): Promise<OpenIdPerson> => {
  const configuration = await configure();
  const openid = await loadOpenId();
  const tokens = await openid.authorizationCodeGrant(configuration, url, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (!claims) throw new ProviderRefusedError("no_id_token");
  // Address and its verification must come from one source: two sources could mean different addresses.
  const source =
    typeof claims.email === "string"
      ? claims
      : await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub);
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: textOf(source.email),
    // xms_edov is Microsoft's claim. Without it, an admin may have entered the address unverified.
    emailVerified: isTrue(source.email_verified) || isTrue(source.xms_edov),
    name: textOf(source.name) ?? textOf(claims.name),
  };
};

const unavailable = ({ client, logger }: Deps, error: unknown): ProviderUnavailableError => {
  const why = codeOf(error);
  logger.warn({ issuer: client.issuer, why }, "an identity provider is unavailable");
  return new ProviderUnavailableError(why);
};

const inTime = <T>(work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new ProviderUnavailableError("timeout")), TIMEOUT_MS);
    work.then(resolve, reject).finally(() => clearTimeout(late));
  });

const textOf = (claim: unknown): string | null =>
  typeof claim === "string" && claim.trim() !== "" ? claim.trim() : null;

const isTrue = (claim: unknown): boolean =>
  claim === true || claim === 1 || claim === "true" || claim === "1";

/** Whether the error concerns this sign-in, so that a retry would fail too. */
const isRefusal = (openid: OpenId, error: unknown): boolean => {
  if (error instanceof openid.AuthorizationResponseError) {
    return !["server_error", "temporarily_unavailable"].includes(error.error);
  }
  if (error instanceof openid.ResponseBodyError) {
    // A wrong client secret is a configuration error.
    return error.status < 500 && error.error === "invalid_grant";
  }
  const { code } = error as { code?: unknown };
  return typeof code === "string" && CHECKS.has(code);
};

/** Error codes of failed checks: state, issuer, audience, nonce, times, signature. */
const CHECKS: ReadonlySet<string> = new Set([
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "OAUTH_KEY_SELECTION_FAILED",
]);

/** An error code safe for logs and responses: messages from outside may contain anything. */
const codeOf = (error: unknown): string => {
  const { error: said, code, name } = error as { error?: unknown; code?: unknown; name?: unknown };
  const isCode = (text: unknown): text is string =>
    typeof text === "string" && /^[A-Za-z_]{1,60}$/.test(text);
  return [said, code, name].find(isCode) ?? "unknown";
};
