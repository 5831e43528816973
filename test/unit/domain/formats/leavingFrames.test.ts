import { describe, expect, it } from "vitest";
import { toPython } from "../../../../src/domain/formats/python/index.ts";
import { toTypescript } from "../../../../src/domain/formats/typescript/index.ts";

const step = (action: string, target = "", value = "", more = {}) => ({
  ...{ action, target, value, description: "", optional: false, disabled: false },
  ...more,
});

const exported = (...steps: ReturnType<typeof step>[]) => {
  const document = { name: "Frames", text: "", language: "en", platform: "web", steps } as const;
  return { python: toPython(document), typescript: toTypescript(document) };
};

const inFrame = step("switch_frame", 'frame "Card"');
const count = (text: string, part: string) => text.split(part).length - 1;

describe("a script of a test that navigates away inside a frame", () => {
  it.each([
    ["navigate", "/shop"],
    ["reload", ""],
    ["go_back", ""],
    ["go_forward", ""],
  ])("looks for later elements in the page after %s", (action, value) => {
    const { python, typescript } = exported(inFrame, step(action, "", value), step("click", "Pay"));
    expect(python).toMatch(/content_frame\n[\s\S]*\n {4}root = page\n {4}page\.[\s\S]*root/);
    expect(typescript).toMatch(/frameOf\([\s\S]*\n {2}root = page;\n {2}await [\s\S]*root/);
  });

  it("leaves the frame after an optional step, whether or not it succeeds", () => {
    const { python, typescript } = exported(inFrame, step("reload", "", "", { optional: true }));
    expect(python).toMatch(/\n {4}root = page\n {4}try:/);
    expect(typescript).toMatch(/\n {2}root = page;\n {2}try \{/);
  });

  it("does not leave a frame twice, or for a disabled step", () => {
    const reload = step("reload");
    const { python } = exported(reload, inFrame, step("switch_frame"), reload);
    expect(count(python, "root = page\n")).toBe(2);
    const disabled = exported(inFrame, { ...reload, disabled: true });
    expect(count(disabled.python, "root = page\n")).toBe(1);
  });
});
