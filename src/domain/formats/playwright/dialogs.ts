import type { Outcome } from "./actions.ts";

/** What is no part of what a program says, but of where it says it. */
const BESIDE: ReadonlySet<string> = new Set([
  "loc",
  "start",
  "end",
  "comments",
  "leadingComments",
  "trailingComments",
  "innerComments",
  "extra",
]);

/** Reads `dialog => dialog.accept("text")`: how a dialog is answered; null where it is not told. */
export const dialogAnswerOf = (handler: unknown): Outcome | null => {
  const text = JSON.stringify(handler ?? null, (key, value) =>
    BESIDE.has(key) ? undefined : value,
  );
  const isAccepted = text.includes('"name":"accept"');
  if (!isAccepted && !text.includes('"name":"dismiss"')) return null;
  const step = isAccepted
    ? { action: "accept_dialog", value: acceptedWith(text) ?? "" }
    : { action: "dismiss_dialog" };
  return { steps: [step], note: null };
};

/** The text that a dialog is accepted with, of the program's nodes as JSON. */
const acceptedWith = (json: string): string | null => {
  const match =
    /"name":"accept"\}[^[]*"arguments":\[\{"type":"StringLiteral","value":("(?:[^"\\]|\\.)*")/.exec(
      json,
    );
  return match ? (JSON.parse(match[1] ?? '""') as string) : null;
};
