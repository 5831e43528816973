import { Inflate } from "fflate";
import { DomainError } from "../kernel/errors.ts";
import { unreadable } from "./imported.ts";

/** A file of an archive, or why it is not taken. */
type Entry =
  | { readonly name: string; readonly bytes: Uint8Array }
  | { readonly name: string; readonly problem: string };

const MAX_ENTRIES = 2_000;
/** What all files of an archive come to, unpacked, in bytes: what is said in the archive is not believed. */
const MAX_UNPACKED = 40_000_000;
/** So many packed bytes are unpacked at a time: a thousand times as many come of them at most. */
const CHUNK = 4_096;

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const STORED = 0;
const DEFLATED = 8;

/** Whether bytes are those of a ZIP archive. */
export const isZip = (bytes: Uint8Array): boolean =>
  bytes.length >= 22 && viewOf(bytes).getUint32(0, true) === LOCAL;

/**
 * The files of a ZIP archive, folders left out. Names that lead out of it, links and what is encrypted or packed in another way
 * are not taken, each for itself. Throws DomainError `import.unreadable` for an archive that is broken off or comes to too much.
 */
export const readZip = (bytes: Uint8Array): readonly Entry[] => {
  const view = viewOf(bytes);
  const end = endOf(view);
  const count = view.getUint16(end + 10, true);
  if (count > MAX_ENTRIES) throw unreadable(`the archive has more than ${MAX_ENTRIES} files`);
  let at = view.getUint32(end + 16, true);
  let left = MAX_UNPACKED;
  const entries: Entry[] = [];
  for (let n = 0; n < count; n += 1) {
    const header = headerAt(bytes, view, at);
    at = header.next;
    if (header.name.endsWith("/")) continue;
    const problem = problemOf(header);
    if (problem) {
      entries.push({ name: shown(header.name), problem });
      continue;
    }
    const unpacked = unpack(packedAt(bytes, view, header), header.method, left);
    left -= unpacked.length;
    entries.push({ name: header.name, bytes: unpacked });
  }
  return entries;
};

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const broken = () => unreadable("the archive is broken off, or no archive");

/** The record that ends an archive: a comment may stand behind it. */
const endOf = (view: DataView): number => {
  const first = Math.max(0, view.byteLength - 22 - 0xffff);
  for (let at = view.byteLength - 22; at >= first; at -= 1) {
    if (view.getUint32(at, true) === END) return at;
  }
  throw broken();
};

type Header = {
  readonly name: string;
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly isLink: boolean;
  readonly packed: number;
  readonly at: number;
  readonly next: number;
};

const headerAt = (bytes: Uint8Array, view: DataView, at: number): Header => {
  if (at + 46 > view.byteLength || view.getUint32(at, true) !== CENTRAL) throw broken();
  const nameLength = view.getUint16(at + 28, true);
  const next = at + 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  if (next > view.byteLength) throw broken();
  const unixMode = view.getUint32(at + 38, true) >>> 16;
  return {
    name: new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength)),
    method: view.getUint16(at + 10, true),
    isEncrypted: (view.getUint16(at + 8, true) & 1) === 1,
    isLink: (unixMode & 0xf000) === 0xa000,
    packed: view.getUint32(at + 20, true),
    at: view.getUint32(at + 42, true),
    next,
  };
};

const shown = (name: string): string => name.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "?").slice(0, 200);

const problemOf = ({ name, method, isEncrypted, isLink }: Header): string | null => {
  const isOutside = /^[/\\]|^[A-Za-z]:|\\|(?:^|\/)\.\.(?:\/|$)|\p{Cc}/u.test(name);
  if (isOutside) return "Its name leads out of the archive.";
  if (isLink) return "It is a link: put the file itself into the archive.";
  if (isEncrypted) return "It is encrypted.";
  return method === STORED || method === DEFLATED
    ? null
    : "It is packed in a way that is not read.";
};

const packedAt = (bytes: Uint8Array, view: DataView, { at, packed }: Header): Uint8Array => {
  if (at + 30 > view.byteLength || view.getUint32(at, true) !== LOCAL) throw broken();
  const start = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true);
  if (start + packed > view.byteLength) throw broken();
  return bytes.subarray(start, start + packed);
};

const tooMuch = () => unreadable(`unpacked the archive comes to more than ${MAX_UNPACKED} bytes`);

const unpack = (packed: Uint8Array, method: number, left: number): Uint8Array => {
  if (method === STORED) {
    if (packed.length > left) throw tooMuch();
    return packed;
  }
  const parts: Uint8Array[] = [];
  let length = 0;
  const inflate = new Inflate((part) => {
    length += part.length;
    if (length > left) throw tooMuch();
    parts.push(part);
  });
  try {
    for (let at = 0; at < packed.length || at === 0; at += CHUNK) {
      inflate.push(packed.subarray(at, at + CHUNK), at + CHUNK >= packed.length);
    }
  } catch (error) {
    throw error instanceof DomainError ? error : broken();
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};
