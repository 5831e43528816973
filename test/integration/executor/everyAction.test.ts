import ts from "typescript";
import { describe, expect, it } from "vitest";
import { inlineCalls, pinCalls } from "../../../src/domain/catalogue/calls.ts";
import type { Step } from "../../../src/domain/catalogue/step.ts";
import {
  type ActionName,
  actionNames,
  type StepDraft,
  validateSteps,
} from "../../../src/domain/catalogue/vocabulary.ts";
import { describeStep } from "../../../src/domain/english/describe.ts";
import { parseEnglish } from "../../../src/domain/english/index.ts";
import { fromBundle, toBundle } from "../../../src/domain/formats/bundle.ts";
import { readGherkin } from "../../../src/domain/formats/gherkin/read.ts";
import { toGherkin } from "../../../src/domain/formats/gherkin/write.ts";
import { toPython } from "../../../src/domain/formats/python/index.ts";
import { readImport } from "../../../src/domain/formats/readImport.ts";
import { toTypescript } from "../../../src/domain/formats/typescript/index.ts";
import { toYaml } from "../../../src/domain/formats/yaml.ts";
import { runPython } from "../../support/python.ts";
import { openSite, run, step } from "./kit.ts";

const pages = {
  "/": `<!doctype html><html lang="en"><title>Everything</title><body onresize="log(innerWidth + ' wide')">
   <p id="log"></p>
   <button onclick="log('click')" ondblclick="log('double')" oncontextmenu="log('right'); event.preventDefault()"
     onmouseenter="log('hover')">Press me</button>
   <label>Name <input id="name" value="old" onfocus="log('focus')" onkeydown="log('key ' + event.key)"></label>
   <label>Colour <select id="colour"><option value="r">Red</option><option value="b">Blue</option></select></label>
   <label><input type="checkbox" id="agree"> Agree</label> <label><input type="checkbox" id="news" checked> News</label>
   <label>Picture <input type="file" onchange="this.files[0].text().then((text) => log(this.files[0].name + ' ' + text))"></label>
   <div id="card" draggable="true" ondragstart="event.dataTransfer.setData('text', 'card')">Card</div>
   <div id="bin" ondragover="event.preventDefault()" ondrop="log('dropped ' + event.dataTransfer.getData('text'))">Bin</div>
   <button disabled>Off</button> <p id="gone" hidden>Nobody sees this</p> <p id="sum">Sum:   12</p>
   <ul><li>One</li><li>Two</li><li>Three</li></ul>
   <a href="/other" title="Go there">Other page</a> <a href="/tab" target="_blank">In a tab</a>
   <button onclick="log('said ' + confirm('Sure?'))">Confirm</button>
   <iframe name="Payment" src="/frame"></iframe>
   <div style="height: 3000px"></div><p onclick="log('at ' + (scrollY > 1000))">Far down</p>
   <script>function log(text) { document.getElementById('log').textContent += text + '; ' }</script></body></html>`,
  "/other": `<!doctype html><title>Other</title><h1>Other page</h1>`,
  "/tab": `<!doctype html><title>A tab</title><h1>In the tab</h1>`,
  "/frame": `<!doctype html><title>Frame</title><button onclick="this.textContent = 'Paid'">Pay</button>`,
};

const open = step("navigate", "", "/");
const logs = (text: string) => step("assert_contains", "css=#log", text);
const title = (text: string) => step("assert_title", "", text);

