import { z } from "zod";

/** Maximum length of a path, in UTF-16 code units. */
const MAX_PATH = 500;

/**
 * The path of a test file in its repository, such as `tests/shopping.yaml`. Together with the project it identifies the
 * test: a project has one test per path, ignoring case, because some file systems do.
 */
export const sourcePath = z
  .string()
  .min(1, "must not be empty")
  .max(MAX_PATH, `must be at most ${MAX_PATH} characters`)
  .refine((path) => !path.includes("\\"), "must separate folders with /")
  .refine(
    (path) => path.split("/").every((part) => part !== "" && part !== "." && part !== ".."),
    "must be relative to the root of the repository, without .. and empty parts",
  )
  .refine(
    (path) => !/[\p{Cc}\p{Surrogate}]|^[A-Za-z]:/u.test(path),
    "must not contain control characters or a drive",
  )
  .transform((path) => path.normalize("NFC"));

/** The form of a path in which equal paths are equal texts. */
export const comparablePath = (path: string): string => path.normalize("NFC").toLowerCase();
