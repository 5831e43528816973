import { parse } from "@babel/parser";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StepInput } from "../../../../src/domain/catalogue/step.ts";
import { noData, type TestData } from "../../../../src/domain/catalogue/testData.ts";
import { actionNames, problemsOf } from "../../../../src/domain/catalogue/vocabulary.ts";
import { parseEnglish } from "../../../../src/domain/english/index.ts";
import { fromBundle, toBundle } from "../../../../src/domain/formats/bundle.ts";
import { toGherkin } from "../../../../src/domain/formats/gherkin/write.ts";
import { readImport } from "../../../../src/domain/formats/readImport.ts";
import { plainDataOf, type TestDocument } from "../../../../src/domain/formats/testDocument.ts";
import { toTypescript } from "../../../../src/domain/formats/typescript/index.ts";
import { typescriptString } from "../../../../src/domain/formats/typescript/text.ts";
import { toYaml } from "../../../../src/domain/formats/yaml.ts";

const PARTS = [
  ...["'", '"', '"""', "\\", "\n", "\r\n", "\t", "{", "}", "${x}", "${", "`", "\u2028", "\u2029"],
  ...[
    "no",
    "1e3",
    "yes",
    "~",
    "=cmd()",
    "- ",
    ": ",
    " #",
    "|",
    "<a>",
    "😀",
    "é",
    "a  b",
    "\u200b",

    "*",
    "/",
    "(",
  ],
];
const text = fc.oneof(
  fc.array(fc.constantFrom(...PARTS), { maxLength: 6 }).map((parts) => parts.join("")),
  fc.constantFrom(...PARTS),
  fc.string({ unit: "grapheme", maxLength: 12 }),
);

const VALUES = ["/login", "Enter", "500 ms", "3", "a=b", "1280x720", "visible", "name", "top", ""];
const TARGETS = ['"Save" button', "Email", "#a", "css=li >> nth=0", "testid=x", "the 2nd row", ""];

/** A step of any action that can be run, with any text in it. */
const step: fc.Arbitrary<StepInput> = fc
  .record({
    action: fc.constantFrom<string>(...actionNames),
    target: fc.oneof(fc.constantFrom(...TARGETS), text),
    value: fc.oneof(fc.constantFrom(...VALUES), text),
    description: fc.oneof(fc.constant(""), text),
    optional: fc.boolean(),
    disabled: fc.boolean(),
  })
  .filter((one) => problemsOf(one).length === 0);

const document = (steps: readonly StepInput[], words = "") => ({
  name: 'Any "name" {x} no 1e3 =cmd()',
  text: words,
  language: "en",
  platform: "web",
  steps,
});
const documents = fc.array(step, { minLength: 1, maxLength: 6 }).map((steps) => document(steps));

const { steps: oneStep } = parseEnglish("Go to /login");
const columnName = fc.oneof(
  fc.constantFrom("yes", "null", "constructor", "toString", "_", "y"),
  fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/),
);
const data: fc.Arbitrary<TestData> = fc
  .uniqueArray(
    columnName.filter((name) => name !== "secret" && name !== "__proto__"),
    { minLength: 1, maxLength: 4 },
  )
  .chain((columns) =>
    fc
      .array(
        fc.array(
          text.filter((value) => !value.includes("\0")),
          { minLength: columns.length, maxLength: columns.length },
        ),
        { maxLength: 4 },
      )
      .map((rows) => (rows.length === 0 ? noData : { columns, rows })),
  );
/** As a test is downloaded. */
const asJson = ({ data: table, ...rest }: TestDocument): string =>
  JSON.stringify({ ...rest, ...plainDataOf({ data: table }) });

const stepsOf = (content: string): readonly unknown[] => {
  const [item, ...others] = readImport(content);
  expect(others).toEqual([]);
  if (!item?.ok) throw new Error(item?.problem ?? "nothing was read");
  expect(item.warnings).toEqual([]);
  return (item.test.steps ?? []).map((one) => ({
    action: one.action,
    target: one.target ?? "",
    value: one.value ?? "",
    description: one.description ?? "",
    optional: one.optional ?? false,
    disabled: one.disabled ?? false,
  }));
};

