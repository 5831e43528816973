import type { Configuration } from "openid-client";
import type { Logger } from "../logger.ts";

/** The client that a provider knows this service as. */
export type OpenIdClient = {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
};

/** What a provider says of somebody who has just signed in there. */
export type OpenIdPerson = {
  /** Who says so: of a provider with many tenants, the tenant's own issuer. */
  readonly issuer: string;
  /** Names the person at that issuer, for good. */
  readonly subject: string;
  readonly email: string | null;
  /** Whether the provider vouches that the address is the person's: never taken for granted. */
  readonly emailVerified: boolean;
  readonly name: string | null;
};

/** What ties an answer to the request that it answers. */
export type OpenIdChecks = {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE: only its digest goes through the browser. */
  readonly verifier: string;
};

/** A provider did not answer, or not as it should. Nobody's fault who signs in: it may work later. */
export class ProviderUnavailableError extends Error {
  constructor(why: string) {
    super(`The provider cannot be asked: ${why}`);
    this.name = "ProviderUnavailableError";
  }
}

/** A provider, or a check of what it answered, refused. `reason` is a code, never what came from outside. */
export class ProviderRefusedError extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(`The sign-in was refused: ${reason}`);
    this.name = "ProviderRefusedError";
    this.reason = reason;
  }
}

export type OpenIdProvider = {
  /** Where the browser goes to sign in. Throws ProviderUnavailableError. */
  authorizationUrl(request: OpenIdChecks & { readonly redirectUri: string }): Promise<string>;
  /**
   * Who has signed in, by the address that the browser came back to. Throws ProviderRefusedError when the
   * answer is not one to this request, or says no, and ProviderUnavailableError.
   */
  redeem(callback: OpenIdChecks & { readonly url: URL }): Promise<OpenIdPerson>;
};

/** All calls to a provider for one request take this long at most, in milliseconds: callers are answered within 5 s. */
const PATIENCE_MS = 4_000;
/** What a provider says of itself is asked for again after so long, in milliseconds. */
const METADATA_MS = 3_600_000;

type OpenId = typeof import("openid-client");

/** Loaded with the first sign-in by a provider: most services have none. */
const loadOpenId = (): Promise<OpenId> => import("openid-client");

/** An OpenID Connect provider, asked for what it can do when it is first needed. */
export const openIdProvider = (
  client: OpenIdClient,
  logger: Pick<Logger, "warn">,
): OpenIdProvider => {
  let known: { readonly configuration: Configuration; readonly until: number } | null = null;

  const configured = async (): Promise<Configuration> => {
    if (known && known.until > performance.now()) return known.configuration;
    const openid = await loadOpenId();
    const isPlain = new URL(client.issuer).protocol === "http:";
    const configuration = await openid.discovery(
      new URL(client.issuer),
      client.clientId,
      client.clientSecret,
      undefined,
      {
        timeout: PATIENCE_MS / 1_000,
        // The signature of an ID token is checked although it came straight from the provider. Settings
        // let an issuer on this very machine alone be reached without TLS.
        execute: [
          openid.enableNonRepudiationChecks,
          ...(isPlain ? [openid.allowInsecureRequests] : []),
        ],
      },
    );
    known = { configuration, until: performance.now() + METADATA_MS };
    return configuration;
  };

  const away = (error: unknown): ProviderUnavailableError => {
    const why = codeOf(error);
    logger.warn({ issuer: client.issuer, why }, "a sign-in provider cannot be asked");
    return new ProviderUnavailableError(why);
  };

  return {
    authorizationUrl: async ({ redirectUri, state, nonce, verifier }) => {
      const configuration = await inTime(configured()).catch((error: unknown) => {
        throw away(error);
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
    },

    redeem: async ({ url, state, nonce, verifier }) => {
      const ask = async (): Promise<OpenIdPerson> => {
        const configuration = await configured();
        const openid = await loadOpenId();
        const tokens = await openid.authorizationCodeGrant(configuration, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (!claims) throw new ProviderRefusedError("no_id_token");
        // Address and what is known of it from one source: two could each be about another address.
        const told =
          typeof claims.email === "string"
            ? claims
            : await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub);
        return {
          issuer: claims.iss,
          subject: claims.sub,
          email: textOf(told.email),
          // Microsoft's name for it; without that optional claim its addresses are what an admin typed in.
          emailVerified: isTrue(told.email_verified) || isTrue(told.xms_edov),
          name: textOf(told.name) ?? textOf(claims.name),
        };
      };
      return inTime(ask()).catch(async (error: unknown) => {
        if (error instanceof ProviderRefusedError) throw error;
        throw isRefusal(await loadOpenId(), error)
          ? new ProviderRefusedError(codeOf(error))
          : away(error);
      });
    },
  };
};

const inTime = <T>(work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new ProviderUnavailableError("timeout")), PATIENCE_MS);
    work.then(resolve, reject).finally(() => clearTimeout(late));
  });

const textOf = (claim: unknown): string | null =>
  typeof claim === "string" && claim.trim() !== "" ? claim.trim() : null;

const isTrue = (claim: unknown): boolean =>
  claim === true || claim === 1 || claim === "true" || claim === "1";

/** Said by the provider about this sign-in, or found in what it said: another try of the same would end the same. */
const isRefusal = (openid: OpenId, error: unknown): boolean => {
  if (error instanceof openid.AuthorizationResponseError) {
    return !["server_error", "temporarily_unavailable"].includes(error.error);
  }
  if (error instanceof openid.ResponseBodyError) {
    // A wrong secret is the operator's to mend.
    return error.status < 500 && error.error === "invalid_grant";
  }
  const { code } = error as { code?: unknown };
  return typeof code === "string" && CHECKS.has(code);
};

/** Codes of what did not hold: state, issuer, audience, nonce, times, signature. */
const CHECKS: ReadonlySet<string> = new Set([
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "OAUTH_KEY_SELECTION_FAILED",
]);

/** A code for log and caller: what a provider or a URL said in words may hold anything. */
const codeOf = (error: unknown): string => {
  const { error: said, code, name } = error as { error?: unknown; code?: unknown; name?: unknown };
  const isCode = (text: unknown): text is string =>
    typeof text === "string" && /^[A-Za-z_]{1,60}$/.test(text);
  return [said, code, name].find(isCode) ?? "unknown";
};
