import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";

const CHUNK_BYTES = 256 * 1024;
/** A head is a signature over a few short fields: what is longer than this is none. */
const MOST_HEAD_BYTES = 64 * 1024;
/** No event is so large that its line could be: the log takes a megabyte, and quoting it doubles it at most. */
const MOST_LINE_BYTES = 16 * 1024 * 1024;
const LF = 0x0a;

/** What the bytes before the last line are, besides their lines. */
type BytesRead = { readonly isUtf8: boolean; readonly sha256: string };

type ExportLines = {
  /** The last line, without its line feed; null where there is none, or none that could be a head. */
  readonly head: string | null;
  /** What comes after the last line feed: nothing, where the file is whole. */
  readonly ending: string;
  /** Reads the lines before the last one, from the first, one at a time. Rejects as reading a file does. */
  lines(take: (text: string) => void): Promise<BytesRead>;
};

/** Opens a file as lines, of which no more than one is held at a time, however large it is. Rejects as opening a file does. */
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
    const from = Math.max(0, size - MOST_HEAD_BYTES);
    const tail = Buffer.alloc(size - from);
    const { bytesRead } = await opened.read(tail, 0, tail.length, from);
    return { tail: tail.subarray(0, bytesRead), from };
  } finally {
    await opened.close();
  }
};

/** Reads the first `bytes` of a file, which end with a line feed, by lines. */
const readLines =
  (file: string, bytes: number, chunkBytes: number): ExportLines["lines"] =>
  async (take) => {
    const sha256 = createHash("sha256");
    let isText = true;
    if (bytes === 0) return { isUtf8: isText, sha256: sha256.digest("hex") };
    let begun: Buffer[] = [];
    let begunBytes = 0;
    const goOn = (part: Buffer): void => {
      begunBytes += part.length;
      if (begunBytes <= MOST_LINE_BYTES) begun.push(part);
      // It is no line of a history, whatever it goes on to be.
      else begun = [TOO_LONG];
    };
    const finish = (part: Buffer): void => {
      goOn(part);
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
      if (from < chunk.length) goOn(chunk.subarray(from));
    }
    return { isUtf8: isText, sha256: sha256.digest("hex") };
  };

/** Stands for what nobody keeps. */
const TOO_LONG = Buffer.from("too long");
