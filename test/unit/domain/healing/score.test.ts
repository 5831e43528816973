import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Features, Fingerprint, Rival } from "../../../../src/domain/healing/fingerprint.ts";
import { changesOf, choose, likeness, scoreOf } from "../../../../src/domain/healing/score.ts";

const save: Features = {
  kind: "other",
  tag: "button",
  role: "button",
  name: "Save",
  text: "Save",
  testId: "",
  id: "save",
  nameAttribute: "",
  type: "",
  placeholder: "",
  alt: "",
  title: "",
  href: "",
  classes: ["btn", "btn-primary"],
  ownClasses: ["btn-primary"],
  path: ["form", "main", "body", "html"],
  heading: "Notes",
  before: "Title",
  after: "Cancel",
  index: 1,
  x: 40,
  y: 200,
};
const cancel: Features = {
  ...save,
  name: "Cancel",
  text: "Cancel",
  id: "cancel",
  classes: ["btn"],
  ownClasses: [],
  before: "Save",
  after: "",
  index: 2,
  x: 120,
};
const rivalOf = ({ role, name, id, href }: Features): Rival => ({ role, name, id, href });
const was: Fingerprint = { ...save, rivals: [rivalOf(cancel)] };
const chosen = (...features: Features[]) =>
  choose(
    was,
    features.map((one) => ({ features: one })),
  );

describe("choosing the element that a step had", () => {
  it.each([
    ["another id", { ...save, id: "x1" }],
    ["other words", { ...save, name: "Store", text: "Store" }],
    ["other classes", { ...save, classes: ["css-1"], ownClasses: ["css-1"] }],
    ["another place", { ...save, path: ["div", "body", "html"], index: 7, x: 600, y: 40 }],
  ])("given %s, then it is found", (_, changed) => {
    const choice = chosen(changed, cancel);
    expect(choice.kind).toBe("found");
    expect(choice.kind === "found" && choice.best.candidate.features).toBe(changed);
  });

  it("given nothing but what stood beside it, then nothing is taken for it", () => {
    expect(chosen({ ...cancel, before: "Title", index: 1, x: 40 }).kind).toBe("none");
    expect(chosen().kind).toBe("none");
  });

  it("given another in its very place, which nothing but that place speaks for, then nothing is taken for it", () => {
    const other = {
      ...save,
      id: "new",
      name: "Delete",
      text: "Delete",
      ownClasses: [],
      classes: ["btn"],
    };
    expect(chosen(other).kind).toBe("none");
  });

  it("given two that are as like it, then it is not guessed", () => {
    const [one, other] = [
      { ...save, id: "a", before: "x" },
      { ...save, id: "b", before: "x" },
    ];
    expect(chosen(one, other).kind).toBe("several");
  });

  it("given something that one does something else to, then it is none", () => {
    expect(chosen({ ...save, kind: "field" }).kind).toBe("none");
    const password: Fingerprint = { ...was, kind: "field", type: "password" };
    const text = { features: { ...save, kind: "field" as const, type: "text" } };
    expect(choose(password, [text]).kind).toBe("none");
  });

  it("given others that are called the same, then what stands on both sides of it must be the same too", () => {
    const twin = { ...save, id: "", ownClasses: [], classes: ["btn"] };
    const row: Fingerprint = { ...twin, rivals: [rivalOf({ ...twin, id: "" })] };
    const moved = { ...twin, classes: ["css-1"] };
    expect(choose(row, [{ features: moved }]).kind).toBe("found");
    expect(choose(row, [{ features: { ...moved, before: "Another title" } }]).kind).toBe("none");
  });

  it("counts from 0 to 1: 1 for the very same, whatever they are", () => {
    expect(scoreOf(save, save)).toBe(1);
    const text = fc.string({ maxLength: 20 });
    const some = fc.record({
      name: text,
      id: text,
      before: text,
      x: fc.integer({ min: 0, max: 5_000 }),
    });
    fc.assert(
      fc.property(some, some, (one, other) => {
        const score = scoreOf({ ...save, ...one }, { ...save, ...other });
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("knows how alike words are, whichever is the first", () => {
    expect([likeness("Save", "save"), likeness("Save", "Delete"), likeness("a", "b")]).toEqual([
      1, 0, 0,
    ]);
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        expect(likeness(one, other)).toBeCloseTo(likeness(other, one), 10);
        expect(likeness(one, one)).toBe(1);
      }),
    );
  });

  it("says what changed, the most telling first", () => {
    const changes = changesOf(save, {
      ...save,
      id: "x",
      classes: ["a"],
      name: "Store",
      text: "Store",
    });
    expect(changes).toEqual([
      { what: "name", before: "Save", after: "Store" },
      { what: "id", before: "save", after: "x" },
      { what: "classes", before: "btn btn-primary", after: "a" },
    ]);
  });
});
