import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DemoSite, serveDemoSite } from "../../../src/cli/operator/demo/site.ts";
import { findBrowser } from "../../../src/workers/executor/index.ts";
import { runledger, runledgerHere } from "./kit.ts";

/** `runledger run FILE`: a test in a browser on this machine, without a service. */
describe("runledger run", () => {
  let site: DemoSite;
  let folder: string;

  beforeAll(async () => {
    site = await serveDemoSite();
    folder = await mkdtemp(join(tmpdir(), "runledger-run-"));
  });
  afterAll(async () => {
    await site.close();
    await rm(folder, { recursive: true, force: true });
  });

  const fileOf = async (...lines: string[]): Promise<string> => {
    const file = join(folder, "test.txt");
    await writeFile(file, lines.join("\n"));
    return file;
  };

  it("shows each step with duration and locator and exits with 0", async () => {
    const file = await fileOf(
      "# the list of todos",
      "Go to /todo",
      `Type "\${task}" into "What needs to be done?" and press Enter`,
      'I should see "Buy milk"',
    );
    const pictures = join(folder, "pictures");
    const ended = await runledger([
      ...["run", file, "--base-url", site.url, "--var", "task=Buy milk"],
      ...["--screenshots", pictures],
    ]);
    expect(ended.stderr).toBe("");
    expect(ended.stdout).toMatch(/✓ 2 {2}Type .* m?s {2}placeholder=What needs to be done\?/);
    expect(ended.stdout).toMatch(/^Passed in /m);
    expect(ended.code).toBe(0);
    expect((await readdir(pictures)).sort()).toEqual(["001.jpg", "002.jpg", "003.jpg", "004.jpg"]);
  });

  it("shows the reason of a failed assertion and exits with 1", async () => {
    const file = await fileOf(
      "Go to /todo",
      'Click the "Clear everything" button',
      "Wait 1 second",
    );
    const ended = await runledger(["run", file, "--base-url", site.url, "--json"]);
    expect(ended.code).toBe(1);
    const types = ended.records.map(({ type }) => type);
    expect(types).toEqual([
      ...["step", "step", "step"],
      ...["step_passed", "step_failed", "step_skipped", "result"],
    ]);
    expect(ended.records.at(-3).reason).toMatch(/^No visible element .*"Clear everything"/);
    expect(ended.records.at(-1)).toMatchObject({ type: "result", status: "failed" });
  });

  it("runs a YAML test once per data row and exits with the worst code", async () => {
    const file = join(folder, "shopping.yaml");
    const steps = ["text: |", "  Go to /todo", '  I should see "${word}"'];
    const data = "data: { columns: [word], rows: [{ word: todos }, { word: nobody }] }";
    await writeFile(file, ["name: Shopping", ...steps, data].join("\n"));
    const pictures = join(folder, "rows");
    const args = ["run", file, "--base-url", site.url];
    const ended = await runledger([...args, "--screenshots", pictures]);
    expect(ended.stdout).toMatch(
      /Row 1 of 2: word=todos[\s\S]*Passed[\s\S]*Row 2 of 2: word=nobody/,
    );
    expect(ended.stdout).toMatch(/Failed in [\s\S]*$/);
    expect(ended.code).toBe(1);
    for (const row of ["row-1", "row-2"]) {
      expect(await readdir(join(pictures, row))).toContain("001.jpg");
    }
    const said = await runledgerHere([...args, "--var", "word=todos", "--json"]);
    expect(said.code).toBe(0);
    expect(said.records.filter(({ type }) => type === "row")).toEqual([
      { type: "row", number: 1, values: { word: "todos" } },
      { type: "row", number: 2, values: { word: "nobody" } },
    ]);
  });

  it("shows the browser window with --headed", async () => {
    const file = await fileOf("Go to /todo");
    const seen = join(folder, "arguments");
    const browser = join(folder, "browser");
    const { executablePath } = await findBrowser({ allowInstall: false });
    const script = ["#!/bin/sh", `echo "$@" >> ${seen}`, `exec ${executablePath} "$@"`];
    await writeFile(browser, script.join("\n"), { mode: 0o755 });
    const args = ["run", file, "--base-url", site.url, "--browser", browser];
    for (const [flags, isHeadless] of [
      [[], true],
      [["--headed"], false],
    ] as const) {
      await rm(seen, { force: true });
      expect((await runledger([...args, ...flags])).code).toBe(0);
      expect(/--headless/.test(await readFile(seen, "utf8"))).toBe(isHeadless);
    }
  });

  it("runs nothing and shows suggestions for a line that is not understood", async () => {
    const file = await fileOf("Go to /todo", "Frobnicate the gizmo");
    const ended = await runledgerHere(["run", file, "--base-url", site.url]);
    expect(ended.code).toBe(2);
    expect(ended.stdout).toContain("so nothing was run");
    expect(ended.stdout).toContain(":2: Frobnicate the gizmo");
    expect(ended.stdout).not.toContain("✓");
  });

  it.each([
    [["run", "/nowhere.txt"], /cannot be read/],
    [["run"], /missing required argument/],
    [["run", "x.txt", "--var", "novalue"], /name=value/],
    [["run", "x.txt", "--base-url", "ftp://x"], /http/],
    [["dance"], /unknown command/],
  ])("exits with 2 for %j", async (args, message) => {
    const ended = await runledgerHere(args);
    expect(ended.stderr).toMatch(message);
    expect(ended.code).toBe(2);
  });

  it("exits with 3 and names the setting for a missing browser", async () => {
    const file = await fileOf("Go to /todo");
    const ended = await runledgerHere(["run", file], { BROWSER_PATH_CHROMIUM: "/no/browser" });
    expect(ended.stderr).toContain("BROWSER_PATH_CHROMIUM is /no/browser");
    expect(ended.code).toBe(3);
  });

  it("exits with 130 on SIGINT during a run", async () => {
    const file = await fileOf("Go to /todo", "Wait 50 seconds");
    const ended = await runledger(["run", file, "--base-url", site.url], {}, (stdout, kill) => {
      if (stdout.includes("✓ 1")) kill("SIGINT");
    });
    expect(ended.stdout).toContain("Stopped.");
    expect(ended.code).toBe(130);
  });
});
