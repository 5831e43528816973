import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseEnglish } from "../../../../src/domain/english/index.ts";

const read = (sentence: string): readonly string[] =>
  parseEnglish(sentence).steps.map(
    ({ action, target, value }) => `${action} | ${target} | ${value}`,
  );
const isAsked = (sentence: string): boolean => {
  const { steps, warnings } = parseEnglish(sentence);
  return steps.length === 0 && warnings.length > 0;
};

describe("what a line says of several words at once", () => {
  it.each([
    [
      'Wait max 30 seconds for the "Done" message',
      'wait_for | "Done" message | visible within 30 seconds',
    ],
    ['Wait up to 1 minute until "Done" disappears', "wait_for | Done | hidden within 1 minute"],
    ['Wait for "Done" for at most ten seconds', "wait_for | Done | visible within 10 seconds"],
    [
      'Select "Red", "Blue" and "Green" from the Colors list',
      "select | Colors list | Red\nBlue\nGreen",
    ],
    ["Fill in the form: Name = Ann, Age = 30", "fill | Name | Ann", "fill | Age | 30"],
    ['Right click on "file.txt" -> Delete', "right_click | file.txt | ", "click | Delete | "],
    ['Drop "a.csv" onto the "Drop files here" area', 'upload | "Drop files here" area | a.csv'],
    ['Verify the "Email" placeholder is "x"', "assert_attribute | Email | placeholder=x"],
    ['A tooltip reading "Copied" pops up', 'assert_visible | tooltip "Copied" | '],
    ['Click "red" in the search results', 'click | "red" in the search results | '],
    ['In the menu, choose "Red"', 'click | "Red" in the menu | '],
  ])("reads %s", (sentence, ...steps) => {
    expect(read(sentence)).toEqual(steps);
  });

  it("keeps two choices that are made one after the other", () => {
    const sentence = 'Select "Red" from "Colors" and "Ann" from "Owner"';
    expect(read(sentence)).toEqual(["select | Colors | Red", "select | Owner | Ann"]);
  });

  it.each([
    'Replace "foo" with "bar" in the Notes field',
    "Click at position 100,200",
    'Drag "A" to position 100,200',
    'Verify that clicking "Help" opens a new tab',
    'From the suggestions, click "Red"',
    'In the wizard, click "Red"',
    'Wait up to 20 minutes for "Done"',
  ])("asks about %s", (sentence) => {
    expect(isAsked(sentence)).toBe(true);
  });
});

const DEEDS = [
  ...[
    'Click "Red"',
    'Click the "Red" button',
    "Click Red",
    'Double-click "Red"',
    'Right-click "Red"',
  ],
  ...[
    'Hover over "Red"',
    'Type "x" into "Red"',
    'Enter "x" in the "Red" field',
    'Fill "Red" with "x"',
  ],
  ...[
    'Clear the "Red" field',
    'Tick the "Red" checkbox',
    'Uncheck "Red"',
    'Open "Red"',
    'Wait for "Red"',
  ],
  ...['Select "Blue" from the "Red" dropdown', 'Choose the "Red" radio button', 'Scroll to "Red"'],
  ...['I should see "Red"', 'I should not see "Red"', 'Verify the "Red" button is disabled'],
  ...['The text of "Red" should be "x"', "There should be 3 links", 'Click the second "Red" link'],
  ...['Wait until "Red" disappears', 'Store the text of "Red" as x', 'Upload "a.csv" to "Red"'],
];
const PREPOSITIONS = [
  ...["in", "within", "inside", "on", "under", "from", "of", "below", "above", "beneath", "among"],
  ...["next to", "near", "behind", "for", "at", "beside"],
];
/** Words that every scope here is recognised by, in a target. */
const PLACES = [
  ...["search results", "results", "suggestions", "sidebar", "menu", "header", "footer", "gallery"],
  ...["cart", "wizard", "breadcrumbs", "carousel", "hero", "second row", "last section", "feed"],
  ...["billing wizard", "modal", "main content", "order summary", "chat", "timeline", "calendar"],
  ...["left", "bottom", "frobnicator", "quux", "notification area", "board", "tree", "toolbar"],
];
const NAMED = ["section", "card", "row", "dialog", "frobnicator", "column", "wizard", "list"];

const place = fc.oneof(
  fc.constantFrom(...PLACES).map((words) => ({ said: `the ${words}`, words })),
  fc.constantFrom(...NAMED).map((kind) => ({ said: `the "Billing" ${kind}`, words: "billing" })),
  fc.constantFrom(...NAMED).map((kind) => ({ said: `the ${kind} of "Billing"`, words: "billing" })),
);

describe("a scope", () => {
  it("is part of every target, or is asked about", () => {
    const sentence = fc.record({
      deed: fc.constantFrom(...DEEDS),
      preposition: fc.constantFrom(...PREPOSITIONS),
      place,
      isFirst: fc.boolean(),
    });
    fc.assert(
      fc.property(sentence, ({ deed, preposition, place, isFirst }) => {
        const where = `${preposition} ${place.said}`;
        const said = isFirst
          ? `${where}, ${deed[0]?.toLowerCase()}${deed.slice(1)}`
          : `${deed} ${where}`;
        const { steps, warnings } = parseEnglish(said);
        const isKept = steps.every(({ target, value }) =>
          place.words.split(" ").every((word) => `${target} ${value}`.toLowerCase().includes(word)),
        );
        expect(warnings.length > 0 || isKept, `${said}: ${JSON.stringify(steps)}`).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });
});
