/** Frequent misspellings that are words of no name, and short forms: each is read as the word beside it. */
const listed =
  "teh=the hte=the feild=field filed=field buttom=button bottun=button botton=button veryfy=verify enetr=enter dropdwon=dropdown disaplyed=displayed visable=visible recieve=receive adn=and nad=and pres=press opne=open ont=on tehn=then thne=then entre=enter shwon=shown w/=with btn=button btns=buttons pls=please verifiy=verify";

/** Words that are so frequent in tests that a word like them is hardly another one. */
const FREQUENT =
  "click type wait verify check select enter navigate visit press choose button field dropdown checkbox should visible displayed password confirm ensure appears scroll upload";

/** Words that are one slip away from a frequent one, and words themselves. */
const WORDS = new Set(
  "lick chick cheek sect elect enters visits chose chooses buttons fields confirms ensures appear scrolls uploads password passwords".split(
    " ",
  ),
);

/** A letter left out, two letters turned round, or one typed twice; the first letter is right. */
const slipsOf = (word: string): readonly string[] => {
  const slips: string[] = [];
  for (let at = 1; at < word.length; at++) {
    slips.push(word.slice(0, at) + word.slice(at + 1));
    slips.push(word.slice(0, at) + word.charAt(at) + word.slice(at));
    if (at + 1 < word.length) {
      slips.push(word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2));
    }
  }
  return slips.filter((slip) => slip !== word && slip.length > 3 && !WORDS.has(slip));
};

export const misspellings: ReadonlyMap<string, string> = new Map([
  ...FREQUENT.split(" ").flatMap((word) => slipsOf(word).map((slip) => [slip, word] as const)),
  ...listed.split(" ").map((pair) => pair.split("=") as [string, string]),
]);
