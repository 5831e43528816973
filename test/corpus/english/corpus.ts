import { readFileSync } from "node:fs";
import path from "node:path";
import { type KindName, kinds } from "../../../src/domain/catalogue/kinds.ts";
import { parseTarget, type Target } from "../../../src/domain/catalogue/target.ts";
import { parseDuration } from "../../../src/domain/catalogue/values.ts";
import { parseEnglish } from "../../../src/domain/english/index.ts";

/** A sentence or a document as people write it, the steps that it means, and whether part of it must be asked about. */
export type Example = {
  readonly text: string;
  readonly steps: readonly (readonly [action: string, target: string, value: string])[];
  readonly warned: boolean;
};

/**
 * What is seen is there to write the grammar by; what is held out is looked at by nobody who does, so that it
 * measures what is learnt. What is seen besides `seen` was measured once before anybody read it.
 */
export const seenParts = [
  "seen",
  "strangersSeen",
  "writersSeen",
  "freshSeen",
  "guestsSeen",
  "documentedSeen",
] as const;
export const heldOutParts = ["heldOut", "documented"] as const;
export type Part = (typeof seenParts)[number] | (typeof heldOutParts)[number];

/** Reads a part of the corpus: entries separated by empty lines, the meaning after `> `, steps separated by `;;`. */
export const readCorpus = (part: Part): readonly Example[] =>
  readFileSync(path.join(import.meta.dirname, `${part}.txt`), "utf8")
    .trim()
    .split(/\n{2,}/)
    .map(readExample);

const readExample = (entry: string): Example => {
  const lines = entry.split("\n");
  const meaning = lines.at(-1) ?? "";
  if (!meaning.startsWith("> ") || lines.length < 2) throw new Error(`No meaning given: ${entry}`);
  const parts = meaning
    .slice(2)
    .split(";;")
    .map((part) => part.trim());
  const steps = parts
    .filter((part) => part !== "warned")
    .map((part) => {
      const [action = "", target = "", ...rest] = part.split("|").map((field) => field.trim());
      // A text may have a bar in it: `Bookings | Fernhill`. `⏎` stands between lines.
      return [action, target, rest.join(" | ").replaceAll("⏎", "\n")] as const;
    });
  return { text: lines.slice(0, -1).join("\n"), steps, warned: parts.includes("warned") };
};

/**
 * `right`: the steps meant, and a warning where one is due. `warned`: not understood in whole, and said so.
 * `silently wrong`: other steps than were meant, without a word.
 */
export type Verdict = "right" | "warned" | "silently wrong";

/** Parses an example and judges the result. Targets and times are compared by meaning. */
export const judge = (example: Example): Verdict => {
  const { steps, warnings } = parseEnglish(example.text);
  const answer = steps.map(({ action, target, value }) => meaningsOf(action, target, value));
  const meant = example.steps.map(([action, target, value]) => {
    const said = meaningsOf(action, target, value);
    // `The total shows "5"` says neither that it is the whole text nor that it is a part of it.
    const isEither = action === "assert_text" && SHOWN.test(example.text);
    return [said[0], isEither ? meaningsOf("assert_contains", target, value)[0] : null];
  });
  const isSame =
    answer.length === meant.length &&
    answer.every((one, at) => one.some((meaning) => meant[at]?.includes(meaning)));
  if (isSame && warnings.length > 0 === example.warned) return "right";
  return warnings.length > 0 ? "warned" : "silently wrong";
};

const SHOWN = /\b(?:shows?|displays?)\b/i;

const WITH_TARGET_AS_VALUE = new Set(["drag"]);

/** The meanings of a step. An unquoted target has a second one if its words may be a name as a whole. */
const meaningsOf = (action: string, target: string, value: string): readonly string[] => {
  const done = deedOf(action, target, value);
  const targets = target === "" ? [""] : namesOf(target, action);
  const [said] = WITH_TARGET_AS_VALUE.has(action)
    ? namesOf(value, action)
    : [parseDuration(value) ?? (action === "wait_for" && value === "" ? "visible" : value)];
  return targets.map((name) => JSON.stringify([done, name, said]));
};

/** A field that is filled with nothing is cleared. */
const deedOf = (action: string, target: string, value: string): string => {
  if (action === "fill" && value === "") return "clear";
  // A radio button is checked by a click: which of both is said is the same deed.
  const { find } = parseTarget(action === "check" ? target : "");
  return find.by === "kind" && find.kind === "radio" ? "click" : action;
};

const TYPED = new Set(["fill", "type", "clear"]);
const TICKED = new Set(["check", "uncheck"]);

/** A name is equal with and without quotes; a message or text is any element with that text. */
const namesOf = (target: string, action: string): readonly unknown[] => {
  const parsed = parseTarget(target);
  return wholesOf(parsed).map((one) => loosely(one, action));
};

/** A target, and the reading of its unquoted words as a name as a whole, also in places. */
const wholesOf = (target: Target): readonly Target[] => {
  const { find, within, near } = target;
  const isLoose = find.by === "kind" && find.phrase !== null && kinds[find.kind as KindName].loose;
  const phrase = isLoose ? find.phrase : null;
  const finds = phrase === null ? [find] : [find, { by: "name" as const, name: phrase }];
  const places = within ? wholesOf(within) : [null];
  const neighbours = near ? wholesOf(near) : [null];
  return finds.flatMap((one) =>
    places.flatMap((place) =>
      neighbours.map((beside) => ({ ...target, find: one, within: place, near: beside })),
    ),
  );
};

const SEARCH = /^search (?:field|box)$/i;

const loosely = (target: Target, action: string): unknown =>
  JSON.parse(
    JSON.stringify(target, (key, value: unknown) => {
      if (key === "phrase") return null;
      const find = value as {
        by?: string;
        kind?: string;
        name?: string | null;
        phrase?: string | null;
      } | null;
      // A kind without a role, or a frame after "switch to", is found by its name.
      const isNamed = find?.kind === "text" || find?.kind === "icon" || action === "switch_frame";
      if (find?.by === "kind" && isNamed && find.name) return { by: "name", name: find.name };
      // `search field` is the field that is called so.
      if (find?.by === "kind" && find.name === null && SEARCH.test(find.phrase ?? "")) {
        return { ...find, kind: "field", name: "search", phrase: null };
      }
      // The action decides whether a box is a text box or a checkbox.
      if (find?.by === "kind" && find.kind === "box") {
        if (TYPED.has(action)) return { ...find, kind: "field" };
        if (TICKED.has(action)) return { ...find, kind: "checkbox" };
      }
      return value;
    }),
  );
