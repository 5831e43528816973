import { errors, importJWK, type JWK, jwtVerify, SignJWT } from "jose";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/ids.ts";
import { type KeyRing, SIGNING_ALGORITHM } from "./signingKeys.ts";

/** Lifetime of an access token, in seconds. */
export const ACCESS_TOKEN_SECONDS = 600;

export type AccessClaims = { readonly userId: string; readonly sessionId: string };

export type AccessTokens = {
  /** Signs a token for a session. */
  issue(claims: AccessClaims): Promise<string>;
  /** The claims of a valid token issued by and for this service; null otherwise. */
  verify(token: string): Promise<AccessClaims | null>;
  /** The public keys (RFC 7517). */
  jwks(): { readonly keys: readonly JWK[] };
};

/**
 * Access tokens: JWTs valid for ten minutes that contain user (`sub`) and session (`sid`). Callers must check
 * separately whether the session is open. `issuer` is the service's public URL.
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

  /** The public key of a `kid`. Unknown kids reload the key ring at most once a second: another process may have rotated it. */
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
    verify: (token) => verify({ verifierOf, issuer, audience, clock }, token),
    jwks: () => ({ keys: [...ring.current().publicJwks.values()] }),
  };
};

const verify = async (
  deps: {
    readonly verifierOf: (
      kid: string | undefined,
    ) => Promise<Awaited<ReturnType<typeof importJWK>> | null>;
    readonly issuer: string;
    readonly audience: string;
    readonly clock: Clock;
  },
  token: string,
): Promise<AccessClaims | null> => {
  try {
    const { payload } = await jwtVerify(
      token,
      async ({ kid }) => {
        const key = await deps.verifierOf(kid);
        if (!key) throw new errors.JWKSNoMatchingKey();
        return key;
      },
      {
        algorithms: [SIGNING_ALGORITHM],
        issuer: deps.issuer,
        audience: deps.audience,
        typ: "JWT",
        requiredClaims: ["sub", "sid", "exp", "iat"],
        currentDate: deps.clock(),
      },
    );
    const { sub, sid } = payload;
    if (typeof sub !== "string" || typeof sid !== "string") return null;
    return { userId: sub, sessionId: sid };
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
};

/** Minimum time between reloads of the key ring for unknown kids, in milliseconds. */
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
