import type { ServerHttp2Stream } from "node:http2";
import { frameAll } from "./frames.ts";

/** Unsent bytes of a call from which on its caller has to wait for "drain". */
const MAX_UNSENT_BYTES = 128 * 1024;
/** Messages of one turn of the event loop are sent as one frame block, up to this size. */
const BLOCK_BYTES = 32 * 1024;

const HEADERS = {
  ":status": 200,
  "content-type": "application/grpc+proto",
  "grpc-encoding": "identity",
  "grpc-accept-encoding": "identity,deflate,gzip",
} as const;

export type Trailers = Readonly<Record<string, string | number>>;

/** The sending direction of a call. */
export type Outbound = {
  /** Sends a message. Returns whether there is room for another one. */
  write(message: Uint8Array): boolean;
  /** Sends what is buffered and ends the stream with a status. */
  end(status: Trailers): void;
};

/** `onDrain` is called when there is room again after `write` returned false. */
export const createOutbound = (stream: ServerHttp2Stream, onDrain: () => void): Outbound => {
  let buffered: Uint8Array[] = [];
  let bufferedBytes = 0;
  let unsentBytes = 0;
  let isFull = false;
  let trailers: Trailers = {};

  const sent = (bytes: number): void => {
    unsentBytes -= bytes;
    if (!isFull || unsentBytes >= MAX_UNSENT_BYTES) return;
    isFull = false;
    onDrain();
  };
  const flush = (): void => {
    if (buffered.length === 0 || stream.destroyed) return;
    const [messages, bytes] = [buffered, bufferedBytes];
    buffered = [];
    bufferedBytes = 0;
    if (!stream.headersSent) stream.respond(HEADERS, { waitForTrailers: true });
    stream.write(frameAll(messages, bytes), () => sent(bytes));
  };
  stream.on("wantTrailers", () => stream.sendTrailers(trailers));

  return {
    write: (message) => {
      if (buffered.length === 0) process.nextTick(flush);
      buffered.push(message);
      bufferedBytes += message.length;
      unsentBytes += message.length;
      if (bufferedBytes >= BLOCK_BYTES) flush();
      isFull = unsentBytes >= MAX_UNSENT_BYTES;
      return !isFull;
    },
    end: (status) => {
      flush();
      if (stream.destroyed) return;
      if (stream.headersSent) {
        trailers = status;
        stream.end();
      } else stream.respond({ ...HEADERS, ...status }, { endStream: true });
    },
  };
};
