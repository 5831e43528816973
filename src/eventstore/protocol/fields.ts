import type { UUID } from "@eventstore/db-client/generated/shared_pb.js";
import { type RawProposed, uuidOfHalves } from "./batchAppend.ts";
import { invalidArgument } from "../failures.ts";
import { shared } from "./messages.ts";
import type { ProposedEvent } from "../records.ts";

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** An id as text, in lower case. Throws INVALID_ARGUMENT when it is none. */
export const checkId = (text: string): string => {
  const id = text.toLowerCase();
  if (!ID.test(id)) throw invalidArgument("An event's id is not a UUID");
  return id;
};

/** An id as text, from either of its forms; empty where there is none. */
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

const nameTooLong = (): Error => invalidArgument("A stream's name may have 2,048 bytes at most");

/** A stream's name from its bytes. Throws INVALID_ARGUMENT when there is none, or one that cannot be kept. */
export const readStreamName = (
  identifier: { getStreamName_asU8(): Uint8Array } | undefined,
): string => checkStreamName(identifier?.getStreamName_asU8());

/** As `readStreamName`, from the bytes. */
export const checkStreamName = (bytes: Uint8Array | undefined): string => {
  if (!bytes || bytes.length === 0) throw invalidArgument("The stream's name is missing");
  // A key of Postgres's index holds about 2,700 bytes, and its text no zero byte.
  if (bytes.length > MAX_NAME_BYTES) throw nameTooLong();
  if (bytes.includes(0)) throw invalidArgument("A stream's name may not contain a zero character");
  const name = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  // Each byte that is no UTF-8 becomes a character of three: such a name could be written and not be named again.
  if (3 * bytes.length > MAX_NAME_BYTES && Buffer.byteLength(name) > MAX_NAME_BYTES) {
    throw nameTooLong();
  }
  return name;
};

/** A stream's name as the protocol carries it: UTF-8 bytes. */
export const writeStreamName = (
  stream: string,
): InstanceType<(typeof shared)["StreamIdentifier"]> =>
  new shared.StreamIdentifier().setStreamName(Uint8Array.from(Buffer.from(stream, "utf8")));

/** The proposed message of Append, as the generated code reads it. */
type ProposedMessage = {
  getId(): UUID | undefined;
  getMetadataMap(): { get(key: string): string | undefined };
  getData_asU8(): Uint8Array;
  getCustomMetadata_asU8(): Uint8Array;
};

/** Reads an event to be written. Throws INVALID_ARGUMENT when its id, type or content type is missing. */
export const readProposed = (message: ProposedMessage): ProposedEvent =>
  checkProposed({
    id: readId(message.getId()),
    type: message.getMetadataMap().get("type") ?? "",
    contentType: message.getMetadataMap().get("content-type") ?? "",
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  });

/** As `readProposed`, from a message that is read already. */
export const checkProposed = (message: RawProposed): ProposedEvent => {
  const { id, type, contentType, data, metadata } = message;
  if (type === "") throw invalidArgument("An event's type is missing");
  if (type.includes("\0")) {
    throw invalidArgument("An event's type may not contain a zero character");
  }
  if (contentType === "") throw invalidArgument("An event's content type is missing");
  return { id: checkId(id), type, isJson: contentType === "application/json", data, metadata };
};

/** What an event counts towards the limit of an append: its bytes, and two for each character of its type. */
export const sizeOf = (event: ProposedEvent): number =>
  event.data.length + event.metadata.length + 2 * event.type.length;

/** A uint64 in decimal as a safe integer; larger ones (a caller's "end") become the largest. */
export const readNumber = (decimal: string): number =>
  Math.min(Number(decimal), Number.MAX_SAFE_INTEGER);

/** The bytes of an answer that may be encoded already. */
export const serializeAnswer = (answer: Buffer | { serializeBinary(): Uint8Array }): Buffer =>
  Buffer.isBuffer(answer) ? answer : Buffer.from(answer.serializeBinary());
