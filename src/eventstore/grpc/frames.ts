import { gunzipSync, inflateSync } from "node:zlib";
import { CallFailure, code } from "../failures.ts";

/*
 * A gRPC frame: one byte for the compression flag, four bytes for the length, the message. Frames do not
 * align with the chunks of the HTTP/2 stream.
 */
const HEAD_BYTES = 5;

/**
 * Creates the frame reader of one call. It takes the stream's chunks in order and returns the messages that
 * each chunk completes. Messages are views of the chunks where possible. Throws CallFailure if a message is
 * too large or its compression is not supported.
 */
export const createFrameReader = (
  maxBytes: number,
  encoding: string,
): ((piece: Buffer) => readonly Buffer[]) => {
  /** The chunks of an incomplete message. */
  let pieces: Buffer[] = [];
  let held = 0;
  /** Bytes needed to continue: a head, or a head and its message. */
  let wanted = HEAD_BYTES;

  return (piece) => {
    pieces.push(piece);
    held += piece.length;
    if (held < wanted) return NONE;
    const bytes = pieces.length === 1 ? piece : Buffer.concat(pieces, held);
    const messages: Buffer[] = [];
    let at = 0;
    for (;;) {
      const left = bytes.length - at;
      wanted = HEAD_BYTES;
      if (left < wanted) break;
      const length = bytes.readUInt32BE(at + 1);
      if (length > maxBytes) throw tooLong(length, maxBytes);
      wanted = HEAD_BYTES + length;
      if (left < wanted) break;
      const message = bytes.subarray(at + HEAD_BYTES, at + wanted);
      messages.push(bytes[at] === 0 ? message : unpack(message, encoding, maxBytes));
      at += wanted;
    }
    held = bytes.length - at;
    pieces = held > 0 ? [bytes.subarray(at)] : [];
    return messages;
  };
};

const NONE: readonly Buffer[] = [];

const unpack = (message: Buffer, encoding: string, maxOutputLength: number): Buffer => {
  try {
    if (encoding === "gzip") return gunzipSync(message, { maxOutputLength });
    if (encoding === "deflate") return inflateSync(message, { maxOutputLength });
  } catch (error) {
    const { code: reason } = error as { code?: unknown };
    if (reason === "ERR_BUFFER_TOO_LARGE") throw tooLong(maxOutputLength + 1, maxOutputLength);
    throw new CallFailure(code.INTERNAL, "A message cannot be decompressed");
  }
  throw new CallFailure(code.UNIMPLEMENTED, `The encoding "${encoding}" is not supported`);
};

const tooLong = (length: number, maxBytes: number): CallFailure =>
  new CallFailure(
    code.RESOURCE_EXHAUSTED,
    `A message of ${length} bytes exceeds the limit of ${maxBytes} bytes`,
  );

/** Frames messages in one buffer. `bytes`: their total length. */
export const frameAll = (messages: readonly Uint8Array[], bytes: number): Buffer => {
  const frames = Buffer.allocUnsafe(bytes + HEAD_BYTES * messages.length);
  let at = 0;
  for (const message of messages) {
    frames[at] = 0;
    frames.writeUInt32BE(message.length, at + 1);
    frames.set(message, at + HEAD_BYTES);
    at += HEAD_BYTES + message.length;
  }
  return frames;
};