/** Each action in a test of its own kind: what comes before it on the page, itself, and what it brings about. */
const tests: Readonly<Record<ActionName, { before?: Step[]; step: Step; does?: Step[] }>> = {
  navigate: { step: step("navigate", "", "/other"), does: [title("Other")] },
  click: { before: [open], step: step("click", "Press me"), does: [logs("click")] },
  double_click: { before: [open], step: step("double_click", "Press me"), does: [logs("double")] },
  right_click: { before: [open], step: step("right_click", "Press me"), does: [logs("right")] },
  hover: { before: [open], step: step("hover", "Press me"), does: [logs("hover")] },
  focus: { before: [open], step: step("focus", "Name"), does: [logs("focus")] },
  fill: {
    before: [open],
    step: step("fill", "Name", "Ann"),
    does: [step("assert_value", "Name", "Ann")],
  },
  type: { before: [open], step: step("type", "Name", "er"), does: [logs("key r")] },
  clear: { before: [open], step: step("clear", "Name"), does: [step("assert_value", "Name", "")] },
  press: { before: [open], step: step("press", "Name", "ArrowLeft"), does: [logs("ArrowLeft")] },
  select: {
    before: [open],
    step: step("select", "Colour", "Blue"),
    does: [step("assert_value", "css=#colour", "b")],
  },
  check: { before: [open], step: step("check", "Agree"), does: [step("assert_checked", "Agree")] },
  uncheck: {
    before: [open],
    step: step("uncheck", "News"),
    does: [step("assert_unchecked", "News")],
  },
  upload: {
    before: [open],
    step: step("upload", "Picture", "cat.txt"),
    does: [logs("cat.txt meow")],
  },
  drag: {
    before: [open],
    step: step("drag", "css=#card", "css=#bin"),
    does: [logs("dropped card")],
  },
  scroll: {
    before: [open],
    step: step("scroll", "", "bottom"),
    does: [step("click", "Far down"), logs("at true")],
  },
  wait_for: { before: [open], step: step("wait_for", "Press me") },
  wait: { step: step("wait", "", "10 ms") },
  assert_visible: { before: [open], step: step("assert_visible", "Press me") },
  assert_hidden: { before: [open], step: step("assert_hidden", "css=#gone") },
  assert_enabled: { before: [open], step: step("assert_enabled", "Press me") },
  assert_disabled: { before: [open], step: step("assert_disabled", "Off") },
  assert_checked: { before: [open], step: step("assert_checked", "News") },
  assert_unchecked: { before: [open], step: step("assert_unchecked", "Agree") },
  assert_text: { before: [open], step: step("assert_text", "css=#sum", "Sum: 12") },
  assert_contains: { before: [open], step: step("assert_contains", "css=#sum", "12") },
  assert_value: { before: [open], step: step("assert_value", "Name", "old") },
  assert_count: { before: [open], step: step("assert_count", "css=li", "3") },
  assert_attribute: {
    before: [open],
    step: step("assert_attribute", "Other page", "title=Go there"),
  },
  assert_url: { before: [open], step: step("assert_url", "", "*/") },
  assert_title: { before: [open], step: title("Everything") },
  screenshot: { before: [open], step: step("screenshot", "", "front page") },
  visual_check: { before: [open], step: step("visual_check", "", "front") },
  go_back: {
    before: [open, step("navigate", "", "/other")],
    step: step("go_back"),
    does: [title("Everything")],
  },
  go_forward: {
    before: [open, step("navigate", "", "/other"), step("go_back")],
    step: step("go_forward"),
    does: [title("Other")],
  },
  reload: {
    before: [open, step("click", "Press me")],
    step: step("reload"),
    does: [step("assert_hidden", "css=#log")],
  },
  accept_dialog: {
    before: [open, step("click", "Confirm")],
    step: step("accept_dialog"),
    does: [logs("said true")],
  },
  dismiss_dialog: {
    before: [open, step("click", "Confirm")],
    step: step("dismiss_dialog"),
    does: [logs("said false")],
  },
  switch_frame: {
    before: [open],
    step: step("switch_frame", 'frame "Payment"'),
    does: [step("click", "Pay"), step("assert_visible", "Paid"), step("switch_frame")],
  },
  switch_tab: {
    before: [open, step("click", "In a tab")],
    step: step("switch_tab", "A tab"),
    does: [step("assert_visible", "In the tab"), step("switch_tab")],
  },
  set_viewport: {
    before: [open],
    step: step("set_viewport", "", "800x600"),
    does: [logs("800 wide")],
  },
  store: {
    before: [open],
    step: step("store", "css=#sum", "sum"),
    does: [step("fill", "Name", "${sum}"), step("assert_value", "Name", "Sum: 12")],
  },
  call_test: {
    before: [open],
    step: step("call_test", "Press it"),
    does: [logs("click")],
  },
};

