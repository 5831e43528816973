import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StepInput } from "../../../src/domain/catalogue/step.ts";
import { parseEnglish } from "../../../src/domain/english/index.ts";
import type { BrowserPool } from "../../../src/workers/executor/browserPool.ts";
import { openPool, run, step } from "./kit.ts";
import { type Pages, servePages } from "./pages.ts";

/** A button that says which one was clicked. */
const button = (name: string, more = "") =>
  `<button onclick="said.textContent='clicked ${name}'" ${more}>${name}</button>`;
const link = (name: string) =>
  `<a href="#" onclick="said.textContent='clicked the link ${name}'">${name}</a>`;
const SAID = `<p id="said"></p>`;

const PAGES = {
  "/broken": button("Broken"),
  "/inactive": "<p>Status: Inactive</p><p>Payment unpaid</p>",
  "/active": "<p>Status: Active</p><p>Payment paid</p><p>Lend him aid</p>",
  "/paid": "<p>Paid</p>",
  "/unpublish": button("Unpublish") + SAID,
  "/late": `<button>Late</button><p id="out"></p><script>setTimeout(() => { out.textContent = "late" }, 400)</script>`,
  "/badge3": `<span aria-label="Cart badge">3</span>`,
  "/badge13": `<span aria-label="Cart badge">13</span>`,
  "/slow": button("Slow") + SAID,
  "/home": `<nav>${link("red-widget")}</nav>${SAID}`,
  "/results": `<nav>${link("red-widget")}</nav><div class="search-results"><button onclick="said.textContent='found'">red-widget</button></div>${SAID}`,
  "/options": `${link("red-widget")}<div role="listbox" id="box"></div>${SAID}
    <script>setTimeout(() => { box.innerHTML = '<div role="option" onclick="said.textContent=\\'chosen\\'">red-widget</div>' }, 400)</script>`,
  "/named": `<button aria-label="Download tarball">x</button>`,
  "/tooltip": `<button>x</button><div role="tooltip">Download tarball</div>`,
  "/orders": `<table aria-label="Orders"><thead><tr><th>Id</th><th>Total</th><th></th></tr></thead>
    <tbody><tr><td>1001</td><td>$42.50</td><td>${button("Details", 'data-row="1"')}</td></tr>
    <tr><td>1002</td><td>$7.00</td><td><button onclick="said.textContent='details of 1002'">Details</button></td></tr></tbody></table>${SAID}`,
  "/colors": `<label>Colors list <select multiple onchange="said.textContent=[...this.selectedOptions].map((one) => one.label).join()">
    <option>Red</option><option selected>Green</option><option>Blue</option></select></label>${SAID}`,
  "/placeholder": `<label>Email <input placeholder="x" value="y"></label>`,
  "/value": `<label>Email <input placeholder="y" value="x"></label>`,
  "/context": `<p oncontextmenu="menu.hidden=false; return false">file.txt</p><button>Delete account</button>
    <div role="menu" id="menu" hidden><div role="menuitem" onclick="said.textContent='deleted'">Delete</div></div>${SAID}`,
  "/zone": `<div style="height:60px" ondragover="event.preventDefault()" ondrop="event.preventDefault(); said.textContent = event.dataTransfer.files[0].name">Drop files here</div>${SAID}`,
  "/notes": `<label>Notes <input value="foo and more" oninput="said.textContent=this.value"></label>${SAID}`,
  "/form": `<label>Name <input></label><label>Email <input></label><label>Age <input></label>`,
  "/map": `<canvas aria-label="Map" width="300" height="200" style="background:#cde" onclick="said.textContent=event.offsetX+','+event.offsetY"></canvas>${SAID}`,
  "/board": `<div style="display:flex"><p onmousedown="held=true">Card</p><p>Done</p><p style="width:90px" onmouseup="said.textContent=held?'beside':''">Free</p></div>${SAID}<script>let held = false</script>`,
  "/help": `<title>Home</title><a href="/helped" target="_blank">Help</a>`,
  "/helped": "<title>Help centre</title><h1>How to</h1>",
  "/soon": `<p id="out"></p><script>setTimeout(() => { out.innerHTML = '<p role="status">Done</p>' }, 2500)</script>`,
  "/deploy": `<style>.btn{background:#06c;color:#fff;padding:4px}</style><a class="btn" href="#">Deploy</a>`,
  "/menu": `<ul role="menu"><li role="menuitem">Hi tester</li><li role="menuitem" onclick="said.textContent='chosen'">X</li></ul>${button("X")}${SAID}`,
  "/svg": `<svg width="100" height="40"><g role="button" aria-label="function 1" ondblclick="document.querySelector('#said').textContent='shape'"><rect width="90" height="30"></rect><text x="5" y="20">f</text></g></svg>${SAID}`,
} as const;

let pool: BrowserPool;
let site: Pages;
beforeAll(async () => {
  [pool, site] = [openPool(), await servePages(PAGES)];
});
afterAll(async () => {
  await pool.close();
  await site.close();
});

