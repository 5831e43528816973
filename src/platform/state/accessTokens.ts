import { errors, importJWK, type JWK, jwtVerify, SignJWT } from "jose";
import type { Clock } from "../clock.ts";
import { newId } from "../ids.ts";
import { SIGNING_ALGORITHM, type SigningKeys } from "./signingKeys.ts";

/** How long an access token is good, in seconds. */
export const ACCESS_TOKEN_SECONDS = 600;

export type AccessClaims = { readonly userId: string; readonly sessionId: string };

export type AccessTokens = {
  /** Signs a token for a session. */
  issue(claims: AccessClaims): Promise<string>;
  /** The claims of a token that this service signed, for this service, and that is still good; null of any other. */
  verify(token: string): Promise<AccessClaims | null>;
  /** The public keys (RFC 7517), so that others can verify what we sign. */
  readonly jwks: { readonly keys: readonly JWK[] };
};

/**
 * Access tokens: JWTs of ten minutes that name the user (`sub`) and the session (`sid`). They prove who
 * signed in; whether the session is still open is looked up on each call.
 * `issuer` is the service's public address.
 */
export const createAccessTokens = async (deps: {
  readonly keys: SigningKeys;
  readonly issuer: string;
  readonly clock: Clock;
}): Promise<AccessTokens> => {
  const { keys, issuer, clock } = deps;
  const audience = `${issuer}/api/v1`;
  const privateKey = await importJWK(keys.active.privateJwk, SIGNING_ALGORITHM);
  const publicKeys = new Map<string, Awaited<ReturnType<typeof importJWK>>>();
  for (const [kid, jwk] of keys.publicJwks) {
    publicKeys.set(kid, await importJWK(jwk, SIGNING_ALGORITHM));
  }

  return {
    issue: ({ userId, sessionId }) => {
      const now = Math.floor(clock().getTime() / 1_000);
      return new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: SIGNING_ALGORITHM, typ: "JWT", kid: keys.active.kid })
        .setSubject(userId)
        .setIssuer(issuer)
        .setAudience(audience)
        .setJti(newId())
        .setIssuedAt(now)
        .setExpirationTime(now + ACCESS_TOKEN_SECONDS)
        .sign(privateKey);
    },
    verify: async (token) => {
      try {
        const { payload } = await jwtVerify(
          token,
          ({ kid }) => {
            const key = kid === undefined ? undefined : publicKeys.get(kid);
            if (!key) throw new errors.JWKSNoMatchingKey();
            return key;
          },
          {
            algorithms: [SIGNING_ALGORITHM],
            issuer,
            audience,
            typ: "JWT",
            requiredClaims: ["sub", "sid", "exp", "iat"],
            currentDate: clock(),
          },
        );
        const { sub, sid } = payload;
        if (typeof sub !== "string" || typeof sid !== "string") return null;
        return { userId: sub, sessionId: sid };
      } catch (error) {
        if (error instanceof errors.JOSEError) return null;
        throw error;
      }
    },
    jwks: { keys: [...keys.publicJwks.values()] },
  };
};
