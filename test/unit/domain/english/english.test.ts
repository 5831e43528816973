import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTarget } from "../../../../src/domain/catalogue/target.ts";
import { validateSteps } from "../../../../src/domain/catalogue/vocabulary.ts";
import {
  GRAMMAR_VERSION,
  parseEnglish,
  parseInSlices,
} from "../../../../src/domain/english/index.ts";
import { sentences, unclear } from "./sentences.ts";

const BEFORE = "Go to /start\n";

const read = (sentence: string) => {
  const { steps, warnings } = parseEnglish(`${BEFORE}${sentence}`);
  return {
    steps: steps.slice(1).map(({ action, target, value }) => [action, target, value]),
    warnings: warnings.map(({ line, message, suggestions }) => ({ line, message, suggestions })),
  };
};

describe("plain English", () => {
  it.each(sentences.map(([sentence, ...steps]) => [sentence, steps] as const))(
    "reads %s",
    (sentence, steps) => {
      expect(read(sentence)).toEqual({ steps, warnings: [] });
    },
  );

  it.each(unclear)("asks about %s", (sentence, message) => {
    const { steps, warnings } = read(sentence);
    expect(steps).toEqual([]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.line).toBe(2);
    expect(warnings[0]?.message).toMatch(message);
  });

  it("has at least 120 sentences in its table", () => {
    expect(sentences.length).toBeGreaterThanOrEqual(120);
  });

  it("suggests only forms that it reads", () => {
    for (const [sentence] of unclear) {
      for (const suggestion of read(sentence).warnings[0]?.suggestions ?? []) {
        const said = suggestion.replace(/ \(leaves out: .*\)$/, "");
        expect({ suggestion, ...read(said) }).toMatchObject({ suggestion, warnings: [] });
      }
    }
  });

  it("suggests quotes where quotes are all that is missing", () => {
    expect(read("Click Terms and Conditions").warnings[0]?.suggestions).toContain(
      'Click "Terms and Conditions"',
    );
  });

  it("keeps the person's own words and the number of the line", () => {
    const { steps, warnings } = parseEnglish(
      '# login\r\n\r\n1. Type "a" into X and "b" into Y.\r\nClick Save, Close',
    );
    expect(steps.map(({ description }) => description)).toEqual(['Type "a" into X', '"b" into Y']);
    expect(warnings.map(({ line, text }) => ({ line, text }))).toEqual([
      { line: 4, text: "Click Save, Close" },
    ]);
  });

  it("gives no step of a sentence of which one part is unclear", () => {
    expect(read('Click "A", frobnicate and click "B"').steps).toEqual([]);
  });

  it("marks what the person calls optional", () => {
    const { steps } = parseEnglish('Optionally, click "A"\nClick "B" (optional)\nClick "C"');
    expect(steps.map(({ optional }) => optional)).toEqual([true, true, false]);
  });

  it("reads one scenario, and says so of the next", () => {
    const { steps, warnings } = parseEnglish("Scenario: a\nGiven I am on /a\nScenario: b\nClick B");
    expect(steps).toHaveLength(2);
    expect(warnings).toMatchObject([{ line: 3, message: expect.stringMatching(/One text/) }]);
  });

  it.each(['Click the button, "Save", then "OK"', 'Press the link, "More"'])(
    "given %s, when it is read, then it is asked whether that is its name",
    (text) => {
      const { steps, warnings } = parseEnglish(text);
      expect(steps).toEqual([]);
      expect(warnings[0]?.message).toContain("its name");
    },
  );

  it("given a test whose name looks like a command, when it stands in backquotes, then it is called", () => {
    const { steps, warnings } = parseEnglish("Run the test `/!`");
    expect(warnings).toEqual([]);
    expect(steps).toMatchObject([{ action: "call_test", target: "/!" }]);
    expect(parseEnglish("Run the test `/!` and then `npm test`").warnings).not.toEqual([]);
    expect(parseEnglish("Run `npm test`").warnings).not.toEqual([]);
  });

  it("has a version that runs pin", () => {
    expect(GRAMMAR_VERSION).toBe(13);
  });
});

describe("plain English, whatever is written", () => {
  const words = fc.constantFrom(
    ...'click type into the and then , . ! ? : ; ( ) # // " \' ` “ ” e" should see not be is in section first'.split(
      " ",
    ),
    ..."Save button field \"x\" 'y' css=a[b= ${v} press Enter wait 2 seconds fill with select from I no 3 items".split(
      " ",
    ),
  );
  const prose = fc.array(words, { maxLength: 25 }).map((list) => list.join(" "));

  it("never throws, drops no line, and makes only valid steps, the same every time", () => {
    fc.assert(
      fc.property(fc.oneof(prose, fc.string({ unit: "binary" }), fc.lorem()), (text) => {
        const parsed = parseEnglish(text);
        expect(parseEnglish(text)).toEqual(parsed);
        // A half character is refused when steps are stored, whoever wrote it.
        if (!/\p{Surrogate}|\0/u.test(text)) expect(validateSteps(parsed.steps).ok).toBe(true);
        for (const { line } of parsed.warnings) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(text.split(/\r\n|[\n\r\u0085\u2028\u2029]/).length);
        }
        for (const { target } of parsed.steps) expect(() => parseTarget(target)).not.toThrow();
      }),
      { numRuns: 500 },
    );
  });

  it("comes to the same in slices, which never hold more than a sentence", () => {
    fc.assert(
      fc.property(fc.array(prose, { maxLength: 12 }), (lines) => {
        const text = lines.join("\n");
        const whole = parseEnglish(text);
        const reading = parseInSlices(text);
        let slices = 0;
        for (;;) {
          const next = reading.next();
          if (next.done) {
            expect(next.value).toEqual(whole);
            break;
          }
          slices++;
        }
        expect(slices).toBeGreaterThanOrEqual(text.split("\n").length);
        expect(parseEnglish(text)).toEqual(whole);
      }),
    );
  });

  const slicesOf = (text: string): number => {
    const reading = parseInSlices(text);
    for (let slices = 0; ; slices++) if (reading.next().done) return slices;
  };

  it("takes twice the slices for twice the text, and bounds what is read in one", () => {
    fc.assert(
      fc.property(prose, fc.integer({ min: 1, max: 20 }), (text, times) => {
        const lines = Array.from({ length: times }, () => text);
        // What is said again is read but once.
        expect(slicesOf(lines.join("\n"))).toBeLessThanOrEqual(times * slicesOf(text));
      }),
    );
    const joined = (count: number) => Array(count).fill('Click "A"').join(", ");
    expect(parseEnglish(joined(60)).steps).toHaveLength(60);
    expect(parseEnglish(joined(61))).toMatchObject({ steps: [], warnings: [{ line: 1 }] });
    expect(parseEnglish(`${joined(30)}. ${joined(40)}`).steps).toHaveLength(70);
    expect(parseEnglish("x ".repeat(20_000))).toMatchObject({ warnings: [{ line: 1 }] });
  });

  it("drops no line of prose", () => {
    fc.assert(
      fc.property(prose, (text) => {
        const { steps, warnings } = parseEnglish(`x ${text}`);
        expect(steps.length + warnings.length).toBeGreaterThan(0);
      }),
    );
  });

  it("keeps any quoted text as it is", () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !/["\\\n\r\u0085\u2028\u2029]/.test(text)),
        (text) => {
          const { steps } = parseEnglish(`Type "${text}" into the "Note" field`);
          expect(steps).toMatchObject([{ action: "fill", target: '"Note" field', value: text }]);
        },
      ),
    );
  });
});
