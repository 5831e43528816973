import { describe, expect, it } from "vitest";
import { parseEnglish } from "../../../../src/domain/english/index.ts";
import { adviceFor, adviceRows } from "../../../../src/domain/english/suggest/advice.ts";

describe("advice on sentences that no step expresses", () => {
  it.each(adviceRows)(
    "$example is answered with sentences that are read",
    ({ example, message }) => {
      const { steps, warnings } = parseEnglish(`2. ${example}`);
      expect([steps, warnings.length, warnings[0]?.message]).toEqual([[], 1, message]);
      for (const suggestion of warnings[0]?.suggestions ?? []) {
        expect(parseEnglish(suggestion)).toMatchObject({ warnings: [] });
        expect(adviceFor(suggestion)).toBeNull();
      }
    },
  );

  it.each(['Click "at position 100,200"', 'Drag "Card" to "Done"', 'Set Notes to "a, b"'])(
    "%s needs none",
    (sentence) => {
      expect(adviceFor(sentence)).toBeNull();
    },
  );
});
