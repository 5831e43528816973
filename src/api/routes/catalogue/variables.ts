import { z } from "zod";
import { MAX_FIELD_BYTES } from "../../../domain/catalogue/step.ts";
import { variableName } from "../../../domain/catalogue/testData.ts";

const MAX_VARIABLES = 200;

const value = z
  .string()
  .refine((text) => Buffer.byteLength(text) <= MAX_FIELD_BYTES, "is longer than 8 KiB");

/** Variables by name, of at most `maxKib` KiB in total. */
export const variablesInput = (maxKib: number) =>
  z
    .record(variableName, value)
    .refine((all) => Object.keys(all).length <= MAX_VARIABLES, `at most ${MAX_VARIABLES}`)
    .refine(
      (all) => Buffer.byteLength(JSON.stringify(all)) <= maxKib * 1024,
      `must not exceed ${maxKib} KiB in total`,
    );

/** The start address of tests. */
export const httpAddress = z
  .string()
  .max(2_048)
  .refine(
    (text) => /^https?:\/\//i.test(text) && URL.canParse(text),
    "must be an http:// or https:// address",
  )
  // The log stores the address and must not contain secrets.
  .refine(
    (text) => !URL.canParse(text) || isAnonymous(new URL(text)),
    "must not contain a user name or password, because the run's history stores it",
  );

const isAnonymous = ({ username, password }: URL): boolean => username === "" && password === "";
