import { type Reservations, verdictText } from "../../domain/runs/reservations.ts";
import type { Terminal } from "../terminal.ts";

/** The verdict as the first word of a line, in the colour of its kind. */
export const paintVerdict = (verdict: string, { paint }: Pick<Terminal, "paint">): string => {
  const text = verdictText(verdict);
  const said = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  const colour =
    verdict === "passed"
      ? paint.green
      : verdict === "healed" || verdict === "passed_with_gaps"
        ? paint.yellow
        : paint.red;
  return paint.bold(colour(said));
};

/** The gaps and healed steps of a test. A service of an older release reports none. */
export const reservationsOf = ({ gaps, healed }: Partial<Reservations>): Reservations => ({
  gaps: gaps ?? [],
  healed: healed ?? [],
});
