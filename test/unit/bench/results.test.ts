import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { benches } from "../../../bench/benches/index.ts";
import { appendResults, type Result, resultsOf } from "../../../bench/harness/results.ts";
import { pairedRow, plainRow } from "../../../bench/harness/rows.ts";
import { seededRandom } from "../../../bench/harness/statistics.ts";

const environment = {
  cpu: "Example CPU",
  cores: 2,
  memoryGb: 8,
  system: "linux",
  node: "v24.0.0",
  postgres: "18.4",
  browser: "none",
  commit: "0123456789ab",
  load: 0.25,
};
const now = new Date("2026-11-24T23:59:59Z");
const plain = plainRow({ bench: "parse", what: "100 KB read", unit: "ms" }, [57.512345]);
const paired = pairedRow(
  { bench: "ten-steps", what: "ten steps", unit: "ms", peerIs: "a script", note: "warm" },
  { ours: [10, 10, 10], peer: [30, 30, 30], again: [30, 30, 30] },
  seededRandom(1),
);

describe("resultsOf", () => {
  it("describes figure, peer, machine, commit and date", () => {
    const [first, second] = resultsOf([plain, paired], environment, now);
    expect(first).toEqual({
      bench: "parse",
      metric: "100 KB read",
      figure: 57.51,
      unit: "ms",
      peer: null,
      ratio: null,
      machine: "Example CPU, 2 cores, 8 GB, Node v24.0.0, PostgreSQL 18.4, load 0.3",
      commit: "0123456789ab",
      date: "2026-11-24",
      note: null,
    });
    expect(second).toMatchObject({
      peer: "a script",
      ratio: { value: 0.3333, low: 0.3333, high: 0.3333 },
      note: "warm",
    });
  });
});

describe("appendResults", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "results-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const read = async (bench: string): Promise<readonly Result[]> =>
    JSON.parse(await readFile(path.join(folder, `${bench}.json`), "utf8"));

  it("creates one file per bench and appends to it", async () => {
    const results = resultsOf([plain, paired], environment, now);
    expect(await appendResults(folder, results)).toHaveLength(2);
    await appendResults(folder, results.slice(0, 1));
    expect(await read("parse")).toEqual([results[0], results[0]]);
    expect(await read("ten-steps")).toEqual([results[1]]);
  });

  it("throws and keeps the file if it is not valid JSON", async () => {
    const file = path.join(folder, "parse.json");
    await writeFile(file, "[");
    await expect(appendResults(folder, resultsOf([plain], environment, now))).rejects.toThrow();
    expect(await readFile(file, "utf8")).toBe("[");
  });
});

describe("bench/results", () => {
  const folder = path.resolve(import.meta.dirname, "../../../bench/results");
  const schema = z.array(
    z.strictObject({
      bench: z.enum(benches.map(({ name }) => name)),
      metric: z.string().min(1),
      figure: z.number().nullable(),
      unit: z.string(),
      peer: z.string().nullable(),
      ratio: z
        .strictObject({
          value: z.number(),
          low: z.number().nullable(),
          high: z.number().nullable(),
        })
        .nullable(),
      machine: z.string().min(1),
      commit: z.string().regex(/^[0-9a-f]{7,12}$/),
      date: z.iso.date(),
      note: z.string().nullable(),
    }),
  );

  it("holds valid results of existing benches, oldest first", async () => {
    const files = (await readdir(folder)).filter((name) => name.endsWith(".json"));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const results = schema.parse(JSON.parse(await readFile(path.join(folder, file), "utf8")));
      const dates = results.map(({ date }) => date);
      expect(dates).toEqual([...dates].sort());
      expect(new Set(results.map(({ bench }) => `${bench}.json`))).toEqual(new Set([file]));
    }
  });
});
