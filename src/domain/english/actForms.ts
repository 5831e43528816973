import { chooseForms } from "./chooseForms.ts";
import { chooseWays } from "./chooseWays.ts";
import { dialogForms, wholeDialogForms } from "./dialogForms.ts";
import type { Form } from "./formTables.ts";
import { furtherDeeds, wholeFurtherDeeds } from "./furtherDeeds.ts";
import { goForms, wholeGoForms } from "./goForms.ts";
import { goWays } from "./goWays.ts";
import { historyForms } from "./historyForms.ts";
import { keyForms } from "./keyForms.ts";
import { keyWays } from "./keyWays.ts";
import { pictureForms, wholePictureForms } from "./pictureForms.ts";
import { pointForms, wholePointForms } from "./pointForms.ts";
import { pointWays } from "./pointWays.ts";
import { recordWays } from "./recordWays.ts";
import { screenForms } from "./screenForms.ts";
import { storeForms, wholeStoreForms } from "./storeForms.ts";
import { tabForms } from "./tabForms.ts";
import { tickForms } from "./tickForms.ts";
import { typeForms } from "./typeForms.ts";
import { typeWays } from "./typeWays.ts";

/** What a person does, in the order in which the forms are tried. */
export const actForms: readonly Form[] = [
  ...historyForms,
  ...dialogForms,
  ...tabForms,
  ...screenForms,
  ...storeForms,
  ...pictureForms,
  ...goForms,
  ...pointForms,
  ...tickForms,
  ...keyForms,
  ...chooseForms,
  ...typeForms,
  ...pointWays,
  ...keyWays,
  ...chooseWays,
  ...typeWays,
  ...goWays,
  ...recordWays,
  ...furtherDeeds,
];

/** Sentences in which an `and` does not divide. */
export const wholeForms: readonly Form[] = [
  ...wholeGoForms,
  ...wholeDialogForms,
  ...wholePointForms,
  ...wholePictureForms,
  ...wholeStoreForms,
  ...wholeFurtherDeeds,
];
