import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BrowserPool } from "../../../src/workers/executor/browserPool.ts";
import { openPool, run, step } from "./kit.ts";
import { type Pages, servePages } from "./pages.ts";

const SHOP = `<!doctype html><title>Shop</title>
<header><h1>Shop</h1><a href="/shop">Home</a> <a href="/shop" class="btn">Sign out</a></header>
<form onsubmit="event.preventDefault(); out.textContent = 'Searched ' + q.value">
  <label for="q">Search</label><input id="q"><button>Search</button></form>
<p id="out" role="status"></p>
<section><h2>Billing</h2>
  <label>Street <input name="b"></label> <button onclick="out.textContent='billing saved'">Save</button></section>
<section><h2>Shipping</h2>
  <label>Street <input name="s"></label> <button onclick="out.textContent='shipping saved'">Save</button></section>
<table><tr><th>Name</th><th></th></tr>
  <tr><td>Ann</td><td><button onclick="out.textContent='Ann deleted'">Delete</button></td></tr>
  <tr><td>Bob</td><td><button onclick="out.textContent='Bob deleted'">Delete</button></td></tr></table>
<p>Total <b>12 €</b> <button onclick="out.textContent='recounted'" aria-label="Recount">↻</button></p>
<input type="password" placeholder="Password"><input placeholder="Street number">
<button onclick="out.textContent='saved as'">Save as…</button>
<button style="display:none">Publish</button>
<div onclick="out.textContent='fake clicked'">Fake</div>
<label><input type="checkbox" style="display:none" id="drawn" onchange="out.textContent='drawn '+this.checked"> Drawn box</label>
<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="Our logo" width="20" height="20">
<span title="More about this">i</span> <i data-testid="cart-count">3</i>
<select aria-label="Country"><option>Norway</option><option value="dk">Denmark</option></select>
<ul aria-label="Country"><li>Norway and Denmark</li></ul>
<style>#late{display:none}</style><button id="late" onclick="out.textContent='late clicked'">Late</button>
<script>setTimeout(() => { late.style.display = 'inline' }, 400)</script>`;

let pool: BrowserPool;
let pages: Pages;

beforeAll(async () => {
  pool = openPool();
  pages = await servePages({ "/shop": SHOP, "/hangs": null });
});

afterAll(async () => {
  await pool.close();
  await pages.close();
});

const onShop = (...steps: Parameters<typeof step>[]) =>
  run(pool, [step("navigate", "", "/shop"), ...steps.map((each) => step(...each))], {
    baseUrl: pages.url,
  });

/** The locator of each step after the page was opened. */
const locatorsOf = async (...steps: Parameters<typeof step>[]) => {
  const ran = await onShop(...steps);
  expect(ran.error).toBeNull();
  return ran
    .of("stepPassed")
    .slice(1)
    .map(({ locator }) => locator);
};

