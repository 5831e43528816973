import { describe, expect, test } from "vitest";
import { openSite, run, step } from "./kit.ts";

const ORDERS = `<table><caption>Orders</caption>
  <thead><tr><th>Id</th><th>Customer</th><th>Total</th><th></th></tr></thead>
  <tbody><tr><td>1001</td><td>Ann</td><td>$42.50</td><td><button onclick="said.textContent='details of 1001'">Details</button></td></tr>
    <tr style="display:none"><td>1000</td><td>Gone</td><td>$1</td><td></td></tr>
    <tr><td colspan="4">Older orders</td></tr>
    <tr><td>1002</td><td>Bob</td><td>$7.00</td><td><button onclick="said.textContent='details of 1002'">Details</button></td></tr></tbody>
  <tfoot><tr><td>Sum</td><td></td><td>$49.50</td><td></td></tr></tfoot></table><p id="said"></p>`;

const laidOver = (text: string) =>
  `<div style="position:relative">${text}<div style="position:absolute;inset:0;background:#fff"></div></div>`;

const PAGES = {
  "/broken": `<button>Broken</button><p>Status: Inactive</p><p>Payment unpaid</p><p>Un<b>done</b></p><p>Non-active plan</p>`,
  "/paid": `<p>Paid</p><p>Status: Active.</p><p>Order <b>total</b>: 3 items</p><p>Don’t panic</p><p>Kraft&shy;fahrzeug</p>`,
  "/numbers": `<p>13 items</p><p>Weight 3.5 kg</p><p>Sum $1,234.50</p><p>2026-01-15</p><p>-7 °C</p>`,
  "/deutsch": `<html lang="de"><p>Summe 1.234,50 €</p><p>Menge 2,5</p></html>`,
  "/unpublish": `<button onclick="said.textContent='unpublished'">Unpublish</button><button onclick="said.textContent='slow'">Slow</button><p id="said"></p>`,
  "/late": `<button>Lately</button><p id="out"></p><script>setTimeout(() => { out.textContent = 'It is late' }, 500)</script>`,
  "/badge": `<span aria-label="Cart badge">13</span>`,
  "/sources": `<input placeholder="Hint text" value="Typed text"><img alt="Alt text" width="9" height="9"><p title="Title text">x</p><button aria-label="Aria text">↻</button>
    <p style="opacity:0">Clear text</p><p style="position:absolute;left:-9999px">Far text</p>
    <p style="position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)">Reader text</p>
    <div style="height:0;overflow:hidden"><p>Cut text</p></div><p style="color:transparent">No ink</p><p style="text-transform:uppercase">shouted text</p>
    <p>Below it</p><input type="submit" value="Send text">`,
  "/drawn": `<h1 style="text-indent:-9999px;overflow:hidden">Logo text</h1><p style="width:90px;overflow:hidden;white-space:nowrap;text-overflow:ellipsis">Quarterly report for the North</p>
    <p>Balance -$42.50</p><p>We write C++</p>${laidOver("Under text")}
    <div style="height:1500px"></div>${laidOver("Below text")}<p>Last text</p>`,
  "/list": `<ul aria-label="Messages"><li aria-setsize="500" aria-posinset="7">Message 7</li><li aria-setsize="500" aria-posinset="8">Message 8</li></ul>`,
  "/covered": `<p>Covered text</p><div style="position:fixed;inset:0;background:#fff">Cover</div>`,
  "/results": `<nav><a href="#" onclick="said.textContent='home link'">red-widget</a></nav><p id="said"></p>`,
  "/search-results": `<nav><a href="#nav">red-widget</a></nav><div class="search-results"><a href="#found" onclick="said.textContent='found'">red-widget</a></div><p id="said"></p>`,
  "/option": `<a href="#" onclick="said.textContent='link'">red-widget</a><div role="listbox" id="box"></div><p id="said"></p>
    <script>setTimeout(() => { box.innerHTML = '<div role="option" onclick="said.textContent=\\'option\\'">red-widget</div>' }, 400)</script>`,
  "/tab": `<a href="#" onclick="said.textContent='link'">red-widget</a><p id="said"></p>`,
  "/tooltip": `<button aria-label="Download tarball">x</button>`,
  "/tooltip-open": `<button>x</button><div role="tooltip">Download tarball</div>`,
  "/orders": ORDERS,
  "/grid": `<div role="grid" aria-label="Log" aria-rowcount="501"><div role="row" aria-rowindex="1"><span role="columnheader">Line</span></div>
    <div role="row" aria-rowindex="12"><span role="gridcell">line eleven</span></div><div role="row" aria-rowindex="11"><span role="gridcell">line ten</span></div></div>`,
  "/two": `<button onclick="said.textContent='a'">Save</button><section aria-label="Billing"><button onclick="said.textContent='b'">Save</button></section><p id="said"></p>`,
  "/deploy": `<style>.btn{background:#06c;color:#fff;padding:4px}</style><a class="btn" href="#" onclick="said.textContent='deployed'">Deploy</a><p id="said"></p>`,
  "/menu": `<ul role="menu"><li role="menuitem">Hi tester</li></ul><p>Elsewhere</p>`,
  "/sidebar": `<aside><a href="#">Inbox</a></aside><main><a href="#">Archive</a></main>`,
  "/modal": `<button onclick="said.textContent='page'">Save</button><p id="said"></p>
    <div role="dialog" aria-modal="true" aria-label="Edit" style="position:fixed;inset:20%;background:#fff"><button onclick="said.textContent='dialog'">Save</button></div>`,
  "/counter": `<button onclick="said.textContent='inbox'">Inbox (3)</button><label>Email * <input></label><p id="said"></p>`,
  "/icon": `<button data-testid="open-cart" onclick="said.textContent='cart'"><svg width="9" height="9"></svg></button><p id="said"></p>`,
  "/loads": `<p id="o"></p><script>setTimeout(() => fetch("/paid").then(() => { o.textContent = "Arrived" }), 0)</script>`,
  "/effects": `<label>Card <input oninput="this.value=this.value.replace(/\\D/g,'').replace(/(.{4})(?=.)/g,'$1 ')"></label>
    <style>.c{opacity:0;position:absolute}</style><label><input type="checkbox" class="c"><span>Terms</span></label>
    <label>Colors <select multiple><option>Red<option selected>Green<option>Blue</select></label><label>One <select><option>Red<option>Blue</select></label>
    <label>Short <input maxlength="3"></label><label>Full <input maxlength="3" value="123"></label><label>Digits <input oninput="this.value=this.value.replace(/\\D/g,'')"></label><label><input type="checkbox" onchange="this.checked=false">Refuses</label>
    <div draggable="true">Thing</div><div style="height:30px" ondragover="event.preventDefault()" ondrop="said.textContent='dropped'">Place</div>
    <div style="height:30px">Nowhere</div><p id="said"></p><div id="area" style="width:50px;height:50px;background:red" onclick="said.textContent=event.offsetX+','+event.offsetY"></div>`,
  "/drawers": `<style>body{margin:0;overflow-x:hidden}.edge{position:fixed;top:0;width:300px}</style><p>Near text</p>
    <div class="edge" style="right:-320px">Right text</div><div class="edge" style="right:0;transform:translateX(100%)">Moved text</div>
    <p class="edge" style="top:auto;bottom:-60px;height:20px">Lower text</p><p style="position:absolute;left:3000px">Beside text</p>
    <div class="edge" style="left:0;top:60px;height:60px;overflow:auto"><p style="height:200px">Tall</p><p>Inner text</p><p style="position:relative;left:-3000px">Far inner text</p></div>
    <div style="height:3000px"></div><p>Deep text</p>`,
  "/spins": `<style>@keyframes turn{to{transform:rotate(1turn)}}.spinner-border{width:20px;height:20px;border:3px solid;animation:turn 1s linear infinite}</style>
    <p id="out"><span class="spinner-border" style="display:block"></span></p><script>setTimeout(() => { out.textContent = "Error 500" }, 1200)</script>`,
  "/never": null,
  "/longer": `<p id="said"></p><button onclick="said.textContent='all'">Delete all</button><span id="more"></span><script>
    const request = new AbortController();
    fetch("/never", { signal: request.signal }).catch(() => { more.innerHTML = "<button onclick=said.textContent='one'>Delete</button>" });
    setTimeout(() => request.abort(), 600)</script>`,
  "/drafts": `<ul><li>Draft 2 <button>Delete</button></li><li>Draft 3</li></ul>
    <table><tr><td>Ann</td><td>Open</td></tr><tr><td>Bob</td><td>Paid</td></tr></table>`,
  "/locked": `<html style="overflow:hidden"><p>Near text</p><div style="height:3000px"></div><p>Deep text</p></html>`,
  "/rtl": `<html dir="rtl"><p>Near text</p><p style="position:absolute;right:2000px;white-space:nowrap">Wide text</p><p style="position:absolute;left:3000px">Beside text</p></html>`,
  "/shape": `<svg width="100" height="40"><g role="button" aria-label="function 1" ondblclick="document.querySelector('#said').textContent='shape'"><rect width="90" height="30"></rect><text x="5" y="20">f</text></g></svg><p id="said"></p>`,
} as const;

