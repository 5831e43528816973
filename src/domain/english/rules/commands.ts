import { choices } from "./choices.ts";
import { clicks } from "./clicks.ts";
import { fields } from "./fields.ts";
import { keys } from "./keys.ts";
import { pages } from "./pages.ts";
import { pictures } from "./pictures.ts";
import { variables } from "./variables.ts";
import { waits } from "./waits.ts";
import { windows } from "./windows.ts";

/** What a test does. */
export const commands = [
  ...pages,
  ...clicks,
  ...fields,
  ...choices,
  ...keys,
  ...windows,
  ...pictures,
  ...variables,
  ...waits,
];
