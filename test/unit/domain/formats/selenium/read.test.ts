import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { validateSteps } from "../../../../../src/domain/catalogue/vocabulary.ts";
import type { ImportItem } from "../../../../../src/domain/formats/imported.ts";
import { readImport } from "../../../../../src/domain/formats/readImport.ts";

const FOLDER = path.resolve("test/fixtures/selenium-ide");
const files = readdirSync(FOLDER).filter((name) => name.endsWith(".side"));

type Command = readonly [command: string, target?: string, value?: string];

/** One test of these commands. */
const reading = (...commands: readonly Command[]): ImportItem => {
  const tests = [
    {
      name: "A",
      commands: commands.map(([command, target = "", value = ""]) => ({ command, target, value })),
    },
  ];
  const [item] = readImport(
    JSON.stringify({ name: "p", url: "http://x.test/", tests, suites: [] }),
  );
  if (!item) throw new Error("nothing was read");
  return item;
};

/** The steps as `action|target|value`. */
const steps = (item: ImportItem): readonly string[] =>
  item.ok
    ? (item.test.steps ?? []).map(({ action, target, value }) => [action, target, value].join("|"))
    : [];
const warned = (item: ImportItem): readonly number[] =>
  item.ok ? item.warnings.map(({ line }) => line) : [];

