import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { validateSteps } from "../../../../src/domain/catalogue/vocabulary.ts";
import { english } from "../../../../src/domain/english/languages/english.ts";
import { inflect } from "../../../../src/domain/english/lexicon/verbs.ts";
import {
  englishGrammar,
  parseEnglish,
  readSentence,
} from "../../../../src/domain/english/parse.ts";
import { asked } from "./asked.ts";

const LEFT_OUT = / \(leaves out: .*\)$/s;

const told = (text: string): string => {
  const { steps, warnings } = parseEnglish(text);
  const said = steps.map(({ action, target, value, optional }) => {
    const head = target === "" ? action : `${action} ${target}`;
    const step = value === "" ? head : `${head} ← ${value}`;
    return optional ? `${step} (optional)` : step;
  });
  return [...said, ...warnings.map(() => "asked")].join(" ; ");
};

const examples = english.rules.flatMap(({ form, examples: pairs }) =>
  pairs.map(([sentence, steps]) => [sentence, steps, form] as const),
);

describe("rows of the grammar", () => {
  it.each(examples)("reads %s as %s", (sentence, steps) => {
    expect(told(sentence)).toBe(steps);
  });

  it("names only classes, slots and phrases that exist", () => {
    const { forms, phrases, phraseIds } = englishGrammar();
    expect(forms.length).toBeGreaterThanOrEqual(english.rules.length);
    const used = forms.flatMap(({ symbols }) =>
      symbols.flatMap((symbol) => (symbol.kind === "phrase" ? [symbol.phrase] : [])),
    );
    const isEmpty = (phrase: string) => {
      const rows = phrases[phraseIds.get(phrase) ?? -1];
      return !rows || rows.forms.length === 0;
    };
    expect(used.filter(isEmpty)).toEqual([]);
  });

  it.each([
    ["click", "gerund", "clicking"],
    ["type", "past", "typed"],
    ["set focus", "third", "sets focus"],
    ["double click", "gerund", "double clicking"],
    ["choose", "participle", "chosen"],
  ] as const)("inflects %s as %s: %s", (entry, form, word) => {
    expect(inflect(entry, form)).toBe(word);
  });
});

describe("composition", () => {
  const commands = [
    ['click "Edit"', "click", '"Edit"'],
    ['double-click "Edit"', "double_click", '"Edit"'],
    ['right-click "Edit"', "right_click", '"Edit"'],
    ['hover over "Edit"', "hover", '"Edit"'],
    ['tick "Edit"', "check", '"Edit"'],
    ['clear the "Edit" field', "clear", '"Edit" field'],
    ['type "x" into the "Edit" field', "fill", '"Edit" field'],
    ['select "x" from the "Edit" dropdown', "select", '"Edit" dropdown'],
    ['verify that "Edit" is visible', "assert_visible", '"Edit"'],
    ['"Edit" should not be visible', "assert_hidden", '"Edit"'],
    ['wait until "Edit" is visible', "wait_for", '"Edit"'],
  ] as const;
  const places = [
    'the "Ann" row',
    'the "Billing" section',
    'the "New" dialog',
    'the "Orders" table',
    'the "Main" menu',
    "the footer",
  ];
  const cells = commands.flatMap(([said, action, target]) =>
    places.flatMap((place) => [
      [`In ${place}, ${said}`, action, `${target} in ${place}`] as const,
      [`${said} in ${place}`, action, `${target} in ${place}`] as const,
    ]),
  );

  it.each(cells)("reads %s", (sentence, action, target) => {
    expect(parseEnglish(sentence)).toMatchObject({ steps: [{ action, target }], warnings: [] });
  });

  it.each(commands.slice(0, 8))("repeats and excuses %s", (said, action) => {
    const twice = parseEnglish(`${said} twice`).steps.map((step) => step.action);
    expect(twice).toEqual([action, action]);
    const [optional] = parseEnglish(`Optionally, ${said}`).steps;
    expect(optional).toMatchObject({ action, optional: true });
  });
});

describe("sentences of which a word has no meaning", () => {
  it.each([
    'Do not click "Delete"',
    'Click "Save" or "Cancel"',
    'Click "A" unless "B" is visible',
    'Click "Save" within 5 seconds',
    '"Save" is visible for 3 seconds',
    'The "Total" cell shows at least "5"',
    'Type "x" into the "Email" field unless it is filled',
    "Enter your name in the Name field",
    "Click *Save*",
    "Press Delete",
    'Click "A", frobnicate and click "B"',
  ])("asks about %s", (text) => {
    expect(told(text)).toBe("asked");
  });

  it("shows both readings of an ambiguous sentence", () => {
    const read = readSentence('Enter "Email" as "Name"');
    expect(read).toMatchObject({ kind: "asked", readings: [[{}], [{}]] });
  });
});

describe("sentences that no form of the grammar says", () => {
  it.each(asked)("asks about %j", (text) => {
    const { warnings } = parseEnglish(text);
    expect(warnings.length).toBeGreaterThan(0);
    for (const { suggestions } of warnings)
      for (const each of suggestions)
        expect(told(each.replace(LEFT_OUT, ""))).not.toContain("asked");
  });
});

describe("suggestions", () => {
  it.each([
    ["Click Terms and Conditions", 'Click "Terms and Conditions"'],
    ["Press Delete", "Press the Delete key"],
    ['Enter "Email" as "Name"', 'Fill "Email" with "Name"'],
  ])("for %s offer %s", (text, suggestion) => {
    const suggestions = parseEnglish(text).warnings.flatMap((warning) => warning.suggestions);
    expect(suggestions).toContain(suggestion);
    for (const each of suggestions) {
      expect(told(each.replace(LEFT_OUT, ""))).not.toContain("asked");
    }
  });
});

describe("a line that loses its meaning with any word", () => {
  it.each([
    'Click "Save" or "Cancel"',
    'URL should not contain "login" anywhere at all',
    'Upload all of "a.csv" unless "Done" is visible',
  ])("for %s offers no sentence that leaves words out", (text) => {
    const suggestions = parseEnglish(text).warnings.flatMap((warning) => warning.suggestions);
    expect(suggestions.filter((each) => LEFT_OUT.test(each))).toEqual([]);
  });
});

describe("any text", () => {
  const words = fc.constantFrom(
    ...'click type into the and then , . ! ? : ; ( ) # // " \' ` “ ” should see not be is in section first Save button field "x" css=a[b= ${v} press Enter wait 2 seconds with select from I no 3 rows'.split(
      " ",
    ),
  );
  const prose = fc.array(words, { maxLength: 25 }).map((list) => list.join(" "));

  it("gives valid steps or a warning, the same every time", () => {
    fc.assert(
      fc.property(fc.oneof(prose, fc.string({ unit: "binary" })), (text) => {
        const parsed = parseEnglish(text);
        expect(parseEnglish(text)).toEqual(parsed);
        if (!/\p{Surrogate}|\0/u.test(text)) expect(validateSteps(parsed.steps).ok).toBe(true);
      }),
      { numRuns: 60 },
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

  it("bounds the length of lines and sentences", () => {
    expect(told("x ".repeat(20_000))).toBe("asked");
    expect(told(Array(150).fill('Click "A"').join(", "))).toBe("asked");
    expect(told('Click "A'.repeat(2_000))).toBe("asked");
  });
});