const { pool, site } = openSite(PAGES);

const endsOn = (limitMs: number, path: keyof typeof PAGES, steps: Parameters<typeof step>[]) =>
  run(pool, [step("navigate", "", path), ...steps.map((each) => step(...each))], {
    baseUrl: site.url,
    timeouts: { actionMs: limitMs, assertionMs: limitMs },
  });
/** For what comes about: on a busy machine it may take its time. */
const on = (path: keyof typeof PAGES, ...steps: Parameters<typeof step>[]) =>
  endsOn(20_000, path, steps);
/** For what never comes about, and is waited for as long. */
const never = (path: keyof typeof PAGES, ...steps: Parameters<typeof step>[]) =>
  endsOn(700, path, steps);

type Row = readonly [keyof typeof PAGES, string, string, string?];

const passes = (rows: readonly Row[]) =>
  test.each(rows.map((row) => [row.join(" "), row] as const))(
    "passes: %s",
    async (_, [path, action, target, value = ""]) => {
      expect((await on(path, [action, target, value])).error).toBeNull();
    },
  );
const fails = (rows: readonly Row[]) =>
  test.each(rows.map((row) => [row.join(" "), row] as const))(
    "fails: %s",
    async (_, [path, action, target, value = ""]) => {
      expect((await never(path, [action, target, value])).status).toBe("failed");
    },
  );

