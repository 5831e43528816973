import { describe, expect, it } from "vitest";
import {
  heldOutParts,
  judge,
  type Part,
  readCorpus,
  seenParts,
  type Verdict,
} from "../../../corpus/english/corpus.ts";

const isSeen = (part: Part): boolean => (seenParts as readonly Part[]).includes(part);

const results = (part: Part): { readonly text: string; readonly verdict: Verdict }[] =>
  readCorpus(part).map((example) => ({ text: example.text, verdict: judge(example) }));

/**
 * The shares that the grammar has reached. Nothing comes silently to something else.
 * What is held out was written by people who had not seen the grammar, and is read by nobody who writes it.
 */
const LIMITS = {
  seen: { right: 0.94, silentlyWrong: 0 },
  strangersSeen: { right: 0.72, silentlyWrong: 0 },
  writersSeen: { right: 0.92, silentlyWrong: 0 },
  freshSeen: { right: 0.84, silentlyWrong: 0 },
  // The hardest of all: whole reports, remarks and half sentences, of which a part is asked about.
  guestsSeen: { right: 0.36, silentlyWrong: 0 },
  // Reworded from public documentation: manuals, test cases, scenarios, bug reports, codeless tools.
  documentedSeen: { right: 0.96, silentlyWrong: 0 },
  heldOut: { right: 0.99, silentlyWrong: 0 },
  // Thirty-four that were silently wrong were read and are in documentedSeen now.
  documented: { right: 0.94, silentlyWrong: 0 },
} as const;

describe.each([...seenParts, ...heldOutParts])("what people write (%s)", (part) => {
  it("given the corpus, when it is parsed, then no less is right than has been reached", ({
    annotate,
  }) => {
    const judged = results(part);
    const count = (verdict: Verdict) => judged.filter((one) => one.verdict === verdict).length;
    const line = `${part}: ${judged.length} entries, ${count("right")} right, ${count("warned")} warned, ${count("silently wrong")} silently wrong`;
    process.stdout.write(`${line}\n`);
    void annotate(line);
    const wrong = judged.filter(({ verdict }) => verdict === "silently wrong");
    // Of the part that is held out nothing is shown but counts: whoever reads it can no longer measure by it.
    if (isSeen(part) && LIMITS[part].silentlyWrong === 0)
      expect(wrong.map(({ text }) => text)).toEqual([]);
    expect(wrong.length, line).toBeLessThanOrEqual(LIMITS[part].silentlyWrong);
    expect(count("right") / judged.length, line).toBeGreaterThanOrEqual(LIMITS[part].right);
  });
});

describe("what people write, all of it", () => {
  it.each([
    ["what is seen", seenParts, 0.83],
    ["what is held out", heldOutParts, 0.95],
  ] as const)("given %s, when it is parsed, then so much of it is right", (what, parts, least) => {
    const judged = parts.flatMap(results);
    const count = (verdict: Verdict) => judged.filter((one) => one.verdict === verdict).length;
    const share = count("right") / judged.length;
    const line = `${what}: ${judged.length} entries, ${count("right")} right (${(share * 100).toFixed(1)} %), ${count("warned")} warned, ${count("silently wrong")} silently wrong`;
    process.stdout.write(`${line}\n`);
    expect(count("silently wrong"), line).toBe(0);
    expect(share, line).toBeGreaterThanOrEqual(least);
  });
});
