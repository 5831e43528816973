import type { ParseWarning } from "../domain/english/index.ts";

/** Where a command writes: lines for people, or one JSON object a line for machines. */
export type Terminal = {
  /** A line for a person; nothing in JSON mode. */
  say(line?: string): void;
  /** A record for a machine; nothing otherwise. */
  record(record: Readonly<Record<string, unknown>>): void;
  /** A line that the next one replaces, on a TTY alone: what is under way. */
  progress(line: string): void;
  readonly paint: Paint;
};

export type Paint = Readonly<
  Record<"green" | "red" | "yellow" | "dim" | "bold", (text: string) => string>
>;

type Output = { write(text: string): unknown; readonly isTTY?: boolean; readonly columns?: number };

export type TerminalOptions = {
  readonly json: boolean;
  readonly output: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
};

const ESCAPE = "\u001b";
const CLEAR_LINE = `\r${ESCAPE}[2K`;

/** A terminal: colours and progress only where a person watches (a TTY, neither CI nor NO_COLOR nor JSON). */
export const createTerminal = ({ json, output, environment }: TerminalOptions): Terminal => {
  const isWatched = output.isTTY === true && !json && !environment.CI;
  const hasColour = isWatched && !environment.NO_COLOR;
  let isProgressShown = false;
  const clear = () => {
    if (isProgressShown) output.write(CLEAR_LINE);
    isProgressShown = false;
  };
  const painted = (code: number) => (text: string) =>
    hasColour ? `${ESCAPE}[${code}m${text}${ESCAPE}[0m` : text;
  return {
    say: (line = "") => {
      if (json) return;
      clear();
      output.write(`${line}\n`);
    },
    record: (record) => {
      if (json) output.write(`${JSON.stringify(record)}\n`);
    },
    progress: (line) => {
      if (!isWatched || environment.NO_COLOR) return;
      clear();
      output.write(cut(line, (output.columns || 80) - 1));
      isProgressShown = true;
    },
    paint: {
      green: painted(32),
      red: painted(31),
      yellow: painted(33),
      dim: painted(2),
      bold: painted(1),
    },
  };
};

/** Cuts a text to a width, with an ellipsis. */
export const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;

/** `34 ms`, `1.24 s`. */
export const duration = (milliseconds: number): string =>
  milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(2)} s`;

/** A line that was not understood, with what would have been. */
export const sayWarning = (terminal: Terminal, warning: ParseWarning): void => {
  const { paint } = terminal;
  terminal.say(`  ${paint.yellow(`line ${warning.line}`)}: ${warning.text}`);
  terminal.say(`    ${warning.message}`);
  for (const suggestion of warning.suggestions) {
    terminal.say(`    ${paint.dim("perhaps:")} ${suggestion}`);
  }
};
