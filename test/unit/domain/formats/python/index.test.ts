import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { StepInput } from "../../../../../src/domain/catalogue/step.ts";
import { actionNames } from "../../../../../src/domain/catalogue/vocabulary.ts";
import { parseEnglish } from "../../../../../src/domain/english/index.ts";
import { toPython } from "../../../../../src/domain/formats/python/index.ts";
import { pythonString } from "../../../../../src/domain/formats/python/text.ts";
import { runPython } from "../../../../support/python.ts";

let hasPython = false;
beforeAll(() => {
  hasPython = runPython("print(1)", "") !== null;
});

/** Python's own parser where there is one; else what can be seen without: no literal or bracket is left open. */
const expectScripts = (scripts: readonly string[]): void => {
  if (hasPython) {
    const program =
      "import ast, json, sys\nfor s in json.load(sys.stdin): ast.parse(s)\nprint('ok')";
    expect(runPython(program, JSON.stringify(scripts))).toBe("ok\n");
  }
  for (const script of scripts) {
    const body = script.slice(script.indexOf("def run(page):"), script.indexOf("def main():"));
    for (const line of body.split("\n")) {
      if (line.trim().startsWith("#")) continue;
      const code = line.replace(/"(?:[^"\\]|\\.)*"/g, '""');
      expect(code.replaceAll('""', "")).not.toContain('"');
      expect(code.split("(").length).toBe(code.split(")").length);
    }
  }
};

const document = (steps: readonly StepInput[]) => ({
  name: "A test",
  text: "",
  language: "en",
  platform: "web",
  steps,
});

const written = (sentence: string): string => {
  const { steps, warnings } = parseEnglish(sentence);
  expect(warnings).toEqual([]);
  const script = toPython(document(steps));
  return script.slice(script.indexOf("def run(page):"), script.indexOf("def main():"));
};

const VARIABLE = "$" + "{user}";

