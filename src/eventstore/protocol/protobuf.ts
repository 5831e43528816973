/*
 * Protocol Buffers by hand, for the messages of which there are many. The generated code builds an
 * object and a list for every field; these functions go straight between bytes and our own records. All
 * other messages go through the generated code, and a property test holds the two to each other.
 *
 * A field is a tag, `number << 3 | kind`, and a value: a varint (kind 0), 8 bytes (kind 1), a length and
 * bytes (kind 2), or 4 bytes (kind 5).
 */

/** How many bytes a whole number from 0 to 2^53 - 1 takes as a varint. */
export const varintSize = (value: number): number => {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size += 1;
  return size;
};

/** How many bytes a field of `length` bytes takes with its tag and length. For field numbers up to 15. */
export const fieldSize = (length: number): number => 1 + varintSize(length) + length;

/** Writes a whole number from 0 to 2^53 - 1. Returns where it ends. */
export const writeVarint = (target: Buffer, at: number, value: number): number => {
  let end = at;
  let rest = value;
  // Operators on bits hold for 31 of them.
  for (; rest > 0x7fffffff; rest = Math.floor(rest / 0x80)) target[end++] = (rest % 0x80) | 0x80;
  for (; rest >= 0x80; rest >>>= 7) target[end++] = (rest & 0x7f) | 0x80;
  target[end++] = rest;
  return end;
};

/** Writes a whole field of kind 0. */
export const writeNumberField = (
  target: Buffer,
  at: number,
  field: number,
  value: number,
): number => {
  target[at] = field << 3;
  return writeVarint(target, at + 1, value);
};

/** Begins a field of kind 2. Returns where its bytes go. */
export const writeHead = (target: Buffer, at: number, field: number, length: number): number => {
  target[at] = (field << 3) | 2;
  return writeVarint(target, at + 1, length);
};

/** Writes a whole field of kind 2. */
export const writeBytesField = (
  target: Buffer,
  at: number,
  field: number,
  bytes: Uint8Array,
): number => {
  const start = writeHead(target, at, field, bytes.length);
  target.set(bytes, start);
  return start + bytes.length;
};

/** Writes a whole field of kind 2; `length` is that of the text in UTF-8. */
export const writeTextField = (
  target: Buffer,
  at: number,
  field: number,
  text: string,
  length: number,
): number => {
  const start = writeHead(target, at, field, length);
  target.write(text, start, length, "utf8");
  return start + length;
};

/** A place in a message that is being read. Every step throws a RangeError where the message breaks off. */
export type Cursor = { readonly bytes: Buffer; at: number; readonly end: number };

/** Begins to read a message. */
export const cursorOf = (bytes: Buffer): Cursor => ({ bytes, at: 0, end: bytes.length });

/** Reads a varint as a number; what is past 2^53 - 1 loses its low bits. */
export const readVarint = (cursor: Cursor): number => {
  let value = 0;
  let unit = 1;
  for (let count = 0; count < 10; count += 1) {
    if (cursor.at >= cursor.end) throw brokenOff();
    const byte = cursor.bytes[cursor.at++] ?? 0;
    value += (byte & 0x7f) * unit;
    if (byte < 0x80) return value;
    unit *= 0x80;
  }
  throw new RangeError("A number has more than 64 bits");
};

/** Reads a varint as the 64 bits that it has. */
export const readVarint64 = (cursor: Cursor): bigint => {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    if (cursor.at >= cursor.end) throw brokenOff();
    const byte = cursor.bytes[cursor.at++] ?? 0;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return BigInt.asUintN(64, value);
  }
  throw new RangeError("A number has more than 64 bits");
};

/** Enters a field of kind 2: a cursor of its bytes. The outer one is past them. */
export const enter = (cursor: Cursor): Cursor => {
  const length = readVarint(cursor);
  const at = cursor.at;
  if (length > cursor.end - at) throw brokenOff();
  cursor.at = at + length;
  return { bytes: cursor.bytes, at, end: at + length };
};

/** Reads a field of kind 2 as bytes, which are a view of the message. */
export const readBytes = (cursor: Cursor): Buffer => {
  const { bytes, at, end } = enter(cursor);
  return bytes.subarray(at, end);
};

/** Reads a field of kind 2 as text. */
export const readText = (cursor: Cursor): string => {
  const { bytes, at, end } = enter(cursor);
  return bytes.toString("utf8", at, end);
};

/** Passes over a field that is not known, or not asked for. */
export const skip = (cursor: Cursor, kind: number): void => {
  if (kind === 0) readVarint64(cursor);
  else if (kind === 2) enter(cursor);
  else if (kind === 1) cursor.at += 8;
  else if (kind === 5) cursor.at += 4;
  else throw new RangeError("A field is of no known kind");
  if (cursor.at > cursor.end) throw brokenOff();
};

const brokenOff = (): RangeError => new RangeError("The message breaks off");
