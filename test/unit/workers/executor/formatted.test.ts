import { describe, expect, it } from "vitest";
import { hasTyped, isFormatted } from "../../../../src/workers/executor/steps/formatted.ts";

describe("the value of a field", () => {
  it.each([
    ["5551234567", "(555) 123-4567"],
    ["555-123-4567", "5551234567"],
    ["4111111111111111", "4111 1111 1111 1111"],
    ["01022024", "01/02/2024"],
    ["0930", "09:30"],
    ["1000", "1,000"],
    ["1000", "1.000"],
    ["01022024", "01.02.2024"],
    ["5551234567", "555.123.4567"],
    ["1234.5", "$1,234.50"],
    ["1.234,50", "1,234.50"],
    ["50", "50 %"],
    ["de89 3704", "DE89 3704"],
    ["Ann@Example.org", "ann@example.org"],
    ["Hello World", "hello-world"],
    [" Ann ", "Ann"],
    ["", ""],
  ])("counts %j shown as %j as formatted", (typed, shown) => {
    expect(isFormatted(shown, typed)).toBe(true);
  });

  it.each([
    ["12.50", "1250"],
    ["1250", "12.50"],
    ["-5", "5"],
    ["1.5", "15"],
    ["01234", "1234"],
    ["ann@x.org", "annxorg"],
    ["Ann Lee", "AnnLee"],
    ["--!!--", ""],
    ["SeCret", "Secret"],
    ["Ann", "An"],
    ["a_b", "ab"],
  ])("counts %j shown as %j as another value", (typed, shown) => {
    expect(isFormatted(shown, typed)).toBe(false);
  });

  it("has what was typed key by key only if it changed", () => {
    expect(hasTyped("12312", "123", "12")).toBe(true);
    expect(hasTyped("123", "123", "12")).toBe(false);
    expect(hasTyped("(12", "", "12")).toBe(true);
  });
});
