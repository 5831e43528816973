/**
 * A WebSocket message as the bytes that a server sends (RFC 6455, 5.2: one final text frame, not
 * masked), so that the same bytes can be written to every subscriber.
 */
export const frameText = (text: string): Buffer => {
  const length = Buffer.byteLength(text);
  const header = headerOf(length);
  const frame = Buffer.allocUnsafe(header.length + length);
  header.copy(frame);
  frame.write(text, header.length, "utf8");
  return frame;
};

const FINAL_TEXT = 0x81;

const headerOf = (length: number): Buffer => {
  if (length < 126) return Buffer.from([FINAL_TEXT, length]);
  if (length < 65_536) {
    const header = Buffer.from([FINAL_TEXT, 126, 0, 0]);
    header.writeUInt16BE(length, 2);
    return header;
  }
  const header = Buffer.alloc(10);
  header[0] = FINAL_TEXT;
  header[1] = 127;
  header.writeBigUInt64BE(BigInt(length), 2);
  return header;
};
