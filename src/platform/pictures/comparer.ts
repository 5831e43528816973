import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ODiffServer } from "odiff-bin";
import { type Area, padded, paintOver } from "./paint.ts";
import { decodePng, encodePng, sizeOfPng } from "./png.ts";

/** Comparing the largest pictures takes a second. */
const TIMEOUT_MS = 30_000;

/** The difference between two pictures. */
export type Difference = {
  /** Number of different pixels, including pixels that only one of the pictures has. */
  readonly pixels: number;
  /** Number of compared pixels: those of the canvas if sizes differ. */
  readonly of: number;
  readonly sizeDiffers: boolean;
  /** PNG that shows the differences; null if there are none. */
  readonly picture: Buffer | null;
};

export type Comparer = {
  /**
   * Compares two PNGs pixel by pixel. A pixel differs if its colour differs by more than `threshold` (0 to 1) and it
   * is not an anti-aliased edge. Masked pixels never differ and are painted over in the result. Pictures of different
   * sizes are compared on a canvas that holds both. Rejects if a picture is invalid or the comparison times out.
   */
  compare(
    baseline: Buffer,
    actual: Buffer,
    how: { readonly threshold: number; readonly masks: readonly Area[] },
  ): Promise<Difference>;
  /** Stops the odiff process. Never rejects. */
  close(): Promise<void>;
};

type Differ = (
  baseline: Buffer,
  actual: Buffer,
  threshold: number,
  masks: readonly Area[],
) => Promise<{ readonly pixels: number; readonly picture: Buffer | null }>;

/** Compares in a separate odiff process, which starts with the first pair of pictures that are not byte-identical. */
export const createComparer = (): Comparer => {
  let server: ODiffServer | null = null;
  let folder: Promise<string> | null = null;
  let count = 0;

  const differ: Differ = async (baseline, actual, threshold, masks) => {
    server ??= new ODiffServer();
    folder ??= mkdtemp(path.join(tmpdir(), "runledger-pictures-"));
    count += 1;
    const file = path.join(await folder, `${count}.png`);
    try {
      const found = await server.compareBuffers(baseline, "png", actual, "png", file, {
        threshold,
        antialiasing: true,
        failOnLayoutDiff: false,
        timeout: TIMEOUT_MS,
        ignoreRegions: masks.map(({ x, y, width, height }) => ({
          x1: x,
          y1: y,
          x2: x + width - 1,
          y2: y + height - 1,
        })),
      });
      if (found.match) return { pixels: 0, picture: null };
      if (found.reason !== "pixel-diff") throw new Error(`odiff: ${found.reason}`);
      return { pixels: found.diffCount, picture: await readFile(file) };
    } finally {
      await rm(file, { force: true });
    }
  };

  return {
    compare: async (baseline, actual, { threshold, masks }) => {
      const [one, other] = [sizeOfPng(baseline), sizeOfPng(actual)];
      const of = one.width * one.height;
      if (baseline.equals(actual)) return { pixels: 0, of, sizeDiffers: false, picture: null };
      if (one.width !== other.width || one.height !== other.height) {
        return compareOnCanvas(differ, baseline, actual, { threshold, masks });
      }
      const { pixels, picture } = await differ(baseline, actual, threshold, masks);
      return { pixels, of, sizeDiffers: false, picture: picture && (await masked(picture, masks)) };
    },
    close: async () => {
      if (server) {
        server.stop();
        // Otherwise odiff-bin reports the end of the stopped process as a crash on the console.
        Object.assign(server, { exiting: true });
      }
      server = null;
      const made = await folder?.catch(() => null);
      if (made) await rm(made, { recursive: true, force: true }).catch(() => {});
    },
  };
};

const masked = async (picture: Buffer, masks: readonly Area[]): Promise<Buffer> => {
  if (masks.length === 0) return picture;
  const pixels = await decodePng(picture);
  paintOver(pixels, masks);
  return encodePng(pixels);
};

const compareOnCanvas = async (
  differ: Differ,
  baseline: Buffer,
  actual: Buffer,
  { threshold, masks }: { readonly threshold: number; readonly masks: readonly Area[] },
): Promise<Difference> => {
  const [one, other] = await Promise.all([decodePng(baseline), decodePng(actual)]);
  const width = Math.max(one.width, other.width);
  const height = Math.max(one.height, other.height);
  const [left, right] = await Promise.all(
    [one, other].map((each) => encodePng(padded(each, width, height))),
  );
  if (!left || !right) throw new Error("A picture is missing");
  const { pixels, picture } = await differ(left, right, threshold, masks);
  const of = width * height;
  return { pixels, of, sizeDiffers: true, picture: await masked(picture ?? right, masks) };
};