describe("texts", () => {
  fails([
    ["/broken", "assert_visible", '"ok"'],
    ["/broken", "assert_visible", '"Active"'],
    ["/broken", "assert_visible", '"paid"'],
    ["/broken", "assert_visible", '"done"'],
    ["/paid", "assert_visible", '"aid"'],
    ["/paid", "assert_visible", 'exactly "paid"'],
    ["/paid", "assert_visible", 'exactly "Active"'],
    ["/numbers", "assert_visible", '"3"'],
    ["/numbers", "assert_visible", '"15"'],
    ["/numbers", "assert_visible", '"7"'],
    ["/numbers", "assert_visible", '"234.50"'],
    ["/deutsch", "assert_visible", '"25"'],
    ["/sources", "assert_visible", '"Hint text"'],
    ["/sources", "assert_visible", '"Typed text"'],
    ["/sources", "assert_visible", '"Alt text"'],
    ["/sources", "assert_visible", '"Title text"'],
    ["/sources", "assert_visible", '"Aria text"'],
    ["/sources", "assert_visible", '"Clear text"'],
    ["/sources", "assert_visible", '"Far text"'],
    ["/sources", "assert_visible", '"Reader text"'],
    ["/sources", "assert_visible", '"Cut text"'],
    ["/sources", "assert_visible", '"No ink"'],
    ["/covered", "assert_visible", '"Covered text"'],
    ["/drawn", "assert_visible", '"Logo text"'],
    ["/drawn", "assert_visible", '"North"'],
    ["/drawn", "assert_visible", '"$42.50"'],
    ["/drawn", "assert_visible", '"C"'],
    ["/drawn", "assert_visible", '"Under text"'],
    ["/drawn", "assert_visible", '"Below text"'],
    ["/drawers", "assert_visible", '"Right text"'],
    ["/drawers", "assert_visible", '"Moved text"'],
    ["/drawers", "assert_visible", '"Lower text"'],
    ["/drawers", "assert_visible", '"Far inner text"'],
    ["/drawers", "assert_visible", '"Beside text"'],
    ["/locked", "assert_visible", '"Deep text"'],
    ["/rtl", "assert_visible", '"Beside text"'],
    ["/counter", "assert_visible", '"Inbox (4)" button'],
    ["/badge", "assert_contains", "Cart badge", "3"],
    ["/broken", "assert_hidden", '"Broken"'],
    ["/tooltip", "assert_visible", 'tooltip "Download tarball"'],
    ["/drafts", "click", '"Delete" button next to "Draft 3"'],
    ["/drafts", "assert_visible", '"Paid" next to "Ann"'],
    ["/two", "assert_hidden", '"Error" in the "Returns" section'],
    ["/orders", "assert_count", "rows in the Invoices table", "0"],
  ]);
  passes([
    ["/broken", "assert_visible", 'containing "ok"'],
    ["/broken", "assert_hidden", '"ok"'],
    ["/drafts", "click", '"Delete" button next to "Draft 2"'],
    ["/drafts", "assert_visible", '"Paid" next to "Bob"'],
    ["/two", "assert_hidden", '"Error" in the "Billing" section'],
    ["/two", "assert_hidden", '"Save" button in the "Edit" dialog'],
    ["/drawers", "assert_visible", '"Deep text"'],
    ["/drawers", "assert_visible", '"Inner text"'],
    ["/drawers", "assert_hidden", '"Right text"'],
    ["/locked", "assert_visible", '"Near text"'],
    ["/rtl", "assert_visible", '"Wide text"'],
    ["/counter", "assert_visible", '"Inbox (3)" button'],
    ["/counter", "assert_visible", '"Inbox" button'],
    ["/paid", "assert_visible", '"paid"'],
    ["/paid", "assert_visible", 'exactly "Paid"'],
    ["/paid", "assert_visible", '"active"'],
    ["/paid", "assert_visible", '"Order total: 3 items"'],
    ["/paid", "assert_visible", '"3"'],
    ["/paid", "assert_visible", `"Don't panic"`],
    ["/paid", "assert_visible", '"Kraftfahrzeug"'],
    ["/numbers", "assert_visible", '"1234.50"'],
    ["/numbers", "assert_visible", '"1,234.50"'],
    ["/numbers", "assert_visible", '"$1,234.50"'],
    ["/numbers", "assert_visible", '"13"'],
    ["/deutsch", "assert_visible", '"1234.50"'],
    ["/deutsch", "assert_visible", '"2,5"'],
    ["/drawn", "assert_visible", '"Quarterly"'],
    ["/drawn", "assert_visible", '"-$42.50"'],
    ["/drawn", "assert_visible", '"C++"'],
    ["/drawn", "assert_visible", '"Last text"'],
    ["/sources", "assert_visible", '"shouted text"'],
    ["/sources", "assert_visible", '"Send text"'],
    ["/sources", "assert_visible", '"Aria text" button'],
    ["/sources", "assert_visible", '"Alt text" image'],
    ["/late", "assert_visible", '"late"'],
    ["/badge", "assert_contains", "Cart badge", "13"],
    ["/tooltip-open", "assert_visible", 'tooltip "Download tarball"'],
    ["/orders", "assert_visible", '"1001 Ann"'],
    ["/menu", "assert_visible", '"Hi tester" in the menu'],
    ["/sidebar", "assert_visible", '"Inbox" in the sidebar'],
  ]);
});

