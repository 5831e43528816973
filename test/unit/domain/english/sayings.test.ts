import { describe, expect, it } from "vitest";
import { parseEnglish } from "../../../../src/domain/english/index.ts";

const read = (sentence: string) => {
  const { steps, warnings } = parseEnglish(`Go to /start\n${sentence}`);
  return {
    steps: steps.slice(1).map(({ action, target, value }) => [action, target, value].join(" | ")),
    isAsked: warnings.length > 0,
  };
};

describe("a sentence that says otherwise what is done", () => {
  it.each([])(
    "given %s, when it is read, then it is done as the brackets say",
    (sentence, ...steps) => {
      expect(read(sentence)).toEqual({ steps, isAsked: false });
    },
  );

  it.each([
    'Remove "Lamp" (click "Remove")',
    'Close the dialog (Esc or the "X" button)',
    "Undo the change (if possible)",
    'Go to https://shop.test in your browser (click "Country")',
    'Change the window size to 800x600 (press Escape, "A" is hidden)',
    'Save your work (not the "Save" button)',
  ])("given %s, when it is read, then it is asked about", (sentence) => {
    expect(read(sentence)).toEqual({ steps: [], isAsked: true });
  });

  it.each([
    ['Clear Search and enter "bike"', "clear | Search | ", "fill | Search | bike"],
    ['Type "lon" slowly, key by key, into the City field', "type | City field | lon"],
    ['Pick 24 in the "Travel date" calendar', 'click | 24 in the "Travel date" calendar | '],
    [
      'Select "Hindi" and "Tamil" in "Languages" - the Name field is empty',
      "select | Languages | Hindi\nTamil",
      "assert_value | Name field | ",
    ],
  ])("given %s, when it is read, then it is done", (sentence, ...steps) => {
    expect(read(sentence)).toEqual({ steps, isAsked: false });
  });

  it.each([
    'Clear All and enter "bike"',
    'Move "A" to "B" with the dropdown',
    'Enter "a" and "b" in the "X" field',
    "Enter Hello and World in the Email and Name fields",
    "Enter Secret1! to log in",
    "Click Save! in the dialog",
    "Note down the bug as fixed",
    'Take the picture of "A" and save it as pic',
    'Verify the user can only click "Save" once',
    'Open "A" and delete "B": click "Delete"',
    "Log in with Google",
    "Give feedback as guest",
    'Order 2 mugs (button "Order")',
    'Change the quantity of "Mug" to 3 in the "Qty" dropdown',
    'Log in with "ann" as admin',
    'A logged-in user who opens /x should see "Y"',
  ])(
    "given %s, of which a part may mean more, when it is read, then it is asked about",
    (sentence) => {
      expect(read(sentence)).toEqual({ steps: [], isAsked: true });
    },
  );
});

describe("a sentence that says otherwise what is claimed", () => {
  it.each([
    [
      'The "Menu" button should have aria-expanded "true"',
      'assert_attribute | "Menu" button | aria-expanded=true',
    ],
    ['Is the page title "Plans"?', "assert_title |  | Plans"],
  ])("given %s, when it is read, then it is claimed", (sentence, ...steps) => {
    expect(read(sentence)).toEqual({ steps, isAsked: false });
  });

  it.each([
    [
      'Tick "A", "B" and "C" in the "L" section',
      'check | "A" in the "L" section | ',
      'check | "B" in the "L" section | ',
      'check | "C" in the "L" section | ',
    ],
    [
      'Verify that "A" and "B" are shown in the "L" section',
      'assert_visible | "A" in the "L" section | ',
      'assert_visible | "B" in the "L" section | ',
    ],
    [
      '"A" and "B" should be disabled in the "L" dialog',
      'assert_disabled | "A" in the "L" dialog | ',
      'assert_disabled | "B" in the "L" dialog | ',
    ],
    ['Verify that the "Save" button does not exist anymore', 'assert_hidden | "Save" button | '],
    [
      'Verify "A" and "B" are not shown in the "L" section',
      'assert_hidden | "A" in the "L" section | ',
      'assert_hidden | "B" in the "L" section | ',
    ],
    [
      'Check "A" and "B" are disabled in the "L" section',
      'assert_disabled | "A" in the "L" section | ',
      'assert_disabled | "B" in the "L" section | ',
    ],
    [
      'First, tick "A" and "B" in the "L" section',
      'check | "A" in the "L" section | ',
      'check | "B" in the "L" section | ',
    ],
    [
      "I see “A” and “B” in the footer",
      'assert_visible | "A" in the footer | ',
      'assert_visible | "B" in the footer | ',
    ],
    ['Select "A" and "B" in the "L" list in this order', 'select | "L" list | A\nB'],
    ['Type Not all heroes wear capes into "Bio"', "fill | Bio | Not all heroes wear capes"],
    [
      'Check "A" and uncheck "B" in the "L" section',
      "check | A | ",
      'uncheck | "B" in the "L" section | ',
    ],
    [
      'Verify "A" is visible and "B" is visible in the "L" section',
      "assert_visible | A | ",
      'assert_visible | "B" in the "L" section | ',
    ],
  ])(
    "given %s, when it is read, then what is listed is claimed of each, where it is said to be",
    (sentence, ...steps) => {
      expect(read(sentence)).toEqual({ steps, isAsked: false });
    },
  );

  it.each([
    'The heading should be "X" and the button "Y"',
    '"A" is hidden until 5 pm: click "B"',
    '"A" must be locked, meaning that the "B" button is disabled',
    'A user who does not click "A" should see "B"',
    '"Total" is "5" and "Tax" is not "3"',
    'Click "A" instead of "B"',
    'As per usual click "A"',
    'Check the layout on mobile: "A" is visible',
    'Verify each of these menu items is disabled: "Cut", "Copy"',
    '"A" and "B" are displayed in this order',
    'Verify that "A" and "B" are shown in the same order',
    '"A" and "B" are not both shown',
    '"A" and "B" should not be both shown',
    '"A" and "B" are shown (in this order)',
    'Wait for "A" and "B" in this order',
    '"A" and "B" should be selected in the "L" dropdown',
    '"A" and "B" are shown in the "L" field',
    '"A" and "B" are typed in the "L" field',
    'Verify "A" and "B" should be selected in the "L" section',
    `Verify that ${Array.from({ length: 61 }, (_, at) => `"A${at}"`).join(" and ")} are shown in the "L" section`,
    "Go to the next page",
    'Verify that "A" and "B" aren’t all shown in the "L" list',
    'Verify that "A" and "B" are selected in the "L" list',
  ])("given %s, which may mean more, when it is read, then it is asked about", (sentence) => {
    expect(read(sentence)).toEqual({ steps: [], isAsked: true });
  });
});
