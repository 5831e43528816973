import { appearClaims } from "./appearClaims.ts";
import { attributeClaims } from "./attributeClaims.ts";
import { claimWays } from "./claimWays.ts";
import { countClaims } from "./countClaims.ts";
import type { Form } from "./formTables.ts";
import { furtherClaims } from "./furtherClaims.ts";
import { pageForms } from "./pageForms.ts";
import { pageWays } from "./pageWays.ts";
import { pictureClaims } from "./pictureForms.ts";
import { seenClaims } from "./seenClaims.ts";
import { stateClaims } from "./stateClaims.ts";
import { textClaims } from "./textClaims.ts";

/** What is claimed, in the order in which the forms are tried. */
export const claimForms: readonly Form[] = [
  ...pageForms,
  ...pictureClaims,
  ...countClaims,
  ...attributeClaims,
  ...stateClaims,
  ...seenClaims,
  ...appearClaims,
  ...textClaims,
  ...pageWays,
  ...claimWays,
  ...furtherClaims,
];
