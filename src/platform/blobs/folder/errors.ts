/** Reasons for which a folder cannot be used, by error code. They complete "The store of screenshots …". */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "is gone: its folder is not there",
  ENOTDIR: "is gone: its folder is not a folder",
  EACCES: "may not be read or written",
  EPERM: "may not be read or written",
  EROFS: "is read-only",
  ENOSPC: "is full",
  EDQUOT: "is full",
  EIO: "cannot be read or written",
  ESTALE: "cannot be reached",
  ENODEV: "cannot be reached",
  ENXIO: "cannot be reached",
  EHOSTDOWN: "cannot be reached",
  ETIMEDOUT: "does not answer",
  EMFILE: "cannot be opened: too many files are open",
  ENFILE: "cannot be opened: too many files are open",
};

/** The error code, or "" if there is none. */
export const codeOf = (error: unknown): string => {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === "string" ? code : "";
};

/** Why a folder cannot be used; null if the error is not one of the file system. */
export const folderProblem = (error: unknown): string | null => REASONS[codeOf(error)] ?? null;

/** Whether the file or one of its folders does not exist. */
export const isMissing = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR", "EISDIR"].includes(codeOf(error));
