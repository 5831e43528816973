import { DomainError } from "./errors.ts";

/** Throws DomainError `code` unless a change may be based on the version. `subject` begins the message: "The test". */
export const mustBeCurrent = (
  code: `${string}.stale`,
  subject: string,
  version: number,
  /** The versions that the change may be based on. Null skips the check. */
  expected: readonly number[] | null,
): void => {
  if (expected === null || expected.includes(version)) return;
  throw new DomainError(
    code,
    `${subject} has changed and is now at version ${version}. Read it again and repeat the change.`,
  );
};
