import { promisify } from "node:util";
import { crc32, deflate, inflate } from "node:zlib";

/** RGBA pixels, four bytes each, row by row. */
export type Pixels = { readonly width: number; readonly height: number; readonly data: Buffer };

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Larger than any screenshot of a page. */
const MAX_PIXELS = 100_000_000;

const inflated = promisify(inflate);
const deflated = promisify<Buffer, { level: number }, Buffer>(deflate);

/** Reads the size from the header. Throws Error if the bytes are not a PNG. */
export const sizeOfPng = (png: Buffer): { readonly width: number; readonly height: number } => {
  const isPng = png.length > 33 && png.subarray(0, 8).equals(SIGNATURE);
  if (!isPng || png.toString("latin1", 12, 16) !== "IHDR")
    throw new Error("The picture is not a PNG");
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
};

/** Decodes PNGs of browsers and odiff: 8 bits per channel, RGB or RGBA, not interlaced. Rejects any other. */
export const decodePng = async (png: Buffer): Promise<Pixels> => {
  const { width, height } = sizeOfPng(png);
  const [depth, colour, interlaced] = [png[24], png[25], png[28]];
  const channels = colour === 2 ? 3 : colour === 6 ? 4 : null;
  if (depth !== 8 || channels === null || interlaced !== 0 || width * height > MAX_PIXELS) {
    throw new Error("The picture is not an RGB or RGBA PNG with 8 bits per channel");
  }
  const parts: Buffer[] = [];
  for (let at = 8; at + 12 <= png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT")
      parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const stride = width * channels;
  const lines = await inflated(Buffer.concat(parts), { maxOutputLength: (stride + 1) * height });
  if (lines.length !== (stride + 1) * height) throw new Error("The picture is truncated");
  unfilter(lines, stride, height, channels);
  const data = Buffer.alloc(width * height * 4, 255);
  for (let y = 0, to = 0; y < height; y += 1) {
    let from = y * (stride + 1) + 1;
    for (let x = 0; x < width; x += 1, to += 4, from += channels) {
      data[to] = lines[from] ?? 0;
      data[to + 1] = lines[from + 1] ?? 0;
      data[to + 2] = lines[from + 2] ?? 0;
      if (channels === 4) data[to + 3] = lines[from + 3] ?? 0;
    }
  }
  return { width, height, data };
};

/** Reverses the filter of each line in place (PNG specification, 9 "Filtering"). */
const unfilter = (lines: Buffer, stride: number, height: number, step: number): void => {
  for (let y = 0; y < height; y += 1) {
    const start = y * (stride + 1) + 1;
    const filter = lines[start - 1];
    if (filter === 0) continue;
    const above = start - stride - 1;
    for (let x = 0; x < stride; x += 1) {
      const at = start + x;
      const left = x >= step ? (lines[at - step] ?? 0) : 0;
      const up = y > 0 ? (lines[above + x] ?? 0) : 0;
      const corner = x >= step && y > 0 ? (lines[above + x - step] ?? 0) : 0;
      lines[at] = ((lines[at] ?? 0) + predicted(filter, left, up, corner)) & 255;
    }
  }
};

const predicted = (
  filter: number | undefined,
  left: number,
  up: number,
  corner: number,
): number => {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const toLeft = Math.abs(up - corner);
  const toUp = Math.abs(left - corner);
  const toCorner = Math.abs(left + up - 2 * corner);
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
};

/** Encodes with fast compression, because a picture is viewed a few times at most. */
export const encodePng = async ({ width, height, data }: Pixels): Promise<Buffer> => {
  const stride = width * 4;
  const lines = Buffer.alloc((stride + 1) * height);
  for (let y = 0; y < height; y += 1) {
    data.copy(lines, y * (stride + 1) + 1, y * stride, (y + 1) * stride);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const packed = await deflated(lines, { level: 1 });
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("IDAT", packed),
    chunk("IEND", Buffer.alloc(0)),
  ]);
};

const chunk = (type: string, data: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(data.length, 0);
  named.copy(framed, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
};
