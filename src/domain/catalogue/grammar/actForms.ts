import { chooseForms } from "./chooseForms.ts";
import { dialogForms, wholeDialogForms } from "./dialogForms.ts";
import type { Form } from "./formTables.ts";
import { goForms, wholeGoForms } from "./goForms.ts";
import { historyForms } from "./historyForms.ts";
import { keyForms } from "./keyForms.ts";
import { pictureForms, wholePictureForms } from "./pictureForms.ts";
import { pointForms, wholePointForms } from "./pointForms.ts";
import { screenForms } from "./screenForms.ts";
import { storeForms, wholeStoreForms } from "./storeForms.ts";
import { tabForms } from "./tabForms.ts";
import { tickForms } from "./tickForms.ts";
import { typeForms } from "./typeForms.ts";

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
];

/** Sentences in which an `and` does not divide. */
export const wholeForms: readonly Form[] = [
  ...wholeGoForms,
  ...wholeDialogForms,
  ...wholePointForms,
  ...wholePictureForms,
  ...wholeStoreForms,
];
