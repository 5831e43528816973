import { Inflate } from "fflate";
import { DomainError } from "../kernel/errors.ts";
import { unreadable } from "./imported.ts";

/** A file of an archive, or why it is skipped. */
type Entry =
  | { readonly name: string; readonly bytes: Uint8Array }
  | { readonly name: string; readonly problem: string };

const MAX_ENTRIES = 2_000;
/** Maximum total of inflated bytes. Counted while inflating: sizes declared in the archive are not trusted. */
const MAX_UNPACKED = 40_000_000;
/** Compressed bytes per call of inflate, which produces up to 1,032 times as many. */
const CHUNK = 4_096;

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const STORED = 0;
const DEFLATED = 8;

export const isZip = (bytes: Uint8Array): boolean =>
  bytes.length >= 22 && viewOf(bytes).getUint32(0, true) === LOCAL;

/**
 * Reads the files of a ZIP archive. Reports unsafe names, links, encrypted files and unknown compression methods per file.
 * Throws DomainError `import.unreadable` if the archive is damaged or exceeds a limit (see decision 041).
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
      entries.push({ name: printable(header.name), problem });
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

const damaged = () => unreadable("the archive is damaged or not an archive");

/** Finds the end of central directory record, which a comment may follow. */
const endOf = (view: DataView): number => {
  const first = Math.max(0, view.byteLength - 22 - 0xffff);
  for (let at = view.byteLength - 22; at >= first; at -= 1) {
    if (view.getUint32(at, true) === END) return at;
  }
  throw damaged();
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
  if (at + 46 > view.byteLength || view.getUint32(at, true) !== CENTRAL) throw damaged();
  const nameLength = view.getUint16(at + 28, true);
  const next = at + 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  if (next > view.byteLength) throw damaged();
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

const printable = (name: string): string =>
  name.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "?").slice(0, 200);

const problemOf = ({ name, method, isEncrypted, isLink }: Header): string | null => {
  const isOutside = /^[/\\]|^[A-Za-z]:|\\|(?:^|\/)\.\.(?:\/|$)|\p{Cc}/u.test(name);
  if (isOutside) return "Its path is outside of the archive.";
  if (isLink) return "It is a link: add the file itself to the archive.";
  if (isEncrypted) return "It is encrypted.";
  return method === STORED || method === DEFLATED
    ? null
    : "Its compression method is not supported.";
};

const packedAt = (bytes: Uint8Array, view: DataView, { at, packed }: Header): Uint8Array => {
  if (at + 30 > view.byteLength || view.getUint32(at, true) !== LOCAL) throw damaged();
  const start = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true);
  if (start + packed > view.byteLength) throw damaged();
  return bytes.subarray(start, start + packed);
};

const tooLarge = () => unreadable(`the archive inflates to more than ${MAX_UNPACKED} bytes`);

const unpack = (packed: Uint8Array, method: number, left: number): Uint8Array => {
  if (method === STORED) {
    if (packed.length > left) throw tooLarge();
    return packed;
  }
  const parts: Uint8Array[] = [];
  let length = 0;
  const inflate = new Inflate((part) => {
    length += part.length;
    if (length > left) throw tooLarge();
    parts.push(part);
  });
  try {
    for (let at = 0; at < packed.length || at === 0; at += CHUNK) {
      inflate.push(packed.subarray(at, at + CHUNK), at + CHUNK >= packed.length);
    }
  } catch (error) {
    throw error instanceof DomainError ? error : damaged();
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};
