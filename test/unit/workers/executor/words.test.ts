import { describe, expect, it } from "vitest";
import { hasText } from "../../../../src/workers/executor/matching/compare.ts";

type Said = readonly [page: string, claim: string, lang?: string];
const inLanguage = (all: readonly Said[]) =>
  all.map(([text, claim, lang = "en"]) => [text, claim, lang] as const);

const SAID: readonly Said[] = [
  ["Ann's cart", "Ann"],
  ["Welcome \u2068Ann\u2069", "Welcome Ann"],
  ["Total US$42.50", "$42.50"],
  ["Fries ($3.00)", "$3.00"],
  ["(12 items)", "12"],
  ["Total: 3.", "3"],
  ["Room 3 - Paris", "3"],
  ["99+", "99+"],
  ["Rate .5%", ".5%"],
  ["$3 million raised", "$3 million"],
  ["3 miles", "3"],
  ["Rating ★★★", "★★★"],
  ["Send report.pdf.", "report.pdf"],
  ["https://example.com/cart", "example.com/cart"],
  ["ann@example.com, bob@example.com", "ann@example.com"],
  ["订单已支付", "支付", "zh"],
  ["We write C++ here", "C++"],
];

const NOT_SAID: readonly Said[] = [
  ["It's late", "It"],
  ["I can't", "can"],
  ["Total CA$42.50", "$42.50"],
  ["($3.00)", "$3.00"],
  ["Balance 3.00-", "3.00"],
  ["$3 million raised", "$3"],
  ["12 Mio. €", "12", "de"],
  ["Rate .5%", "5%"],
  ["99+", "99"],
  ["10^5", "5"],
  ["Rating ★★★☆☆", "★★★★★"],
  ["Rating ★★★★★", "★★★"],
  ["joann@example.com", "ann@example.com"],
  ["mary+ann@example.com", "ann@example.com"],
  ["ann@example.com.au", "ann@example.com"],
  ["my.report.pdf", "report.pdf"],
  ["report.pdf.exe", "report.pdf"],
  ["未支付", "支付", "zh"],
  ["לא־פעיל", "פעיל", "he"],
];

describe("whole words and numbers", () => {
  it.each(inLanguage(SAID))("are in %j: %j", (text, claim, lang) => {
    expect(hasText({ text, lang }, claim, "words")).toBe(true);
  });
  it.each(inLanguage(NOT_SAID))("are not in %j: %j", (text, claim, lang) => {
    expect(hasText({ text, lang }, claim, "words")).toBe(false);
  });
});
