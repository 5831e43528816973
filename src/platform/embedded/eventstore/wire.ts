import type { UUID } from "@eventstore/db-client/generated/shared_pb.js";
import type { ReadResp } from "@eventstore/db-client/generated/streams_pb.js";
import { invalidArgument } from "./failures.ts";
import { shared, streams } from "./protocol.ts";
import { type ProposedEvent, type StoredEvent, TOMBSTONE } from "./records.ts";
import { LARGEST } from "./streamMetadata.ts";

/** How a caller wants ids: as text, or as two 64-bit halves. */
export type IdFormat = "string" | "structured";

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Reads an id in either of its forms. Throws INVALID_ARGUMENT when it is none. */
export const readId = (id: UUID | undefined): string => {
  const structured = id?.getStructured();
  if (structured) {
    const half = (text: string): string =>
      BigInt.asUintN(64, BigInt(text)).toString(16).padStart(16, "0");
    const hex =
      half(structured.getMostSignificantBits()) + half(structured.getLeastSignificantBits());
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }
  const text = id?.getString().toLowerCase() ?? "";
  if (!ID.test(text)) throw invalidArgument("An event's id is not a UUID");
  return text;
};

const writeId = (id: string, format: IdFormat): UUID => {
  const uuid = new shared.UUID();
  if (format === "string") return uuid.setString(id);
  const hex = id.replaceAll("-", "");
  const half = (digits: string): string => BigInt.asIntN(64, BigInt(`0x${digits}`)).toString();
  return uuid.setStructured(
    new shared.UUID.Structured()
      .setMostSignificantBits(half(hex.slice(0, 16)))
      .setLeastSignificantBits(half(hex.slice(16))),
  );
};

/** A stream's name from its bytes. Throws INVALID_ARGUMENT when there is none, or one that cannot be kept. */
export const readStreamName = (
  identifier: { getStreamName_asU8(): Uint8Array } | undefined,
): string => {
  const bytes = identifier?.getStreamName_asU8();
  if (!bytes || bytes.length === 0) throw invalidArgument("The stream's name is missing");
  // A key of Postgres's index holds about 2,700 bytes, and its text no zero byte.
  if (bytes.length > 2048) throw invalidArgument("A stream's name may have 2,048 bytes at most");
  if (bytes.includes(0)) throw invalidArgument("A stream's name may not contain a zero character");
  return Buffer.from(bytes).toString("utf8");
};

/** A stream's name as the protocol carries it: UTF-8 bytes. */
export const writeStreamName = (
  stream: string,
): InstanceType<(typeof shared)["StreamIdentifier"]> =>
  new shared.StreamIdentifier().setStreamName(Uint8Array.from(Buffer.from(stream, "utf8")));

/** The parts that the proposed messages of Append and BatchAppend have in common. */
type ProposedMessage = {
  getId(): UUID | undefined;
  getMetadataMap(): { get(key: string): string | undefined };
  getData_asU8(): Uint8Array;
  getCustomMetadata_asU8(): Uint8Array;
};

/** Reads an event to be written. Throws INVALID_ARGUMENT when its id, type or content type is missing. */
export const readProposed = (message: ProposedMessage): ProposedEvent => {
  const type = message.getMetadataMap().get("type");
  const contentType = message.getMetadataMap().get("content-type");
  if (!type) throw invalidArgument("An event's type is missing");
  if (type.includes("\0")) {
    throw invalidArgument("An event's type may not contain a zero character");
  }
  if (!contentType) throw invalidArgument("An event's content type is missing");
  return {
    id: readId(message.getId()),
    type,
    isJson: contentType === "application/json",
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
};

/** What an event counts towards the limit of an append: its bytes, and two for each character of its type. */
export const sizeOf = (event: ProposedEvent): number =>
  event.data.length + event.metadata.length + 2 * event.type.length;

/** A uint64 in decimal as a safe integer; larger ones (a caller's "end") become the largest. */
export const readNumber = (decimal: string): number =>
  Math.min(Number(decimal), Number.MAX_SAFE_INTEGER);

/** The answer that carries one event. */
export const writeEvent = (event: StoredEvent, ids: IdFormat): ReadResp => {
  const position = String(event.position);
  const record = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(writeId(event.id, ids))
    .setStreamIdentifier(writeStreamName(event.stream))
    .setStreamRevision(event.revision === TOMBSTONE ? LARGEST : String(event.revision))
    .setCommitPosition(position)
    .setPreparePosition(position)
    .setCustomMetadata(event.metadata)
    .setData(event.data);
  record
    .getMetadataMap()
    .set("type", event.type)
    .set("content-type", event.isJson ? "application/json" : "application/octet-stream")
    .set("created", event.created);
  return new streams.ReadResp().setEvent(
    new streams.ReadResp.ReadEvent().setEvent(record).setCommitPosition(position),
  );
};

const liveAnswers: Readonly<Record<IdFormat, WeakMap<StoredEvent, ReadResp>>> = {
  string: new WeakMap(),
  structured: new WeakMap(),
};
/** The bytes of live answers; null until the first subscriber is sent them. */
const liveBytes = new WeakMap<ReadResp, Buffer | null>();

/** As `writeEvent`, for an event in memory that all live subscribers are about to get: it is encoded once for all. */
export const writeLiveEvent = (event: StoredEvent, ids: IdFormat): ReadResp => {
  const known = liveAnswers[ids].get(event);
  if (known) return known;
  const answer = writeEvent(event, ids);
  liveAnswers[ids].set(event, answer);
  liveBytes.set(answer, null);
  return answer;
};

/** The bytes of an answer to a Read. */
export const serializeRead = (answer: ReadResp): Buffer => {
  const known = liveBytes.get(answer);
  if (known) return known;
  const bytes = Buffer.from(answer.serializeBinary());
  if (known === null) liveBytes.set(answer, bytes);
  return bytes;
};
