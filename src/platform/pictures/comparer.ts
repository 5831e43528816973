import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ODiffServer } from "odiff-bin";
import { type Area, padded, paintOver } from "./paint.ts";
import { decodePng, encodePng, sizeOfPng } from "./png.ts";

/** A comparison that takes longer has hung: the largest pictures take a second. */
const TIMEOUT_MS = 30_000;

/** What two pictures differ in. */
export type Difference = {
  /** How many pixels differ; of pictures of different sizes, all that are not in both too. */
  readonly pixels: number;
  /** All pixels: of the sheet that holds both, where their sizes differ. */
  readonly of: number;
  readonly sizeDiffers: boolean;
  /** A PNG that shows where; null when nothing differs. */
  readonly picture: Buffer | null;
};

export type Comparer = {
  /**
   * Compares two PNGs pixel by pixel. A pixel differs when its colour is off by more than `threshold` (0 to 1)
   * and it is not the edge of a shape drawn a little differently (anti-aliasing); what the masks cover never
   * differs, and is painted over in the picture of the difference. Pictures of different sizes are compared on
   * a sheet that holds both. Rejects when a picture cannot be read, or the comparison does not come to an end.
   */
  compare(
    baseline: Buffer,
    actual: Buffer,
    how: { readonly threshold: number; readonly masks: readonly Area[] },
  ): Promise<Difference>;
  /** Ends the process that compares. Never rejects. */
  close(): Promise<void>;
};

type Differ = (
  baseline: Buffer,
  actual: Buffer,
  threshold: number,
  masks: readonly Area[],
) => Promise<{ readonly pixels: number; readonly picture: Buffer | null }>;

/**
 * Compares in a process of its own (odiff's server mode), so that neither the event loop nor a browser waits
 * for it. It is started with the first pair of pictures that are not equal byte by byte.
 */
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
        return compareSheets(differ, baseline, actual, { threshold, masks });
      }
      const { pixels, picture } = await differ(baseline, actual, threshold, masks);
      return { pixels, of, sizeDiffers: false, picture: picture && (await masked(picture, masks)) };
    },
    close: async () => {
      if (server) {
        server.stop();
        // It forgets that it was stopped before its process has ended, and would complain of that on the console.
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

/** Pictures of different sizes, each on a sheet that holds both. */
const compareSheets = async (
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
