import { createPublicKey, hash, verify } from "node:crypto";

/** SHA-256 of bytes. */
export const sha256Bytes = (bytes: Uint8Array): Uint8Array => hash("sha256", bytes, "buffer");

/** Verifies an Ed25519 signature (RFC 8032). False for a malformed key or signature. */
export const verifyEd25519 = (
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean => {
  try {
    const x = Buffer.from(publicKey).toString("base64url");
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    return verify(null, message, key, signature);
  } catch {
    return false;
  }
};
