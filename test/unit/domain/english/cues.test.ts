import { describe, expect, it } from "vitest";
import { clausesOf, sentencesOf, withoutComment } from "../../../../src/domain/english/clauses.ts";
import { ANY_CUE, CUE } from "../../../../src/domain/english/cueBits.ts";
import { cuesOf } from "../../../../src/domain/english/cues.ts";
import { withoutPurpose } from "../../../../src/domain/english/purposes.ts";
import { rewritten } from "../../../../src/domain/english/rewrite.ts";
import { mended } from "../../../../src/domain/english/typos.ts";
import {
  expanded,
  inPresent,
  repeatsOf,
  withoutTail,
  withSigns,
} from "../../../../src/domain/english/wordings.ts";
import { tokenize } from "../../../../src/domain/english/words.ts";
import { readCorpus, seenParts } from "../../../corpus/english/corpus.ts";

const lines = seenParts.flatMap((part) =>
  readCorpus(part).flatMap(({ text }) => text.split("\n").filter((line) => line.trim() !== "")),
);

describe("the cues of a text", () => {
  it("given what people write, when a cue is not there, then there is nothing to be found by it", () => {
    const missed: string[] = [];
    for (const line of lines) {
      const { tokens } = tokenize(line);
      const cues = cuesOf(tokens);
      const holds = (cue: number, isNothing: () => boolean): void => {
        if ((cues & cue) === 0 && !isNothing()) missed.push(line);
      };
      holds(CUE.typo, () => mended(tokens, line) === null);
      holds(CUE.comment, () => withoutComment(tokens).tokens === tokens);
      holds(CUE.mark, () => {
        const [one, ...more] = sentencesOf(tokens);
        return one?.doubt === null && one.tokens.length === tokens.length && more.length === 0;
      });
      holds(CUE.joint, () => clausesOf(tokens).length === 1);
      holds(CUE.repeat, () => repeatsOf(tokens, Number) === null);
      holds(CUE.purpose, () => withoutPurpose(tokens) === tokens);
      holds(CUE.variant, () => {
        const isAsItIs = expanded(withSigns(withoutTail(tokens))) === tokens;
        return isAsItIs && inPresent(tokens) === null;
      });
      holds(CUE.rewrite, () => {
        const [one, other] = [rewritten(tokens, line, cues), rewritten(tokens, line, ANY_CUE)];
        return JSON.stringify(one) === JSON.stringify(other);
      });
    }
    expect(missed).toEqual([]);
  });

  it("given how often and whose, when a word says it by its shape, then there is a cue", () => {
    const cuesIn = (text: string): number => cuesOf(tokenize(text).tokens);
    expect(cuesIn("press Tab x3") & CUE.repeat).toBe(CUE.repeat);
    expect(cuesIn("press Tab 12x") & CUE.repeat).toBe(CUE.repeat);
    expect(cuesIn("click Ann's row") & CUE.rewrite).toBe(CUE.rewrite);
    expect(cuesIn("click the box")).toBe(0);
  });
});
