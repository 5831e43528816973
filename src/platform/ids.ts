import { createHash, hash, randomFillSync } from "node:crypto";
import { ulid } from "ulid";

/** Crockford base 32, the ULID alphabet. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** The value of each letter, by character code. */
const VALUES = new Uint8Array(128);
for (const [value, letter] of [...ALPHABET].entries()) VALUES[letter.charCodeAt(0)] = value;

/** Random bytes are fetched in pages: one call per byte, as in `ulid`, would dominate the cost of an id. */
const page = Buffer.alloc(4_096);
let used = page.length;

/** A random number in [0, 1) in steps of 1/256: uniform for a choice among 32 letters. */
const nextRandom = (): number => {
  if (used === page.length) {
    randomFillSync(page);
    used = 0;
  }
  const byte = page[used] ?? 0;
  used += 1;
  return byte / 256;
};

/**
 * A new id: the 48-bit time and random bits of a ULID in the form of a UUIDv7 (RFC 9562, 5.7), so that ids
 * sort by time and pass UUID validators.
 */
export const newId = (): string => {
  const now = Date.now();
  const text = ulid(now, nextRandom);
  const bytes = Buffer.allocUnsafe(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes.writeUIntBE(bitsAt(text, 10), 6, 5);
  bytes.writeUIntBE(bitsAt(text, 18), 11, 5);
  return format(bytes, 7);
};

/** The 40 bits of eight letters from `start`. */
const bitsAt = (text: string, start: number): number => {
  let value = 0;
  for (let i = start; i < start + 8; i += 1) value = value * 32 + (VALUES[text.charCodeAt(i)] ?? 0);
  return value;
};

/** A UUIDv5 (RFC 9562, 5.5): deterministic, for events whose cause may be repeated. */
export const derivedId = (namespace: string, name: string): string => {
  const size = Buffer.byteLength(name);
  const bytes = Buffer.allocUnsafe(16 + size);
  bytes.write(namespace.replaceAll("-", ""), 0, 16, "hex");
  bytes.write(name, 16, size, "utf8");
  return format(hash("sha1", bytes, "buffer").subarray(0, 16), 5);
};

/**
 * Derives ids for several purposes from one id, the seed: deterministic and indistinguishable from new ids.
 * They are UUIDv7 with the seed's time and SHA-256 in place of the random bits.
 */
export const idsFrom = (seed: string): ((purpose: string) => string) => {
  const seedBytes = Buffer.from(seed.replaceAll("-", ""), "hex");
  return (purpose) => {
    const bytes = Buffer.alloc(16);
    createHash("sha256").update(seedBytes).update(purpose, "utf8").digest().copy(bytes, 6, 0, 10);
    seedBytes.copy(bytes, 0, 0, 6);
    return format(bytes, 7);
  };
};

/** As `derivedId`, but a UUIDv7 of a millisecond since the epoch, so that it sorts by time among new ids. */
export const derivedIdAt = (millisecond: number, namespace: string, name: string): string => {
  const bytes = Buffer.from(derivedId(namespace, name).replaceAll("-", ""), "hex");
  bytes.writeUIntBE(millisecond, 0, 6);
  return format(bytes, 7);
};

const format = (bytes: Buffer, version: number): string => {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | (version << 4);
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};
