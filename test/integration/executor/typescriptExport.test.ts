import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DEMO_SENTENCES } from "../../../src/cli/operator/demo/sentences.ts";
import { type DemoSite, serveDemoSite } from "../../../src/cli/operator/demo/site.ts";
import type { StepInput } from "../../../src/domain/catalogue/step.ts";
import { parseEnglish } from "../../../src/domain/english/index.ts";
import { toTypescript } from "../../../src/domain/formats/typescript/index.ts";
import { findBrowser } from "../../../src/workers/executor/browserFinder.ts";
import type { BrowserPool } from "../../../src/workers/executor/browserPool.ts";
import { openPool, run, step } from "./kit.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");

/** A page with what the demo's pages have not: dialogs, a frame, a second tab. */
const PAGE = `<!doctype html><title>Odds and ends</title>
<button onclick="document.title = confirm('Sure?') ? 'yes' : 'no'">Ask</button>
<button onclick="document.title = prompt('Name?')">Name</button>
<iframe title="Card" srcdoc="<label>Number <input></label>"></iframe>
<a href="/second" target="_blank">Second</a>
<label>Shade <select><option value="r">Red</option><option value="b">Blue</option></select></label>
<label>Notes <input value="old"></label>
<p data-qa="total">Total:   12</p>
<div id="zone" ondragover="event.preventDefault()" ondrop="event.preventDefault(); event.dataTransfer.files[0].text().then((text) => { this.textContent = 'Got ' + text })">Drop here</div>
<button onclick="attached.click()">Attach</button><input id="attached" type="file" hidden onchange="document.title = this.files[0].name">
<div style="display: flex"><p id="card" style="width: 40px" onmousedown="this.id = 'held'">Card</p><p style="width: 40px">Done</p>
<p style="width: 90px" onmouseup="this.textContent = document.getElementById('held') ? 'Beside' : 'Nothing'">Free</p></div>
<p>Go on</p><button disabled>Go on</button>
<div style="height: 3000px"></div><p id="end" hidden>End</p>
<script>onscroll = () => { if (scrollY > 100) document.getElementById("end").hidden = false; }</script>`;

const english = (text: string): readonly StepInput[] => {
  const { steps, warnings } = parseEnglish(text);
  expect(warnings).toEqual([]);
  return steps;
};

let demo: DemoSite;
let odds: Server;
let folder: string;
let pool: BrowserPool;
let browser: string;

/** Tests by name, and the site that each is about. */
const tests: Record<
  string,
  { readonly on: "demo" | "odds"; readonly steps: () => readonly StepInput[] }
> = {
  demo: { on: "demo", steps: () => english(DEMO_SENTENCES) },
  demoFails: {
    on: "demo",
    steps: () => english('Go to /todo\nI should see "5 items left"'),
  },
  forms: {
    on: "demo",
    steps: () =>
      english(`Go to /commands/actions
Fill "Email address" with "ann@example.com"
The "Email address" field should have the value "ann@example.com"
Clear "Email address"
The "Email address" field should have the value ""
Double-click css=.action-div`),
  },
  noElement: { on: "demo", steps: () => english('Go to /\nClick the "Frobnicate" button') },
  odds: {
    on: "odds",
    steps: () => [
      step("navigate", "", "/"),
      step("set_viewport", "", "800x600"),
      step("click", '"Ask" button'),
      step("dismiss_dialog"),
      step("assert_title", "", "no"),
      step("click", '"Name" button'),
      step("accept_dialog", "", 'A "b" \\ \u2028'),
      step("assert_title", "", 'A "b" \\'),
      step("switch_frame", '"Card" frame'),
      step("fill", '"Number" field', "4242"),
      step("assert_value", "Number", "4242"),
      step("switch_frame"),
      step("select", "Shade", "Blue"),
      step("assert_value", "Shade", "Blue"),
      step("assert_value", "Shade", "b"),
      step("type", "Notes", " and new"),
      step("assert_value", "Notes", "old and new"),
      step("store", "testid=total", "total"),
      step("fill", "Notes", "${total}!"),
      step("assert_value", "Notes", "Total: 12!"),
      step("assert_text", "testid=total", "Total: 12"),
      step("assert_contains", "testid=total", "12"),
      step("assert_attribute", "testid=total", "data-qa=total"),
      step("assert_count", "css=option", "0", { optional: true }),
      step("assert_hidden", "#end"),
      step("scroll", "", "bottom"),
      step("assert_visible", "#end"),
      step("click", '"Second" link'),
      step("switch_tab", "last"),
      step("assert_url", "", "/second"),
      step("assert_url", "", "*/second"),
      step("assert_url", "", "/sec.nd$/"),
      step("switch_tab", "1"),
      step("assert_enabled", '"Ask" button'),
      step("click", "Nowhere", "", { disabled: true }),
      step("reload"),
      step("assert_title", "", "Odds*"),
    ],
  },
  dropped: {
    on: "odds",
    steps: () => [
      step("navigate", "", "/"),
      step("upload", "#zone", "note.txt"),
      step("assert_text", "#zone", "Got hello"),
      step("upload", '"Attach" button', "note.txt"),
      step("assert_title", "", "note.txt"),
      step("drag", "#card", 'right of "Done"'),
      step("assert_visible", "Beside"),
    ],
  },
  neverEnabled: {
    on: "odds",
    steps: () => [step("navigate", "", "/"), step("wait_for", "Go on", "enabled within 1 s")],
  },
  framesLeft: {
    on: "odds",
    steps: () => [
      step("navigate", "", "/"),
      step("switch_frame", '"Card" frame'),
      step("reload"),
      step("assert_visible", "Shade"),
      step("switch_frame", '"Card" frame'),
      step("navigate", "", "/"),
      step("assert_text", "testid=total", "Total: 12"),
    ],
  },
  wrongText: {
    on: "odds",
    steps: () => [step("navigate", "", "/"), step("assert_text", "testid=total", "Total: 13")],
  },
  wrongTitle: {
    on: "odds",
    steps: () => [step("navigate", "", "/"), step("assert_title", "", "Odds")],
  },
  wrongCount: {
    on: "odds",
    steps: () => [step("navigate", "", "/"), step("assert_count", "button", "3")],
  },
  noDialog: {
    on: "odds",
    steps: () => [step("navigate", "", "/"), step("hover", '"Ask" button'), step("accept_dialog")],
  },
  noOption: {
    on: "odds",
    steps: () => [step("navigate", "", "/"), step("select", "Shade", "Green")],
  },
  several: {
    on: "odds",
    steps: () => [step("navigate", "", "/"), step("click", "button")],
  },
  nowhereToGo: { on: "odds", steps: () => [step("navigate", "", "/"), step("go_forward")] },
};