describe("round trips of exported tests", () => {
  it("preserve steps and bytes of bundles and YAML for any texts", () => {
    fc.assert(
      fc.property(documents, text, (given, words) => {
        const whole = { ...given, text: words };
        for (const write of [toBundle, toYaml]) {
          expect(stepsOf(write(whole))).toEqual(given.steps);
          expect(write(whole)).toBe(write(structuredClone(whole)));
        }
        const [item] = readImport(toBundle(whole));
        expect(item?.ok && toBundle({ ...whole, ...item.test, steps: whole.steps })).toBe(
          toBundle(whole),
        );
      }),
    );
  });

  it("preserve steps of a feature for any texts", () => {
    fc.assert(
      fc.property(documents, (given) => {
        expect(stepsOf(toGherkin(given))).toEqual(
          given.steps.map((one) => ({ ...one, description: expect.any(String) })),
        );
        const described = given.steps.filter(({ description }) => description !== "");
        const back = stepsOf(toGherkin(given)) as StepInput[];
        for (const [index, one] of given.steps.entries()) {
          if (described.includes(one)) expect(back[index]?.description).toBe(one.description);
        }
      }),
    );
  });

  it("preserve data rows in every format for any texts", () => {
    fc.assert(
      fc.property(data, text, (rows, words) => {
        const whole = { ...document(oneStep, words), data: rows };
        for (const write of [toBundle, toYaml, toGherkin, asJson]) {
          const [item, ...others] = readImport(write(whole));
          expect(others).toEqual([]);
          if (!item?.ok) throw new Error(item?.problem ?? "nothing was read");
          expect(item.warnings).toEqual([]);
          expect(item.test.data ?? noData).toEqual(rows);
          expect(stepsOf(write(whole))).toEqual(whole.steps);
        }
        expect(fromBundle(toBundle(whole)).data ?? noData).toEqual(rows);
      }),
    );
  });

  it("write no data section for a test without data", () => {
    for (const write of [toBundle, toYaml, toGherkin]) {
      expect(write({ ...document(oneStep), data: noData })).toBe(write(document(oneStep)));
    }
  });

  it("write the sentences of a test's text into a feature", () => {
    const { steps } = parseEnglish('Go to /login\nType "ann" into Username\nI should see "Hi"');
    expect(toGherkin(document(steps))).toBe(`Feature: Any "name" {x} no 1e3 =cmd()

  Scenario: Any "name" {x} no 1e3 =cmd()
    Given Go to /login
    When Type "ann" into Username
    Then I should see "Hi"
`);
  });

  it("produce valid TypeScript for any texts", () => {
    const anything = fc.record({
      action: fc.oneof(fc.constantFrom<string>(...actionNames), text),
      target: text,
      value: fc.oneof(fc.constantFrom(...VALUES), text),
      description: fc.oneof(text, fc.string({ unit: "binary", maxLength: 8 })),
      optional: fc.boolean(),
      disabled: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 6 }), text, (steps, name) => {
        const script = toTypescript({ ...document(steps), name }, { baseUrl: name });
        parse(script, { sourceType: "module", plugins: ["typescript"] });
        expect(script).toBe(toTypescript({ ...document(steps), name }, { baseUrl: name }));
      }),
    );
  });

  it("preserve any text in a single-line TypeScript literal", () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: "binary", maxLength: 20 })), (given) => {
        const literal = typescriptString(given);
        expect(new Function(`return ${literal}`)()).toBe(given);
        expect(literal).not.toMatch(/[\n\r\u2028\u2029\0]/);
      }),
    );
  });

  it("write only the name of a secret into TypeScript", () => {
    const fill = { target: "Password", value: "${secret.pw}", description: "" };
    const script = toTypescript(
      document([{ action: "fill", optional: false, disabled: false, ...fill }]),
    );
    expect(script).toContain(
      'const var_secret_pw = process.env.TEST_SECRET_PW ?? missing("secret.pw")',
    );
  });
});
