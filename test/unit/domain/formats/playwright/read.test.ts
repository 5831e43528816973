import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { validateSteps } from "../../../../../src/domain/catalogue/vocabulary.ts";
import type { ImportItem } from "../../../../../src/domain/formats/imported.ts";
import { readImport } from "../../../../../src/domain/formats/readImport.ts";
import { DomainError } from "../../../../../src/domain/kernel/errors.ts";

const fixture = (name: string): readonly ImportItem[] =>
  readImport(readFileSync(path.resolve("test/fixtures/playwright", name), "utf8"));
const steps = (item: ImportItem | undefined): readonly string[] =>
  item?.ok
    ? (item.test.steps ?? []).map(({ action, target, value }) => [action, target, value].join("|"))
    : [];
const warned = (item: ImportItem | undefined): readonly number[] =>
  item?.ok ? item.warnings.map(({ line }) => line) : [];

/** The steps of one test with these lines. */
const read = (...lines: readonly string[]): ImportItem | undefined =>
  readImport(
    `import { test, expect } from '@playwright/test';\ntest('t', async ({ page }) => {\n${lines.join("\n")}\n});\n`,
  )[0];

describe("Playwright", () => {
  it("reads the output of codegen except for one line", () => {
    const [item, ...others] = fixture("recorded.spec.ts.txt");
    expect(others).toEqual([]);
    expect(steps(item)).toEqual([
      "navigate||https://shop.example/",
      'click|"Sign in" link|',
      'click|"Email" field|',
      'fill|"Email" field|ann@shop.example',
      'press|"Email" field|Tab',
      'fill|"Password" field|correct horse "battery"',
      'check|"Remember me" checkbox|',
      'click|"Sign in" button|',
      'assert_visible|"Welcome, Ann" heading|',
      'select|"Country" field|CA',
      'click|"Remove" button in the "Blue mug" row|',
      'click|"Buy" button in the "Red mug" item|',
      "click|testid=cart-total|",
      "assert_contains|testid=cart-total|€ 12",
      'click|text="Terms"|',
      "check|#agree|",
      "hover|css=li:nth-child(3) > .icon >> nth=0|",
      'switch_frame|css=iframe[name="card"]|',
      'fill|"Card number" field|4242',
      "switch_frame||",
      'click|"Delete" button|',
      "dismiss_dialog||",
      'click|"Invoice" link|',
      "switch_tab|last|",
      "assert_visible|text=Invoice 7|",
      "switch_tab|1|",
      "assert_url||https://shop.example/cart",
      "assert_url||/.*cart/",
      "assert_title||Cart",
      'assert_value|"Email" field|ann@shop.example',
      "assert_count|role=listitem|3",
    ]);
    expect(warned(item)).toEqual([37]);
  });

  it("reads hooks, constants and page objects, and warns about unsupported lines", () => {
    const [item, skipped, computed] = fixture("written.spec.ts.txt");
    expect(item?.name).toBe("Orders › cancels @smoke an order");
    expect(item?.ok && item.test.tags).toEqual(["orders", "smoke", "slow", "cancel"]);
    expect(steps(item).slice(0, 8)).toEqual([
      "set_viewport||1280x720",
      "navigate||https://shop.example/login",
      "fill|#email|bo@shop.example",
      "fill|css=input[name=password]|${PASSWORD}",
      "click|text=Log in|",
      'right_click|role=row >> internal:has="text=Order 7" >> role=button[name=/cancel/i]|',
      'click|"Cancel" menu item|',
      'assert_hidden|role=row >> internal:has="text=Order 7"|',
    ]);
    expect(steps(item).slice(-4)).toEqual([
      "switch_tab|last|",
      "click|text=Paid|",
      "switch_tab|1|",
      "click|text=Back|",
    ]);
    expect(warned(item)).toEqual([6, 16, 29, 32, 33, 34, 35, 36, 37, 38, 45]);
    expect(steps(skipped).at(-1)).toBe("navigate||https://shop.example/later");
    expect(warned(computed)).toEqual([6, 16, 60]);
    for (const each of [item, skipped, computed]) {
      expect(validateSteps((each?.ok && each.test.steps) || [])).toMatchObject({ ok: true });
    }
  });

  it("reads a script that launches its own browser as one test", () => {
    expect(fixture("script.js.txt").map(steps)).toEqual([
      ["navigate||https://shop.example/", "click|text=Buy|"],
    ]);
  });

  it.each([
    ["await page.getByRole('button').nth(2).click();", "click|role=button >> nth=2|"],
    [
      "await page.getByRole('button', { name: 'A', pressed: true }).click();",
      'click|role=button[name*="A"i][pressed=true]|',
    ],
    [
      "await page.getByRole('button', { name: /^sa/i }).click();",
      "click|role=button[name=/^sa/i]|",
    ],
    [
      "await page.getByRole('tabpanel', { name: 'A \"b\"' }).click();",
      'click|"A \\"b\\"" tabpanel|',
    ],
    ["await page.getByText('a >> b').click();", 'click|css=html >> internal:text="a >> b"i|'],
    ["await page.getByText(/a b/).click();", "click|text=/a b/|"],
    ["await page.getByAltText('Cat').click();", 'click|css=[alt*="Cat" i]|'],
    ["await page.getByTitle('Cat', { exact: true }).click();", 'click|css=[title="Cat"]|'],
    ["await page.getByLabel(/e/).click();", "click|css=html >> internal:label=/e/|"],
    ["await page.locator('//a').click();", "click|xpath=//a|"],
    ["await page.locator('ul').locator('li').last().click();", "click|css=ul >> css=li >> nth=-1|"],
    [
      "await page.locator('li', { hasText: 'A' }).click();",
      'click|css=li >> internal:has-text="A"i|',
    ],
    ["await page.locator('#a').fill('');", "clear|#a|"],
    ["await page.locator('#a').pressSequentially('x');", "type|#a|x"],
    ["await page.locator('#a').setChecked(false);", "uncheck|#a|"],
    ["await page.locator('#a').selectOption({ label: 'Two' });", "select|#a|Two"],
    ["await page.locator('#a').click({ clickCount: 2 });", "double_click|#a|"],
    ["await page.locator('#a').waitFor({ state: 'hidden' });", "wait_for|#a|hidden"],
    ["await page.waitForURL('**/cart');", "assert_url||*/cart"],
    ["await page.waitForURL('/cart');", "assert_url||/cart"],
    ["await page.setViewportSize({ width: 800, height: 600 });", "set_viewport||800x600"],
    ["await page.screenshot({ path: 'shots/a.png' });", "screenshot||a"],
    ["await expect(page.locator('#a')).toBeHidden();", "assert_hidden|#a|"],
    ["await expect(page.locator('#a')).not.toBeChecked();", "assert_unchecked|#a|"],
    ["await expect(page.locator('#a')).toBeChecked({ checked: false });", "assert_unchecked|#a|"],
    ["await expect(page.locator('#a')).not.toHaveCount(0);", "assert_visible|#a|"],
    ["await expect(page.locator('#a')).toHaveClass('on');", "assert_attribute|#a|class=on"],
    ["await expect(page.locator('#a')).toHaveScreenshot('a.png');", "visual_check|#a|a"],
    ["await expect(page).toHaveTitle(/a/i);", "assert_title||/a/i"],
  ])("reads %s as %s", (line, step) => {
    expect(steps(read(line))).toEqual([step]);
  });

  it.each([
    "await page.getByRole(role).click();",
    "await page.getByText('a').or(page.getByText('b')).click();",
    "await expect(page.locator('#a')).not.toHaveText('x');",
    "await expect(page.locator('#a')).toBeFocused();",
    "await expect(page.locator('#a')).toHaveText(['a', 'b']);",
    "await expect(page.locator('#a')).toHaveText('a', { ignoreCase: true });",
    "await expect(page.locator('#a')).toContainText('');",
    "await page.waitForURL('**/{a,b}');",
    "await page.goto(url);",
    "await page.route('**', route => route.abort());",
    "await page.locator('#a').click({ button: 'middle' });",
    "while (true) await page.reload();",
    "x = 1;",
    "await page.keyboard.type('abc');",
  ])("warns about %s", (line) => {
    const item = read("await page.reload();", line);
    expect(steps(item)).toEqual(["reload||"]);
    expect(warned(item)).toEqual([4]);
  });

  it("rejects text that is not a program, has no tests or is nested too deeply", () => {
    const refusalOf = (content: string): string => {
      try {
        readImport(content, "playwright");
      } catch (error) {
        if (error instanceof DomainError && error.code === "import.unreadable")
          return error.message;
        throw error;
      }
      throw new Error("it was read");
    };
    expect(refusalOf("test('a', async ({ page }) => {")).toMatch(/not TypeScript/);
    expect(refusalOf("export const a = 1;")).toMatch(/no test/);
    expect(refusalOf(`const a = ${"(".repeat(100_000)}`)).toMatch(/too deeply|not TypeScript/);
    expect(refusalOf(`const a = 1${"+1".repeat(100_000)};`)).toMatch(/no test|too deeply/);
    expect(refusalOf(`${"x".repeat(500_001)}`)).toMatch(/up to/);
    const chain = `test('a', async ({ page }) => { await page${".first()".repeat(20_000)}.click(); });`;
    expect(readImport(chain, "playwright").map(({ ok }) => ok)).toEqual([false]);
  });
});