beforeAll(async () => {
  demo = await serveDemoSite();
  odds = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(PAGE);
  });
  odds.listen(0, "127.0.0.1");
  await once(odds, "listening");
  folder = await mkdtemp(path.join(tmpdir(), "runledger-exported-"));
  await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  pool = openPool();
  browser = (await findBrowser({ allowInstall: false })).executablePath;
});
afterAll(async () => {
  await pool?.close();
  await demo?.close();
  odds?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

const NOTE = Buffer.from("hello");
const files = async () => ({ bytes: NOTE, contentType: "text/plain" });

const urlOf = (on: "demo" | "odds"): string =>
  on === "demo" ? demo.url : `http://127.0.0.1:${(odds.address() as AddressInfo).port}`;

/** Runs all files with Playwright's own runner; answers what became of each, by name. */
const playPlaywright = async (): Promise<Record<string, string>> => {
  await writeFile(
    path.join(folder, "playwright.config.ts"),
    `import { defineConfig } from "@playwright/test";
export default defineConfig({
  testDir: ".", testMatch: "*.play.ts", workers: 4, fullyParallel: true, reporter: "json",
  use: { launchOptions: { executablePath: ${JSON.stringify(browser)}, chromiumSandbox: false } },
});
`,
  );
  await writeFile(path.join(folder, "package.json"), '{"type": "module"}');
  await writeFile(path.join(folder, "note.txt"), NOTE);
  const cli = path.join(ROOT, "node_modules/@playwright/test/cli.js");
  const child = spawn(process.execPath, [cli, "test"], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      TIMEOUT: "4",
      SCREENSHOTS: folder,
      FILES: folder,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said: string[] = [];
  child.stdout.on("data", (chunk) => said.push(String(chunk)));
  child.stderr.on("data", (chunk) => said.push(String(chunk)));
  await once(child, "close");
  const text = said.join("");
  const report = JSON.parse(text.slice(text.indexOf("{"))) as {
    readonly errors: readonly unknown[];
    readonly suites: readonly {
      readonly file: string;
      readonly specs: readonly {
        readonly ok: boolean;
        readonly tests: readonly {
          readonly results: readonly { readonly error?: { message: string } }[];
        }[];
      }[];
    }[];
  };
  expect(report.errors).toEqual([]);
  return Object.fromEntries(
    report.suites.map(({ file, specs }) => [
      file.replace(/\.play\.ts$/, ""),
      specs.every(({ ok }) => ok) ? "passed" : "failed",
    ]),
  );
};

it("exported TypeScript has the same verdicts in Playwright as in the service", async () => {
  await mkdir(folder, { recursive: true });
  const verdicts: Record<string, string> = {};
  const exportAndRun = async ([name, { on, steps }]: [string, (typeof tests)[string]]) => {
    const given = steps();
    const baseUrl = urlOf(on);
    const document = {
      name: `${name} "quoted" \u2028 \${x}`,
      text: "",
      language: "en",
      platform: "web",
      steps: given,
    };
    await writeFile(path.join(folder, `${name}.play.ts`), toTypescript(document, { baseUrl }));
    const whole = given.map((each) => ({ ...each, id: step("reload").id }));
    verdicts[name] = (await run(pool, whole, { baseUrl, files })).status;
  };
  // Browsers that compete for two cores would exceed the time limit of a step.
  const waiting = Object.entries(tests);
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await exportAndRun(next);
  };
  await Promise.all([lane(), lane(), lane()]);
  expect(await playPlaywright()).toEqual(verdicts);
  expect(Object.values(verdicts).filter((status) => status === "passed")).toHaveLength(5);
}, 180_000);
