/** One thing that was looked at. */
export type Finding = {
  /** What it is about, in a word or two: always the same. */
  readonly name: string;
  /** `note`: it works, and somebody may want to know. `bad`: it does not, or will not for long. */
  readonly outcome: "ok" | "note" | "bad";
  /** What was found. Holds no secret. */
  readonly found: string;
  /** What to do about it. */
  readonly advice?: string;
};

export const ok = (name: string, found: string): Finding => ({ name, outcome: "ok", found });

export const note = (name: string, found: string, advice?: string): Finding => ({
  name,
  outcome: "note",
  found,
  ...(advice !== undefined && { advice }),
});

export const bad = (name: string, found: string, advice: string): Finding => ({
  name,
  outcome: "bad",
  found,
  advice,
});

/** Why something could not be looked at, in its own words. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message.replace(/\.$/, "") : String(error);
