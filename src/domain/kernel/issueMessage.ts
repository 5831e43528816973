import type { z } from "zod";

/** The message of a schema issue for the author of the value. */
export const issueMessage = (issue: z.core.$ZodIssue): string => {
  if (issue.code === "invalid_type" && /received undefined$/.test(issue.message))
    return "is required";
  return issue.message.replace(/^Invalid input: /, "");
};
