import type { NewEvent } from "./port.ts";

/** The maximum size of an append, all events together: EventStoreDB's default. */
export const MAX_APPEND_BYTES = 1_048_576;

/** An encoded event. */
export type EncodedEvent = {
  readonly id: string;
  readonly type: string;
  /** Changes with each read: see `encodedEvent`. */
  readonly contentType: "application/json" | "application/octet-stream";
  /** JSON in UTF-8, as is `metadata`. The client sends bytes unchanged. */
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
};

/**
 * Encodes events before they are passed to the client: there, a value that cannot be serialised would leave the
 * promise pending, and one that is too large would break the shared connection.
 * Throws an error that names the event if it is invalid (a programming error).
 */
export const encodeEvents = (events: readonly NewEvent[]): readonly EncodedEvent[] => {
  if (events.length === 0) throw new Error("An append needs at least one event");
  let bytes = 0;
  let last: { readonly of: unknown; readonly metadata: Uint8Array } | null = null;
  const encoded = events.map((event) => {
    if (event.type === "" || event.type.includes("\0")) throw new Error("An event needs a type");
    const data = encode(event.data, `The data of ${event.type}`);
    // The events of a command share their metadata object: encode it once.
    if (last?.of !== event.metadata) {
      const metadata = encode(event.metadata, `The metadata of ${event.type}`);
      last = { of: event.metadata, metadata };
    }
    const { metadata } = last;
    bytes += data.length + metadata.length + 2 * event.type.length;
    return encodedEvent(event.id, event.type, data, metadata);
  });
  if (bytes > MAX_APPEND_BYTES) {
    throw new Error(
      `An append holds ${MAX_APPEND_BYTES} bytes at most; this one, beginning with ${events[0]?.type}, has ${bytes}`,
    );
  }
  return encoded;
};

/**
 * The client reads the content type twice: for the wire, and to choose the encoding of the data. It would encode JSON
 * itself, with two conversions through base64. So the first read returns JSON and the second one bytes
 * (test/integration/eventstore/insides.test.ts).
 */
const encodedEvent = (
  id: string,
  type: string,
  data: Uint8Array,
  metadata: Uint8Array,
): EncodedEvent => {
  let isFirstRead = false;
  return {
    id,
    type,
    data,
    metadata,
    get contentType() {
      isFirstRead = !isFirstRead;
      return isFirstRead ? "application/json" : "application/octet-stream";
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
  // The client takes a Buffer for an object: it needs a Uint8Array.
  return new Uint8Array(buffer, byteOffset, length);
};
