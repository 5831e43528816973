import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { type Checkpoint, formatCheckpoint } from "../../domain/audit/tree/checkpoint.ts";
import { formatKey, formatNote, type NoteKey } from "../../domain/audit/tree/note.ts";
import { hmac } from "../../platform/crypto.ts";
import { sha256Bytes } from "../../platform/signatures.ts";

/** Signs checkpoints. */
export type CheckpointSigner = {
  /** The name of the log in its checkpoints; it identifies the key. */
  readonly origin: string;
  readonly key: NoteKey;
  /** The verifier key as auditors receive it: `name+id+key`. */
  readonly verifierKey: string;
  /** The signed note of a text, which ends with a line feed. */
  signText(text: string): string;
  /** The signed note of a tree. */
  sign(tree: Omit<Checkpoint, "origin">): string;
};

/** The start of an Ed25519 key in PKCS#8 (RFC 8410), before its 32 bytes. */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

/**
 * The signer of a service. The Ed25519 key derives from the master key: every process of a service has the same one, it
 * is stored nowhere else, and a restored service keeps it.
 */
export const checkpointSigner = (masterKey: Buffer): CheckpointSigner => {
  const seed = Buffer.from(hmac(masterKey, "audit-tree", "ed25519"), "hex");
  const secret = createPrivateKey({
    key: Buffer.concat([PKCS8, seed]),
    format: "der",
    type: "pkcs8",
  });
  const { x = "" } = createPublicKey(secret).export({ format: "jwk" });
  const publicKey = new Uint8Array(Buffer.from(x, "base64url"));
  const name = Buffer.from(sha256Bytes(publicKey)).toString("hex", 0, 8);
  const key = { name: `runledger/log/${name}`, publicKey };
  const signText = (text: string): string =>
    formatNote(text, key, sign(null, Buffer.from(text), secret), sha256Bytes);
  return {
    origin: key.name,
    key,
    verifierKey: formatKey(key, sha256Bytes),
    signText,
    sign: (tree) => signText(formatCheckpoint({ ...tree, origin: key.name })),
  };
};
