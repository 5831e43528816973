import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { askable, questionAbout } from "../../../../src/domain/catalogue/proposals.ts";
import { actionNames, problemsOf } from "../../../../src/domain/catalogue/vocabulary.ts";

const lines = [
  { line: 3, text: "Put the shirt into the basket" },
  { line: 7, text: 'Log in as "ann" with password "hunter2"' },
];
const answer = (...said: unknown[]) => JSON.stringify({ lines: said });
const click = { action: "click", target: '"Add to basket" button' };

describe("model proposals for unrecognised lines", () => {
  it("send only the lines and the vocabulary to the model", () => {
    const { instructions, question } = questionAbout(lines);
    expect(JSON.parse(question)).toEqual([
      { line: 1, text: lines[0]?.text },
      { line: 2, text: 'Log in as "⟦1⟧" with password "⟦2⟧"' },
    ]);
    for (const action of actionNames) expect(instructions).toContain(`- ${action}:`);
  });

  it("send only the first lines if there are too many or too long ones", () => {
    const many = Array.from({ length: 30 }, (_, index) => ({ line: index + 1, text: "x" }));
    expect(askable([{ line: 1, text: "x".repeat(301) }, ...many])).toEqual(many.slice(0, 20));
  });

  it("become steps of their line, with the withheld values restored", () => {
    const { read } = questionAbout(lines);
    const said = answer(
      { line: 1, steps: [click] },
      {
        line: 2,
        steps: [
          { action: "fill", target: "Username", value: "⟦1⟧" },
          { action: "fill", target: "Password", value: "⟦2⟧" },
        ],
      },
    );
    for (const text of [said, `\`\`\`json\n${said}\n\`\`\``]) {
      expect(read(text)).toMatchObject([
        { line: 3, steps: [{ ...click, value: "", description: lines[0]?.text }] },
        { line: 7, steps: [{ value: "ann" }, { value: "hunter2" }] },
      ]);
    }
  });

  it.each([
    ["prose", "I cannot help with that."],
    ["half of it", answer({ line: 1, steps: [click] }).slice(0, -5)],
    ["another form", JSON.stringify([click])],
    ["an unknown action", answer({ line: 1, steps: [{ action: "run_shell", value: "rm -rf /" }] })],
    ["an inherited name", answer({ line: 1, steps: [{ action: "constructor", target: "x" }] })],
    ["one bad step among good ones", answer({ line: 1, steps: [click, { action: "click" }] })],
    ["fields of its own", answer({ line: 1, steps: [{ ...click, script: "alert(1)" }] })],
    ["a line nobody asked about", answer({ line: 9, steps: [click] })],
    ["no step", answer({ line: 1, steps: [] })],
    ["too many steps", answer({ line: 1, steps: Array(11).fill(click) })],
    ["a line twice", answer({ line: 1, steps: [click] }, { line: 1, steps: [click] })],
    ["an address that is none", answer({ line: 1, steps: [{ action: "navigate", value: "" }] })],
  ])("are discarded for %s", (_, text) => {
    expect(questionAbout(lines).read(text)).toEqual([]);
  });

  it("are kept for valid lines beside an invalid one", () => {
    const said = answer({ line: 1, steps: [{ action: "dance" }] }, { line: 2, steps: [click] });
    expect(questionAbout(lines).read(said)).toMatchObject([{ line: 7 }]);
  });

  it("never throw, and contain only valid steps of the requested lines, for any answer", () => {
    const step = fc.record({
      action: fc.oneof(fc.constantFrom(...actionNames), fc.string()),
      target: fc.oneof(fc.string(), fc.constant("⟦1⟧")),
      value: fc.string(),
    });
    const shaped = fc
      .array(fc.record({ line: fc.integer({ min: -1, max: 4 }), steps: fc.array(step) }))
      .map((said) => JSON.stringify({ lines: said }));
    fc.assert(
      fc.property(fc.oneof(shaped, fc.json(), fc.string()), (text) => {
        for (const { line, steps } of questionAbout(lines).read(text)) {
          expect(lines.map((one) => one.line)).toContain(line);
          for (const one of steps) expect(problemsOf(one)).toEqual([]);
        }
      }),
    );
  });
});
