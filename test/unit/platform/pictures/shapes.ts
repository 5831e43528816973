import { encodePng, type Pixels } from "../../../../src/platform/pictures/png.ts";

export type Colour = readonly [red: number, green: number, blue: number];

export const canvas = (width: number, height: number, [r, g, b]: Colour): Pixels => {
  const data = Buffer.alloc(width * height * 4, 255);
  for (let at = 0; at < data.length; at += 4) data.set([r, g, b], at);
  return { width, height, data };
};

const put = (pixels: Pixels, x: number, y: number, colour: Colour, part: number): void => {
  if (x < 0 || y < 0 || x >= pixels.width || y >= pixels.height) return;
  const at = (y * pixels.width + x) * 4;
  for (const [channel, value] of colour.entries()) {
    const before = pixels.data[at + channel] ?? 0;
    pixels.data[at + channel] = Math.round(before + (value - before) * part);
  }
};

/** One pixel. */
export const dot = (pixels: Pixels, x: number, y: number, colour: Colour): void =>
  put(pixels, x, y, colour, 1);

export const box = (
  pixels: Pixels,
  at: { x: number; y: number; width: number; height: number },
  colour: Colour,
): void => {
  for (let y = at.y; y < at.y + at.height; y += 1) {
    for (let x = at.x; x < at.x + at.width; x += 1) put(pixels, x, y, colour, 1);
  }
};

/** A disc with an anti-aliased edge, as browsers draw it. */
export const disc = (
  pixels: Pixels,
  centre: { x: number; y: number; radius: number },
  colour: Colour,
): void => {
  const { x: cx, y: cy, radius } = centre;
  for (let y = Math.floor(cy - radius) - 1; y <= cy + radius + 1; y += 1) {
    for (let x = Math.floor(cx - radius) - 1; x <= cx + radius + 1; x += 1) {
      put(pixels, x, y, colour, covered(x - cx, y - cy, radius));
    }
  }
};

/** Part of a pixel that a disc around the origin covers, estimated with a grid of samples. */
const covered = (x: number, y: number, radius: number): number => {
  const far = Math.hypot(x + 0.5, y + 0.5);
  if (far < radius - 1) return 1;
  if (far > radius + 1) return 0;
  const n = 6;
  let inside = 0;
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j < n; j += 1) {
      if (Math.hypot(x + (i + 0.5) / n, y + (j + 0.5) / n) <= radius) inside += 1;
    }
  }
  return inside / (n * n);
};

export const copyOf = (pixels: Pixels): Pixels => ({ ...pixels, data: Buffer.from(pixels.data) });

export const png = (pixels: Pixels): Promise<Buffer> => encodePng(pixels);
