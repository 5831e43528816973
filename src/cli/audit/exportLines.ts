import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";

const CHUNK_BYTES = 256 * 1024;
/** Size limit of a head, which is a signature over a few short fields. */
const MAX_HEAD_BYTES = 64 * 1024;
/** Size limit of a line: an event has at most 1 MiB, and quoting at most doubles it. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const LF = 0x0a;

/** Properties of the bytes before the last line. */
type BytesRead = { readonly isUtf8: boolean; readonly sha256: string };

type ExportLines = {
  /** The last line without its line feed; null if there is none, or if it is too long to be a head. */
  readonly head: string | null;
  /** The text after the last line feed; empty in a complete file. */
  readonly ending: string;
  /** Passes the lines before the last one to `take`, in order. Rejects with the error of the file system. */
  lines(take: (text: string) => void): Promise<BytesRead>;
};

/** Opens a file for reading line by line, with one line in memory. Rejects with the error of the file system. */
export const openLines = async (file: string, chunkBytes = CHUNK_BYTES): Promise<ExportLines> => {
  const { tail, from } = await tailOf(file);
  const end = tail.lastIndexOf(LF);
  const start = end <= 0 ? -1 : tail.lastIndexOf(LF, end - 1);
  const isInTail = start >= 0 || from === 0;
  const ending = tail.subarray(end + 1).toString("utf8");
  if (end < 0 || !isInTail) return { head: null, ending, lines: readLines(file, 0, chunkBytes) };
  const head = tail.subarray(start + 1, end).toString("utf8");
  return { head, ending, lines: readLines(file, from + start + 1, chunkBytes) };
};

const tailOf = async (file: string): Promise<{ readonly tail: Buffer; readonly from: number }> => {
  const opened = await open(file);
  try {
    const { size } = await opened.stat();
    const from = Math.max(0, size - MAX_HEAD_BYTES);
    const tail = Buffer.alloc(size - from);
    const { bytesRead } = await opened.read(tail, 0, tail.length, from);
    return { tail: tail.subarray(0, bytesRead), from };
  } finally {
    await opened.close();
  }
};

/** Reads the first `bytes` of a file, which end with a line feed, line by line. */
const readLines =
  (file: string, bytes: number, chunkBytes: number): ExportLines["lines"] =>
  async (take) => {
    const sha256 = createHash("sha256");
    let isText = true;
    if (bytes === 0) return { isUtf8: isText, sha256: sha256.digest("hex") };
    let begun: Buffer[] = [];
    let begunBytes = 0;
    const extend = (part: Buffer): void => {
      begunBytes += part.length;
      if (begunBytes <= MAX_LINE_BYTES) begun.push(part);
      // Too long for a line of a history.
      else begun = [TOO_LONG];
    };
    const finish = (part: Buffer): void => {
      extend(part);
      const [first = part] = begun;
      const line = begun.length === 1 ? first : Buffer.concat(begun);
      isText &&= isUtf8(line);
      begun = [];
      begunBytes = 0;
      take(line.toString("utf8"));
    };
    const stream = createReadStream(file, { end: bytes - 1, highWaterMark: chunkBytes });
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      sha256.update(chunk);
      let from = 0;
      for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
        finish(chunk.subarray(from, at));
        from = at + 1;
      }
      if (from < chunk.length) extend(chunk.subarray(from));
    }
    return { isUtf8: isText, sha256: sha256.digest("hex") };
  };

/** Replaces a line that is too long. */
const TOO_LONG = Buffer.from("too long");
