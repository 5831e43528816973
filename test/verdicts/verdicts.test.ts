import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findBrowser } from "../../src/workers/executor/browserFinder.ts";
import { createBrowserPool, type PooledContext } from "../../src/workers/executor/browserPool.ts";
import { appPages, casesOf, harvest, serveApps } from "./apps.ts";
import type { Case } from "./cases.ts";
import { fixtureCases, fixtures } from "./fixtures.ts";
import { greenMutators } from "./green.ts";
import type { Mutator } from "./mutator.ts";
import { redMutators } from "./red.ts";
import { type Desk, openDesk } from "./run.ts";

/** Browsers at work, one page in each: a test has a browser of its own. */
const DESKS = 3;

type Figures = { applied: number; wrong: string[] };
const figuresOf = (mutators: readonly Mutator[]): Map<string, Figures> =>
  new Map(mutators.map(({ name }) => [name, { applied: 0, wrong: [] }]));

const pool = createBrowserPool({
  find: () => findBrowser({ allowInstall: false }),
  network: "open",
});
const untouched: string[] = [];
const red = figuresOf(redMutators);
const green = figuresOf(greenMutators);
let cases = 0;

/** `VERDICTS=whole` judges every mutant that must fail. Without it a case of an application has every second one. */
const IS_WHOLE = process.env.VERDICTS === "whole";
const RED_ONE_OF = 2;
const GREEN_ONE_OF = 3;

/**
 * Harmless mutants are judged on every third case: they are many, and a false alarm hides nothing. The sample moves on
 * with each case, so that every mutator meets every page.
 */
const isSampled = (one: Case, isRed: boolean, at: number): boolean => {
  if (!isRed && (one.looks === "absent" || one.looks === "count")) return true;
  const isEvery = isRed && (IS_WHOLE || one.page.startsWith("fixture:"));
  return isEvery || at % (isRed ? RED_ONE_OF : GREEN_ONE_OF) === 0;
};

/** Judges a case as it is, then its mutants. */
const judgeCase = async (desk: Desk, one: Case, turn: number): Promise<void> => {
  const label = `${one.page}: ${one.sentence}`;
  const first = await desk.judge(one, null, false);
  cases++;
  if (first.verdict !== "passed") {
    untouched.push(`${label}: ${first.error}`);
    return;
  }
  for (const [mutators, figures, right] of [
    [redMutators, red, "failed"],
    [greenMutators, green, "passed"],
  ] as const) {
    for (const [index, mutator] of mutators.entries()) {
      if (!mutator.on.includes(one.looks)) continue;
      if (!isSampled(one, right === "failed", index + turn)) continue;
      const { verdict, error } = await desk.judge(one, mutator, right === "failed");
      const kept = figures.get(mutator.name);
      if (verdict === "skipped" || !kept) continue;
      kept.applied++;
      if (verdict !== right) kept.wrong.push(`${label}${error ? `: ${error}` : ""}`);
    }
  }
};

const judgePage = async (opened: PooledContext, url: string, page: string): Promise<void> => {
  const tab = opened.page;
  const fixture = fixtures[page];
  await tab.goto(fixture === undefined ? `${url}${page}` : `${url}/`);
  if (fixture !== undefined)
    await tab.setContent(`<!doctype html><html><body>${fixture}</body></html>`);
  const all =
    fixture === undefined
      ? casesOf(page, await tab.evaluate(harvest))
      : fixtureCases.filter((one) => one.page === page);
  const desk = await openDesk(opened, tab, [...redMutators, ...greenMutators]);
  for (const [turn, one] of all.entries()) await judgeCase(desk, one, turn);
  if (process.env.VERDICTS_REPORT) {
    const report = { untouched, red: Object.fromEntries(red), green: Object.fromEntries(green) };
    writeFileSync(process.env.VERDICTS_REPORT, JSON.stringify(report, null, 1));
  }
};

const sum = (figures: Map<string, Figures>, of: (one: Figures) => number): number =>
  [...figures.values()].reduce((total, one) => total + of(one), 0);

const table = (title: string, figures: Map<string, Figures>): string =>
  [
    `${title}: ${sum(figures, ({ applied }) => applied)} mutants of ${figures.size} mutators, ${sum(figures, ({ wrong }) => wrong.length)} wrong verdicts`,
    ...[...figures].map(
      ([name, { applied, wrong }]) =>
        `  ${name.padEnd(44)}${String(applied).padStart(5)}${String(wrong.length).padStart(5)}`,
    ),
  ].join("\n");

describe("verdicts of mutated pages", () => {
  let apps: Awaited<ReturnType<typeof serveApps>>;
  beforeAll(async () => {
    apps = await serveApps();
    const pages = [...Object.keys(fixtures), ...appPages];
    const work = async (): Promise<void> => {
      const opened = await pool.open();
      for (let page = pages.shift(); page !== undefined; page = pages.shift()) {
        await judgePage(opened, apps.url, page);
      }
      await opened.release();
    };
    await Promise.all(Array.from({ length: DESKS }, work));
    process.stdout.write(
      `${cases} cases\n${table("Must fail", red)}\n${table("Must pass", green)}\n`,
    );
  }, 3_600_000);
  afterAll(async () => {
    await apps.close();
    await pool.close();
  });

  it("passes every case on the page as it is", () => {
    expect(untouched).toEqual([]);
  });

  it("has enough mutants of enough mutators", () => {
    expect(redMutators.length).toBeGreaterThanOrEqual(40);
    expect(greenMutators.length).toBeGreaterThanOrEqual(40);
    expect(sum(red, ({ applied }) => applied)).toBeGreaterThanOrEqual(3_000);
    const unused = [...red, ...green].filter(([, { applied }]) => applied === 0);
    expect(unused.map(([name]) => name)).toEqual([]);
  });

  it.each(redMutators.map(({ name, why }) => [name, why]))("fails after: %s (%s)", (name) => {
    expect(red.get(name)?.wrong).toEqual([]);
  });

  it("raises a false alarm for at most 1 % of harmless mutants", () => {
    const alarms = [...green].flatMap(([name, { wrong }]) => wrong.map((one) => `${name}: ${one}`));
    expect(
      alarms.length / sum(green, ({ applied }) => applied),
      alarms.join("\n"),
    ).toBeLessThanOrEqual(0.01);
  });
});
