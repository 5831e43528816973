import { writeFile } from "node:fs/promises";
import path from "node:path";
import { ODiffServer } from "odiff-bin";
import { chromium } from "playwright";
import { judgePair } from "../../src/commands/baselines/judgePair.ts";
import { defaultVisualSettings } from "../../src/domain/baselines/settings.ts";
import { sha256 } from "../../src/platform/crypto.ts";
import { createComparer } from "../../src/platform/pictures/comparer.ts";
import type { BenchContext, RunBench } from "../harness/bench.ts";
import { runPairs } from "../harness/pairs.ts";
import { pairedRow, plainRow } from "../harness/rows.ts";
import { startShop } from "../parts/shop.ts";

const BENCH = "visual";
const VIEWPORT = { width: 1920, height: 1080 };
const AT = { stepId: "0199c2a0-7b1e-7f11-8a22-3b4c5d6e7f80", viewport: "1920x1080" };
/** Equal pairs per sample; one comparison is too short to be timed. */
const EQUAL_PAIRS = 20;

/** Time to compare a screenshot with an equal and a changed baseline, against odiff's server mode on files. */
export const run: RunBench = async (context) => {
  const { baseline, changed } = await takeScreenshots(context);
  const comparer = createComparer();
  const odiff = new ODiffServer();
  context.defer(async () => {
    odiff.stop();
    await comparer.close();
  });
  const file = (name: string) => path.join(context.folder, name);
  await Promise.all([
    writeFile(file("baseline.png"), baseline),
    writeFile(file("changed.png"), changed),
  ]);

  const equals: number[] = [];
  for (let n = 0; n < context.pairs(30) + 3; n += 1)
    equals.push(await timeEqual(comparer, baseline));

  const ours = async (): Promise<number> => {
    const started = performance.now();
    const pair = { baseline, actual: changed };
    const found = await judgePair(comparer, pair, defaultVisualSettings, AT);
    if (found.outcome !== "different" || !found.diff)
      throw new Error("Different screenshots were reported as equal");
    return performance.now() - started;
  };
  const samples = await runPairs({
    pairs: context.pairs(30),
    warmUps: 3,
    budgetMs: 60_000,
    random: context.random,
    ours,
    peer: () => timeOdiff(odiff, file),
  });
  return [
    plainRow(
      { bench: BENCH, what: "an equal pair, 1080p", unit: "ms", goal: { of: "value", atMost: 2 } },
      equals.slice(3),
    ),
    pairedRow(
      {
        bench: BENCH,
        what: "a changed pair, 1080p",
        unit: "ms",
        peerIs: "odiff in server mode, reading two files and writing the difference to a third",
        goal: { of: "ratio", atMost: 1.15 },
        note: "the service reads the screenshots from memory and returns the difference in memory",
      },
      samples,
      context.random,
    ),
  ];
};

/** Milliseconds of odiff for the changed screenshot. */
const timeOdiff = async (odiff: ODiffServer, file: (name: string) => string): Promise<number> => {
  const started = performance.now();
  const found = await odiff.compare(
    file("baseline.png"),
    file("changed.png"),
    file("difference.png"),
    { threshold: 0.2, antialiasing: true },
  );
  if (found.match) throw new Error("Different screenshots were reported as equal");
  return performance.now() - started;
};

/** A page before and after a visible change. */
const takeScreenshots = async (
  context: BenchContext,
): Promise<{ readonly baseline: Buffer; readonly changed: Buffer }> => {
  const shop = await startShop(context);
  const browser = await chromium.launch({
    executablePath: await context.browserPath(),
    chromiumSandbox: false,
  });
  context.defer(() => browser.close());
  const page = await browser.newPage({ viewport: VIEWPORT });
  await page.goto(shop.url);
  const baseline = await page.screenshot({ type: "png" });
  await page.evaluate("document.body.insertAdjacentHTML('afterbegin', '<h2>Sale: all of it</h2>')");
  const changed = await page.screenshot({ type: "png" });
  await browser.close();
  return { baseline, changed };
};

/** Mean milliseconds to compare a screenshot with an equal copy. */
const timeEqual = async (
  comparer: ReturnType<typeof createComparer>,
  baseline: Buffer,
): Promise<number> => {
  const copy = Buffer.from(baseline);
  const hash = sha256(baseline);
  const started = performance.now();
  for (let n = 0; n < EQUAL_PAIRS; n += 1) {
    // Executions identify screenshots by their hash.
    if (sha256(copy) !== hash) throw new Error("Equal screenshots have different hashes");
    const pair = { baseline, actual: copy };
    const found = await judgePair(comparer, pair, defaultVisualSettings, AT);
    if (found.outcome !== "same") throw new Error("Equal screenshots were reported as different");
  }
  return (performance.now() - started) / EQUAL_PAIRS;
};
