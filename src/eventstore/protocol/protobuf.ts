/*
 * Primitives of Protocol Buffers, for the frequent messages: the generated code allocates an object and an
 * array per field. Property tests compare both codecs.
 *
 * A field is a tag, `number << 3 | kind`, and a value: a varint (kind 0), 8 bytes (kind 1), a length and
 * bytes (kind 2), or 4 bytes (kind 5).
 */

/** The size of an integer from 0 to 2^53 - 1 as a varint, in bytes. */
export const varintSize = (value: number): number => {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size += 1;
  return size;
};

/** The size of a field with `length` bytes of content, tag and length included. For field numbers up to 15. */
export const fieldSize = (length: number): number => 1 + varintSize(length) + length;

/** Writes an integer from 0 to 2^53 - 1 as a varint. Returns the end offset. */
export const writeVarint = (target: Buffer, at: number, value: number): number => {
  let end = at;
  let rest = value;
  // Bitwise operators are limited to 31 bits.
  for (; rest > 0x7fffffff; rest = Math.floor(rest / 0x80)) target[end++] = (rest % 0x80) | 0x80;
  for (; rest >= 0x80; rest >>>= 7) target[end++] = (rest & 0x7f) | 0x80;
  target[end++] = rest;
  return end;
};

/** Writes a field of kind 0. Returns the end offset. */
export const writeNumberField = (
  target: Buffer,
  at: number,
  field: number,
  value: number,
): number => {
  target[at] = field << 3;
  return writeVarint(target, at + 1, value);
};

/** Writes tag and length of a field of kind 2. Returns the offset of its content. */
export const writeHead = (target: Buffer, at: number, field: number, length: number): number => {
  target[at] = (field << 3) | 2;
  return writeVarint(target, at + 1, length);
};

/** Writes a field of kind 2. Returns the end offset. */
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

/** Writes a text field; `length` is the length of the text in UTF-8. Returns the end offset. */
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

/** A read position in a message. All functions throw RangeError if the message is truncated. */
export type Cursor = { readonly bytes: Buffer; at: number; readonly end: number };

export const cursorOf = (bytes: Buffer): Cursor => ({ bytes, at: 0, end: bytes.length });

/** Reads a varint as a number. Values above 2^53 - 1 lose low bits. */
export const readVarint = (cursor: Cursor): number => {
  let value = 0;
  let unit = 1;
  for (let count = 0; count < 10; count += 1) {
    if (cursor.at >= cursor.end) throw truncated();
    const byte = cursor.bytes[cursor.at++] ?? 0;
    value += (byte & 0x7f) * unit;
    if (byte < 0x80) return value;
    unit *= 0x80;
  }
  throw new RangeError("A number has more than 64 bits");
};

/** Reads a varint as an unsigned 64-bit integer. */
export const readVarint64 = (cursor: Cursor): bigint => {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    if (cursor.at >= cursor.end) throw truncated();
    const byte = cursor.bytes[cursor.at++] ?? 0;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return BigInt.asUintN(64, value);
  }
  throw new RangeError("A number has more than 64 bits");
};

/** Returns a cursor of the content of a field of kind 2, and moves the given cursor behind it. */
export const enter = (cursor: Cursor): Cursor => {
  const length = readVarint(cursor);
  const at = cursor.at;
  if (length > cursor.end - at) throw truncated();
  cursor.at = at + length;
  return { bytes: cursor.bytes, at, end: at + length };
};

/** Reads a field of kind 2 as bytes: a view of the message. */
export const readBytes = (cursor: Cursor): Buffer => {
  const { bytes, at, end } = enter(cursor);
  return bytes.subarray(at, end);
};

/** Reads a field of kind 2 as text. */
export const readText = (cursor: Cursor): string => {
  const { bytes, at, end } = enter(cursor);
  return bytes.toString("utf8", at, end);
};

/** Skips a field. */
export const skip = (cursor: Cursor, kind: number): void => {
  if (kind === 0) readVarint64(cursor);
  else if (kind === 2) enter(cursor);
  else if (kind === 1) cursor.at += 8;
  else if (kind === 5) cursor.at += 4;
  else throw new RangeError("A field has an unknown kind");
  if (cursor.at > cursor.end) throw truncated();
};

const truncated = (): RangeError => new RangeError("The message is truncated");