/** The steps of a text that the grammar reads without a question. */
const read = (text: string): readonly StepInput[] => {
  const { steps, warnings } = parseEnglish(text);
  expect(warnings).toEqual([]);
  return steps;
};
const judge = (limitMs: number, path: keyof typeof PAGES, steps: readonly StepInput[]) =>
  run(
    pool,
    [
      step("navigate", "", path),
      ...steps.map(({ action, target, value, optional }) =>
        step(action, target, value, { optional }),
      ),
    ],
    {
      baseUrl: site.url,
      timeouts: { actionMs: limitMs, assertionMs: limitMs },
      files: async () => ({ bytes: Buffer.from("a,b"), contentType: "text/csv" }),
    },
  );

type Row = readonly [path: keyof typeof PAGES, text: string, says?: string];
const cases = (rows: readonly Row[]) =>
  rows.map(([path, text, says = null]) => ({ path, text, says }));

/** Texts that are read, and pass; `says` is what the page says afterwards. */
const PASS: readonly Row[] = [
  ["/active", 'I should see "Active"\nI should see "paid"\nI should see "aid"'],
  ["/late", 'I should see exactly "late"'],
  ["/badge3", "Cart badge shows 3"],
  ["/results", 'Click "red-widget" in the search results', "found"],
  ["/options", 'Click the option "red-widget"', "chosen"],
  ["/tooltip", 'The tooltip "Download tarball" is shown'],
  ["/orders", 'Click "Details" in the second row', "details of 1002"],
  ["/orders", "the Orders table contains 2 rows"],
  ["/colors", 'Select "Red" and "Blue" from the Colors list', "Red,Blue"],
  ["/placeholder", 'Verify the "Email" placeholder is "x"'],
  ["/context", 'Right click on "file.txt" -> Delete', "deleted"],
  ["/zone", 'Drop "a.csv" onto the "Drop files here" area', "a.csv"],
  [
    "/form",
    `Fill in the form: Name = Ann, Email = ann@example.com, Age = 30
The "Name" field should have the value "Ann"
The "Email" field should have the value "ann@example.com"
The "Age" field should have the value "30"`,
  ],
  ["/soon", 'Wait max 30 seconds for the "Done" message'],
  ["/deploy", 'Wait until the "Deploy" button is visible'],
  ["/menu", 'I should see "Hi tester" in the menu'],
  ["/orders", 'In the second row of the Orders table, click "Details"', "details of 1002"],
  ["/orders", 'Verify the Total in the "1001" row is "$42.50"'],
  ["/svg", 'Double-click the first "function 1"', "shape"],
];

/** Texts that are read, and fail: a person would say no. */
const FAIL: readonly Row[] = [
  ["/broken", 'I should see "ok"'],
  ["/inactive", 'I should see "Active"'],
  ["/inactive", 'I should see "paid"'],
  ["/paid", 'I should see "aid"'],
  ["/unpublish", 'Click the "Publish" button'],
  ["/badge13", "Cart badge shows 3"],
  ["/slow", 'Click "Sl"'],
  ["/home", 'Click "red-widget" in the search results'],
  ["/home", 'Click the option "red-widget"'],
  ["/home", 'Click the "red-widget" tab'],
  ["/named", 'The tooltip "Download tarball" is shown'],
  ["/orders", "the Orders table contains 3 rows"],
  ["/value", 'Verify the "Email" placeholder is "x"'],
  ["/orders", 'Verify the Total in the "1002" row is "$42.50"'],
];

describe("sentences of testers", () => {
  test.each(cases(PASS))("on $path, $text is read and passes", async ({ path, text, says }) => {
    const effect = says === null ? [] : [step("assert_text", "css=#said", says)];
    const ran = await judge(20_000, path, [...read(text), ...effect]);
    expect(ran.error).toBeNull();
  });

  test.each(cases(FAIL))("on $path, $text is read and fails", async ({ path, text }) => {
    expect((await judge(600, path, read(text))).status).toBe("failed");
  });

  test("an optional click on nothing looks for a moment", async () => {
    const ran = await judge(
      60_000,
      "/slow",
      read('Optionally, click "Accept cookies"\nI should see "Slow"'),
    );
    expect(ran.status).toBe("passed");
    expect(ran.of("stepFailed")[0]?.durationMs).toBeLessThan(10_000);
  });
});

/** Sentences that are asked about: the suggestion is read and does on the page what the sentence means. */
const ASKED: readonly Row[] = [
  ["/notes", 'Replace "foo" with "bar" in the Notes field', "bar"],
  ["/map", "Click at position 100,50", "92,42"],
  ["/map", 'Click at 200,120 of the "Map" image', "200,120"],
  ["/board", 'Drag "Card" to the right of "Done"', "beside"],
  ["/help", 'Verify that clicking "Help" opens a new tab'],
];

describe("sentences that are asked about", () => {
  test.each(cases(ASKED))(
    "on $path, $text is answered with sentences that do it",
    async ({ path, text, says }) => {
      const { steps, warnings } = parseEnglish(text);
      expect(steps).toEqual([]);
      const [suggestion = ""] = warnings[0]?.suggestions ?? [];
      const effect = says === null ? [] : [step("assert_text", "css=#said", says)];
      expect((await judge(20_000, path, [...read(suggestion), ...effect])).error).toBeNull();
    },
  );
});
