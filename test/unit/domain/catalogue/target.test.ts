import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { queriesOf } from "../../../../src/domain/catalogue/locate.ts";
import { type Finder, parseTarget, type Target } from "../../../../src/domain/catalogue/target.ts";
import { quote, quoteLiteral, tokenize } from "../../../../src/domain/english/words.ts";

const kind = (kind: string, name: string | null, phrase: string | null = null) =>
  ({ by: "kind", kind, name, phrase }) as Finder;
const name = (name: string): Finder => ({ by: "name", name });
const target = (find: Finder, rest: Partial<Target> = {}): Target => ({
  find,
  ordinal: null,
  within: null,
  near: null,
  ...rest,
});
const nth = (nth: number) => ({ at: "nth", nth }) as const;

describe("targets", () => {
  it.each<[string, Target]>([
    ["css=.a, .b > c", target({ by: "selector", selector: "css=.a, .b > c" })],
    ["#save", target({ by: "selector", selector: "css=#save" })],
    ["#über-uns", target({ by: "selector", selector: "css=#über-uns" })],
    ["#保存", target({ by: "selector", selector: "css=#保存" })],
    ["#🚀", target({ by: "selector", selector: "css=#🚀" })],
    ["#1", target({ by: "name", name: "#1" })],
    ["//a[@href]", target({ by: "selector", selector: "xpath=//a[@href]" })],
    ["XPATH=//a", target({ by: "selector", selector: "xpath=//a" })],
    ["text=Sign in and out", target({ by: "selector", selector: "text=Sign in and out" })],
    ['role=button[name="Save"]', target({ by: "selector", selector: 'role=button[name="Save"]' })],
    ['testid="save"', target({ by: "testId", id: "save" })],
    ["testid=save", target({ by: "testId", id: "save" })],
    ['"Save" button', target(kind("button", "Save"))],
    ["the Sign in link", target(kind("link", "Sign in", "Sign in link"))],
    ["Country dropdown", target(kind("dropdown", "Country", "Country dropdown"))],
    ['heading "Welcome"', target(kind("heading", "Welcome"))],
    ['the button called "Save"', target(kind("button", "Save"))],
    ['button with the text "Save"', target(kind("button", "Save"))],
    ['"todo" list items', target(kind("listitem", "todo"))],
    ["the button", target(kind("button", null, "button"))],
    ["Save", target(name("Save"))],
    ['"Save button"', target(name("Save button"))],
    [
      "`Save button`",
      target(name("Save button").by === "name" ? kind("button", "Save", "Save button") : name("")),
    ],
    ["Terms and Conditions", target(name("Terms and Conditions"))],
    ["Menu", target(name("Menu"))],
    ["First name", target(name("First name"))],
    ["First name field", target(kind("field", "First name", "First name field"))],
    [
      "the first Delete button",
      target(kind("button", "Delete", "Delete button"), { ordinal: nth(1) }),
    ],
    ['2nd "Delete" button', target(kind("button", "Delete"), { ordinal: nth(2) })],
    ["last row", target(kind("row", null, "row"), { ordinal: { at: "last" } })],
    [
      'Delete button in the "Buy milk" row',
      target(kind("button", "Delete", "Delete button"), {
        within: target(kind("row", "Buy milk")),
      }),
    ],
    [
      '"Edit" link in the second row in the "Billing" section',
      target(kind("link", "Edit"), {
        within: target(kind("row", null, "row"), {
          ordinal: nth(2),
          within: target(kind("section", "Billing")),
        }),
      }),
    ],
    [
      'checkbox next to "Milk"',
      target(kind("checkbox", null, "checkbox"), { near: target(name("Milk")) }),
    ],
    ["Sign in", target(name("Sign in"))],
    ["Back in time", target(name("Back in time"))],
    ['a "b" c', target(name('a "b" c'))],
    ['un"closed', target(name('un"closed'))],
    ["", target(name(""))],
  ])("reads %s", (text, expected) => {
    expect(parseTarget(text)).toEqual(expected);
  });

  it("reads any text as a target", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: "binary" })), (text) => {
        const { find } = parseTarget(text);
        expect(queriesOf(find).length > 0 || find.by === "kind").toBe(true);
      }),
    );
  });

  it("prefers whole names to words of names, and a kind to the whole phrase", () => {
    expect(queriesOf(kind("button", "Save"))).toEqual([
      { by: "role", roles: ["button"], name: "Save", match: "whole" },
      { by: "role", roles: ["button"], name: "Save", match: "words" },
    ]);
    const plain = queriesOf(name("Email")).map(
      (query) => `${query.by} ${"match" in query ? query.match : ""}`,
    );
    expect(plain).toEqual([
      ...["label", "placeholder", "role", "role", "altText", "title", "text"].map(
        (by) => `${by} whole`,
      ),
      ...["label", "placeholder", "role", "role", "altText", "title", "text"].map(
        (by) => `${by} words`,
      ),
    ]);
    const loose = queriesOf(kind("listitem", "Add", "Add item"));
    expect(loose.findIndex(({ by }) => by === "label")).toBeLessThan(
      loose.findIndex(({ by }) => by === "content"),
    );
  });

  it("quotes any text as a single word", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: "binary" })), (text) => {
        const read = (form: string) => {
          const { tokens, problem } = tokenize(form);
          return [problem, ...tokens.map((token) => [token.kind, token.text])];
        };
        expect(read(quote(text))).toEqual([null, ["quoted", text]]);
        expect(read(quoteLiteral(text))).toEqual([null, ["literal", text]]);
        expect(quote(text)).not.toMatch(/[\n\r\u2028\u2029]/);
      }),
    );
  });
});
