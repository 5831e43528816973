import type { z } from "zod";

/** What is wrong with a value, for whoever wrote it: without the words that are the schema's own. */
export const issueMessage = (issue: z.core.$ZodIssue): string => {
  if (issue.code === "invalid_type" && /received undefined$/.test(issue.message))
    return "is required";
  return issue.message.replace(/^Invalid input: /, "");
};
