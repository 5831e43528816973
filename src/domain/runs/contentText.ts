/** The origin of a file content that ran instead of a stored version. */
type Origin = {
  readonly commit: string | null;
  readonly stored_version: number | null;
  readonly summary: string | null;
};

/** Describes a file content: `content of commit 1a2b3c4d, differs from stored version 3 (1 step added)`. */
export const contentText = ({ commit, stored_version, summary }: Origin): string => {
  const origin =
    commit === null
      ? "content with uncommitted changes"
      : `content of commit ${commit.slice(0, 8)}`;
  return stored_version === null
    ? `${origin}, not stored on the service`
    : `${origin}, differs from stored version ${stored_version}${summary ? ` (${summary})` : ""}`;
};
