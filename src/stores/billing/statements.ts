import { CompactSign, importJWK, type JWK } from "jose";
import { type KeyRing, SIGNING_ALGORITHM } from "../identity/signingKeys.ts";

/** A statement of the service's, signed: a JWS (RFC 7515) with the public key in its header. */
export type Signed = {
  readonly jws: string;
  /** Of the key that signed it: its thumbprint (RFC 7638), as the service's JWKS names it. */
  readonly kid: string;
};

export type Statements = {
  /** Signs a statement. `type` keeps it from being taken for one of another kind, such as an access token. */
  sign(type: string, claims: object): Promise<Signed>;
};

/** Signs statements with the service's keys, those that sign access tokens. */
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