test("the frame of a claim is that of its words", async () => {
  const ran = await on("/broken", ["assert_visible", "Inactive"], ["assert_visible", "Status"]);
  const [, whole, first] = ran.of("stepPassed").map(({ evidence }) => evidence);
  for (const box of [whole, first]) expect(box?.width).toBeLessThan(100);
  expect(whole?.x).toBeGreaterThanOrEqual((first?.x ?? 0) + (first?.width ?? 0));
});

describe("targets", () => {
  const says = (rows: readonly (readonly [keyof typeof PAGES, string, string])[]) =>
    test.each(rows)("on %s, a click on %s does it: %s", async (path, target, said) => {
      const ran = await on(path, ["click", target], ["assert_text", "css=#said", said]);
      expect(ran.error).toBeNull();
    });
  says([
    ["/search-results", '"red-widget" in the search results', "found"],
    ["/option", 'option "red-widget"', "option"],
    ["/orders", '"Details" in the second row', "details of 1002"],
    ["/orders", '"Details" in the second row of the Orders table', "details of 1002"],
    ["/orders", '"Details" button in the "Bob" row', "details of 1002"],
    ["/two", 'any "Save" button', "a"],
    ["/two", '"Save" in "Billing"', "b"],
    ["/deploy", '"Deploy" button', "deployed"],
    ["/modal", "Save", "dialog"],
    ["/counter", "Inbox", "inbox"],
    ["/icon", "cart icon", "cart"],
  ]);
  fails([
    ["/unpublish", "click", '"Publish" button'],
    ["/unpublish", "click", '"Sl"'],
    ["/results", "click", '"red-widget" in the search results'],
    ["/tab", "click", '"red-widget" tab'],
    ["/tab", "click", 'option "red-widget"'],
    ["/two", "click", '"Save" button'],
    ["/menu", "assert_visible", '"Elsewhere" in the menu'],
    ["/sidebar", "assert_visible", '"Archive" in the sidebar'],
    ["/icon", "click", '"cart" button'],
    ["/orders", "assert_count", "rows in the Orders table", "3"],
    ["/list", "assert_count", 'items in the "Messages" list', "2"],
    ["/list", "hover", '9th item in the "Messages" list'],
    ["/orders", "assert_text", 'Total in the "1002" row', "$42.50"],
  ]);
  passes([
    ["/orders", "assert_count", "rows in the Orders table", "2"],
    ["/orders", "assert_text", 'Total in the "1001" row', "$42.50"],
    ["/orders", "assert_text", '"Total" cell in the second row', "$7.00"],
    ["/orders", "hover", "second row"],
    ["/orders", "assert_text", 'Total in the "Sum" row', "$49.50"],
    ["/list", "assert_count", 'items in the "Messages" list', "500"],
    ["/list", "assert_text", '8th item in the "Messages" list', "Message 8"],
    ["/grid", "assert_count", 'rows in the "Log" table', "500"],
    ["/grid", "assert_text", "11th row", "line eleven"],
    ["/deploy", "wait_for", '"Deploy" button'],
    ["/counter", "fill", "Email", "a@example.com"],
    ["/shape", "double_click", 'first "function 1"'],
  ]);

  test("notes a link that counts as a button", async () => {
    const [passed] = (await on("/deploy", ["click", '"Deploy" button'])).of("stepPassed").slice(1);
    expect(passed?.notes).toEqual(["a link drawn as a button"]);
  });
});

