import { startingWith } from "./marks.ts";
import { cellsOf } from "./tables.ts";

const OUTLINE = /^(\s*scenario) (?:outline|template)(\s*:)/i;
const EXAMPLES = /^\s*(?:examples|scenarios)\s*:\s*$/i;
const FENCE = /^\s*(?:"""|```|''')\s*$/;
/** What they begin with, or white space before it. */
const mayBeOutline = startingWith("s \t\v\f");
const mayBeFence = startingWith("\"`' \t\v\f");
const MEANT = /\bthe following(?: [a-z]{2,20})?\b/i;

/**
 * The lines of a text, of which a scenario's outline with one example has its texts in place, and a text between
 * fences stands in the line that speaks of it. Lines that are used up are empty.
 */
export const unfolded = (lines: readonly string[]): readonly string[] =>
  withTexts(withExample(lines));

/** `<name>` by what the only example says; the same lines where there is none, or more than one. */
const withExample = (lines: readonly string[]): readonly string[] => {
  const outline = lines.findIndex((line) => mayBeOutline(line) && OUTLINE.test(line));
  if (outline < 0 || lines.filter((line) => OUTLINE.test(line)).length > 1) return lines;
  const at = lines.findIndex((line) => EXAMPLES.test(line));
  // Without examples, and with nothing that stands for one, it is a scenario like all others.
  if (at < 0 && !lines.some((line) => /<[\w ]+>/.test(line))) {
    return lines.map((line, index) => (index === outline ? line.replace(OUTLINE, "$1$2") : line));
  }
  if (at < outline) return lines;
  const below = lines.slice(at + 1);
  const rows = below.filter((line) => line.trim() !== "");
  const [names, values] = rows.map((line) =>
    line.trim().startsWith("|") ? cellsOf(line.trim()) : null,
  );
  if (rows.length !== 2 || !names || !values || names.length !== values.length) return lines;
  const told = lines.slice(0, at).map((line, index) => {
    const said = index === outline ? line.replace(OUTLINE, "$1$2") : line;
    return names.reduce(
      (text, name, column) => text.replaceAll(`<${name}>`, values[column] ?? ""),
      said,
    );
  });
  // What no example says is no text.
  if (told.slice(outline + 1).some((line) => /<[\w ]+>/.test(line))) return lines;
  return [...told, ...lines.slice(at).map(() => "")];
};

/** `I fill in "Message" with:`, `I should see:`: what stands between the fences is the text. */
const ENDED =
  /\b(?:with|see|contains?|reads?|says?|equals?|be|value|text|message|displays?|shows?)(?: the text)? ?:$/i;
/** `I type into "Message":` */
const INTO = /\b(enters?|types?|writes?|pastes?|inputs?) (?=(?:in|into) )/i;

/** `I enter the following text into "Body":` and one line between fences. */
const withTexts = (lines: readonly string[]): readonly string[] => {
  if (!lines.some((line) => mayBeFence(line) && FENCE.test(line))) return lines;
  const all = [...lines];
  for (let at = 1; at + 2 < all.length; at++) {
    const [intro = "", text = ""] = [all[at - 1], all[at + 1]];
    const isBlock = FENCE.test(all[at] ?? "") && FENCE.test(all[at + 2] ?? "");
    const said = intro.trimEnd();
    if (!isBlock || !said.endsWith(":") || text.includes('"') || text.trim() === "") continue;
    if (MEANT.test(said)) {
      all[at - 1] = said.slice(0, -1).replace(MEANT, () => `"${text.trim()}"`);
    } else if (ENDED.test(said)) {
      all[at - 1] = `${said.slice(0, -1).trimEnd()} "${text.trim()}"`;
    } else if (INTO.test(said)) {
      all[at - 1] = said.slice(0, -1).replace(INTO, (_, verb) => `${verb} "${text.trim()}" `);
    } else continue;
    for (const used of [at, at + 1, at + 2]) all[used] = "";
  }
  return all;
};
