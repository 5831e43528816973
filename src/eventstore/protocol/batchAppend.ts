import type { Expected } from "../records.ts";
import {
  type Cursor,
  cursorOf,
  enter,
  fieldSize,
  readBytes,
  readText,
  readVarint,
  readVarint64,
  skip,
  varintSize,
  writeBytesField,
  writeHead,
  writeNumberField,
  writeTextField,
} from "./protobuf.ts";

/** An unvalidated event of an append. Missing fields are empty. */
export type RawProposed = {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
};

/** The options of an append, in its first message. */
export type BatchOptions = {
  readonly stream: Buffer;
  readonly expected: Expected | null;
  /** Milliseconds since the epoch. */
  readonly deadline: number | undefined;
};

/** A message of BatchAppend. */
export type BatchRequest = {
  /** As text; empty if missing. */
  readonly correlationId: string;
  /** The encoded correlation id: responses return it in the form in which it was received. */
  readonly correlationBytes: Buffer;
  readonly options: BatchOptions | null;
  readonly proposed: readonly RawProposed[];
  readonly isFinal: boolean;
};

const EMPTY = Buffer.alloc(0);

/** Decodes `BatchAppendReq`. Byte fields are views of the message. Throws RangeError if the message is invalid. */
export const decodeBatchRequest = (message: Buffer): BatchRequest => {
  const cursor = cursorOf(message);
  const proposed: RawProposed[] = [];
  let correlationId = "";
  let correlationBytes: Buffer = EMPTY;
  let options: BatchOptions | null = null;
  let isFinal = false;
  while (cursor.at < cursor.end) {
    const tag = readVarint(cursor);
    if (tag === bytesTag(1)) {
      correlationBytes = readBytes(cursor);
      correlationId = decodeId(cursorOf(correlationBytes));
    } else if (tag === bytesTag(2)) options = decodeOptions(enter(cursor));
    else if (tag === bytesTag(3)) proposed.push(decodeProposed(enter(cursor)));
    else if (tag === numberTag(4)) isFinal = readVarint(cursor) !== 0;
    else skip(cursor, tag & 7);
  }
  return { correlationId, correlationBytes, options, proposed, isFinal };
};

const bytesTag = (field: number): number => (field << 3) | 2;
const numberTag = (field: number): number => field << 3;

const decodeOptions = (cursor: Cursor): BatchOptions => {
  let stream: Buffer = EMPTY;
  let expected: Expected | null = null;
  let deadline: number | undefined;
  while (cursor.at < cursor.end) {
    const tag = readVarint(cursor);
    switch (tag) {
      case bytesTag(1):
        stream = decodeStream(enter(cursor));
        break;
      case numberTag(2): {
        const revision = Math.min(readVarint(cursor), Number.MAX_SAFE_INTEGER);
        expected = { kind: "revision", revision };
        break;
      }
      case bytesTag(3):
        enter(cursor);
        expected = { kind: "no_stream" };
        break;
      case bytesTag(4):
        enter(cursor);
        expected = { kind: "any" };
        break;
      case bytesTag(5):
        enter(cursor);
        expected = { kind: "stream_exists" };
        break;
      case bytesTag(6):
        deadline = decodeTime(enter(cursor));
        break;
      default:
        skip(cursor, tag & 7);
    }
  }
  return { stream, expected, deadline };
};

/** `StreamIdentifier`: the bytes of the name. */
const decodeStream = (cursor: Cursor): Buffer => {
  let name: Buffer = EMPTY;
  while (cursor.at < cursor.end) {
    const tag = readVarint(cursor);
    if (tag === bytesTag(3)) name = readBytes(cursor);
    else skip(cursor, tag & 7);
  }
  return name;
};

/** `Timestamp`, in milliseconds. */
const decodeTime = (cursor: Cursor): number => {
  let seconds = 0;
  let nanos = 0;
  while (cursor.at < cursor.end) {
    const tag = readVarint(cursor);
    if (tag === numberTag(1)) seconds = Number(BigInt.asIntN(64, readVarint64(cursor)));
    else if (tag === numberTag(2)) nanos = Number(BigInt.asIntN(32, readVarint64(cursor)));
    else skip(cursor, tag & 7);
  }
  return seconds * 1000 + nanos / 1_000_000;
};

const decodeProposed = (cursor: Cursor): RawProposed => {
  let id = "";
  let type = "";
  let contentType = "";
  let data: Buffer = EMPTY;
  let metadata: Buffer = EMPTY;
  while (cursor.at < cursor.end) {
    const tag = readVarint(cursor);
    switch (tag) {
      case bytesTag(1):
        id = decodeId(enter(cursor));
        break;
      case bytesTag(2): {
        const { key, value } = decodeEntry(enter(cursor));
        if (key === "type") type = value;
        else if (key === "content-type") contentType = value;
        break;
      }
      case bytesTag(3):
        metadata = readBytes(cursor);
        break;
      case bytesTag(4):
        data = readBytes(cursor);
        break;
      default:
        skip(cursor, tag & 7);
    }
  }
  return { id, type, contentType, data, metadata };
};

const decodeEntry = (cursor: Cursor): { key: string; value: string } => {
  let key = "";
  let value = "";
  while (cursor.at < cursor.end) {
    const tag = readVarint(cursor);
    if (tag === bytesTag(1)) key = readText(cursor);
    else if (tag === bytesTag(2)) value = readText(cursor);
    else skip(cursor, tag & 7);
  }
  return { key, value };
};

/** `UUID` in either form, as text. */
const decodeId = (cursor: Cursor): string => {
  let id = "";
  while (cursor.at < cursor.end) {
    const tag = readVarint(cursor);
    if (tag === bytesTag(2)) id = readText(cursor);
    else if (tag === bytesTag(1)) id = decodeStructured(enter(cursor));
    else skip(cursor, tag & 7);
  }
  return id;
};

const decodeStructured = (cursor: Cursor): string => {
  let high = 0n;
  let low = 0n;
  while (cursor.at < cursor.end) {
    const tag = readVarint(cursor);
    if (tag === numberTag(1)) high = readVarint64(cursor);
    else if (tag === numberTag(2)) low = readVarint64(cursor);
    else skip(cursor, tag & 7);
  }
  return uuidOfHalves(high, low);
};

/** The text of an id from its two 64-bit halves. */
export const uuidOfHalves = (high: bigint, low: bigint): string => {
  const hex = high.toString(16).padStart(16, "0") + low.toString(16).padStart(16, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

/**
 * Encodes `BatchAppendResp` for a written append: `{ correlation_id, success: { current_revision,
 * position }, stream_identifier }`.
 */
export const encodeBatchSuccess = (answer: {
  readonly correlationBytes: Uint8Array;
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
}): Buffer => {
  const { correlationBytes, stream, revision, position } = answer;
  const streamSize = Buffer.byteLength(stream);
  const positionSize = 2 * (1 + varintSize(position));
  const successSize = 1 + varintSize(revision) + fieldSize(positionSize);
  const bytes = Buffer.allocUnsafe(
    fieldSize(correlationBytes.length) + fieldSize(successSize) + fieldSize(fieldSize(streamSize)),
  );
  let at = writeBytesField(bytes, 0, 1, correlationBytes);
  at = writeHead(bytes, at, 3, successSize);
  at = writeNumberField(bytes, at, 1, revision);
  at = writeHead(bytes, at, 3, positionSize);
  at = writeNumberField(bytes, at, 1, position);
  at = writeNumberField(bytes, at, 2, position);
  at = writeHead(bytes, at, 4, fieldSize(streamSize));
  writeTextField(bytes, at, 3, stream, streamSize);
  return bytes;
};
