import { describe, expect, it } from "vitest";
import { judge, type Part, readCorpus, type Verdict } from "../../../../corpus/english/corpus.ts";

const results = (part: Part): { readonly text: string; readonly verdict: Verdict }[] =>
  readCorpus(part).map((example) => ({ text: example.text, verdict: judge(example) }));

describe.each(["seen", "heldOut"] as const)("what people write (%s)", (part) => {
  it("given the corpus, when it is parsed, then nothing is silently wrong", ({ annotate }) => {
    const judged = results(part);
    const count = (verdict: Verdict) => judged.filter((one) => one.verdict === verdict).length;
    const line = `${part}: ${judged.length} entries, ${count("right")} right, ${count("warned")} warned, ${count("silently wrong")} silently wrong`;
    process.stdout.write(`${line}\n`);
    void annotate(line);
    const wrong = judged.filter(({ verdict }) => verdict === "silently wrong");
    expect(wrong.map(({ text }) => text)).toEqual([]);
  });
});
