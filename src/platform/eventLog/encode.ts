import type { JSONType } from "@eventstore/db-client";
import type { NewEvent } from "./port.ts";

/** EventStoreDB's default limit of an append, all its events together. */
export const MAX_APPEND_BYTES = 1_048_576;

/** An event that is known to be JSON, frozen as it was when it was appended. */
export type EncodedEvent = {
  readonly id: string;
  readonly type: string;
  readonly data: JSONType;
  /** JSON in UTF-8: the client passes bytes on as they are, and would encode anything else thrice. */
  readonly metadata: Uint8Array;
};

/**
 * Encodes events before the client sees them: a value that it cannot serialise would leave its promise
 * pending for ever, and one that is too large would break the connection for all who share it.
 * Throws (a programming error, not a refusal) and names the event.
 */
export const encodeEvents = (events: readonly NewEvent[]): readonly EncodedEvent[] => {
  if (events.length === 0) throw new Error("An append needs at least one event");
  let bytes = 0;
  const encoded = events.map((event) => {
    if (event.type === "" || event.type.includes("\0")) throw new Error("An event needs a type");
    const data = encode(event.data, `The data of ${event.type}`);
    const metadata = UTF8.encode(encode(event.metadata, `The metadata of ${event.type}`));
    bytes += Buffer.byteLength(data) + metadata.length + 2 * event.type.length;
    return {
      id: event.id,
      type: event.type,
      data: JSON.parse(data) as JSONType,
      metadata,
    };
  });
  if (bytes > MAX_APPEND_BYTES) {
    throw new Error(
      `An append holds ${MAX_APPEND_BYTES} bytes at most; this one, beginning with ${events[0]?.type}, has ${bytes}`,
    );
  }
  return encoded;
};

/** Makes plain byte arrays, as the client asks for: a Buffer would be taken for an object. */
const UTF8 = new TextEncoder();

const encode = (value: unknown, what: string): string => {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw new Error(`${what} is not JSON`, { cause: error });
  }
  if (text === undefined) throw new Error(`${what} is not JSON`);
  return text;
};
