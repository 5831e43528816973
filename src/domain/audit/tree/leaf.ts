import type { Sha256 } from "./merkle.ts";

/** A stored event, byte for byte, as an event log returns it. */
export type LeafEvent = {
  readonly stream: string;
  /** Counts from 0 in its stream. */
  readonly revision: bigint;
  readonly type: string;
  readonly id: string;
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
};

/** The fields of a leaf in their canonical order (docs/auditors.md, "The leaf"). */
export const leafFields = [
  "stream",
  "revision",
  "type",
  "content_type",
  "id",
  "data",
  "metadata",
] as const;
export type LeafField = (typeof leafFields)[number];

const encoder = new TextEncoder();
const HEADER = encoder.encode("runledger-event/1\n");
/** RFC 6962 prefixes the data of a leaf with this byte. */
const LEAF_PREFIX = 0x00;

/** The bytes of each field in canonical order. */
const fieldBytes = (event: LeafEvent): readonly Uint8Array[] => [
  encoder.encode(event.stream),
  encoder.encode(String(event.revision)),
  encoder.encode(event.type),
  encoder.encode(event.isJson ? "application/json" : "application/octet-stream"),
  encoder.encode(event.id),
  event.data,
  event.metadata,
];

/** The canonical form of an event: a header, then each field as its length (4 bytes, big-endian) and its bytes. */
export const encodeLeaf = (event: LeafEvent): Uint8Array => prefixed(fieldBytes(event)).subarray(1);

/** The RFC 6962 hash of an event's leaf: SHA-256 of a zero byte and the canonical form. */
export const hashLeaf = (event: LeafEvent, sha256: Sha256): Uint8Array =>
  sha256(prefixed(fieldBytes(event)));

/** A 32-bit checksum, such as CRC-32. */
export type Checksum = (bytes: Uint8Array) => number;

/** A leaf: its hash, and a checksum of each field (4 bytes each), which names an altered field and proves nothing. */
export type Leaf = { readonly hash: Uint8Array; readonly checks: Uint8Array };
export const CHECKS_BYTES = 4 * leafFields.length;

export const leafOf = (event: LeafEvent, sha256: Sha256, checksum: Checksum): Leaf => {
  const fields = fieldBytes(event);
  const checks = new Uint8Array(CHECKS_BYTES);
  const view = new DataView(checks.buffer);
  for (const [index, field] of fields.entries()) view.setUint32(4 * index, checksum(field));
  return { hash: sha256(prefixed(fields)), checks };
};

/** The fields whose checksums differ. */
export const differingFields = (one: Uint8Array, other: Uint8Array): readonly LeafField[] =>
  leafFields.filter((_, index) =>
    one.subarray(4 * index, 4 * index + 4).some((byte, place) => byte !== other[4 * index + place]),
  );

const prefixed = (fields: readonly Uint8Array[]): Uint8Array => {
  const size = fields.reduce((sum, { length }) => sum + 4 + length, 1 + HEADER.length);
  const bytes = new Uint8Array(size);
  bytes[0] = LEAF_PREFIX;
  bytes.set(HEADER, 1);
  let at = 1 + HEADER.length;
  for (const field of fields) {
    const { length } = field;
    bytes[at] = length >>> 24;
    bytes[at + 1] = length >>> 16;
    bytes[at + 2] = length >>> 8;
    bytes[at + 3] = length;
    bytes.set(field, at + 4);
    at += 4 + length;
  }
  return bytes;
};

/** Whether an event is a leaf. System events (`$…`) differ between servers and hold no facts of the service. */
export const isLeaf = ({ stream, type }: Pick<LeafEvent, "stream" | "type">): boolean =>
  !stream.startsWith("$") && !type.startsWith("$");