describe("targets", () => {
  it("are found by label before placeholder, accessible name, alt, title, test id and text", async () => {
    expect(
      await locatorsOf(
        ["fill", "Search", "tea"],
        ["fill", "Street number", "7"],
        ["fill", "Password field", "x"],
        ["hover", "Recount"],
        ["hover", "Sign out"],
        ["hover", "Our logo"],
        ["hover", "More about this"],
        ["assert_text", "testid=cart-count", "3"],
        ["assert_visible", "12 €"],
        ["select", "Country", "Denmark"],
        ["assert_value", "Country dropdown", "Denmark"],
      ),
    ).toEqual([
      "label=Search",
      "placeholder=Street number",
      'role=textbox[name="Password"]',
      "label=Recount",
      'role=link[name="Sign out"]',
      "alt=Our logo",
      "title=More about this",
      "testid=cart-count",
      "text=12 €",
      "label=Country",
      'role=combobox[name="Country"]',
    ]);
  });

  it("select from the dropdown of a name, not from a list beside it", async () => {
    expect(
      await locatorsOf(
        ["select", "Country list", "Denmark"],
        ["assert_value", "Country dropdown", "dk"],
        ["select", 'list "Country"', "Norway"],
        ["assert_text", '"Country" list', "Norway and Denmark"],
      ),
    ).toEqual([
      'role=combobox[name="Country"]',
      'role=combobox[name="Country"]',
      'role=combobox[name="Country"]',
      'role=list[name="Country"]',
    ]);
  });

  it("accept selectors unchanged", async () => {
    expect(
      await locatorsOf(
        ["fill", "#q", "tea"],
        ["click", 'role=button[name="Search"]'],
        ["assert_text", "xpath=//*[@id='out']", "Searched tea"],
        ["assert_visible", "testid=cart-count"],
        ["assert_visible", "text=Total"],
      ),
    ).toEqual([
      "css=#q",
      'role=button[name="Search"]',
      "xpath=//*[@id='out']",
      "testid=cart-count",
      "text=Total",
    ]);
  });

  it("prefer a button to a field of the same name for a click", async () => {
    const [, locator] = await locatorsOf(["fill", "Search", "tea"], ["click", "Search"]);
    expect(locator).toBe('role=button[name="Search"]');
  });

  it("prefer a whole name to a part of a longer one", async () => {
    const ran = await onShop(
      ["click", 'last "Save" button'],
      ["assert_text", "#out", "shipping saved"],
    );
    expect(ran.error).toBeNull();
  });

  it.each([
    ['"Save" button in the "Billing" section', "billing saved"],
    ['"Save" button in the "Shipping" section', "shipping saved"],
    ['2nd "Save" button', "shipping saved"],
    ['first "Delete" button', "Ann deleted"],
    ['"Delete" button in the "Bob" row', "Bob deleted"],
    ['"Delete" button next to "Bob"', "Bob deleted"],
    ['button next to "Total"', "recounted"],
    ["Fake button", "fake clicked"],
    ["Late", "late clicked"],
  ])("click the intended element: %s", async (target, said) => {
    const ran = await onShop(["click", target], ["assert_text", "css=#out", said]);
    expect(ran.error).toBeNull();
  });

  it("click a link that looks like a button and is called one", async () => {
    const ran = await onShop(
      ["fill", "Search", "x"],
      ["click", "Sign out button"],
      ["assert_value", "Search", ""],
    );
    expect(ran.error).toBeNull();
  });

  it("click the label of a covered checkbox", async () => {
    const ran = await onShop(
      ["check", "Drawn box"],
      ["assert_checked", "Drawn box checkbox"],
      ["uncheck", "Drawn box"],
      ["assert_text", "#out", "drawn false"],
    );
    expect(ran.error).toBeNull();
  });

  it("list several matches with a way to distinguish them", async () => {
    const ran = await onShop(["click", '"Delete" button']);
    expect(ran.status).toBe("failed");
    expect(ran.error).toContain(
      '"Delete" button could be any of 2 elements (role=button[name="Delete"])',
    );
    expect(ran.error).toContain("1. <button");
    expect(ran.error).toContain(
      'Say which: first, last, 2nd, any, … in the "…" section, … next to "…".',
    );
    expect(ran.of("stepFailed")[0]?.locator).toBe('role=button[name="Delete"]');
  });

  it.each([
    ["click", "Publish button", /There is one, but it is hidden/],
    ["click", '3rd "Save" button', /there are only 2/],
    ["click", '"Save" button in the "Returns" section', /there is no section "Returns" to look in/],
    ["fill", "Emial", /No visible element Emial .* Visible fields: /],
    ["select", "Kountry", /Visible dropdowns: "Country"/],
    ["assert_visible", "No such words", /No visible element No such words within 1\.5 s/],
  ])("report the present elements for %s %s", async (action, target, error) => {
    const ran = await onShop([
      action,
      target,
      action === "fill" ? "x" : action === "select" ? "y" : "",
    ]);
    expect(ran.error).toMatch(error);
  });

  it("report that no page is open", async () => {
    const ran = await run(pool, [step("click", "Save")], { timeouts: { actionMs: 200 } });
    expect(ran.error).toMatch(/No page is open yet/);
  });
});

describe("steps that could hang", () => {
  it("fail in time if the page never responds", async () => {
    const ran = await run(pool, [step("navigate", "", "/hangs")], {
      baseUrl: pages.url,
      timeouts: { navigationMs: 500 },
    });
    expect(ran.status).toBe("failed");
    expect(ran.error).toMatch(/the page did not finish loading within 500 ms/);
  });

  it("end despite an endless regular expression", async () => {
    const ran = await run(
      pool,
      [step("navigate", "", "/shop"), step("assert_url", "", `/^(\\/|\\w|[a-z:.0-9]+)+!$/`)],
      { baseUrl: `${pages.url}`, timeouts: { actionMs: 500, assertionMs: 500 } },
    );
    expect(ran.status).toBe("failed");
  });
});