describe("Selenium IDE", () => {
  it.each(files)("reads each test of %s as executable steps or warnings", (name) => {
    const items = readImport(readFileSync(path.join(FOLDER, name), "utf8"));
    for (const item of items) {
      if (item.ok) expect(validateSteps(item.test.steps ?? [])).toMatchObject({ ok: true });
      else expect(item.problem).toMatch(/no step that can be imported/);
    }
  });

  it("recognises the expected share of all examples", () => {
    const items = files.flatMap((name) =>
      readImport(readFileSync(path.join(FOLDER, name), "utf8")),
    );
    const taken = items.filter(({ ok }) => ok);
    expect(items).toHaveLength(27);
    // Three do nothing but run scripts.
    expect(taken).toHaveLength(24);
    expect(taken.flatMap(steps)).toHaveLength(138);
    expect(taken.flatMap(warned)).toHaveLength(28);
  });

  it.each<readonly [Command, string]>([
    [["open", "/login"], "navigate||http://x.test/login"],
    [["open", "https://y.test/a"], "navigate||https://y.test/a"],
    [["click", "id=save"], "click|#save|"],
    [["click", "id=1:2"], 'click|css=[id="1:2"]|'],
    [["click", "linkText=Sign in"], 'click|"Sign in" link|'],
    [["click", "name=q"], 'click|css=[name="q"]|'],
    [["click", "xpath=//a[1]"], "click|xpath=//a[1]|"],
    [["click", "//a[1]"], "click|xpath=//a[1]|"],
    [["clickAt", "css=.a", "1,1"], "click|css=.a|"],
    [["doubleClick", "css=.a"], "double_click|css=.a|"],
    [["type", "id=a", "x"], "fill|#a|x"],
    [["type", "id=a", ""], "clear|#a|"],
    [["select", "id=a", "label=Two"], "select|#a|Two"],
    [["mouseOver", "id=a"], "hover|#a|"],
    [["dragAndDropToObject", "id=a", "id=b"], "drag|#a|#b"],
    [["setWindowSize", "800x600"], "set_viewport||800x600"],
    [["pause", "500"], "wait||500 ms"],
    [["assertTitle", "a*b"], "assert_title||/^a\\*b$/"],
    [["assertText", "id=a", "x"], "assert_text|#a|x"],
    [["verifySelectedLabel", "id=a", "x"], "assert_value|#a|x"],
    [["waitForElementNotVisible", "id=a", "1000"], "wait_for|#a|hidden"],
    [["storeText", "id=a", "total"], "store|#a|total"],
    [["selectWindow", "title=Help"], "switch_tab|Help|"],
    [["answerPrompt", "yes"], "accept_dialog||yes"],
  ])("reads %j as %s", (command, step) => {
    expect(steps(reading(command))).toEqual([step]);
  });

  it("reads key codes within typed text as key presses", () => {
    const keys = (name: string) => `$\{KEY_${name}}`;
    expect(
      steps(reading(["sendKeys", "id=a", `ann${keys("TAB")}x${keys("CONTROL")}a${keys("ENTER")}`])),
    ).toEqual(["type|#a|ann", "press|#a|Tab", "type|#a|x", "press|#a|Control+a", "press|#a|Enter"]);
    expect(warned(reading(["open", "/"], ["sendKeys", "id=a", keys("WARP")]))).toEqual([2]);
  });

  it("reads no command of a control block as a step", () => {
    const item = reading(
      ["open", "/"],
      ["if", "1 === 1"],
      ["click", "id=a"],
      ["else"],
      ["click", "id=b"],
      ["end"],
      ["click", "id=c"],
    );
    expect(steps(item)).toEqual(["navigate||http://x.test/", "click|#c|"]);
    expect(warned(item)).toEqual([2, 3, 5]);
  });

  it("replaces a constant by its value", () => {
    expect(steps(reading(["store", "Two", "label"], ["select", "id=a", "label=${label}"]))).toEqual(
      ["select|#a|Two"],
    );
  });

  it("returns to the outer frame after a nested one", () => {
    expect(
      steps(
        reading(
          ["selectFrame", "index=0"],
          ["selectFrame", "id=in"],
          ["selectFrame", "relative=parent"],
        ),
      ),
    ).toEqual([
      "switch_frame|css=iframe, frame >> nth=0|",
      "switch_frame|#in|",
      "switch_frame||",
      "switch_frame|css=iframe, frame >> nth=0|",
    ]);
  });

  it("moves an announced dialog answer behind the step that opens the dialog", () => {
    expect(steps(reading(["chooseCancelOnNextConfirmation"], ["click", "id=a"]))).toEqual([
      "click|#a|",
      "dismiss_dialog||",
    ]);
  });

  it("reads tests that call each other without recursion", () => {
    const tests = [
      {
        name: "A",
        commands: [
          { command: "run", target: "B" },
          { command: "open", target: "/a" },
        ],
      },
      {
        name: "B",
        commands: [
          { command: "open", target: "/b" },
          { command: "run", target: "A" },
        ],
      },
    ];
    const items = readImport(JSON.stringify({ url: "http://x.test", tests }));
    expect(items.map(steps)).toEqual([
      ["navigate||http://x.test/b", "navigate||http://x.test/a"],
      ["navigate||http://x.test/b", "navigate||http://x.test/a"],
    ]);
    expect(items.map(warned)).toEqual([[2], [1]]);
  });

  it("limits the work for deeply nested calls", () => {
    const tests = Array.from({ length: 12 }, (_, at) => ({
      name: `t${at}`,
      commands: [
        { command: "open", target: "/" },
        ...Array.from({ length: 20 }, () => ({ command: "run", target: `t${at + 1}` })),
      ],
    }));
    const items = readImport(JSON.stringify({ url: "http://x.test", tests }));
    expect(items.every(({ ok }) => ok)).toBe(true);
  });

  it("reads a disabled command as a disabled step and warns about unknown ones", () => {
    const item = reading(
      ["//click", "id=a"],
      ["frobnicate", "x"],
      ["click", "dom=document"],
      ["click", "id=b"],
    );
    expect(steps(item)).toEqual(["click|#a|", "click|#b|"]);
    expect(item.ok && item.test.steps?.[0]?.disabled).toBe(true);
    expect(warned(item)).toEqual([2, 3]);
    const strange = {
      url: "",
      tests: [{ name: "__proto__", commands: [1, null, { command: "open" }] }, 7],
    };
    const items = readImport(JSON.stringify(strange));
    expect(items.map(({ ok }) => ok)).toEqual([true, false]);
  });
});
