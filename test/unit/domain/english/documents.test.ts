import { describe, expect, it } from "vitest";
import { parseEnglish } from "../../../../src/domain/english/index.ts";

const said = (text: string): string => {
  const { steps, warnings } = parseEnglish(text);
  const told = steps.map(({ action, target, value }) => [action, target, value].join("|"));
  return [...told, ...warnings.map(({ line }) => `?${line}`)].join("\n");
};

const LOGIN = "navigate||/login\nfill|Username|ann\nclick|Sign in|";

describe("texts of several lines", () => {
  it.each([
    "STEP1: $\nSTEP2: $\nSTEP3: $",
    "Step one: $\nStep two: $\nStep three: $",
    "First step: $\nSecond step: $\nLast step: $",
    "1/ $\n2/ $\n3/ $",
    "1> $\n2> $\n3> $",
    "1a. $\n1b. $\n1c. $",
    "① $\n② $\n③ $",
    "1️⃣ $\n2️⃣ $\n3️⃣ $",
    "(a) $\n(b) $\n(c) $",
    "S1: $\nS2: $\nS3: $",
    "Step A: $\nStep B: $\nStep C: $",
    "(Step 1) $\n(Step 2) $\n(Step 3) $",
    "* $\n** $\n*** $",
    "o $\no $\no $",
    ">> $\n>> $\n>> $",
    "1 $\n2 $\n3 $",
    "- $;\n- $;\n- $.",
    "1. $ ✅\n2. $ ✅\n3. $ ✅",
    "**Step 1:** $\n**Step 2:** $\n**Step 3:** $",
    "* Step 1\n  $\n* Step 2\n  $\n* Step 3\n  $",
    "Hi team,\nplease test the following:\n- $\n- $\n- $",
    "HRM-88: Employee signs in\n1. $\n2. $\n3. $",
    "Login page:\n- $\n- $\n- $",
    "Verify that a member can sign in\n1. $\n2. $\n3. $",
  ])(
    "given entries numbered as in %j, when they are read, then none of it is a part of them",
    (form) => {
      const deeds = ["Open /login", 'Enter "ann" in Username', "Click Sign in"];
      let at = 0;
      expect(said(form.replaceAll("$", () => deeds[at++] ?? ""))).toBe(LOGIN);
    },
  );

  it.each([
    ['Click "A" - Expected: "B" is shown', "click|A|\nassert_visible|B|"],
    ['Click "A" (expected result: "B" is shown)', "click|A|\nassert_visible|B|"],
    ['Click "A" [Expected: "B"]', "click|A|\nassert_visible|B|"],
    ['Click "A"\nPostcondition: "B" is shown', "click|A|\nassert_visible|B|"],
    ['Click "A"\nExpected behaviour is that "B" is shown', "click|A|\nassert_visible|B|"],
  ])(
    "given what is expected beside what is done (%j), when it is read, then both are",
    (text, steps) => {
      expect(said(text)).toBe(steps);
    },
  );

  it.each([
    ["| # | Step | Expected |\n| 1 | Enter the credentials | |", "?1\n?2"],
    [
      '| Step | Action | Test data | Expected |\n| 1 | Click "A" | 5 pieces | "B" |',
      "assert_visible|B|\n?2\n?2",
    ],
    ["| Field | Value |\n| Name | Ann |\n| Terms | checked |", "fill|Name|Ann\ncheck|Terms|"],
  ])(
    "given a table (%j), when it is read, then its columns hold what stands above them",
    (text, steps) => {
      expect(said(text)).toBe(steps);
    },
  );

  it.each([
    [
      "1. email: a@b.c, password: x, click Log in\n2. Click Next",
      "fill|email|a@b.c\nfill|password|x\nclick|Log in|\nclick|Next|",
    ],
  ])(
    "given names and values (%j), when they are read, then they are a form that is filled in",
    (text, steps) => {
      expect(said(text)).toBe(steps);
    },
  );

  it.each([
    ["City: random string\nEmail: valid email\nClick Save", "click|Save|\n?1\n?2"],
    ["Qty: 3 or 4\nClick Save", "click|Save|\n?1"],
    [
      "Title: Lamp\nPriority: High\nEmail: a@b.c\nPassword: x\nClick Save",
      "fill|Email|a@b.c\nfill|Password|x\nclick|Save|",
    ],
    ["From: a@b.c\nTo: d@e.f\nSubject: test\n\nOpen /a", "navigate||/a\n?1\n?2\n?3"],
    ['If the user is an admin:\n- click "A"', "click|A|\n?1"],
    ['Do not do the following:\n- click "A"', "click|A|\n?1"],
    ['Repeat three times:\n- click "A"', "click|A|\n?1"],
    ['On mobile:\n- click "A"', "click|A|\n?1"],
    ["Log in as admin:\n- open /a", "navigate||/a\n?1"],
    ['Delete the customer:\n- "Gone" is shown', "assert_visible|Gone|\n?1"],
    ['Click one of the following:\n- "A"\n- "B"', "?1\n?2\n?3"],
    ['URL: https://a.test\nClick "A"', "click|A|\n?1"],
    ["Click Save\nTotal: 5", "click|Save|\n?2"],
    [
      'Scenario Outline: x\nWhen I click "<n>"\nExamples:\n| n |\n| A |\n| B |',
      "click|<n>|\n?4\n?5\n?6",
    ],
  ])(
    "given what nobody can be sure of (%j), when it is read, then it is asked about",
    (text, steps) => {
      expect(said(text)).toBe(steps);
    },
  );

  it.each([])(
    "given lines that belong together (%j), when they are read, then they are read together",
    (text, steps) => {
      expect(said(text)).toBe(steps);
    },
  );

  it.each([
    ['Its first row contains "Ann"', "?1"],
    ["Click this button", "?1"],
    ['There are three buttons, "A" and "B"', "?1"],
  ])(
    "given what leans on what stands before (%j), when it is read, then that is meant",
    (text, steps) => {
      expect(said(text)).toBe(steps);
    },
  );

  it("given many lines, one of which is too long to be read, when they are read, then each says what it does in its place", () => {
    const lines = Array.from({ length: 300 }, (_, index) => `Click "${index}"`);
    lines[150] = "x".repeat(20_001);
    const told = lines.map((_, index) => `click|${index}|`).toSpliced(150, 1);
    expect(said(lines.join("\n"))).toBe([...told, "?151"].join("\n"));
  });

  it.each([
    ["City = Bern", 'Fill "City" with "Bern"'],
    ["City: Bern", 'Fill "City" with "Bern"'],
  ])("given %j before a click, when it is read, then its mark is seen", (line, meant) => {
    expect(said(`Open /a\n${line}\nClick "C"`)).toBe(said(`Open /a\n${meant}\nWhen click "C"`));
  });
});
