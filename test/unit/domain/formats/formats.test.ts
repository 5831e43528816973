import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { StepInput } from "../../../../src/domain/catalogue/step.ts";
import { fromBundle, toBundle } from "../../../../src/domain/formats/bundle.ts";
import type { TestDocument } from "../../../../src/domain/formats/testDocument.ts";
import { toYaml } from "../../../../src/domain/formats/yaml.ts";

const step = (given: Partial<StepInput>): StepInput => ({
  action: "click",
  target: "",
  value: "",
  description: "",
  optional: false,
  disabled: false,
  ...given,
});

const document: TestDocument = {
  name: "Sign in",
  text: 'Go to /login\nClick "Sign in"',
  language: "en",
  platform: "web",
  steps: [
    step({ action: "navigate", value: "/login", description: "Go to /login" }),
    step({ target: "Sign in", description: 'Click "Sign in"', optional: true }),
  ],
};

const text = fc
  .string({ unit: "binary", maxLength: 40 })
  .filter((one) => !/\p{Surrogate}|\0/u.test(one));
const documents = fc.record({
  name: text.map((one) => `x${one}`.trim()),
  text,
  language: fc.constant("en"),
  platform: fc.constant("web"),
  steps: fc.array(
    fc
      .record({
        target: text,
        value: text,
        description: text,
        optional: fc.boolean(),
        disabled: fc.boolean(),
      })
      .map((one) => step({ ...one, action: "fill", target: `x${one.target}` })),
    { maxLength: 5 },
  ),
});

describe("YAML", () => {
  it("is the list of steps", () => {
    expect(toYaml(document)).toBe(
      [
        'name: "Sign in"',
        'language: "en"',
        'platform: "web"',
        "steps:",
        '  - action: "navigate"',
        '    target: ""',
        '    value: "/login"',
        '    description: "Go to /login"',
        '  - action: "click"',
        '    target: "Sign in"',
        '    value: ""',
        '    description: "Click \\"Sign in\\""',
        "    optional: true",
        "",
      ].join("\n"),
    );
  });

  it("quotes any text so that it reads back unchanged", () => {
    fc.assert(
      fc.property(documents, (given) => {
        const read = parse(toYaml(given));
        expect(read.name).toBe(given.name);
        const steps = read.steps.map((one: Partial<StepInput>) => step(one));
        expect(steps).toEqual(given.steps);
      }),
    );
  });
});

describe("bundles", () => {
  it("are written deterministically and read back unchanged", () => {
    fc.assert(
      fc.property(documents, (given) => {
        const file = toBundle(given);
        expect(fromBundle(file)).toEqual(given);
        expect(toBundle(fromBundle(file))).toBe(file);
      }),
    );
  });

  it("contain steps, text, language, platform and their format version", () => {
    expect(JSON.parse(toBundle(document))).toMatchObject({
      format: "runledger.test",
      version: 1,
      text: document.text,
      language: "en",
      platform: "web",
      steps: [
        { action: "navigate", value: "/login" },
        { action: "click", optional: true },
      ],
    });
  });

  it.each([
    ["", /not JSON/],
    ["{}", /format/],
    ["[]", /the file/],
    [toBundle(document).replace('"version": 1', '"version": 2'), /version/],
    [toBundle(document).replace('"navigate"', '"jump"'), /step 1, action: Unknown action/],
    [toBundle({ ...document, name: " " }), /name/],
    ["x".repeat(20_000_001), /too large/],
  ])("are rejected if malformed", (file, message) => {
    expect(() => fromBundle(file)).toThrow(
      expect.objectContaining({
        code: "test.bundleInvalid",
        message: expect.stringMatching(message),
      }),
    );
  });
});
