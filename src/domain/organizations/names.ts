import { z } from "zod";

/**
 * Control characters (CR and LF among them), line and paragraph separators, and the marks that turn the
 * direction of text: a name that holds one could forge a header, a log line or another name.
 */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** A display name in NFC: 1 to 100 printable characters. */
export const displayName = z
  .string()
  .trim()
  .normalize("NFC")
  .min(1, "must not be empty")
  .max(100, "must be at most 100 characters")
  .refine((name) => !UNPRINTABLE.test(name), "must not hold line breaks or control characters");

/** The name of an API key: a display name without `:`, since `triggered_by` is written `api:<key name>`. */
export const apiKeyName = displayName.refine(
  (name) => !name.includes(":"),
  "must not hold a colon (:)",
);

/** The default name of an organisation. */
export const DEFAULT_ORGANIZATION_NAME = "My organization";
