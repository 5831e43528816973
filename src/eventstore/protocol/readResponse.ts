import { type StoredEvent, TOMBSTONE } from "../records.ts";
import {
  fieldSize,
  varintSize,
  writeBytesField,
  writeHead,
  writeNumberField,
  writeTextField,
} from "./protobuf.ts";

/** The requested form of ids: text, or two 64-bit halves. */
export type IdFormat = "string" | "structured";

/** Encodes the response for an event. */
export const writeEvent = (event: StoredEvent, ids: IdFormat): Buffer =>
  encodeResponse(encodeRecord(event, ids), null, event.position);

/** Encodes the response for a link and its target. */
export const writeLink = (link: StoredEvent, target: StoredEvent | null, ids: IdFormat): Buffer =>
  encodeResponse(target ? encodeRecord(target, ids) : null, encodeRecord(link, ids), link.position);

const liveResponses: Readonly<Record<IdFormat, WeakMap<StoredEvent, Buffer>>> = {
  string: new WeakMap(),
  structured: new WeakMap(),
};

/** As `writeEvent`, for a live event: encoded once for all subscribers. */
export const writeLiveEvent = (event: StoredEvent, ids: IdFormat): Buffer => {
  const known = liveResponses[ids].get(event);
  if (known) return known;
  const response = writeEvent(event, ids);
  liveResponses[ids].set(event, response);
  return response;
};

/** `ReadResp { first_stream_position }`. The generated code of the db-client lacks this field. */
export const writeFirstRevision = (revision: number): Buffer => encodeRevision(5, revision);

/** `ReadResp { last_stream_position }`. The generated code of the db-client lacks this field. */
export const writeLastRevision = (revision: number): Buffer => encodeRevision(6, revision);

/** A field of a `oneof` is written even if it is zero. */
const encodeRevision = (field: number, revision: number): Buffer => {
  const response = Buffer.allocUnsafe(1 + varintSize(revision));
  writeNumberField(response, 0, field, revision);
  return response;
};

/** `ReadResp { event: ReadEvent { event, link, commit_position } }`. */
const encodeResponse = (event: Buffer | null, link: Buffer | null, position: number): Buffer => {
  const size =
    (event ? fieldSize(event.length) : 0) +
    (link ? fieldSize(link.length) : 0) +
    numberFieldSize(position);
  const response = Buffer.allocUnsafe(fieldSize(size));
  let at = writeHead(response, 0, 1, size);
  if (event) at = writeBytesField(response, at, 1, event);
  if (link) at = writeBytesField(response, at, 2, link);
  writeNumberField(response, at, 3, position);
  return response;
};

/** `RecordedEvent`. Zero and empty fields are omitted, as in Protocol Buffers 3. */
const encodeRecord = (event: StoredEvent, ids: IdFormat): Buffer => {
  const { stream, revision, position, type, created, data, metadata } = event;
  const id = ids === "structured" ? structuredId(event.id) : null;
  const idSize = id ? id.length : fieldSize(event.id.length);
  const streamSize = Buffer.byteLength(stream);
  const contentType = event.isJson ? JSON_CONTENT : BYTES_CONTENT;
  const typeSize = Buffer.byteLength(type);
  const createdSize = entrySize("created", created.length);
  const typeEntrySize = entrySize("type", typeSize);
  const isLargest = revision === TOMBSTONE;
  const revisionSize = isLargest ? 1 + LARGEST.length : numberFieldSize(revision);
  const record = Buffer.allocUnsafe(
    fieldSize(idSize) +
      fieldSize(fieldSize(streamSize)) +
      (revision > 0 ? revisionSize : 0) +
      2 * numberFieldSize(position) +
      contentType.length +
      fieldSize(createdSize) +
      fieldSize(typeEntrySize) +
      (metadata.length > 0 ? fieldSize(metadata.length) : 0) +
      (data.length > 0 ? fieldSize(data.length) : 0),
  );
  let at = writeHead(record, 0, 1, idSize);
  if (id) at += id.copy(record, at);
  else at = writeTextField(record, at, 2, event.id, event.id.length);
  at = writeHead(record, at, 2, fieldSize(streamSize));
  at = writeTextField(record, at, 3, stream, streamSize);
  if (isLargest) {
    record[at] = 3 << 3;
    at += 1 + LARGEST.copy(record, at + 1);
  } else if (revision > 0) at = writeNumberField(record, at, 3, revision);
  at = writeNumberField(record, at, 4, position);
  at = writeNumberField(record, at, 5, position);
  // Map entries in the order of their keys, as the generated code writes them.
  at += contentType.copy(record, at);
  at = writeHead(record, at, 6, createdSize);
  at = writeEntry(record, at, "created", created, created.length);
  at = writeHead(record, at, 6, typeEntrySize);
  at = writeEntry(record, at, "type", type, typeSize);
  if (metadata.length > 0) at = writeBytesField(record, at, 7, metadata);
  if (data.length > 0) writeBytesField(record, at, 8, data);
  return record;
};

const numberFieldSize = (value: number): number => 1 + varintSize(value);

/** The size of a map entry. Keys are short ASCII texts, so that their length takes one byte. */
const entrySize = (key: string, valueSize: number): number =>
  fieldSize(key.length) + fieldSize(valueSize);

const writeEntry = (
  target: Buffer,
  at: number,
  key: string,
  value: string,
  valueSize: number,
): number => {
  const next = writeTextField(target, at, 1, key, key.length);
  return writeTextField(target, next, 2, value, valueSize);
};

const contentEntry = (contentType: string): Buffer => {
  const size = entrySize("content-type", contentType.length);
  const entry = Buffer.alloc(fieldSize(size));
  writeEntry(entry, writeHead(entry, 0, 6, size), "content-type", contentType, contentType.length);
  return entry;
};

const JSON_CONTENT = contentEntry("application/json");
const BYTES_CONTENT = contentEntry("application/octet-stream");

/** The revision of a tombstone on the wire: the largest signed 64-bit number as a varint. */
const LARGEST = Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);

/** `UUID { structured }`: two signed 64-bit numbers, high half first. */
const structuredId = (id: string): Buffer => {
  const hex = id.replaceAll("-", "");
  const halves = Buffer.alloc(22);
  let at = writeSigned(halves, 0, 1, BigInt(`0x${hex.slice(0, 16)}`));
  at = writeSigned(halves, at, 2, BigInt(`0x${hex.slice(16)}`));
  const structured = Buffer.alloc(fieldSize(at));
  writeBytesField(structured, 0, 1, halves.subarray(0, at));
  return structured;
};

/** Writes a 64-bit field of kind 0. Zero is omitted. */
const writeSigned = (target: Buffer, at: number, field: number, bits: bigint): number => {
  if (bits === 0n) return at;
  target[at] = field << 3;
  let end = at + 1;
  let rest = bits;
  for (; rest >= 0x80n; rest >>= 7n) target[end++] = Number(rest & 0x7fn) | 0x80;
  target[end++] = Number(rest);
  return end;
};
