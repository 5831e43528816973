import { CompactSign, importJWK, type JWK } from "jose";
import { type KeyRing, SIGNING_ALGORITHM } from "../identity/signingKeys.ts";

/** A signed statement: a JWS (RFC 7515) with the public key in its header. */
export type Signed = {
  readonly jws: string;
  /** The thumbprint (RFC 7638) of the signing key, as in the service's JWKS. */
  readonly kid: string;
};

export type Statements = {
  /** Signs claims. `type` distinguishes the statement from other kinds, such as access tokens. */
  sign(type: string, claims: object): Promise<Signed>;
};

/** Signs statements with the keys that also sign access tokens. */
export const createStatements = ({
  ring,
}: {
  readonly ring: Pick<KeyRing, "current">;
}): Statements => ({
  sign: async (type, claims) => {
    const { kid, privateJwk } = ring.current().active;
    const { kty, crv, x, y } = privateJwk;
    const jwk = { kty, crv, x, y } as JWK;
    const jws = await new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
      .setProtectedHeader({ alg: SIGNING_ALGORITHM, typ: type, kid, jwk })
      .sign(await importJWK(privateJwk, SIGNING_ALGORITHM));
    return { jws, kid };
  },
});
