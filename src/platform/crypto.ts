import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

/** Bytes of the master key. */
export const MASTER_KEY_BYTES = 32;

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = "s1";

/**
 * Encrypts a text with AES-256-GCM under a key derived from the master key. Returns printable text that opens
 * with the same `context` only (such as `mail:<id>`).
 */
export const seal = (masterKey: Buffer, plaintext: string, context: string): string => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", derive(masterKey, "seal"), nonce);
  cipher.setAAD(Buffer.from(context, "utf8"));
  const encrypted = Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final()]);
  const packed = Buffer.concat([nonce, cipher.getAuthTag(), encrypted]);
  return `${VERSION}.${packed.toString("base64url")}`;
};

/** Decrypts a sealed value. Throws if it is damaged, or was sealed with another context or master key. */
export const open = (masterKey: Buffer, sealed: string, context: string): string => {
  const [version, text, ...rest] = sealed.split(".");
  const packed = Buffer.from(text ?? "", "base64url");
  if (version !== VERSION || rest.length > 0 || packed.length < NONCE_BYTES + TAG_BYTES) {
    throw new Error("Not a sealed value");
  }
  const decipher = createDecipheriv(
    "aes-256-gcm",
    derive(masterKey, "seal"),
    packed.subarray(0, NONCE_BYTES),
  );
  decipher.setAAD(Buffer.from(context, "utf8"));
  decipher.setAuthTag(packed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    const text = decipher.update(packed.subarray(NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    throw new Error("A sealed value does not open: another MASTER_KEY, or it was changed");
  }
};

/** HMAC-SHA-256 in hex with a key per purpose: to look up values that are not stored in plain text. */
export const hmac = (masterKey: Buffer, purpose: string, value: string): string =>
  createHmac("sha256", derive(masterKey, `hmac:${purpose}`))
    .update(value, "utf8")
    .digest("hex");

/** SHA-256 in hex. */
export const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** A random token of `bytes` bytes (default 32) in base64url. */
export const randomToken = (bytes = 32): string => randomBytes(bytes).toString("base64url");

/** Compares texts in constant time. */
export const equalInConstantTime = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a, "utf8"), Buffer.from(b, "utf8")];
  return left.length === right.length && timingSafeEqual(left, right);
};

/** The key for a purpose. Derivation is as expensive as encryption, so keys are cached. */
const derive = (masterKey: Buffer, purpose: string): Buffer => {
  if (masterKey.length !== MASTER_KEY_BYTES) throw new Error("The master key has 32 bytes");
  const keys = derived.get(masterKey) ?? new Map<string, Buffer>();
  const known = keys.get(purpose);
  if (known) return known;
  const key = hkdfSync("sha256", masterKey, "", `runledger:${purpose}`, MASTER_KEY_BYTES);
  derived.set(masterKey, keys.set(purpose, Buffer.from(key)));
  return keys.get(purpose) as Buffer;
};

/** Keys by master key and purpose. Purposes are constants in the code, so the cache is bounded. */
const derived = new WeakMap<Buffer, Map<string, Buffer>>();