const called = {
  testId: "0190c4f0-0000-7000-8000-000000000002",
  name: "Press it",
  version: 1,
  steps: [step("click", "Press me")],
};
const document = {
  name: "Every action",
  text: "",
  language: "en",
  platform: "web",
  steps: actionNames.map((name) => tests[name].step),
};
const bare = (steps: readonly StepDraft[]) =>
  steps.map(({ action, target, value, optional, disabled }) => ({
    ...{ action, target: target ?? "", value: value ?? "" },
    ...{ optional: optional ?? false, disabled: disabled ?? false },
  }));

describe("every action of the vocabulary", () => {
  const { pool, site } = openSite(pages);

  it("is valid in a test", () => {
    const drafts = actionNames.map((name) => ({ ...tests[name].step }));
    expect(validateSteps(drafts)).toMatchObject({ ok: true });
  });

  it("is rendered as English that parses to the same step", () => {
    for (const name of actionNames) {
      const said = describeStep(tests[name].step);
      const { steps, warnings } = parseEnglish(said);
      expect([said, warnings, bare(steps)]).toEqual([said, [], bare([tests[name].step])]);
    }
  });

  it("survives export to and import from YAML, JSON, a bundle and Gherkin, also optional and disabled", () => {
    const steps = document.steps.map((one, index) => ({
      ...one,
      optional: index % 3 === 1,
      disabled: index % 3 === 2,
    }));
    const whole = { ...document, steps };
    const stepsIn = (content: string, format: "yaml" | "json") => {
      const [item] = readImport(content, format);
      if (!item?.ok) throw new Error("It was not read");
      return item.test.steps ?? [];
    };
    expect(bare(stepsIn(toYaml(whole), "yaml"))).toEqual(bare(steps));
    expect(bare(stepsIn(JSON.stringify([whole]), "json"))).toEqual(bare(steps));
    expect(bare(fromBundle(toBundle(whole)).steps)).toEqual(bare(steps));
    const [item] = readGherkin(toGherkin(whole));
    if (!item?.ok) throw new Error("It was not read");
    expect(bare(item.test.steps ?? [])).toEqual(bare(steps));
  });

  it("is exported as valid Python and TypeScript", () => {
    const python = toPython(document);
    const program = "import ast, sys; ast.parse(sys.stdin.read()); print('read')";
    expect(runPython(program, python)?.trim() ?? "read").toBe("read");
    const { diagnostics = [] } = ts.transpileModule(toTypescript(document), {
      reportDiagnostics: true,
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    });
    expect(diagnostics.map(({ messageText }) => messageText)).toEqual([]);
  });

  it("has its effect in a browser", async () => {
    const steps = actionNames.flatMap((name) => {
      const { before = [], step: one, does = [] } = tests[name];
      return [...before, one, ...does];
    });
    const root = { testId: called.testId.replace(/2$/, "1"), name: "All", version: 1, steps };
    const calls = pinCalls(root, () => called);
    const inlined = inlineCalls(root, calls, () => called.steps);
    const ran = await run(pool, inlined, {
      baseUrl: site.url,
      files: async (name) =>
        name === "cat.txt" ? { bytes: Buffer.from("meow"), contentType: "text/plain" } : null,
    });
    expect([ran.error, ran.status]).toEqual([null, "passed"]);
    // A visual check without anything to compare with is skipped, and says so.
    const skipped = ran.of("stepSkipped").map(({ number }) => inlined[number - 1]?.action);
    expect(skipped.filter((action) => action !== "visual_check")).toEqual([]);
    const passed = new Set(ran.of("stepPassed").map(({ number }) => inlined[number - 1]?.action));
    const known = new Set([...passed, ...skipped, "call_test"]);
    expect(actionNames.filter((name) => !known.has(name))).toEqual([]);
  }, 120_000);
});
