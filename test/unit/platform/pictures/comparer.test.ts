import { afterAll, describe, expect, it } from "vitest";
import { createComparer } from "../../../../src/platform/pictures/comparer.ts";
import { decodePng, type Pixels, sizeOfPng } from "../../../../src/platform/pictures/png.ts";
import { box, type Colour, canvas, copyOf, disc, dot, png } from "./shapes.ts";

const EXACT = { threshold: 0.2, masks: [] };

/** Random numbers from a seed, so that each pair is reproducible. */
const seeded = (seed: number) => {
  let state = (seed * 2_654_435_761) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    upTo: (n: number) => Math.floor(next() * n),
    between: (a: number, b: number) => a + next() * (b - a),
  };
};
type Dice = ReturnType<typeof seeded>;

const colour = (dice: Dice): Colour => [dice.upTo(256), dice.upTo(256), dice.upTo(256)];
/** A colour with high contrast to the given one. */
const unlike = ([r, g, b]: Colour): Colour =>
  r * 3 + g * 6 + b > 1_275 ? [0, 0, 0] : [255, 255, 255];

type Page = { readonly pixels: Pixels; readonly discs: readonly Parameters<typeof disc>[1][] };

/** Panels, lines and discs with anti-aliased edges, which `off` shifts by a fraction of a pixel. */
const page = (seed: number, off = 0): Page => {
  const dice = seeded(seed);
  const pixels = canvas(200 + dice.upTo(120), 120 + dice.upTo(80), [245, 246, 248]);
  for (let n = 0; n < 3; n += 1) {
    const at = {
      x: dice.upTo(150),
      y: dice.upTo(90),
      width: 20 + dice.upTo(80),
      height: 10 + dice.upTo(40),
    };
    box(pixels, at, colour(dice));
  }
  box(pixels, { x: 0, y: pixels.height - 24, width: pixels.width, height: 24 }, [255, 255, 255]);
  const discs = Array.from({ length: 3 }, () => ({
    x: 30 + dice.upTo(140),
    y: 30 + dice.upTo(50),
    radius: 6 + dice.upTo(12),
  }));
  for (const each of discs) disc(pixels, { ...each, x: each.x + off }, [20, 20, 20]);
  return { pixels, discs };
};

/** Changes the colour of `count` pixels in the empty strip at the bottom. */
const withChangedPixels = (pixels: Pixels, seed: number, count: number): Pixels => {
  const dice = seeded(seed + 1_000_000);
  const changed = copyOf(pixels);
  const taken = new Set<string>();
  while (taken.size < count) {
    const x = dice.upTo(pixels.width);
    const y = pixels.height - 22 + dice.upTo(20);
    if (taken.has(`${x} ${y}`)) continue;
    taken.add(`${x} ${y}`);
    dot(changed, x, y, unlike([255, 255, 255]));
  }
  return changed;
};

describe("createComparer", () => {
  const comparer = createComparer();
  afterAll(() => comparer.close());

  it("judges 500 pairs with 0, 1 or 10 changed pixels, moved edges or another size correctly", {
    timeout: 120_000,
  }, async () => {
    const counts = { equal: 0, one: 0, ten: 0, edges: 0, size: 0 };
    const wrong: string[] = [];
    const names = Object.keys(counts) as (keyof typeof counts)[];
    for (let seed = 0; seed < 500; seed += 1) {
      const kind = names[seed % names.length] ?? "equal";
      const { pixels } = page(seed);
      const other =
        kind === "one"
          ? withChangedPixels(pixels, seed, 1)
          : kind === "ten"
            ? withChangedPixels(pixels, seed, 10)
            : kind === "edges"
              ? page(seed, seeded(seed).between(0.05, 0.45)).pixels
              : pixels;
      const { width, height } = pixels;
      const grown =
        seed % 2 === 0
          ? canvas(width + 1, height, [1, 2, 3])
          : canvas(width, height - 1, [1, 2, 3]);
      const [baseline, actual] = await Promise.all([
        png(pixels),
        png(kind === "size" ? grown : other),
      ]);
      const found = await comparer.compare(baseline, actual, EXACT);
      if (kind !== "equal") expect(baseline.equals(actual)).toBe(false);
      const expected = { equal: 0, one: 1, ten: 10, edges: 0, size: null }[kind];
      const isRight =
        expected === null
          ? found.sizeDiffers && found.picture !== null
          : !found.sizeDiffers &&
            found.pixels === expected &&
            (found.picture !== null) === expected > 0;
      if (isRight) counts[kind] += 1;
      else wrong.push(`${kind} ${seed}: ${found.pixels}`);
    }
    expect(wrong).toEqual([]);
    expect(counts).toEqual({ equal: 100, one: 100, ten: 100, edges: 100, size: 100 });
  });

  it("ignores and paints over masked pixels only", async () => {
    const white = canvas(40, 30, [255, 255, 255]);
    const changed = copyOf(white);
    for (const [x, y] of [
      [10, 5],
      [19, 5],
      [10, 14],
      [19, 14],
    ] as const) {
      dot(changed, x, y, [0, 0, 0]);
    }
    const mask = { x: 10, y: 5, width: 10, height: 10 };
    const baseline = await png(white);
    const inside = await comparer.compare(baseline, await png(changed), {
      threshold: 0.2,
      masks: [mask],
    });
    expect(inside).toMatchObject({ pixels: 0, picture: null });

    for (const [x, y] of [
      [9, 5],
      [20, 5],
      [10, 4],
      [10, 15],
    ] as const) {
      dot(changed, x, y, [0, 0, 0]);
    }
    const beside = await comparer.compare(baseline, await png(changed), {
      threshold: 0.2,
      masks: [mask],
    });
    expect(beside.pixels).toBe(4);
    const { data, width } = await decodePng(beside.picture ?? Buffer.alloc(0));
    const at = (x: number, y: number) => [
      ...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 3),
    ];
    expect([at(10, 5), at(19, 14)]).toEqual([
      [255, 0, 255],
      [255, 0, 255],
    ]);
    expect(at(20, 15)).not.toEqual([255, 0, 255]);
  });

  it("compares pictures of different sizes on a canvas that holds both", async () => {
    const wide = await png(canvas(60, 20, [255, 255, 255]));
    const tall = await png(canvas(30, 50, [255, 255, 255]));
    const found = await comparer.compare(wide, tall, EXACT);
    expect(found).toMatchObject({ sizeDiffers: true, of: 60 * 50 });
    expect(sizeOfPng(found.picture ?? Buffer.alloc(0))).toEqual({ width: 60, height: 50 });
  });

  it("rejects invalid PNGs and compares the next pair", async () => {
    const white = await png(canvas(10, 10, [255, 255, 255]));
    await expect(comparer.compare(white, Buffer.from("not a picture"), EXACT)).rejects.toThrow(
      "not a PNG",
    );
    const broken = Buffer.concat([white.subarray(0, 40), Buffer.alloc(30)]);
    await expect(comparer.compare(white, broken, EXACT)).rejects.toThrow();
    expect(await comparer.compare(white, white, EXACT)).toMatchObject({ pixels: 0 });
    const black = await png(canvas(10, 10, [0, 0, 0]));
    expect(await comparer.compare(white, black, EXACT)).toMatchObject({ pixels: 100 });
  });
});
