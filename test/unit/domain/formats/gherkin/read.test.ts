import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { validateSteps } from "../../../../../src/domain/catalogue/vocabulary.ts";
import { parseEnglish } from "../../../../../src/domain/english/index.ts";
import type { ImportItem } from "../../../../../src/domain/formats/imported.ts";
import { readImport } from "../../../../../src/domain/formats/readImport.ts";
import { DomainError } from "../../../../../src/domain/kernel/errors.ts";

const FOLDER = path.resolve("test/fixtures/gherkin");
const files = readdirSync(FOLDER).filter((name) => name.endsWith(".feature"));

const steps = (item: ImportItem | undefined): readonly string[] =>
  item?.ok
    ? (item.test.steps ?? []).map(({ action, target, value }) => [action, target, value].join("|"))
    : [];
const refusalOf = (content: string): string => {
  try {
    readImport(content, "gherkin");
  } catch (error) {
    if (error instanceof DomainError && error.code === "import.unreadable") return error.message;
    throw error;
  }
  throw new Error("it was read");
};

describe("Gherkin", () => {
  it.each(files)("reads each step of %s as a step or as a warning with its line", (name) => {
    const source = readFileSync(path.join(FOLDER, name), "utf8");
    const items = readImport(source);
    expect(items.length).toBeGreaterThan(0);
    const lines = source.split("\n");
    for (const item of items) {
      if (!item.ok) continue;
      expect(validateSteps(item.test.steps ?? [])).toMatchObject({ ok: true });
      // The words that are kept mean the steps that are kept.
      expect(parseEnglish(item.test.text).steps).toEqual(item.test.steps);
      for (const { line, text } of item.warnings) expect(lines[line - 1]).toContain(text);
    }
  });

  it("recognises most steps of all example features", () => {
    const items = files.flatMap((name) =>
      readImport(readFileSync(path.join(FOLDER, name), "utf8")),
    );
    const taken = items.flatMap((item) => steps(item)).length;
    const warned = items.flatMap((item) => (item.ok ? item.warnings : [])).length;
    expect(items).toHaveLength(71);
    expect(taken / (taken + warned)).toBeGreaterThan(0.6);
  });

  it("reads backgrounds, outlines, tags and rules, with one test per example row", () => {
    const items = readImport(`# A comment
@shop
Feature: Cart
  Some words about it.

  Background:
    Given I open "/shop"

  @smoke
  Scenario Outline: Buy <thing>
    When I click the "<thing>" button
    Then I should see "<count> in cart"
    @many
    Examples:
      | thing | count |
      | Mug   | 1     |
      | Cup   | 2     |

  Rule: Guests
    Background:
      And I click "Guest"
    Example: Pay
      * I click "Pay"
      But I should not see "Error"
`);
    expect(items.map(({ name }) => name)).toEqual(["Buy Mug", "Buy Cup", "Pay"]);
    expect(items.map((item) => item.ok && item.test.tags)).toEqual([
      ["shop", "smoke", "many"],
      ["shop", "smoke", "many"],
      ["shop"],
    ]);
    expect(items.map(steps)).toEqual([
      ["navigate||/shop", 'click|"Mug" button|', "assert_visible|1 in cart|"],
      ["navigate||/shop", 'click|"Cup" button|', "assert_visible|2 in cart|"],
      ["navigate||/shop", "click|Guest|", "click|Pay|", "assert_hidden|Error|"],
    ]);
  });

  it("reads data tables and doc strings below a step", () => {
    const [item] = readImport(`Feature: F
  Scenario: S
    When I fill in the following:
      | Field | Value     |
      | Name  | Ann "Bo"  |
      | Email | a@x.test  |
    And I fill "Notes" with:
      """
      two
      lines
      """
    Then I should see:
      | Saved |
      | Ann   |
    And the table has
      | a | b | c |
`);
    expect(steps(item)).toEqual([
      'fill|Name|Ann "Bo"',
      "fill|Email|a@x.test",
      "fill|Notes|two\nlines",
      "assert_visible|Saved|",
      "assert_visible|Ann|",
    ]);
    expect(item?.ok && item.warnings.map(({ line }) => line)).toEqual([15]);
  });

  it("rejects text without a feature, in another language or with too many steps", () => {
    expect(refusalOf("Feature: F\n  Scenario: S\n    Given a\n    oops\n")).toMatch(/line 4/);
    expect(refusalOf("")).toMatch(/no Feature/);
    expect(refusalOf("# language: fr\nFonctionnalité: F\n")).toMatch(/fr/);
    expect(
      refusalOf("Feature: F\n  Scenario: S\n    Given a\n      | a |\n      | a | b |\n"),
    ).toMatch(/line/);
    const rows = "      | 1 |\n".repeat(20_000);
    const some = "    When I click a\n".repeat(20);
    expect(
      refusalOf(`Feature: F\n  Scenario Outline: S\n${some}    Examples:\n      | a |\n${rows}`),
    ).toMatch(/200000 steps/);
    expect(refusalOf(`Feature: F\n${"x".repeat(2_000_001)}`)).toMatch(/up to/);
  });
});
