import type { NewEvent } from "./port.ts";

/** EventStoreDB's default limit of an append, all its events together. */
export const MAX_APPEND_BYTES = 1_048_576;

/** An event that is known to be JSON, frozen as it was when it was appended. */
export type EncodedEvent = {
  readonly id: string;
  readonly type: string;
  /** As the client reads it: see `told`. */
  readonly contentType: "application/json" | "application/octet-stream";
  /** JSON in UTF-8, as the metadata: the client passes bytes on as they are. */
  readonly data: Uint8Array;
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
  let last: { readonly of: unknown; readonly metadata: Uint8Array } | null = null;
  const encoded = events.map((event) => {
    if (event.type === "" || event.type.includes("\0")) throw new Error("An event needs a type");
    const data = encode(event.data, `The data of ${event.type}`);
    // Events of one command have one: they are encoded together, so that nothing can have changed between.
    if (last?.of !== event.metadata) {
      const metadata = encode(event.metadata, `The metadata of ${event.type}`);
      last = { of: event.metadata, metadata };
    }
    const { metadata } = last;
    bytes += data.length + metadata.length + 2 * event.type.length;
    return told(event.id, event.type, data, metadata);
  });
  if (bytes > MAX_APPEND_BYTES) {
    throw new Error(
      `An append holds ${MAX_APPEND_BYTES} bytes at most; this one, beginning with ${events[0]?.type}, has ${bytes}`,
    );
  }
  return encoded;
};

/**
 * An event as the client takes it. It reads the content type twice: first to tell the server, then to know how the data
 * is to be encoded; and JSON it would encode itself, and bring to the wire by way of base64, twice. So it hears "JSON"
 * the first time, and "bytes" the second (test/integration/eventstore/insides.test.ts).
 */
const told = (id: string, type: string, data: Uint8Array, metadata: Uint8Array): EncodedEvent => {
  let isTold = false;
  return {
    id,
    type,
    data,
    metadata,
    get contentType() {
      isTold = !isTold;
      return isTold ? "application/json" : "application/octet-stream";
    },
  };
};

const encode = (value: unknown, what: string): Uint8Array => {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw new Error(`${what} is not JSON`, { cause: error });
  }
  if (text === undefined) throw new Error(`${what} is not JSON`);
  const { buffer, byteOffset, length } = Buffer.from(text, "utf8");
  // A plain byte array, as the client asks for: a Buffer would be taken for an object.
  return new Uint8Array(buffer, byteOffset, length);
};