describe("Python", () => {
  it.each([
    ["Go to /login", 'page.goto("/login")'],
    [
      'Click the "Save" button',
      'find(page.get_by_role("button", name=whole("Save")), page.get_by_role("button", name=words("Save"))).click()',
    ],
    ['I should see exactly "A"', 'expect_visible(page.get_by_text(exactly("A")))'],
    ['The heading should contain "A"', '.to_contain_text(words("A"))'],
    ["Click Save", 'find(*clickable(page, "Save")).click()'],
    ['Click the 2nd "Save" button', ", nth=1).click()"],
    ['Click the last "Save" button', ", nth=-1).click()"],
    ["Click css=.a", 'find(page.locator("css=.a")).click()'],
    ["Click testid=a", 'find(page.get_by_test_id("a")).click()'],
    ['Type "a" into Email', 'find(*field(page, "Email")).fill("a")'],
    [`Type "a ${VARIABLE}!" into Email`, '.fill("a " + var_user + "!")'],
    ["Press ctrl+a", 'page.keyboard.press("Control+a")'],
    ['Select "Canada" from Country', 'find(*dropdown(page, "Country")).select_option("Canada")'],
    ['Tick "Yes"', 'find(*tickbox(page, "Yes"), hidden=True).check()'],
    ["Wait 2 s", "page.wait_for_timeout(2000)"],
    ['Wait until "Done" is gone', 'expect_hidden(*seen_texts(page, "Done"))'],
    ['I should see "A"', 'expect_visible(*seen_texts(page, "A"))'],
    ['I should not see "A"', 'expect_hidden(*seen_texts(page, "A"))'],
    ["There should be 3 rows", "expect_count(3, "],
    ['The heading should contain "A"', 'expect(find(page.get_by_role("heading"), '],
    ["The title should be Home", 'expect(page).to_have_title("Home")'],
    ["The URL should contain /a", 'expect(page).to_have_url(pattern("*/a*", address=True))'],
    ['The URL should match "/a(?<n>b)/i"', 're.compile("a(?P<n>b)", re.A | re.I)'],
    ['Take a screenshot called "a"', 'page.screenshot(path=screenshot_path("a"))'],
    ['Click "A" in the "B" section', "find(*inside("],
    ['Click the button next to "B"', "find(*near("],
  ])("writes %s", (sentence, code) => {
    expect(written(sentence)).toContain(code);
  });

  it("exports a whole script deterministically", () => {
    const { steps } = parseEnglish(
      `Go to /login\nType "${VARIABLE}" into Username\nOptionally, click "Accept"\nI should see "Hi"`,
    );
    const [first, second = first, ...rest] = steps;
    const given = document([first, second, ...rest].flatMap((one) => (one ? [one] : [])));
    const options = { baseUrl: "http://x.test", variables: { user: "ann" } };
    const script = toPython(given, options);
    expect(toPython(given, options)).toBe(script);
    expect(script).toContain('BASE_URL = os.environ.get("BASE_URL", "http://x.test")');
    expect(script).toContain('var_user = os.environ.get("TEST_USER", "ann")');
    expect(script).toContain("except (AssertionError, Error) as problem:");
    expect(script).toContain('# 1. Go to /login\n    page.goto("/login")');
    expectScripts([script]);
  });

  it("never contains a secret value", () => {
    const [step] = parseEnglish('Type "x" into Password').steps;
    const secret = `$\{secret.pw}`;
    const script = toPython(document(step ? [{ ...step, value: secret }] : []), {
      variables: { "secret.pw": "hunter2" },
    });
    expect(script).toContain('var_secret_pw = os.environ["TEST_SECRET_PW"]');
    expect(script).not.toContain("hunter2");
  });

  it("writes a disabled step as a comment, and an empty block as pass", () => {
    const [step] = parseEnglish('Click "A"').steps;
    const script = toPython(document(step ? [{ ...step, disabled: true }] : []));
    expect(script).toContain("    # find(");
    expectScripts([script, toPython(document([]))]);
  });

  const nasty = fc.oneof(
    fc.string({ unit: "binary", maxLength: 12 }),
    fc
      .array(
        fc.constantFrom(
          "'",
          '"',
          '"""',
          "\\",
          "\n",
          "\r",
          "{",
          "}",
          "{x}",
          VARIABLE,
          "\u2028",
          "\ud800",
          "#",
          "\0",
          "\f",
          "😀",
          "*",
          "/",
          "(",
          "`",
          "row",
          "button",
          "first",
        ),
        { maxLength: 8 },
      )
      .map((parts) => parts.join("")),
  );

  it("is valid Python for any steps", () => {
    const steps = fc.array(
      fc.record({
        action: fc.oneof(fc.constantFrom<string>(...actionNames), nasty),
        target: nasty,
        value: nasty,
        description: nasty,
        optional: fc.boolean(),
        disabled: fc.boolean(),
      }),
      { minLength: 1, maxLength: 12 },
    );
    const scripts = fc
      .sample(fc.tuple(nasty, nasty, steps), 100)
      .map(([name, baseUrl, given]) =>
        toPython({ ...document(given), name }, { baseUrl, variables: { user: name } }),
      );
    expectScripts(scripts);
  });

  it("preserves any text in its string literals", () => {
    const texts = fc.sample(nasty, 300);
    const literals = texts.map(pythonString);
    for (const literal of literals)
      expect(literal).toMatch(/^"(?:[^"\\\p{Cc}\p{Cs}\u2028\u2029]|\\.)*"$/u);
    if (!hasPython) return;
    const program =
      "import ast, json, sys\nprint(json.dumps([ast.literal_eval(s) for s in json.load(sys.stdin)]))";
    const read: string[] = JSON.parse(runPython(program, JSON.stringify(literals)) ?? "[]");
    // Half characters next to each other are one in JavaScript: compare as UTF-16.
    expect(read.map((text) => JSON.stringify(text))).toEqual(
      texts.map((text) => JSON.stringify(text)),
    );
  });
});
