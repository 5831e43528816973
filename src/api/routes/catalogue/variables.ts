import { z } from "zod";
import { MAX_FIELD_BYTES } from "../../../domain/catalogue/step.ts";
import { variableName } from "../../../domain/catalogue/testData.ts";

const MAX_VARIABLES = 200;

const value = z
  .string()
  .refine((text) => Buffer.byteLength(text) <= MAX_FIELD_BYTES, "is longer than 8 KiB");

/** Variables by name, all of which take so many KiB at most. */
export const variablesInput = (maxKib: number) =>
  z
    .record(variableName, value)
    .refine((all) => Object.keys(all).length <= MAX_VARIABLES, `at most ${MAX_VARIABLES}`)
    .refine(
      (all) => Buffer.byteLength(JSON.stringify(all)) <= maxKib * 1024,
      `take ${maxKib} KiB together at most`,
    );

/** The address at which tests begin. */
export const httpAddress = z
  .string()
  .max(2_048)
  .refine(
    (text) => /^https?:\/\//i.test(text) && URL.canParse(text),
    "must be an address that begins with http:// or https://",
  )
  // It is written into the log, where no secret may stand.
  .refine(
    (text) => !URL.canParse(text) || isAnonymous(new URL(text)),
    "must not hold a user name or password: it is kept in the run's history",
  );

const isAnonymous = ({ username, password }: URL): boolean => username === "" && password === "";
