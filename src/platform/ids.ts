import { createHash, hash, randomFillSync } from "node:crypto";
import { ulid } from "ulid";

/** Crockford base 32, the ULID alphabet. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** What each of its letters stands for, by character code. */
const VALUES = new Uint8Array(128);
for (const [value, letter] of [...ALPHABET].entries()) VALUES[letter.charCodeAt(0)] = value;

/** Random bytes are fetched a page at a time: one at a time, as `ulid` does by itself, costs more than all the rest. */
const page = Buffer.alloc(4_096);
let used = page.length;

/** A random number in [0, 1) in steps of 1/256: exact for the 32 letters that it picks from. */
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
 * A new id: a ULID's 48-bit millisecond clock and random bits, written as a UUIDv7 (RFC 9562, 5.7),
 * so that ids sort by time and every UUID validator takes them.
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

/** The 40 bits that eight letters from `start` stand for. */
const bitsAt = (text: string, start: number): number => {
  let value = 0;
  for (let i = start; i < start + 8; i += 1) value = value * 32 + (VALUES[text.charCodeAt(i)] ?? 0);
  return value;
};

/** RFC 9562, 5.5: the same namespace and name give the same id, for events whose cause can come twice. */
export const derivedId = (namespace: string, name: string): string => {
  const size = Buffer.byteLength(name);
  const bytes = Buffer.allocUnsafe(16 + size);
  bytes.write(namespace.replaceAll("-", ""), 0, 16, "hex");
  bytes.write(name, 16, size, "utf8");
  return format(hash("sha1", bytes, "buffer").subarray(0, 16), 5);
};

/**
 * Ids for several purposes from one id, the seed: the same for the same purpose, and not to be told from
 * new ones. They are UUIDv7 of the seed's millisecond (RFC 9562, 5.7) with SHA-256 in place of the random bits.
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

/**
 * The id of something that happens once in a millisecond (since the epoch): as `derivedId`, but a UUIDv7 of
 * that millisecond, so that it sorts by time among new ones.
 */
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
