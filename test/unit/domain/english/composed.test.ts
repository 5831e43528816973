import { describe, expect, it } from "vitest";
import { parseEnglish } from "../../../../src/domain/english/index.ts";

const read = (sentence: string) => {
  const { steps, warnings } = parseEnglish(`Go to /start\n${sentence}`);
  return {
    steps: steps.slice(1).map(({ action, target, value }) => [action, target, value].join(" | ")),
    isAsked: warnings.length > 0,
  };
};

/** Verbs, things and places that say nothing of one another: each pair comes to the same kind of step. */
const NAMES = ["Invoice", "Patient file", "Leave request", "Seat 12A", "Course list"];

const CLICKS: readonly ((name: string) => string)[] = [
  (name) => `Dismiss the cookie banner with the "${name}" button`,
  (name) => `Close the window by means of the "${name}" button`,
  (name) => `Log out via the "${name}" button`,
  (name) => `Go for the "${name}" button`,
];

const HIDDEN: readonly ((name: string) => string)[] = [
  (name) => `The "${name}" text can't be found`,
];

describe("a place in the midst of a sentence", () => {
  it("given deeds behind it, when they are read piece by piece, then it is not left behind after the first", () => {
    const { steps, isAsked } = read(
      'Scroll to "Orders"; in the "New" dialog, enter "Oil" for Drug, "5 mg" for Dose, and click "Add"',
    );
    const isWhole = steps.slice(1).every((step) => step.includes('in the "New" dialog'));
    expect(isAsked || isWhole).toBe(true);
  });
});

describe("a clause that is put together from its verb and the things it names", () => {
  it.each(NAMES)(
    "given %s, when it is clicked in other words, then that is what is clicked",
    (name) => {
      for (const said of CLICKS) {
        const { steps, isAsked } = read(said(name));
        if (isAsked) expect(steps, said(name)).toEqual([]);
        else expect(steps, said(name)).toEqual([`click | "${name}" button | `]);
      }
    },
  );

  it.each(NAMES)("given %s, when it is denied, then it is claimed to be hidden", (name) => {
    for (const said of HIDDEN) {
      const { steps, isAsked } = read(said(name));
      expect(isAsked, said(name)).toBe(false);
      expect(steps.map((step) => step.split(" | ")[0])).toEqual(["assert_hidden"]);
    }
  });

  it.each([
    ['Key the code 4471 into "PIN"', "fill | PIN | 4471"],
    ['Pop "a@b.test" in the Email box', "fill | Email box | a@b.test"],
    [
      'In modal "Invite" fill Email with a@b.test',
      'fill | "Email" in the modal "Invite" | a@b.test',
    ],
    [
      'Under "Billing" choose the "Monthly" radio',
      'check | "Monthly" radio in the "Billing" section | ',
    ],
    [
      'Close the "Hello" dialog using its "Close" button',
      'click | "Close" button in the "Hello" dialog | ',
    ],
    [
      'Tick both "SMS" and "Email" and leave "Post" unticked',
      "check | SMS | ",
      "check | Email | ",
      "uncheck | Post | ",
    ],
    ['Pull "Pears" over to the "Done" column', 'drag | Pears | "Done" column'],
  ])("given %s, when it is read, then it is done", (sentence, ...steps) => {
    expect(read(sentence)).toEqual({ steps, isAsked: false });
  });

  it.each([
    ['"Submit" is inactive', "assert_disabled | Submit | "],
    ['Success popup "Added" should get displayed', 'assert_visible | popup "Added" | '],
    [
      'The "Docs" link has href https://docs.test',
      'assert_attribute | "Docs" link | href=https://docs.test',
    ],
    [
      '"Save" must be greyed out, "Cancel" clickable',
      "assert_disabled | Save | ",
      "assert_enabled | Cancel | ",
    ],
  ])("given %s, when it is read, then it is claimed", (sentence, ...steps) => {
    expect(read(sentence)).toEqual({ steps, isAsked: false });
  });

  it.each([
    [
      'As soon as the "Loading" message is no longer there, click on "Next"',
      'wait_for | "Loading" message | hidden',
      "click | Next | ",
    ],
  ])("given %s, when it is read, then each clause comes in its order", (sentence, ...steps) => {
    expect(read(sentence)).toEqual({ steps, isAsked: false });
  });

  it.each([
    'Do not pop "x" into the "Email" field',
    'Pop "x" into the "Email" field unless it is filled',
    'The "Save" button or the "Cancel" button is visible',
    '"Save" is visible for 3 seconds',
    '"Save" should be visible to admins only',
    'The "Total" cell shows at least "5"',
    "Terms and Conditions link is visible in some way",
    'If you click "A", the dialog closes',
    'Hover over "A" and then away from it',
    'Close every dialog with the "x" icon',
    'While "A" is open, click "B"',
    'Move the "Card" card to the "Done" column',
    "Open a new drawer",
    'The prompt is answered: enter "Ann" in the prompt or close it',
    'Update "Status" to "Done" or "Open"',
    'Guest mode is not allowed: click "Skip"',
    'The "Home" tab is active',
    'Press "Save" for two seconds',
  ])(
    "given %s, of which a part would be lost, when it is read, then it is asked about",
    (sentence) => {
      expect(read(sentence)).toEqual({ steps: [], isAsked: true });
    },
  );
});
