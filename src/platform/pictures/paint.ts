import type { Pixels } from "./png.ts";

/** A rectangle in pixels, from the upper left corner. */
export type Area = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/** #FF00FF, the colour of Playwright's masks (steps.md, "Screenshot comparison"). */
const MASKED = [255, 0, 255, 255] as const;

/** Fills areas in place, clipped to the picture. */
export const paintOver = ({ width, height, data }: Pixels, areas: readonly Area[]): void => {
  for (const area of areas) {
    const right = Math.min(width, area.x + area.width);
    const bottom = Math.min(height, area.y + area.height);
    for (let y = area.y; y < bottom; y += 1) {
      for (let x = area.x; x < right; x += 1) data.set(MASKED, (y * width + x) * 4);
    }
  }
};

/** Extends a picture to the right and bottom with transparent pixels. */
export const padded = (pixels: Pixels, width: number, height: number): Pixels => {
  if (pixels.width === width && pixels.height === height) return pixels;
  const data = Buffer.alloc(width * height * 4);
  for (let y = 0; y < Math.min(height, pixels.height); y += 1) {
    const from = y * pixels.width * 4;
    pixels.data.copy(data, y * width * 4, from, from + Math.min(width, pixels.width) * 4);
  }
  return { width, height, data };
};
