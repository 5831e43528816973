import { createHash, createPublicKey, verify } from "node:crypto";
import type { NoteCrypto } from "../../domain/audit/tree/note.ts";

export const sha256 = (bytes: Uint8Array): Uint8Array =>
  createHash("sha256").update(bytes).digest();

/** The cryptography of signed notes. A malformed key or signature is not valid. */
export const noteCrypto: NoteCrypto = {
  sha256,
  verify: (publicKey, message, signature) => {
    try {
      const x = Buffer.from(publicKey).toString("base64url");
      const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
      return verify(null, message, key, signature);
    } catch {
      return false;
    }
  },
};
