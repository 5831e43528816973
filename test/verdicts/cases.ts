/** What the step of a case looks at or does. */
export type Looks =
  | "text"
  | "absent"
  | "thing"
  | "enabled"
  | "disabled"
  | "checked"
  | "unchecked"
  | "value"
  | "content"
  | "count"
  | "cell"
  | "click"
  | "fill"
  | "select"
  | "check";

/** A sentence that is true of a page, or can be done there, and the element that decides it. */
export type Case = {
  readonly page: string;
  readonly looks: Looks;
  readonly sentence: string;
  /** A selector of the element that decides the verdict. */
  readonly at: string;
  /** What the sentence calls the element, or the text that it claims. */
  readonly text: string;
  /** The role that the sentence names. */
  readonly role?: string;
  /** A selector of the place that the sentence names. */
  readonly scope?: string;
};

type Pair = readonly [text: string, at: string];

/** Claims of visible texts. */
export const texts = (page: string, pairs: readonly Pair[]): Case[] =>
  pairs.map(([text, at]) => ({
    ...{ page, looks: "text", at, text },
    sentence: `I should see "${text}"`,
  }));

/** Claims of elements of a kind. */
export const things = (page: string, kind: string, role: string, pairs: readonly Pair[]): Case[] =>
  pairs.map(([text, at]) => ({
    ...{ page, looks: "thing", at, text, role },
    sentence: `I should see the "${text}" ${kind}`,
  }));

export const enabled = (page: string, kind: string, role: string, pairs: readonly Pair[]): Case[] =>
  pairs.map(([text, at]) => ({
    ...{ page, looks: "enabled", at, text, role },
    sentence: `The "${text}" ${kind} should be enabled`,
  }));

export const clicks = (page: string, kind: string, role: string, pairs: readonly Pair[]): Case[] =>
  pairs.map(([text, at]) => ({
    ...{ page, looks: "click", at, text, role },
    sentence: `Click the "${text}" ${kind}`,
  }));

export const fills = (page: string, pairs: readonly Pair[]): Case[] =>
  pairs.map(([text, at]) => ({
    ...{ page, looks: "fill", at, text, role: "textbox" },
    sentence: `Type "Ann 42" into the "${text}" field`,
  }));

/** Claims that a text is not there. */
export const absent = (page: string, at: string, names: readonly string[]): Case[] =>
  names.map((text) => ({
    ...{ page, looks: "absent", at, text },
    sentence: `I should not see "${text}"`,
  }));

/** Claims and clicks within a named place. */
export const scoped = (
  page: string,
  place: string,
  scope: string,
  pairs: readonly (readonly [looks: "text" | "click" | "thing", text: string, at: string])[],
): Case[] =>
  pairs.map(([looks, text, at]) => ({
    ...{ page, looks, at, text, scope },
    ...(looks !== "text" && { role: "button" }),
    sentence:
      looks === "click"
        ? `Click the "${text}" button in ${place}`
        : `I should see ${looks === "thing" ? `the "${text}" button` : `"${text}"`} in ${place}`,
  }));

export const cells = (
  page: string,
  all: readonly (readonly [row: string, column: string, text: string, at: string])[],
): Case[] =>
  all.map(([row, column, text, at]) => ({
    ...{ page, looks: "cell", at, text },
    sentence: `The "${column}" cell in the "${row}" row should be "${text}"`,
  }));
