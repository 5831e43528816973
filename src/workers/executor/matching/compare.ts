import type { Match } from "../../../domain/catalogue/target.ts";
import { inPage } from "../inPage.ts";
import { TEXTS } from "./texts.ts";

/** A text of the page, and the language that it is in. */
export type PageText = { readonly text: string; readonly lang: string };

type Texts = {
  /** The range of a text in another; null if it is not in it. */
  rangeIn(text: string, wanted: string, match: Match, lang: string): readonly number[] | null;
  norm(text: string): string;
};

/** The comparison of the page, for texts that a step has read from it. */
const texts = inPage<Texts>(`(() => {${TEXTS} return { rangeIn, norm }; })()`);

/** Whether a text of the page has another one in it, as a claim compares them (docs/matching.md, "Text"). */
export const hasText = ({ text, lang }: PageText, wanted: string, match: Match): boolean =>
  texts.norm(wanted) === ""
    ? texts.norm(text) === "" || match !== "exactly"
    : texts.rangeIn(text, wanted, match, lang) !== null;

/** A text as a person reads it: nothing that has no width, white space folded. */
export const asRead = (text: string): string => texts.norm(text);
