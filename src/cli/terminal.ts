import type { ParseWarning } from "../domain/english/index.ts";

/** The output of a command: text for people, or with `--json` one JSON object per line. */
export type Terminal = {
  /** Writes a line of text; does nothing in JSON mode. */
  say(line?: string): void;
  /** Writes a JSON line; does nothing outside of JSON mode. */
  record(record: Readonly<Record<string, unknown>>): void;
  /** Writes a line that the next one replaces. Only on a TTY. */
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

/** Creates a terminal. Colours and progress need a TTY and neither CI, NO_COLOR nor JSON mode. */
export const createTerminal = ({ json, output, environment }: TerminalOptions): Terminal => {
  const isInteractive = output.isTTY === true && !json && !environment.CI;
  const hasColour = isInteractive && !environment.NO_COLOR;
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
      if (!isInteractive || environment.NO_COLOR) return;
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

/** Truncates a text to a width, with an ellipsis. */
export const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;

/** Formats milliseconds as `34 ms` or `1.24 s`. */
export const duration = (milliseconds: number): string =>
  milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(2)} s`;

/** Writes a line that the grammar does not understand, with its suggestions. */
export const sayWarning = (terminal: Terminal, file: string, warning: ParseWarning): void => {
  const { paint } = terminal;
  terminal.say(`  ${paint.yellow(`${file}:${warning.line}`)}: ${warning.text}`);
  terminal.say(`    ${warning.message}`);
  for (const suggestion of warning.suggestions) {
    terminal.say(`    ${paint.dim("did you mean:")} ${suggestion}`);
  }
};
