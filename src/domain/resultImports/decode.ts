import { unreadable } from "./report.ts";

/** So far into a file its XML declaration is looked for, in bytes. */
const HEAD = 400;

/**
 * The text of a file: in the encoding that a mark at its start names, else the one of its XML declaration, else
 * UTF-8. Throws `results.unreadable` for bytes that are none of it, with the line.
 */
export const decodeReport = (bytes: Uint8Array): string => {
  if (bytes.length === 0)
    throw unreadable(null, "is empty. Send the report that your tests wrote.");
  const encoding = encodingOf(bytes);
  const decoder = decoderFor(encoding);
  try {
    return decoder.decode(bytes);
  } catch {
    throw unreadable(
      firstBadLine(bytes, encoding),
      `is not in ${encoding}. Save the file as UTF-8, or name its encoding in the XML declaration.`,
    );
  }
};

const startsWith = (bytes: Uint8Array, ...start: number[]): boolean =>
  start.every((byte, index) => bytes[index] === byte);

const encodingOf = (bytes: Uint8Array): string => {
  if (startsWith(bytes, 0xef, 0xbb, 0xbf)) return "utf-8";
  if (startsWith(bytes, 0xff, 0xfe) || startsWith(bytes, 0x3c, 0x00)) return "utf-16le";
  if (startsWith(bytes, 0xfe, 0xff) || startsWith(bytes, 0x00, 0x3c)) return "utf-16be";
  const head = String.fromCharCode(...bytes.subarray(0, HEAD));
  const [, named] = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(head) ?? [];
  // A declaration in single-byte characters contradicts a declared UTF-16 and takes precedence.
  return named === undefined || /^utf-?16/i.test(named) ? "utf-8" : named.toLowerCase();
};

const decoderFor = (encoding: string) => {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw unreadable(
      1,
      `the encoding ${JSON.stringify(encoding)} is not known here. Save the file as UTF-8.`,
    );
  }
};

/** The line of the first invalid bytes; null if the encoding does not allow counting lines. */
const firstBadLine = (bytes: Uint8Array, encoding: string): number | null => {
  if (encoding.startsWith("utf-16")) return null;
  const decoder = decoderFor(encoding);
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const end = bytes.indexOf(0x0a, start);
    const stop = end === -1 ? bytes.length : end + 1;
    try {
      decoder.decode(bytes.subarray(start, stop));
    } catch {
      return line;
    }
    start = stop;
  }
  return null;
};
