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

describe("healing: choosing a replacement for a lost element", () => {
  it.each([
    ["another id", { ...save, id: "x1" }],
    ["other words", { ...save, name: "Store", text: "Store" }],
    ["other classes", { ...save, classes: ["css-1"], ownClasses: ["css-1"] }],
    ["another place", { ...save, path: ["div", "body", "html"], index: 7, x: 600, y: 40 }],
  ])("finds an element with %s", (_, changed) => {
    const choice = chosen(changed, cancel);
    expect(choice.kind).toBe("found");
    expect(choice.kind === "found" && choice.best.candidate.features).toBe(changed);
  });

  it("chooses no element on the evidence of its neighbours alone", () => {
    expect(chosen({ ...cancel, before: "Title", index: 1, x: 40 }).kind).toBe("none");
    expect(chosen().kind).toBe("none");
  });

  it("chooses no element on the evidence of its position alone", () => {
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

  it("chooses none of two equally similar elements", () => {
    const [one, other] = [
      { ...save, id: "a", before: "x" },
      { ...save, id: "b", before: "x" },
    ];
    expect(chosen(one, other).kind).toBe("several");
  });

  it("chooses no element for a different kind of action", () => {
    expect(chosen({ ...save, kind: "field" }).kind).toBe("none");
    const password: Fingerprint = { ...was, kind: "field", type: "password" };
    const text = { features: { ...save, kind: "field" as const, type: "text" } };
    expect(choose(password, [text]).kind).toBe("none");
  });

  it("requires equal neighbours on both sides among elements of the same name", () => {
    const twin = { ...save, id: "", ownClasses: [], classes: ["btn"] };
    const row: Fingerprint = { ...twin, rivals: [rivalOf({ ...twin, id: "" })] };
    const moved = { ...twin, classes: ["css-1"] };
    expect(choose(row, [{ features: moved }]).kind).toBe("found");
    expect(choose(row, [{ features: { ...moved, before: "Another title" } }]).kind).toBe("none");
  });

  it("scores from 0 to 1, with 1 for identical elements", () => {
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

  it("measures word similarity symmetrically", () => {
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

  it("describes changes, the most significant first", () => {
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
