/**
 * What a word tells of the text that it stands in: whether there may be anything to be done that most texts need
 * not be looked at for. Bits, so that one look at each word answers all of it.
 */
export const CUE = {
  /** A slip of the pen. */
  typo: 1,
  /** What a comment begins with. */
  comment: 2,
  /** A mark: a full stop, a comma, a colon. */
  mark: 4,
  /** What may divide a sentence. */
  joint: 8,
  /** A word of every form that has more than one clause. */
  whole: 16,
  optional: 32,
  /** What may say how often. */
  repeat: 64,
  /** What a clause is tried without, or in other words. */
  variant: 128,
  purpose: 256,
  /** What a sentence is said in another order for. */
  rewrite: 512,
  /** What may name again what was mentioned before. */
  mention: 1024,
} as const;

/** The cues of a text that has not been looked at: anything may be in it. */
export const ANY_CUE = -1;
