import { notUnderstood } from "../../domain/catalogue/notUnderstood.ts";
import type { ParseWarning } from "../../domain/english/index.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";

/** A sentence of a file that was not understood. */
export type FileWarning = ParseWarning & { readonly file: string; readonly sentence: string };

/** A test file that cannot be read. The message names every problem with its place. */
export class FileError extends CommandError {
  readonly path: string;
  readonly warnings: readonly FileWarning[];

  constructor(path: string, message: string, warnings: readonly FileWarning[] = []) {
    super(message, exitCodes.usage);
    this.name = "FileError";
    this.path = path;
    this.warnings = warnings;
  }
}

/** Describes the sentences of a file that were not understood. `firstLine` is the line at which its text begins. */
export const misunderstood = (
  path: string,
  warnings: readonly ParseWarning[],
  firstLine = 1,
): FileError => {
  const messages = warnings.map((warning) => notUnderstood(path, warning, firstLine));
  const placed = warnings.map(
    (warning): FileWarning => ({
      ...warning,
      line: warning.line + firstLine - 1,
      file: path,
      sentence: warning.text,
    }),
  );
  return new FileError(path, messages.join("\n"), placed);
};