test("a longer name waits for requests in flight, which may bring the one that is named", async () => {
  const ran = await on(
    "/longer",
    ["click", '"Delete" button'],
    ["assert_text", "css=#said", "one"],
  );
  expect(ran.error).toBeNull();
});

describe("effects", () => {
  test("fail the action if the page reverts them", async () => {
    for (const [steps, error] of [
      [["fill", "Short", "abcdef"], 'should hold "abcdef", but it holds "abc"'],
      [["type", "Full", "12"], 'should hold "12", but it holds "123"'],
      [["fill", "Digits", "12.50"], 'should hold "12.50", but it holds "1250"'],
      [["check", "Refuses"], "it did not change its state"],
      [["drag", "Thing", "Nowhere"], "did not take the drop"],
      [["select", "One", "Red\nBlue"], "Red"],
    ] as const) {
      const [action, target, value = ""] = steps;
      expect((await on("/effects", [action, target, value])).error).toContain(error);
    }
  });

  test("pass in the formatting of the page", async () => {
    const ran = await on(
      "/effects",
      ["fill", "Card", "4242424242424242"],
      ["check", "Terms"],
      ["select", "Colors", "Red\nBlue"],
      ["assert_value", '"Colors" dropdown', "Red, Blue"],
      ["drag", "Thing", "Place"],
      ["assert_text", "css=#said", "dropped"],
      ["click", "point 5,5 of css=#area"],
      ["assert_text", "css=#said", "5,5"],
    );
    expect(ran.error).toBeNull();
  });
});

describe("assertions over time", () => {
  test("wait for a request in flight before they pass a negative", async () => {
    expect((await never("/loads", ["assert_hidden", "Arrived"])).status).toBe("failed");
    expect((await on("/loads", ["assert_count", "Arrived", "1"])).error).toBeNull();
  });

  test("wait for a spinner before they pass a negative", async () => {
    const ran = await endsOn(2_500, "/spins", [["assert_hidden", '"Error 500"', ""]]);
    expect(ran.error).toContain("Expected not to see");
  });

  test("are noted if they held before the action", async () => {
    const ran = await on(
      "/unpublish",
      ["click", "Unpublish"],
      ["assert_visible", "Slow"],
      ["assert_visible", "unpublished"],
    );
    expect(ran.of("stepPassed").map(({ notes = [] }) => notes.length)).toEqual([0, 0, 1, 0]);
  });

  test("end an optional step after two seconds", async () => {
    const started = performance.now();
    const ran = await run(
      pool,
      [step("navigate", "", "/paid"), step("click", "Nothing", "", { optional: true })],
      { baseUrl: site.url, timeouts: { actionMs: 60_000, assertionMs: 60_000 } },
    );
    expect(ran.status).toBe("passed");
    expect(performance.now() - started).toBeLessThan(30_000);
  });
});
