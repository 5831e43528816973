/** The result of one check. */
export type Finding = {
  /** The stable name of the check. */
  readonly name: string;
  /** `note`: works, with a caveat. `bad`: does not work, or will fail soon. */
  readonly outcome: "ok" | "note" | "bad";
  /** What was found, without secrets. */
  readonly found: string;
  /** How to fix it. */
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

/** The message of an error without its final full stop. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message.replace(/\.$/, "") : String(error);
