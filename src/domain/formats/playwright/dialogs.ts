import type { Outcome } from "./outcome.ts";

/** Properties of syntax nodes that do not affect their meaning. */
const POSITIONS: ReadonlySet<string> = new Set([
  "loc",
  "start",
  "end",
  "comments",
  "leadingComments",
  "trailingComments",
  "innerComments",
  "extra",
]);

/** Reads the answer from a handler such as `dialog => dialog.accept("text")`. Null if there is none. */
export const dialogAnswerOf = (handler: unknown): Outcome | null => {
  const text = JSON.stringify(handler ?? null, (key, value) =>
    POSITIONS.has(key) ? undefined : value,
  );
  const isAccepted = text.includes('"name":"accept"');
  if (!isAccepted && !text.includes('"name":"dismiss"')) return null;
  const step = isAccepted
    ? { action: "accept_dialog", value: acceptedWith(text) ?? "" }
    : { action: "dismiss_dialog" };
  return { steps: [step], note: null };
};

/** The argument of `accept`, from syntax nodes as JSON. */
const acceptedWith = (json: string): string | null => {
  const match =
    /"name":"accept"\}[^[]*"arguments":\[\{"type":"StringLiteral","value":("(?:[^"\\]|\\.)*")/.exec(
      json,
    );
  return match ? (JSON.parse(match[1] ?? '""') as string) : null;
};
