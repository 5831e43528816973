import { SUBJECTS, word } from "./phrases.ts";
import type { Context } from "./search.ts";
import type { Token } from "./words.ts";

/** `When I click "Save" I should see "Saved"`: what is done, and what is then seen, without a comma; null for others. */
export const whenSeen = (
  tokens: readonly Token[],
  source: string,
  { mood }: Context,
): readonly string[] | null => {
  const start = /^(?:when|after|once)$/.test(word(tokens[0])) ? 1 : mood === "when" ? 0 : -1;
  if (start < 0 || !SUBJECTS.has(word(tokens[start]))) return null;
  const seen = tokens.findIndex(
    (token, at) =>
      at > start + 2 &&
      SUBJECTS.has(word(token)) &&
      /^(?:should|see|sees|am|are|is|get)$/.test(word(tokens[at + 1])),
  );
  const before = tokens.slice(start, Math.max(seen, 0));
  if (seen < 0 || before.some((token) => /^(?:and|or|if|not|see|sees)$/.test(word(token))))
    return null;
  const say = (part: readonly Token[]) => source.slice(part[0]?.start, part.at(-1)?.end);
  return [say(before), say(tokens.slice(seen))];
};

/** `Verify that when "Other" is chosen, the "Details" field is shown`: how many words only say that claims follow. */
export const testedLead = (tokens: readonly Token[]): number => {
  if (!/^(?:verify|check|ensure|confirm|assert|validate|test)$/.test(word(tokens[0]))) return 0;
  const lead = word(tokens[1]) === "that" ? 2 : 1;
  return /^(?:when|upon|after|once|on)$/.test(word(tokens[lead])) ? lead : 0;
};
