import type { UUID } from "@eventstore/db-client/generated/shared_pb.js";
import { invalidArgument } from "../failures.ts";
import type { ProposedEvent } from "../records.ts";
import { type RawProposed, uuidOfHalves } from "./batchAppend.ts";
import { shared } from "./messages.ts";

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Normalises an id to lower case. Throws INVALID_ARGUMENT if it is not a UUID. */
export const checkId = (text: string): string => {
  const id = text.toLowerCase();
  if (!ID.test(id)) throw invalidArgument("An event's id is not a UUID");
  return id;
};

/** Reads an id in either form as text; empty if missing. */
export const readId = (id: UUID | undefined): string => {
  const structured = id?.getStructured();
  if (!structured) return id?.getString() ?? "";
  const half = (decimal: string): bigint => BigInt.asUintN(64, BigInt(decimal));
  return uuidOfHalves(
    half(structured.getMostSignificantBits()),
    half(structured.getLeastSignificantBits()),
  );
};

const MAX_NAME_BYTES = 2_048;

const nameTooLong = (): Error => invalidArgument("A stream name has at most 2,048 bytes");

/** Reads a stream name. Throws INVALID_ARGUMENT if it is missing, too long or contains a zero character. */
export const readStreamName = (
  identifier: { getStreamName_asU8(): Uint8Array } | undefined,
): string => checkStreamName(identifier?.getStreamName_asU8());

/** As `readStreamName`, from the bytes of the name. */
export const checkStreamName = (bytes: Uint8Array | undefined): string => {
  if (!bytes || bytes.length === 0) throw invalidArgument("The stream name is missing");
  // An index key of PostgreSQL holds about 2,700 bytes, and its text type no zero byte.
  if (bytes.length > MAX_NAME_BYTES) throw nameTooLong();
  if (bytes.includes(0)) throw invalidArgument("A stream name may not contain a zero character");
  const name = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  // An invalid byte decodes to U+FFFD, three bytes in UTF-8: the decoded name may exceed the limit.
  if (3 * bytes.length > MAX_NAME_BYTES && Buffer.byteLength(name) > MAX_NAME_BYTES) {
    throw nameTooLong();
  }
  return name;
};

/** Encodes a stream name as UTF-8. */
export const writeStreamName = (
  stream: string,
): InstanceType<(typeof shared)["StreamIdentifier"]> =>
  new shared.StreamIdentifier().setStreamName(Uint8Array.from(Buffer.from(stream, "utf8")));

/** `ProposedMessage` of Append, as the generated code decodes it. */
type ProposedMessage = {
  getId(): UUID | undefined;
  getMetadataMap(): { get(key: string): string | undefined };
  getData_asU8(): Uint8Array;
  getCustomMetadata_asU8(): Uint8Array;
};

/** Reads an event to append. Throws INVALID_ARGUMENT if its id, type or content type is missing. */
export const readProposed = (message: ProposedMessage): ProposedEvent =>
  checkProposed({
    id: readId(message.getId()),
    type: message.getMetadataMap().get("type") ?? "",
    contentType: message.getMetadataMap().get("content-type") ?? "",
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  });

/** As `readProposed`, from a decoded message. */
export const checkProposed = (message: RawProposed): ProposedEvent => {
  const { id, type, contentType, data, metadata } = message;
  if (type === "") throw invalidArgument("An event's type is missing");
  if (type.includes("\0")) {
    throw invalidArgument("An event's type may not contain a zero character");
  }
  if (contentType === "") throw invalidArgument("An event's content type is missing");
  return { id: checkId(id), type, isJson: contentType === "application/json", data, metadata };
};

/** The size of an event as EventStoreDB's limit of an append counts it: its data alone. */
export const countedSizeOf = (event: ProposedEvent): number => event.data.length;

/** The approximate size of an event in memory: its payloads and two bytes per character of its type. */
export const sizeOf = (event: ProposedEvent): number =>
  event.data.length + event.metadata.length + 2 * event.type.length;

/** Parses a decimal uint64. Larger values, such as a caller's "end", become the largest safe integer. */
export const readNumber = (decimal: string): number =>
  Math.min(Number(decimal), Number.MAX_SAFE_INTEGER);

/** The bytes of a response that may be encoded already. */
export const serializeResponse = (response: Buffer | { serializeBinary(): Uint8Array }): Buffer =>
  Buffer.isBuffer(response) ? response : Buffer.from(response.serializeBinary());
