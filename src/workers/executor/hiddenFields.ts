import type { Locator, Page } from "playwright";
import { markField, readFields } from "./inPage.ts";
import type { Secrets } from "./secrets.ts";

/** Elements that take texts, however the page draws them. */
const FIELDS =
  "input:not([type=hidden]), textarea, select, [contenteditable], [role=textbox], [role=searchbox], [role=combobox], [role=spinbutton]";
/** A page that changes while its picture is taken is tried so often. */
const TRIES = 4;
/** The colour of what is painted over (steps.md, "Facts from the field"). */
const PAINT = "#FF00FF";

/** The fields into which a test has put secrets: no picture shows what is in them. */
export type HiddenFields = {
  /** Whether pictures must be taken with fields painted over. */
  isNeeded(): boolean;
  /** Remembers a field before a secret is put into it. */
  hide(field: Locator, timeoutMs: number): Promise<void>;
  /**
   * Takes a picture in which they are painted over, and those that show a secret besides.
   * Rejects when the page does not hold still for it: then there is no picture.
   */
  paintOver(page: Page, take: (how: Painting) => Promise<Buffer>): Promise<Buffer>;
};

/** Options of Playwright's screenshots. */
type Painting = { readonly mask?: Locator[]; readonly maskColor?: string };

/** The fields of one test. `isWanted` false: the organisation keeps pictures as they are. */
export const createHiddenFields = (secrets: Secrets, isWanted: boolean): HiddenFields => {
  /** The fields to paint, and a text that is the same as long as they are. */
  const fieldsOf = async (page: Page): Promise<{ mask: Locator[]; are: string }> => {
    const mask: Locator[] = [];
    const are: string[] = [];
    for (const [at, frame] of page.frames().entries()) {
      const fields = frame.locator(FIELDS);
      // The values come out of the page: the secrets do not go in, where its scripts could see them.
      const found = await fields.evaluateAll(readFields);
      for (const [index, { marked, text }] of found.entries()) {
        if (!marked && !secrets.isIn(text)) continue;
        mask.push(fields.nth(index));
        are.push(`${at}:${index}/${found.length}`);
      }
    }
    return { mask, are: are.join() };
  };

  const isNeeded = (): boolean => isWanted && secrets.isAnyKnown();

  return {
    isNeeded,
    hide: async (field, timeoutMs) => {
      if (isWanted) await field.evaluate(markField, undefined, { timeout: timeoutMs });
    },
    paintOver: async (page, take) => {
      if (!isNeeded()) return take({});
      for (let turn = 0; turn < TRIES; turn += 1) {
        const { mask, are } = await fieldsOf(page);
        const bytes = await take({ mask, maskColor: PAINT });
        // Fields that appeared while the picture was taken are not painted over.
        if ((await fieldsOf(page)).are === are) return bytes;
      }
      throw new Error("The page does not hold still: its picture might show a secret.");
    },
  };
};
