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
  it.each([
    [
      'Delete the draft "News 14" (trash icon next to it) and accept the alert',
      'click | trash icon next to "News 14" | ',
      "accept_dialog |  | ",
    ],
    ["Save the form (Ctrl+S)", "press |  | Control+S"],
    [
      'Log out through the avatar menu (menu "Account", entry "Sign out"), you end up at /bye',
      'click | menu "Account" | ',
      "click | Sign out | ",
      "assert_url |  | /bye",
    ],
    [
      'When all items are deselected (uncheck "All"), the "Bulk edit" button is disabled',
      "uncheck | All | ",
      'assert_disabled | "Bulk edit" button | ',
    ],
    [
      '"Saved" is visible after saving (click "Save")',
      "click | Save | ",
      "assert_visible | Saved | ",
    ],
  ])("given %s, when it is read, then it is done as the brackets say", (sentence, ...steps) => {
    expect(read(sentence)).toEqual({ steps, isAsked: false });
  });

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
    [
      'Change the currency to Euro via the "Currency" dropdown, then click "Save"',
      'select | "Currency" dropdown | Euro',
      "click | Save | ",
    ],
    [
      'Change the role of "Jun Park" to Viewer in the dropdown in her row',
      'select | dropdown in the "Jun Park" row | Viewer',
    ],
    ['Set "Level" to "3" in the dropdown', 'select | "Level" dropdown | 3'],
    [
      'Log in to https://x.test with a@x.test in Email and "pw" in Password, then press Go',
      "navigate |  | https://x.test",
      "fill | Email | a@x.test",
      "fill | Password | pw",
      "click | Go | ",
    ],
    ["Log in with a@x.test in Email", "fill | Email | a@x.test"],
    ['Give "Roof leak" as Subject', "fill | Subject | Roof leak"],
    ["Give email as a@x.test", "fill | email | a@x.test"],
    ['Clear Search and enter "bike"', "clear | Search | ", "fill | Search | bike"],
    [
      'Enter a@x.test and "pw" in the Email and Password fields',
      'fill | "Email" field | a@x.test',
      'fill | "Password" field | pw',
    ],
    ['Type "lon" slowly, key by key, into the City field', "type | City field | lon"],
    ["Write Passw0rd! in Password", "fill | Password | Passw0rd!"],
    ["Click the Buy now! button", 'click | "Buy now!" button | '],
    [
      'Expand "A" and "B" by double clicking them, "C" is visible afterwards',
      "double_click | A | ",
      "double_click | B | ",
      "assert_visible | C | ",
    ],
    [
      'With the mouse over "Kettle", the "View" button is visible',
      "hover | Kettle | ",
      'assert_visible | "View" button | ',
    ],
    ['Pick 24 in the "Travel date" calendar', 'click | "24" in the "Travel date" calendar | '],
    ['Verify that the user is able to click "Save"', "click | Save | "],
    [
      "Note down the Case number as caseNo and search for it: type ${caseNo} in the Search field",
      "store | Case number | caseNo",
      "fill | Search field | ${caseNo}",
    ],
    ['Get the code from "Code", keep it in variable pnr', "store | Code | pnr"],
    [
      'To book: first "Haircut", next "Tomorrow", lastly "Confirm"',
      "click | Haircut | ",
      "click | Tomorrow | ",
      "click | Confirm | ",
    ],
    [
      'Select "Hindi" and "Tamil" in "Languages" - the Name field is empty',
      "select | Languages | Hindi\nTamil",
      "assert_value | Name field | ",
    ],
  ])("given %s, when it is read, then it is done", (sentence, ...steps) => {
    expect(read(sentence)).toEqual({ steps, isAsked: false });
  });

  it.each([
    'Clear Filters and enter "bike" in Search',
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
      'The Role dropdown should have "Referee" selected, the Level dropdown "Regional"',
      "assert_value | Role dropdown | Referee",
      "assert_value | Level dropdown | Regional",
    ],
    [
      'The first "Status" cell should contain "Boarding" and the last one "Delayed"',
      'assert_contains | first "Status" cell | Boarding',
      'assert_contains | last "Status" cell | Delayed',
    ],
    [
      'Make should be prefilled with "Skoda", Year with "2019"',
      "assert_value | Make | Skoda",
      "assert_value | Year | 2019",
    ],
    [
      'Save is disabled till "Title" is filled: fill Title with "Budget" -> Save is enabled',
      "assert_disabled | Save | ",
      "fill | Title | Budget",
      "assert_enabled | Save | ",
    ],
    [
      'A user who clicks on "Skip" should see "Plans"',
      "click | Skip | ",
      "assert_visible | Plans | ",
    ],
    [
      'The "A" button is shown instead of "B"',
      'assert_visible | "A" button | ',
      'assert_hidden | "B" button | ',
    ],
    [
      'As per the spec, the label of the button shall read "Go" in place of "Next"',
      'assert_visible | "Go" button | ',
      'assert_hidden | "Next" button | ',
    ],
    ['Nowhere on the page may one read "NaN"', "assert_hidden | NaN | "],
    ['The button, "Save", is disabled', 'assert_disabled | button "Save" | '],
    [
      'A table named "Rates" with 4 columns shall appear',
      'assert_visible | "Rates" table | ',
      'assert_count | columns in the "Rates" table | 4',
    ],
    [
      'Tooltip of the "?" icon is "6 to 20"',
      'hover | "?" icon | ',
      'assert_visible | tooltip "6 to 20" | ',
    ],
    [
      'The "Menu" button should have aria-expanded "true"',
      'assert_attribute | "Menu" button | aria-expanded=true',
    ],
    ['Is the page title "Plans"?', "assert_title |  | Plans"],
    [
      'Verify each of these menu items exists: "Cut", "Copy"',
      'assert_visible | menu item "Cut" | ',
      'assert_visible | menu item "Copy" | ',
    ],
    [
      'Clicking "Sort" puts "Aaron" in the first row',
      "click | Sort | ",
      "assert_contains | first row | Aaron",
    ],
    [
      "The browser's back button takes the user back to /home",
      "go_back |  | ",
      "assert_url |  | /home",
    ],
    [
      'The "Docs" link should open in new tab i.e. its target attribute is _blank',
      'assert_attribute | "Docs" link | target=_blank',
    ],
    [
      'Make certain, before anything else, that "Maintenance" is switched off',
      "assert_unchecked | Maintenance | ",
    ],
    [
      'Check the layout at 600x900: "A" is visible',
      "set_viewport |  | 600x900",
      "assert_visible | A | ",
    ],
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
      "assert_visible | “B” in the footer | ",
    ],
    ['Select "A" and "B" in the "L" list in this order', 'select | "L" list | A\nB'],
    ['Type Not all heroes wear capes into "Bio"', "fill | Bio | Not all heroes wear capes"],
    ["Go to the next page in the browser history", "go_forward |  | "],
    // What is clicked first may be what brings the place of the second.
    ['Click "A" and "B" in the "L" section', "click | A | ", 'click | "B" in the "L" section | '],
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

  it("given what is done in the row that was found, when it is read, then the row is named once", () => {
    expect(read('Find the row "Ann" and click "Edit" in its row')).toEqual({
      steps: ['assert_visible | row "Ann" | ', 'click | "Edit" in the row "Ann" | '],
      isAsked: false,
    });
  });

  it("given what is done in an order, when it is read, then it is done in that order", () => {
    expect(read('Click "A" and "B" in this order')).toEqual({
      steps: ["click | A | ", "click | B | "],
      isAsked: false,
    });
  });

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
