import { errors, importJWK, type JWK, jwtVerify, SignJWT } from "jose";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/ids.ts";
import { type KeyRing, SIGNING_ALGORITHM } from "./signingKeys.ts";

/** How long an access token is good, in seconds. */
export const ACCESS_TOKEN_SECONDS = 600;

export type AccessClaims = { readonly userId: string; readonly sessionId: string };

export type AccessTokens = {
  /** Signs a token for a session. */
  issue(claims: AccessClaims): Promise<string>;
  /** The claims of a token that this service signed, for this service, and that is still good; null of any other. */
  verify(token: string): Promise<AccessClaims | null>;
  /** The public keys (RFC 7517), so that others can verify what we sign. */
  jwks(): { readonly keys: readonly JWK[] };
};

/**
 * Access tokens: JWTs of ten minutes that name the user (`sub`) and the session (`sid`). They prove who
 * signed in; whether the session is still open is looked up on each call.
 * `issuer` is the service's public address.
 */
export const createAccessTokens = (deps: {
  readonly ring: Pick<KeyRing, "current" | "reload">;
  readonly issuer: string;
  readonly clock: Clock;
}): AccessTokens => {
  const { ring, issuer, clock } = deps;
  const audience = `${issuer}/api/v1`;
  const privateKeyOf = importedOnce();
  const publicKeyOf = importedOnce();
  let reloadedAt = Number.NEGATIVE_INFINITY;

  /** The key of a `kid`, which another process may have made a moment ago. Whoever makes kids up costs a look a second. */
  const verifierOf = async (kid: string | undefined) => {
    if (kid === undefined) return null;
    if (!ring.current().publicJwks.has(kid) && performance.now() - reloadedAt > RELOAD_MS) {
      reloadedAt = performance.now();
      await ring.reload();
    }
    const jwk = ring.current().publicJwks.get(kid);
    return jwk ? publicKeyOf(kid, jwk) : null;
  };

  return {
    issue: async ({ userId, sessionId }) => {
      const { kid, privateJwk } = ring.current().active;
      const now = Math.floor(clock().getTime() / 1_000);
      return new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: SIGNING_ALGORITHM, typ: "JWT", kid })
        .setSubject(userId)
        .setIssuer(issuer)
        .setAudience(audience)
        .setJti(newId())
        .setIssuedAt(now)
        .setExpirationTime(now + ACCESS_TOKEN_SECONDS)
        .sign(await privateKeyOf(kid, privateJwk));
    },
    verify: async (token) => {
      try {
        const { payload } = await jwtVerify(
          token,
          async ({ kid }) => {
            const key = await verifierOf(kid);
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
    jwks: () => ({ keys: [...ring.current().publicJwks.values()] }),
  };
};

/** How long a `kid` that nobody knows keeps others from being looked up, in milliseconds. */
const RELOAD_MS = 1_000;

/** Imports each key once. */
const importedOnce = () => {
  const imported = new Map<string, ReturnType<typeof importJWK>>();
  return (kid: string, jwk: JWK): ReturnType<typeof importJWK> => {
    const known = imported.get(kid) ?? importJWK(jwk, SIGNING_ALGORITHM);
    imported.set(kid, known);
    return known;
  };
};
